// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_ATOMIC_FILE_HPP
#define KINDRED_BACKENDS_ATOMIC_FILE_HPP

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace Kindred {

/// \brief A file that appears whole or not at all: a reader and a crash find the old one or the
/// new one.
///
/// Written to a file without a name where the file system has such, else to a temporary beside its
/// place; `publish` syncs it, puts it there and syncs the folder. What is not published is removed
/// with the object; what a killed writer left, by the next writer of the same place.
///
/// A file that is replaced passes on its permission bits and, where the process is allowed to give
/// files away, its owner and group. Its other hard links keep the old contents. A symbolic link is
/// followed: the file that it names is replaced, and the link stays.
class AtomicFile {
 public:
  /// \throws InvalidArgument when nothing can be written there, when something that is not a
  /// regular file is there, or a symbolic link to nothing
  explicit AtomicFile(std::string path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Appends. \throws Error when the file system refuses
  void write(const void* data, std::size_t bytes);
  /// Writes over what was written before. \throws Error when the file system refuses
  void write_at(std::uint64_t offset, const void* data, std::size_t bytes);
  const std::string& path() const noexcept { return m_path; }

  /// \brief Makes the files durable, then puts all of them in their places.
  ///
  /// Old files are kept until the last new one is in its place, and are put back when that fails. A
  /// process that is killed in between leaves an old or a new file in each place, never part of
  /// one.
  /// \throws InvalidArgument when two of them have one place; Error when the file system refuses.
  /// Then every place is as it was, unless the message says otherwise: an old file could not be put
  /// back (the message says where it is), or only the folder could not be synced
  static void publish(std::initializer_list<AtomicFile*> files);
  /// \brief A whole file of \p text. Makes missing folders.
  /// \throws Error with the reason; the old file is then left
  static void replace(const std::string& path, std::string_view text);

 private:
  [[noreturn]] void fail(const char* what) const;
  void open_named(unsigned mode);
  void take_permissions() noexcept;
  void sync();
  void name();
  void put_in_place(bool keep_old);
  bool put_back() noexcept;
  void sync_folder() const;
  void close() noexcept;

  std::string m_path;       ///< as it was given, for messages
  std::string m_place;      ///< absolute, behind symbolic links
  std::string m_temporary;  ///< empty while the file has no name, and once it is in its place
  std::string m_old;        ///< where the file that was replaced is kept; empty for none
  int m_file = -1;
};

}  // namespace Kindred

#endif  // KINDRED_BACKENDS_ATOMIC_FILE_HPP
