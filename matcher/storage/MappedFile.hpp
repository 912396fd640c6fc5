// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_STORAGE_MAPPED_FILE_HPP
#define KINDRED_MATCHER_STORAGE_MAPPED_FILE_HPP

#include "FileDescriptor.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

namespace Kindred::Impl {

/// \brief The bytes of a file in memory. What is written to them is private to the process and does
/// not change the file.
class MappedFile {
 public:
  /// \param descriptor of the file, which may be closed afterwards; −1: zeros instead of a file
  /// \param access `write` if the bytes are written to
  /// \param path for the message \throws OutOfMemory
  MappedFile(int descriptor, std::uint64_t bytes, Access access, const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::byte* data() const noexcept { return m_data; }  ///< null if there are no bytes
  std::uint64_t bytes() const noexcept { return m_bytes; }
  template <class T>
  T read(std::uint64_t offset) const noexcept {
    T value;
    std::memcpy(&value, m_data + offset, sizeof(value));
    return value;
  }

 private:
  std::byte* m_data = nullptr;
  std::uint64_t m_bytes;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_STORAGE_MAPPED_FILE_HPP
