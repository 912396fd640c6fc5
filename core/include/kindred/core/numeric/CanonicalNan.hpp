// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_NUMERIC_CANONICAL_NAN_HPP
#define KINDRED_CORE_NUMERIC_CANONICAL_NAN_HPP

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Macros.hpp>

#include <cstdint>
#include <type_traits>

namespace Kindred {

/// The bits of `canonical_nan<float>()`.
inline constexpr std::uint32_t canonical_nan_bits = 0x7FC00000U;

/// The NaN that replaces every computed NaN when it is stored. \tparam T float or double
template <class T>
KOKKOS_INLINE_FUNCTION T canonical_nan() {
  if constexpr (std::is_same_v<T, float>) {
    return Kokkos::bit_cast<float>(std::uint32_t{canonical_nan_bits});
  } else {
    static_assert(std::is_same_v<T, double>);
    return Kokkos::bit_cast<double>(std::uint64_t{0x7FF8000000000000U});
  }
}

/// \p value as it is stored: a NaN is canonical.
template <class T>
KOKKOS_INLINE_FUNCTION T with_canonical_nan(T value) {
  return value != value ? canonical_nan<T>() : value;
}

}  // namespace Kindred

#endif  // KINDRED_CORE_NUMERIC_CANONICAL_NAN_HPP
