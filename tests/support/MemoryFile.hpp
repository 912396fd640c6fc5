// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_SUPPORT_MEMORY_FILE_HPP
#define KINDRED_TESTS_SUPPORT_MEMORY_FILE_HPP

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace Kindred::Testing {

/// A file in memory, for tests that open thousands of files.
class MemoryFile {
 public:
  MemoryFile() : m_file(::memfd_create("kindred-test", MFD_CLOEXEC)) {}
  ~MemoryFile() { ::close(m_file); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::string path() const { return "/proc/self/fd/" + std::to_string(m_file); }
  void set(std::string_view bytes) const {
    const bool written =
        ::ftruncate(m_file, static_cast<off_t>(bytes.size())) == 0 &&
        ::pwrite(m_file, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size());
    if (!written) throw std::runtime_error("a file in memory cannot be written");
  }

 private:
  int m_file;
};

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_SUPPORT_MEMORY_FILE_HPP
