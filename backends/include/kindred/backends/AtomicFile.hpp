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
/// place; `publish` syncs it, puts it there and syncs the folder. What is not published is gone
/// with the object; what a killed writer left, with the next one of the same place.
class AtomicFile {
 public:
  /// \throws InvalidArgument when nothing can be written there, or something that is no file is
  /// there
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
  /// \throws Error when the file system refuses; then none of them is new
  static void publish(std::initializer_list<AtomicFile*> files);
  /// \brief A whole file of \p text. Makes missing folders.
  /// \throws Error with the reason; the old file is then left
  static void replace(const std::string& path, std::string_view text);

 private:
  [[noreturn]] void fail(const char* what) const;
  void sync();
  void name();
  void close() noexcept;

  std::string m_path;
  std::string m_temporary;  ///< empty while the file has no name
  int m_file = -1;
};

}  // namespace Kindred

#endif  // KINDRED_BACKENDS_ATOMIC_FILE_HPP
