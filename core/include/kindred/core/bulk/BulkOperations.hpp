// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_BULK_BULK_OPERATIONS_HPP
#define KINDRED_CORE_BULK_BULK_OPERATIONS_HPP

#include <cstdint>

namespace Kindred {

/// What is done to every element of an array.
enum class ElementWise : std::uint8_t {
  add,          ///< a + b; b a number or an array
  multiply,     ///< a · b; b a number or an array
  square,       ///< a · a
  square_root,  ///< √a; NaN below −0
  exponential   ///< eᵃ: `portable_exp` in double, rounded once
};

/// What one number is made of an array.
enum class Reduction : std::uint8_t {
  sum,       ///< canonical; +0 of no elements
  min,       ///< −0 is below +0; NaN where one is
  max,       ///< likewise
  mean,      ///< canonical sum / elements
  deviation  ///< √(canonical Σ(x − mean)² / elements)
};

}  // namespace Kindred

#endif  // KINDRED_CORE_BULK_BULK_OPERATIONS_HPP
