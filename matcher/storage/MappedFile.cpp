// SPDX-License-Identifier: Apache-2.0
#include "MappedFile.hpp"

#include <kindred/core/common/Error.hpp>

#include <sys/mman.h>

#include <cerrno>

namespace Kindred::Impl {

MappedFile::MappedFile(int descriptor, std::uint64_t bytes, Access access, const std::string& path)
    : m_bytes(bytes) {
  if (bytes == 0) return;
  const int protection = access == Access::write ? PROT_READ | PROT_WRITE : PROT_READ;
  const int source = descriptor < 0 ? MAP_ANONYMOUS : MAP_NORESERVE;
  void* const data = ::mmap(nullptr, bytes, protection, MAP_PRIVATE | source, descriptor, 0);
  if (data == MAP_FAILED) {
    const std::string why = std::strerror(errno);
    throw OutOfMemory("host", bytes, "mapping " + path, why);
  }
  m_data = static_cast<std::byte*>(data);
}

MappedFile::~MappedFile() {
  if (m_data != nullptr) ::munmap(m_data, m_bytes);
}

}  // namespace Kindred::Impl
