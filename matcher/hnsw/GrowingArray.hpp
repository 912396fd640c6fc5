// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_HNSW_GROWING_ARRAY_HPP
#define KINDRED_MATCHER_HNSW_GROWING_ARRAY_HPP

#include <kindred/core/common/CheckedSize.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/memory/MemoryResource.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

namespace Kindred::Impl {

/// \brief A growing array on the host whose bytes are counted by a resource. It may start out as
/// borrowed memory (a mapped file), which it copies to its own memory when it grows. Not
/// thread-safe.
template <class T>
class GrowingArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  GrowingArray() = default;
  /// \param resource must outlive this
  GrowingArray(MemoryResource& resource, std::string label)
      : m_resource(&resource), m_label(std::move(label)) {}

  /// \param values must be writable and outlive this or its next growth
  void borrow(std::span<T> values) noexcept {
    m_owned.reset();
    m_data = values.data();
    m_size = m_capacity = values.size();
  }

  std::size_t size() const noexcept { return m_size; }
  T* data() noexcept { return m_data; }
  const T* data() const noexcept { return m_data; }
  T& operator[](std::size_t i) noexcept { return m_data[i]; }
  const T& operator[](std::size_t i) const noexcept { return m_data[i]; }
  std::span<const T> span() const noexcept { return {m_data, m_size}; }
  /// Bytes counted by the resource.
  std::uint64_t bytes() const noexcept { return m_owned != nullptr ? m_capacity * sizeof(T) : 0; }

  /// Allocates memory for \p size elements, so that `resize` up to it cannot fail.
  /// \throws OutOfMemory
  void reserve(std::size_t size) {
    if (size <= m_capacity) return;
    // A nonempty array is likely to grow again, so it grows by at least half.
    const std::size_t capacity = m_size == 0 ? size : std::max(size, m_size + m_size / 2);
    const auto bytes = checked_product({capacity, sizeof(T)});
    if (!bytes)
      throw OutOfMemory(std::string(m_resource->space()), ~std::uint64_t{0}, m_label,
                        std::to_string(capacity) + " elements of " + std::to_string(sizeof(T)) +
                            " bytes exceed 64 bits");
    Owned owned(static_cast<T*>(m_resource->allocate(*bytes, m_label)), {m_resource, *bytes});
    if (m_size > 0) std::memcpy(owned.get(), m_data, m_size * sizeof(T));
    m_owned = std::move(owned);
    m_data = m_owned.get();
    m_capacity = capacity;
  }
  /// New elements are set to \p value. \throws OutOfMemory
  void resize(std::size_t size, const T& value) {
    reserve(size);
    if (size > m_size) std::fill(m_data + m_size, m_data + size, value);
    m_size = size;
  }

  /// Removes elements at the end.
  void truncate(std::size_t size) noexcept { m_size = std::min(m_size, size); }

 private:
  struct Deallocate {
    MemoryResource* resource = nullptr;
    std::uint64_t bytes = 0;
    void operator()(T* data) const noexcept { resource->deallocate(data, bytes); }
  };
  using Owned = std::unique_ptr<T, Deallocate>;

  MemoryResource* m_resource = nullptr;
  std::string m_label;
  Owned m_owned;  ///< unless the memory is borrowed
  T* m_data = nullptr;
  std::size_t m_size = 0;
  std::size_t m_capacity = 0;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_HNSW_GROWING_ARRAY_HPP
