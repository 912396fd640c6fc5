// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SRC_SHARED_ARRAY_HPP
#define KINDRED_MATCHER_SRC_SHARED_ARRAY_HPP

#include <kindred/core/common/Error.hpp>

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <exception>
#include <string>
#include <utility>

namespace Kindred::Impl {

/// \brief An array of the host that every space reaches and that a device copies at full speed; it
/// grows. Beside a device it is pinned memory, which no budget counts.
template <class T>
class SharedArray {
 public:
  explicit SharedArray(std::string label) : m_label(std::move(label)) {}

  /// What it held is lost where it grows; nothing may be using it. May wait for the device.
  /// \throws OutOfMemory; then it holds nothing
  void resize_discarding(std::size_t size) {
    if (size <= m_view.size()) return;
    m_view = {};
    try {
      m_view = view_type(Kokkos::view_alloc(m_label, Kokkos::WithoutInitializing), size);
    } catch (const std::exception&) {
      throw OutOfMemory("host", size * sizeof(T), m_label, "pinned memory was refused");
    }
  }
  void clear() { m_view = {}; }
  T* data() const { return m_view.data(); }

 private:
  using view_type = Kokkos::View<T*, Kokkos::SharedHostPinnedSpace>;
  std::string m_label;
  view_type m_view;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SRC_SHARED_ARRAY_HPP
