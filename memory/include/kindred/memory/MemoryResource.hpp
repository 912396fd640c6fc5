// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MEMORY_MEMORY_RESOURCE_HPP
#define KINDRED_MEMORY_MEMORY_RESOURCE_HPP

#include <kindred/core/common/Public.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace KINDRED_PUBLIC Kindred {

/// \brief A source of memory in one space. Adaptors wrap a resource and are resources themselves:
/// `limit → statistics → space`.
///
/// The concept and its composition follow RMM. Thread-safe. Memory is aligned to at least 64 bytes.
class MemoryResource {
 public:
  virtual ~MemoryResource() = default;
  MemoryResource() = default;
  MemoryResource(const MemoryResource&) = delete;
  MemoryResource& operator=(const MemoryResource&) = delete;

  /// \param bytes may be 0 (the result is then null)
  /// \param label `Kindred::Class::view`, shown in errors and tools
  /// \throws OutOfMemory; nothing is then reserved
  virtual void* allocate(std::size_t bytes, const std::string& label) = 0;
  /// \param data from `allocate` of this resource with the same \p bytes; may fence the memory's
  /// space
  virtual void deallocate(void* data, std::size_t bytes) noexcept = 0;
  /// `host` or `cuda`.
  virtual std::string_view space() const noexcept = 0;
};

}  // namespace Kindred

#endif  // KINDRED_MEMORY_MEMORY_RESOURCE_HPP
