// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MEMORY_PINNED_ARRAY_HPP
#define KINDRED_MEMORY_PINNED_ARRAY_HPP

#include <kindred/core/common/Error.hpp>
#include <kindred/memory/Buffer.hpp>

#include <cstddef>
#include <string>
#include <utility>

namespace Kindred::Impl {

/// \brief An array of the host that every space reaches and that a device copies at full speed; it
/// grows. One that is made without memory, as a `Buffer` is before it is assigned, cannot.
template <class T>
class PinnedArray {
 public:
  PinnedArray() = default;
  /// \param pinned `Context::pinned_memory()`
  PinnedArray(MemoryResource& pinned, std::string label)
      : m_pinned(&pinned), m_label(std::move(label)) {}

  /// What it held is lost where it grows; nothing may be using it. May wait for the device.
  /// \throws OutOfMemory; then it holds nothing
  void resize_discarding(std::size_t size) {
    if (size <= m_buffer.size()) return;
    KINDRED_THROW_IF(m_pinned == nullptr, "an array that has no memory cannot grow");
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
