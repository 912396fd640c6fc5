// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_MATH_LANE_TREE_HPP
#define KINDRED_CORE_MATH_LANE_TREE_HPP

#include <Kokkos_Macros.hpp>

#include <cstdint>

/// The tree reduction over the 32 lanes of one block of a reproducible sum, for one thread or a
/// few. \see ReproducibleSum.hpp
namespace Kindred::Impl {

/// Four of the 32 lanes of a reproducible sum, `first`, + 8, + 16 and + 24, added as in the tree's
/// first two levels. `add(sum, i)` adds term i.
template <class Sum, class Add>
KOKKOS_INLINE_FUNCTION Sum four_lanes(std::uint32_t first, std::uint32_t count, const Add& add) {
  Sum a{};
  Sum b{};
  Sum c{};
  Sum d{};
  for (std::uint32_t i = first; i < count; i += 32) {
    add(a, i);
    if (i + 8 < count) add(b, i + 8);
    if (i + 16 < count) add(c, i + 16);
    if (i + 24 < count) add(d, i + 24);
  }
  return (a + c) + (b + d);
}

/// The tree over `four(first)`, the `four_lanes` of first = 0 … 7, in an order that keeps few sums
/// live.
template <class FourLanes>
KOKKOS_INLINE_FUNCTION auto tree_of_four_lanes(const FourLanes& four) {
  const auto pair = [&](std::uint32_t first) { return four(first) + four(first + 4); };
  const auto even = pair(0) + pair(2);
  return even + (pair(1) + pair(3));
}

/// All 32 lanes and their tree reduction in one thread.
template <class Sum, class Add>
KOKKOS_INLINE_FUNCTION Sum all_lanes(std::uint32_t count, const Add& add) {
  return tree_of_four_lanes(
      [&](std::uint32_t first) { return four_lanes<Sum>(first, count, add); });
}

/// \brief The pairwise tree reduction over the terms `First, First + Step, …` below `Max` of a row
/// with one block: `terms.first(i)` is term i, `terms.add(sum, i)` adds it; beyond the row they
/// yield 0.
template <unsigned Max, unsigned First = 0, unsigned Step = 1, class Terms>
KOKKOS_INLINE_FUNCTION double sum_of_terms(const Terms& terms) {
  if constexpr (First + Step >= Max) {
    return terms.first(First);
  } else {
    const double left = sum_of_terms<Max, First, 2 * Step>(terms);
    if constexpr (First + 3 * Step >= Max)
      return terms.add(left, First + Step);
    else
      return left + sum_of_terms<Max, First + Step, 2 * Step>(terms);
  }
}

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_MATH_LANE_TREE_HPP
