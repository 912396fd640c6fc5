// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_ATOMIC_FILE_HPP
#define KINDRED_TOOLS_IO_ATOMIC_FILE_HPP

#include <cstddef>
#include <initializer_list>
#include <string>

namespace Kindred::Tools {

/// \brief A file that appears whole or not at all.
///
/// Written to a temporary beside its place, which the destructor removes; only `publish` puts it
/// there.
class AtomicFile {
 public:
  /// \throws UsageError when nothing can be written there, or something that is no file is there
  explicit AtomicFile(std::string path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// \throws Error when the file system refuses
  void write(const void* data, std::size_t bytes);
  const std::string& path() const noexcept { return m_path; }

  /// \brief Makes the files durable, then puts all of them in their places.
  /// \throws Error when the file system refuses; then none of them is new
  static void publish(std::initializer_list<AtomicFile*> files);

 private:
  [[noreturn]] void fail(const char* what) const;
  void sync();

  std::string m_path;
  std::string m_temporary;
  int m_file = -1;
};

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_ATOMIC_FILE_HPP
