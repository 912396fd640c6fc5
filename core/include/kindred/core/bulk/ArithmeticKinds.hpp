// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_BULK_ARITHMETIC_KINDS_HPP
#define KINDRED_CORE_BULK_ARITHMETIC_KINDS_HPP

#include <kindred/core/common/Names.hpp>
#include <kindred/core/common/Public.hpp>

#include <cstdint>

namespace KINDRED_PUBLIC Kindred {

/// The operation on every element of an array.
enum class ElementWise : std::uint8_t {
  add,          ///< a + b; b is a number or an array
  multiply,     ///< a · b; b is a number or an array
  square,       ///< a · a
  square_root,  ///< √a; NaN for a < 0
  exponential   ///< eᵃ: `portable_exp` in double, rounded once
};
template <>
inline constexpr auto enum_names<ElementWise> =
    std::to_array<std::string_view>({"add", "multiply", "square", "sqrt", "exp"});

/// How an array is reduced to one number.
enum class Reduction : std::uint8_t {
  sum,       ///< reproducible; +0 for no elements
  min,       ///< −0 is below +0; NaN if an element is NaN
  max,       ///< as `min`
  mean,      ///< reproducible sum / elements
  deviation  ///< √(reproducible Σ(x − mean)² / elements)
};
template <>
inline constexpr auto enum_names<Reduction> =
    std::to_array<std::string_view>({"sum", "min", "max", "mean", "deviation"});

}  // namespace Kindred

#endif  // KINDRED_CORE_BULK_ARITHMETIC_KINDS_HPP
