// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MEMORY_BUFFER_HPP
#define KINDRED_MEMORY_BUFFER_HPP

#include <kindred/core/common/Error.hpp>
#include <kindred/memory/MemoryResource.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

namespace Kindred {

/// \brief An array in one memory space whose bytes are counted by a resource. Move-only; elements
/// start uninitialised, the capacity never shrinks. Not thread-safe.
template <class T, class MemorySpace>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>,
                "A Buffer holds plain data that can be copied to a device.");

 public:
  using view_type = Kokkos::View<T*, MemorySpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  using const_view_type =
      Kokkos::View<const T*, MemorySpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  Buffer() = default;
  /// \param resource of \p MemorySpace, must outlive this \param label `Kindred::Class::view`
  /// \throws OutOfMemory
  Buffer(MemoryResource& resource, std::string label, std::size_t size)
      : m_resource(&resource), m_label(std::move(label)) {
    reserve(size);
    m_size = size;
  }
  /// Borrows elements that must outlive this: not counted, never resized.
  Buffer(T* data, std::size_t size) : m_data(data), m_size(size), m_capacity(size) {}
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    Buffer moved(std::move(other));
    swap(moved);
    return *this;
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { release(); }

  std::size_t size() const noexcept { return m_size; }
  /// Bytes of the capacity, whether allocated or borrowed.
  std::size_t bytes() const noexcept { return m_capacity * sizeof(T); }
  T* data() const noexcept { return m_data; }
  view_type view() const { return view_type(m_data, m_size); }
  const_view_type const_view() const { return const_view_type(m_data, m_size); }

  /// Sets the size to \p size. If it grows beyond the capacity, the contents are lost, and the old
  /// and new memory are held at the same time. \throws OutOfMemory; the buffer is then unchanged
  void resize_discarding(std::size_t size) {
    reserve(size);
    m_size = size;
  }

 private:
  void reserve(std::size_t size) {
    if (size <= m_capacity) return;
    if (size > std::numeric_limits<std::size_t>::max() / sizeof(T)) {
      throw OutOfMemory(std::string(m_resource->space()), std::numeric_limits<std::size_t>::max(),
                        m_label, std::to_string(size) + " elements exceed the address space");
    }
    T* data = static_cast<T*>(m_resource->allocate(size * sizeof(T), m_label));
    release();
    m_data = data;
    m_capacity = size;
  }
  void release() noexcept {
    if (m_data != nullptr && m_resource != nullptr)
      m_resource->deallocate(m_data, m_capacity * sizeof(T));
    m_data = nullptr;
    m_capacity = 0;
  }
  void swap(Buffer& other) noexcept {
    std::swap(m_resource, other.m_resource);
    std::swap(m_label, other.m_label);
    std::swap(m_data, other.m_data);
    std::swap(m_size, other.m_size);
    std::swap(m_capacity, other.m_capacity);
  }

  MemoryResource* m_resource = nullptr;
  std::string m_label;
  T* m_data = nullptr;
  std::size_t m_size = 0;
  std::size_t m_capacity = 0;
};

}  // namespace Kindred

#endif  // KINDRED_MEMORY_BUFFER_HPP
