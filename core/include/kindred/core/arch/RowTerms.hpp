// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_ROW_TERMS_HPP
#define KINDRED_CORE_ARCH_ROW_TERMS_HPP

#include <kindred/core/arch/RoundedProduct.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace Kindred::Arch {

/// \brief Reproducible sums of `x[source] · weight` over rows of edges, as computed by one work
/// item.
///
/// Each node has `Width` values of x (float, bfloat16 or double), one per query, adjacent in
/// memory. A short row has one reproducible block. Each sum of a row that is not replaced is
/// visited once.
template <class ExecutionSpace>
class RowSums;

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

/// Adds `value · weight`. The product of two floats is exact, so it may be fused; that of a double
/// is rounded before it is added.
KOKKOS_INLINE_FUNCTION void add_term(double& to, float value, float weight) {
  to = ::fma(static_cast<double>(value), static_cast<double>(weight), to);
}
KOKKOS_INLINE_FUNCTION void add_term(double& to, double value, float weight) {
  to += rounded_product(value, static_cast<double>(weight));
}

/// Adds the term of \p edge to the sum of \p query, if the query uses the edge.
template <class Edges, class X>
KOKKOS_INLINE_FUNCTION void add_edge(double& to, const Edges& edges, std::uint64_t edge, const X* x,
                                     unsigned query, std::size_t width = 1) {
  if constexpr (!Edges::is_plain) {
    if ((edges.queries(edge) >> query & 1U) == 0) return;
  }
  add_term(to, x[edges.sources[edge] * width + query], edges.weight(edge));
}

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_ROW_TERMS_HPP
