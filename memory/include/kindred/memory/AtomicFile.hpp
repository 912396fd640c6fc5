// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MEMORY_ATOMIC_FILE_HPP
#define KINDRED_MEMORY_ATOMIC_FILE_HPP

#include <kindred/core/common/Public.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace KINDRED_PUBLIC Kindred {

/// \brief A file that is replaced atomically: after a crash, and to every reader, the path holds
/// either the old contents or the new contents.
///
/// Data goes to an unnamed file where the file system supports it, otherwise to a temporary file in
/// the same folder. `publish` syncs the file, moves it to its path and syncs the folder. An object
/// that is destroyed without `publish` removes its file; the temporary of a killed process is
/// removed by the next writer of the same path.
///
/// The new file takes over the permission bits of the file that it replaces and, where the process
/// may change ownership, its owner and group. Other hard links to the old file keep the old
/// contents. Symbolic links are followed: the target is replaced, and the link stays. Not
/// thread-safe.
class AtomicFile {
 public:
  /// \throws InvalidArgument if the path cannot be written, names something that is not a regular
  /// file, or is a dangling symbolic link
  explicit AtomicFile(std::string path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Appends \p bytes bytes. \throws Error if the write fails
  void write(const void* data, std::size_t bytes);
  /// Overwrites data that was written before. \throws Error if the write fails
  void write_at(std::uint64_t offset, const void* data, std::size_t bytes);
  const std::string& path() const noexcept { return m_path; }

  /// \brief Makes the files durable, then moves all of them to their paths.
  ///
  /// The old files are kept until the last new file is in place, and are restored if a move fails.
  /// A process that is killed in between leaves either the old or the new file at each path, never
  /// a partial one.
  /// \throws InvalidArgument if two of the files have the same path
  /// \throws Error if a file-system call fails. Every path then holds its old file, with two
  /// exceptions that the message reports: an old file could not be restored (the message says where
  /// it is), or only syncing the folder failed
  static void publish(std::initializer_list<AtomicFile*> files);
  /// \brief Atomically replaces the file at \p path by \p text. Creates missing folders.
  /// \throws Error with the reason; the old file is then unchanged
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

  std::string m_path;        ///< as given; used in messages
  std::string m_place;       ///< absolute, with symbolic links resolved
  std::string m_temporary;   ///< empty while the file is unnamed, and once it has been moved
  std::string m_old;         ///< where the replaced file is kept; empty if there is none
  std::uint64_t m_size = 0;  ///< bytes that `write` has appended
  int m_file = -1;
};

}  // namespace Kindred

#endif  // KINDRED_MEMORY_ATOMIC_FILE_HPP
