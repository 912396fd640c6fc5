// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_IMPL_PAIR_VALUES_KERNEL_HPP
#define KINDRED_CORE_SEQUENCE_IMPL_PAIR_VALUES_KERNEL_HPP

#include <kindred/core/sequence/PairValues.hpp>
#include <kindred/core/sequence/impl/MatchKey.hpp>

#include <cstdint>
#include <limits>
#include <type_traits>

namespace Kindred::Impl {

/// \p value, which is not negative, as an element: in an integer type rounded, halves up, and at
/// most its largest number.
template <class Element>
KOKKOS_INLINE_FUNCTION Element pair_element(double value) {
  if constexpr (std::is_integral_v<Element>) {
    constexpr double most = sizeof(Element) == 1 ? 255.0 : 2147483647.0;
    static_assert(std::numeric_limits<Element>::max() == most);
    return static_cast<Element>(value < most ? value + 0.5 : most);
  } else {
    return static_cast<Element>(value);
  }
}

/// Calls \p function with a value of the element type.
template <class Function>
void with_value_type(DataType type, const Function& function) {
  if (type == DataType::float64) {
    function(double{});
  } else if (type == DataType::int32) {
    function(std::int32_t{});
  } else if (type == DataType::uint8) {
    function(std::uint8_t{});
  } else {
    function(float{});
  }
}

/// \brief Moves the values of all slots to their patterns.
/// \tparam Source `std::uint32_t`: counts; `WideRank`: similarities in keys
template <class ExecutionSpace, class Source>
struct PairValuesKernel {
  PatternTiles<ExecutionSpace> tiles;
  ArrayView<const std::uint32_t, ExecutionSpace> query_lengths;
  ArrayView<const Source, ExecutionSpace> sources;  ///< `queries × slots`
  PairValues<ExecutionSpace> values;
  PairRule rule;
  std::uint32_t slots;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    const auto query = static_cast<std::uint32_t>(i / slots);
    const auto slot = static_cast<std::uint32_t>(i % slots);
    const std::uint32_t index = tiles.indices(slot);
    if (index == no_pattern) return;
    double value;
    if constexpr (std::is_same_v<Source, WideRank>) {
      value = rule.of_similarity(key_similarity(sources(i)));
    } else {
      value = rule.of_count(sources(i), tiles.lengths(slot), query_lengths(query));
    }
    store(values.rows(query) + index, value);
  }

  KOKKOS_INLINE_FUNCTION void store(std::uint64_t at, double value) const {
    switch (values.type) {
      case DataType::float64:
        static_cast<double*>(values.data)[at] = value;
        return;
      case DataType::int32:
        static_cast<std::int32_t*>(values.data)[at] = pair_element<std::int32_t>(value);
        return;
      case DataType::uint8:
        static_cast<std::uint8_t*>(values.data)[at] = pair_element<std::uint8_t>(value);
        return;
      default:
        static_cast<float*>(values.data)[at] = pair_element<float>(value);
    }
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEQUENCE_IMPL_PAIR_VALUES_KERNEL_HPP
