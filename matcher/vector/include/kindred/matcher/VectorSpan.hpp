// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_VECTOR_SPAN_HPP
#define KINDRED_MATCHER_VECTOR_SPAN_HPP

#include <kindred/core/common/Array.hpp>
#include <kindred/core/common/CheckedSize.hpp>
#include <kindred/core/common/Public.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <type_traits>

namespace KINDRED_PUBLIC Kindred {

/// \brief Non-owning view of row-major rows.
struct VectorSpan {
  DataType element = DataType::float32;
  std::span<const std::byte> values;  ///< count × dimension elements
  std::span<const float> scales;      ///< one per row; only for int8
  std::size_t dimension = 0;

  VectorSpan() = default;
  VectorSpan(DataType element_, std::span<const std::byte> values_, std::size_t dimension_,
             std::span<const float> scales_ = {})
      : element(element_), values(values_), scales(scales_), dimension(dimension_) {}
  VectorSpan(std::span<const float> values_, std::size_t dimension_)
      : values(std::as_bytes(values_)), dimension(dimension_) {}

  /// Bytes of a row. \throws InvalidArgument if the size exceeds 64 bits
  std::size_t row_bytes() const {
    return size_product("dimension × bytes of an element", {dimension, size_of(element)});
  }
  std::size_t count() const { return row_bytes() == 0 ? 0 : values.size() / row_bytes(); }
  /// The rows `begin … begin + length`.
  VectorSpan rows(std::size_t begin, std::size_t length) const {
    return {element, values.subspan(begin * row_bytes(), length * row_bytes()), dimension,
            scales.empty() ? scales : scales.subspan(begin, length)};
  }
};

/// \brief The rows that a call reads: dense rows on the host, or an array [count, dimension] of
/// float32, float16 or bfloat16 on the host or on a device, where there may be gaps between rows.
struct RowArray {
  /// \param rows a `VectorSpan` or an array
  template <class Rows>
  RowArray(const Rows& rows) {  // NOLINT(google-explicit-constructor): a view
    if constexpr (std::is_same_v<Rows, VectorSpan>) {
      span = rows;
    } else {
      array = rows;
    }
  }
  RowArray(std::span<const float> values, std::size_t dimension) : span(values, dimension) {}

  VectorSpan span;
  std::optional<ConstArray> array;  ///< instead of `span`
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_VECTOR_SPAN_HPP
