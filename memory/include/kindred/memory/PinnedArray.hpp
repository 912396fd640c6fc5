// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MEMORY_PINNED_ARRAY_HPP
#define KINDRED_MEMORY_PINNED_ARRAY_HPP

#include <kindred/core/common/Error.hpp>
#include <kindred/memory/Buffer.hpp>

#include <cstddef>
#include <string>
#include <utility>

namespace Kindred::Impl {

/// \brief A growing host array that every space can access and a device copies at full speed. A
/// default-constructed one has no memory resource, like a `Buffer` before it is assigned, and
/// cannot grow. Not thread-safe.
template <class T>
class PinnedArray {
 public:
  PinnedArray() = default;
  /// \param pinned `Context::pinned_memory()`
  PinnedArray(MemoryResource& pinned, std::string label)
      : m_pinned(&pinned), m_label(std::move(label)) {}

  /// Growing discards the contents; nothing may be using them. May wait for the device.
  /// \throws OutOfMemory; the array is then empty
  void resize_discarding(std::size_t size) {
    if (size <= m_buffer.size()) return;
    KINDRED_THROW_IF(m_pinned == nullptr, "an array without a memory resource cannot grow");
    clear();
    m_buffer = {*m_pinned, m_label, size};
  }
  void clear() { m_buffer = {}; }
  T* data() const { return m_buffer.data(); }

 private:
  MemoryResource* m_pinned = nullptr;
  std::string m_label;
  Buffer<T, Kokkos::SharedHostPinnedSpace> m_buffer;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MEMORY_PINNED_ARRAY_HPP
