// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_MATH_REPRODUCIBLE_SUM_HPP
#define KINDRED_CORE_MATH_REPRODUCIBLE_SUM_HPP

#include <kindred/core/arch/simd/Lanes.hpp>
#include <kindred/core/numeric/ReproducibleBlock.hpp>

#include <cstdint>

namespace Kindred {

namespace Impl {

/// \brief Adds `value(0) … value(count − 1)` by the pairwise tree reduction over the indices,
/// padded with +0.
///
/// The tree adds i and i + half, then i and i + half / 2, and so on. In bit-reversed order its
/// pairs are adjacent, so a stack with one partial sum per level replaces an array of `count`
/// elements.
template <class Sum = double, class Value>
KOKKOS_INLINE_FUNCTION Sum pairwise_tree_sum(std::uint64_t count, const Value& value) {
  if (count == 0) return Sum{};
  if (count == 1) return value(0);
  int levels = 0;
  while ((std::uint64_t{1} << levels) < count) ++levels;
  Sum partial[64];
  for (std::uint64_t visit = 0; visit < (std::uint64_t{1} << levels); ++visit) {
    std::uint64_t index = 0;
    for (int bit = 0; bit < levels; ++bit) index |= ((visit >> bit) & 1U) << (levels - 1 - bit);
    Sum sum = index < count ? value(index) : Sum{};
    int level = 0;
    for (std::uint64_t done = visit; (done & 1U) != 0; done >>= 1U) sum = partial[level++] + sum;
    partial[level] = sum;
  }
  return partial[levels];
}

/// \brief The pairwise tree over the blocks of \p count terms: `block(begin, length)` is the sum of
/// the terms `begin … begin + length`.
template <class Sum = double, class Block>
KOKKOS_INLINE_FUNCTION Sum sum_of_blocks(std::uint64_t count, const Block& block) {
  return pairwise_tree_sum<Sum>(reproducible_blocks(count), [&](std::uint64_t index) {
    const std::uint64_t begin = index * reproducible_block;
    return block(begin, block_length(begin, count));
  });
}

}  // namespace Impl

/// \brief The reproducible sum of `count` terms: blocks of 4096, 32 lanes of double, pairwise tree
/// reductions. Never −0.
///
/// Every thread of the group gets the sum. Complexity: O(count); on a device, count / 32 steps.
/// \param lanes `Arch::Lanes` or `Arch::GroupLanes`
/// \param accumulate `(offset, count, sum) -> sum` adds the terms `offset … offset + count` to the
/// lanes; count ≤ 32
template <class Lanes, class Accumulate>
KOKKOS_INLINE_FUNCTION double reproducible_sum(const Lanes& lanes, std::uint64_t count,
                                               const Accumulate& accumulate) {
  return Impl::sum_of_blocks(count, [&](std::uint64_t begin, std::uint32_t length) {
    const std::uint64_t end = begin + length;
    auto sum = lanes.zero();
    std::uint64_t i = begin;
    for (; i + 32 <= end; i += 32) sum = accumulate(i, 32, sum);
    if (i < end) sum = accumulate(i, static_cast<int>(end - i), sum);
    return lanes.tree_sum(sum);
  });
}

}  // namespace Kindred

#endif  // KINDRED_CORE_MATH_REPRODUCIBLE_SUM_HPP
