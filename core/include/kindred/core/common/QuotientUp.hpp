// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_COMMON_QUOTIENT_UP_HPP
#define KINDRED_CORE_COMMON_QUOTIENT_UP_HPP

#include <Kokkos_Macros.hpp>

namespace Kindred {

/// \p number / \p divisor, rounded up: as many parts of \p divisor elements hold \p number of them.
/// \p divisor must not be 0, and number + divisor − 1 must fit their common type.
template <class Number, class Divisor>
KOKKOS_INLINE_FUNCTION constexpr auto quotient_up(Number number, Divisor divisor) {
  using Type = decltype(number + divisor);
  return (static_cast<Type>(number) + static_cast<Type>(divisor) - 1) / static_cast<Type>(divisor);
}

}  // namespace Kindred

#endif  // KINDRED_CORE_COMMON_QUOTIENT_UP_HPP
