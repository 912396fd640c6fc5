// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SRC_MEMORY_COLUMN_HPP
#define KINDRED_MATCHER_SRC_MEMORY_COLUMN_HPP

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace Kindred::Impl {

/// \brief An array that begins in memory it does not own (a mapped file, changed in place) and
/// grows in memory of its own.
template <class T>
class Column {
 public:
  Column() = default;
  /// \param base outlives this
  explicit Column(std::span<T> base) : m_base(base) {}

  std::size_t size() const noexcept { return m_base.size() + m_added.size(); }
  const T& operator[](std::size_t i) const noexcept {
    return i < m_base.size() ? m_base[i] : m_added[i - m_base.size()];
  }
  T& operator[](std::size_t i) noexcept {
    return i < m_base.size() ? m_base[i] : m_added[i - m_base.size()];
  }
  void push_back(const T& value) { m_added.push_back(value); }
  /// Room for \p count more, so that adding them cannot fail.
  void make_room(std::size_t count) {
    if (m_added.capacity() - m_added.size() >= count) return;
    m_added.reserve(std::max(m_added.size() + count, m_added.size() * 2));
  }

  /// The part that is not owned, and what was added to it.
  std::span<const T> base() const noexcept { return m_base; }
  std::span<const T> added() const noexcept { return m_added; }

 private:
  std::span<T> m_base;
  std::vector<T> m_added;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SRC_MEMORY_COLUMN_HPP
