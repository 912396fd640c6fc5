// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_STORAGE_FILE_DESCRIPTOR_HPP
#define KINDRED_MATCHER_STORAGE_FILE_DESCRIPTOR_HPP

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace Kindred::Impl {

/// An owning file descriptor; closing it releases its lock.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int descriptor) noexcept : m_descriptor(descriptor) {}
  FileDescriptor(FileDescriptor&& other) noexcept
      : m_descriptor(std::exchange(other.m_descriptor, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(m_descriptor, other.m_descriptor);
    return *this;
  }
  ~FileDescriptor() {
    if (m_descriptor >= 0) ::close(m_descriptor);
  }
  int get() const noexcept { return m_descriptor; }
  explicit operator bool() const noexcept { return m_descriptor >= 0; }

 private:
  int m_descriptor = -1;
};

enum class Access : bool { read, write };

/// \throws NotFound if the file does not exist; InvalidArgument if it is not a regular file or
/// cannot be opened
FileDescriptor open_existing(const std::string& path, Access access);
/// \throws Error
std::uint64_t file_size(int descriptor, const std::string& path);
/// \brief Opens the regular file \p path and locks it against other writers of this library until
/// the descriptor is closed. \throws Busy while another process writes it; otherwise as
/// `open_existing`
FileDescriptor lock_existing(const std::string& path, Access access);

/// Reads up to \p bytes bytes at an offset of the file, and returns how many it has there. \throws
/// Error
std::size_t read_at(int descriptor, std::uint64_t offset, void* out, std::size_t bytes,
                    const std::string& path);
/// Writes at an offset of the file. \throws Error
void write_at(int descriptor, std::uint64_t offset, const void* data, std::size_t bytes,
              const std::string& path);
/// Waits until the written data is durable. \throws Error
void sync(int descriptor, const std::string& path);

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_STORAGE_FILE_DESCRIPTOR_HPP
