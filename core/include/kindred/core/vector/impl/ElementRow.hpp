// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_VECTOR_IMPL_ELEMENT_ROW_HPP
#define KINDRED_CORE_VECTOR_IMPL_ELEMENT_ROW_HPP

#include <kindred/core/arch/Elements.hpp>
#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/common/Alignment.hpp>
#include <kindred/core/vector/VectorRows.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace Kindred::Impl {

/// A row as the floats to which it decodes.
template <class Element>
struct ElementRow {
  const Element* values;
  float scale;  // int8 only

  /// The floats from i on: 32, or \p count ≤ 32 followed by +0.
  template <class Lanes, class... Count>
  KOKKOS_INLINE_FUNCTION auto load(const Lanes& lanes, std::uint64_t i, Count... count) const {
    const auto loaded = lanes.load(values + i, count...);
    if constexpr (std::is_same_v<Element, std::int8_t>) {
      return lanes.multiply(loaded, scale);
    } else {
      return loaded;
    }
  }
  /// Prefetches the cache lines of the row.
  template <class Lanes>
  KOKKOS_INLINE_FUNCTION void prefetch(const Lanes& lanes, std::uint64_t dimension) const {
    lanes.prefetch(reinterpret_cast<const char*>(values), dimension * sizeof(Element));
  }
};

/// `VectorRows` of one element type, as a kernel holds them.
template <class Element>
struct ElementRows {
  const Element* values;
  const float* scales;
  const double* norms;
  const std::uint32_t* ids;  // null: the row's index
  std::uint64_t dimension;
  std::uint64_t stride;

  KOKKOS_INLINE_FUNCTION ElementRow<Element> operator[](std::uint64_t row) const {
    if constexpr (std::is_same_v<Element, std::int8_t>) {
      return {values + row * stride, scales[row]};
    } else {
      return {values + row * stride, 1.0F};
    }
  }
  /// The index that a rank of row \p row carries; \p first is the number of preceding rows of the
  /// matrix.
  KOKKOS_INLINE_FUNCTION std::uint32_t id(std::uint64_t row, std::uint64_t first = 0) const {
    return ids == nullptr ? static_cast<std::uint32_t>(first + row) : ids[row];
  }
  /// True if every row is aligned to four of its elements.
  bool is_aligned() const {
    return dimension % 4 == 0 && rows_begin_at(4 * sizeof(Element), values, stride);
  }
};

template <class Element, class ExecutionSpace>
ElementRows<Element> element_rows(const VectorRows<ExecutionSpace>& rows) {
  return {reinterpret_cast<const Element*>(rows.values.data()),
          rows.scales.data(),
          rows.norms.data(),
          rows.ids.size() == 0 ? nullptr : rows.ids.data(),
          rows.dimension,
          rows.stride == 0 ? rows.dimension : rows.stride};
}

/// Calls `function(rows)` with \p rows as `ElementRows` of their element type.
template <class ExecutionSpace, class Function>
void with_element(const VectorRows<ExecutionSpace>& rows, const Function& function) {
  switch (rows.element) {
    case DataType::float32:
      return function(element_rows<float>(rows));
    case DataType::float16:
      return function(element_rows<Arch::Float16>(rows));
    case DataType::bfloat16:
      return function(element_rows<Arch::BFloat16>(rows));
    case DataType::int8:
      return function(element_rows<std::int8_t>(rows));
  }
}

/// Calls `function(aligned)` with the constant that `Arch::GroupLanes` takes for \p rows.
template <class ExecutionSpace, class Element, class Function>
void with_alignment(const ElementRows<Element>& rows, const Function& function) {
  if constexpr (Arch::is_device<ExecutionSpace>) {
    if (rows.is_aligned()) return function(std::true_type{});
  }
  function(std::false_type{});
}

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_VECTOR_IMPL_ELEMENT_ROW_HPP
