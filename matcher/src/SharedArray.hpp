// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SRC_SHARED_ARRAY_HPP
#define KINDRED_MATCHER_SRC_SHARED_ARRAY_HPP

#include <kindred/memory/Buffer.hpp>

#include <cstddef>
#include <string>
#include <utility>

namespace Kindred::Impl {

/// \brief An array of the host that every space reaches and that a device copies at full speed; it
/// grows.
template <class T>
class SharedArray {
 public:
  explicit SharedArray(std::string label) : m_label(std::move(label)) {}

  /// Before the first use; it is then empty. \param pinned `Context::pinned_memory()`
  void bind(MemoryResource& pinned) {
    m_pinned = &pinned;
    clear();
  }
  /// What it held is lost where it grows; nothing may be using it. May wait for the device.
  /// \throws OutOfMemory; then it holds nothing
  void resize_discarding(std::size_t size) {
    if (size <= m_buffer.size()) return;
    clear();
    m_buffer = {*m_pinned, m_label, size};
  }
  void clear() { m_buffer = {}; }
  T* data() const { return m_buffer.data(); }

 private:
  std::string m_label;
  MemoryResource* m_pinned = nullptr;
  Buffer<T, Kokkos::SharedHostPinnedSpace> m_buffer;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SRC_SHARED_ARRAY_HPP
