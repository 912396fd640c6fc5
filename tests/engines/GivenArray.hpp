// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_ENGINES_GIVEN_ARRAY_HPP
#define KINDRED_TESTS_ENGINES_GIVEN_ARRAY_HPP

#include <gtest/gtest.h>

#include <cstring>

#include "DeviceCopy.hpp"
#include "Support.hpp"

namespace UnalignedArraysTest {

using namespace Kindred;
using Bytes = std::vector<std::byte>;

/// Where the arrays of a call are, and with which gaps.
struct Layout {
  bool on_device = false;
  std::size_t skip = 0;  ///< elements before the first one
  std::size_t gap = 0;   ///< elements between the rows of a matrix

  std::string name() const {
    return (on_device ? "device" : "host") + std::string(", first element ") +
           std::to_string(skip) + ", gap " + std::to_string(gap);
  }
};

template <class T>
Bytes bytes_of(const std::vector<T>& values) {
  Bytes out(values.size() * sizeof(T));
  if (!out.empty()) std::memcpy(out.data(), values.data(), out.size());
  return out;
}

/// \brief An array of a caller, with guard elements before, between and behind its rows.
/// \tparam T has the size of the elements
template <class T>
class Given {
 public:
  /// \param rows 0: an array of one dimension
  Given(const Layout& layout, std::size_t rows, std::size_t columns, const std::vector<T>& values,
        DataType type = data_type_of<T>)
      : m_rows(rows == 0 ? 1 : rows),
        m_columns(columns),
        m_step(columns + (rows == 0 ? 0 : layout.gap)),
        m_type(type) {
    if (rows == 0) {
      m_shape = {static_cast<std::int64_t>(columns)};
    } else {
      m_shape = {static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns)};
      m_strides = {static_cast<std::int64_t>(m_step), 1};
    }
    constexpr std::size_t line = 64 / sizeof(T);
    m_memory.resize(2 * line + layout.skip + m_rows * m_step + line);
    std::memset(m_memory.data(), 0xA5, m_memory.size() * sizeof(T));
    // The array of a layout without a skip begins at a cache line.
    m_begin = layout.skip;
    if (layout.on_device) {
      m_begin += line;
    } else {
      while (reinterpret_cast<std::uintptr_t>(m_memory.data() + m_begin - layout.skip) % 64 != 0)
        ++m_begin;
    }
    for (std::size_t row = 0; row < m_rows; ++row)
      std::copy_n(values.data() + row * columns, columns, m_memory.data() + m_begin + row * m_step);
    if (layout.on_device)
      m_copy = std::make_unique<Testing::DeviceCopy<T>>(Testing::context(), m_memory);
  }

  /// Of zeros.
  Given(const Layout& layout, std::size_t rows, std::size_t columns,
        DataType type = data_type_of<T>)
      : Given(layout, rows, columns, std::vector<T>(std::max<std::size_t>(rows, 1) * columns),
              type) {}

  Array array() {
    if (m_copy) return m_copy->array(m_type, m_shape, m_strides, m_begin);
    return {m_memory.data() + m_begin, m_type, m_shape, m_strides};
  }
  operator Array() { return array(); }
  operator ConstArray() { return array(); }
  /// The bytes of its elements; fails the test if another element changed.
  Bytes result() const {
    std::vector<T> now = m_copy ? m_copy->values() : m_memory;
    std::vector<T> own;
    for (std::size_t row = 0; row < m_rows; ++row) {
      T* const first = now.data() + m_begin + row * m_step;
      own.insert(own.end(), first, first + m_columns);
      std::memset(first, 0xA5, m_columns * sizeof(T));
    }
    const Bytes around = bytes_of(now);
    EXPECT_EQ(around, Bytes(around.size(), std::byte{0xA5})) << "elements beside the array changed";
    return bytes_of(own);
  }
  std::span<T> span() { return {static_cast<T*>(array().data()), m_columns}; }

 private:
  std::size_t m_rows;
  std::size_t m_columns;
  std::size_t m_step;
  DataType m_type;
  std::size_t m_begin = 0;
  std::vector<std::int64_t> m_shape;
  std::vector<std::int64_t> m_strides;
  std::vector<T> m_memory;
  std::unique_ptr<Testing::DeviceCopy<T>> m_copy;
};

/// \brief Requires of \p call the same bytes for every layout as for the aligned array in the same
/// memory. \param gaps whether there may be gaps between rows
inline void expect_same_bits(bool gaps, const std::function<Bytes(const Layout&)>& call) {
  for (const bool on_device : {false, true}) {
    if (on_device && !Testing::context().is_usable(Space::cuda)) continue;
    const Bytes expected = call({on_device, 0, 0});
    for (const std::size_t skip : {1, 2, 3, 4, 7, 8}) {
      for (const std::size_t gap : {0, 1, 3, 4}) {
        if (gap > 0 && !gaps) continue;
        const Layout layout{on_device, skip, gap};
        SCOPED_TRACE(layout.name());
        ASSERT_EQ(call(layout), expected);
      }
    }
  }
}

inline Bytes joined(std::initializer_list<Bytes> parts) {
  Bytes all;
  for (const Bytes& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

/// The bytes of several arrays.
template <class... T>
Bytes results_of(const Given<T>&... arrays) {
  return joined({arrays.result()...});
}

}  // namespace UnalignedArraysTest

#endif  // KINDRED_TESTS_ENGINES_GIVEN_ARRAY_HPP
