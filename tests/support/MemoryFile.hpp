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

/// \brief Calls `check(changed, at, value)` for files that equal \p whole except for one byte,
/// which takes several values at every position. Returns the number of files.
template <class Check>
std::size_t for_each_changed_byte(const std::string& whole, const Check& check) {
  std::size_t tried = 0;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    const auto byte = static_cast<unsigned char>(whole[at]);
    for (const int value : {0, 255, byte ^ 1, byte ^ 0x80, byte + 1}) {
      if (static_cast<unsigned char>(value) == byte) continue;
      std::string changed = whole;
      changed[at] = static_cast<char>(value);
      check(changed, at, value);
      ++tried;
    }
  }
  return tried;
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_SUPPORT_MEMORY_FILE_HPP
