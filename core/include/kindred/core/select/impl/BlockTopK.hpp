// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SELECT_IMPL_BLOCK_TOP_K_HPP
#define KINDRED_CORE_SELECT_IMPL_BLOCK_TOP_K_HPP

#include <kindred/core/arch/simd/Lanes.hpp>
#include <kindred/core/common/QuotientUp.hpp>
#include <kindred/core/launch/ForEachIndex.hpp>
#include <kindred/core/launch/ForEachTeam.hpp>
#include <kindred/core/select/TopK.hpp>
#include <kindred/core/select/impl/ScratchSort.hpp>
#include <kindred/core/select/impl/TopKRows.hpp>

#include <algorithm>
#include <utility>

namespace Kindred::Impl {

/// Keys per group; the smallest, its delegate, represents the group.
inline constexpr std::uint32_t delegate_group = 64;
/// Adjacent groups interleave their keys, so that adjacent threads read adjacent keys.
inline constexpr std::uint32_t delegate_stripe = 32;

/// Item \p member of group \p group.
KOKKOS_INLINE_FUNCTION std::uint64_t delegate_item(std::uint32_t group, std::uint32_t member) {
  return std::uint64_t{group / delegate_stripe} * (delegate_group * delegate_stripe) +
         member * delegate_stripe + group % delegate_stripe;
}

/// Source of a sort: the groups whose delegate is among the k best. A key that ranks after the k-th
/// delegate cannot be among the k best keys, because k keys precede it.
template <class Key, class Source>
struct GroupSource {
  Source source;
  const Key* best_delegates;    // rows × k, ascending
  const std::uint32_t* groups;  // rows × k, in any order
  const std::uint32_t* counts;
  std::uint32_t k;

  KOKKOS_INLINE_FUNCTION Key operator()(std::uint64_t row, std::uint64_t i) const {
    const auto place = static_cast<std::uint32_t>(i / delegate_group);
    if (place >= counts[row]) return key_none<Key>();
    const Key key = source(row, delegate_item(groups[row * k + place],
                                              static_cast<std::uint32_t>(i % delegate_group)));
    return best_delegates[row * k + k - 1] < key ? key_none<Key>() : key;
  }
};

/// Computes the smallest key of every group; clears the counters of the selection that follows.
template <class Key, class Source>
struct Delegates {
  Source source;
  std::uint64_t rows;
  std::uint32_t groups;
  Key* delegates;
  std::uint32_t* counts;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint64_t index) const {
    // Adjacent threads read adjacent values.
    const std::uint64_t row = Source::is_computed ? index % rows : index / groups;
    const auto group =
        static_cast<std::uint32_t>(Source::is_computed ? index / rows : index % groups);
    if (group == 0) counts[row] = 0;
    const std::uint64_t length = source.length(row);
    const auto keys = source.row(row);
    Key best = key_none<Key>();
    if (delegate_item(group, delegate_group - 1) < length) {
      for (std::uint32_t member = 0; member < delegate_group; ++member) {
        const Key key = keys[delegate_item(group, member)];
        if (key < best) best = key;
      }
    } else {
      for (std::uint32_t member = 0; member < delegate_group; ++member) {
        const std::uint64_t item = delegate_item(group, member);
        if (item < length && keys[item] < best) best = keys[item];
      }
    }
    delegates[row * groups + group] = best;
  }
};

/// Lists the groups whose delegate is among the k best. Their order varies; the subsequent sort
/// removes the variation.
template <class Key>
struct SelectGroups {
  const Key* delegates;
  const Key* best_delegates;
  std::uint32_t groups;
  std::uint32_t k;
  std::uint32_t* selected;
  std::uint32_t* counts;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint64_t index) const {
    const std::uint64_t row = index / groups;
    const Key key = delegates[index];
    if (key == key_none<Key>() || best_delegates[row * k + k - 1] < key) return;
    const std::uint32_t place = Kokkos::atomic_fetch_add(&counts[row], 1U);
    if (place < k) selected[row * k + place] = static_cast<std::uint32_t>(index % groups);
  }
};

/// Sorts blocks of a row in scratch and keeps the first `keep` keys of each.
template <class ExecutionSpace, class Key, class Source>
struct SortBlocks {
  using sort = ScratchSort<Key>;
  static constexpr std::uint32_t block = 2048;

  Source source;
  std::uint64_t longest;
  std::uint64_t blocks;
  std::uint32_t keep;
  Key* out;

  static constexpr std::size_t scratch_bytes = sort::places(block) * sizeof(Key) + 16;

  KOKKOS_INLINE_FUNCTION void operator()(const Launch::Member<ExecutionSpace>& team) const {
    const auto work_item = static_cast<std::uint64_t>(team.league_rank());
    const std::uint64_t row = work_item / blocks;
    const std::uint64_t begin = work_item % blocks * block;
    const auto count =
        static_cast<std::uint32_t>(longest - begin < block ? longest - begin : block);
    const std::uint32_t size = sort::padded(count);
    Key* keys = static_cast<Key*>(team.team_scratch(0).get_shmem_aligned(scratch_bytes - 16, 16));
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, size), [&](std::uint32_t i) {
      keys[sort::place(i)] = i < count ? source(row, begin + i) : key_none<Key>();
    });
    team.team_barrier();
    sort::run(team, keys, size);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, keep), [&](std::uint32_t i) {
      out[work_item * keep + i] = i < size ? keys[sort::place(i)] : key_none<Key>();
    });
  }
};

/// Merges adjacent ascending runs of a row and keeps the first `keep` keys, one thread per key.
template <class Key>
struct MergeRuns {
  const Key* in;
  std::uint64_t runs;
  std::uint64_t run;
  std::uint64_t pairs;
  std::uint64_t keep;
  Key* out;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint64_t index) const {
    const std::uint64_t pair = index / keep % pairs;
    const std::uint64_t row = index / keep / pairs;
    const Key* a = in + (row * runs + 2 * pair) * run;
    out[index] = merged_key(a, run, a + run, 2 * pair + 1 < runs ? run : 0, index % keep);
  }
};

/// \brief Top-k on a device: sorts blocks in scratch and truncates each to k. The keys that are
/// left are sorted in blocks again, or merged in pairs if k is large. Long rows go through
/// delegates first, so that they cost only one pass over the keys.
///
/// Portable: on the host it serves as the reference for its tests.
template <class ExecutionSpace, class Key>
class BlockTopK {
 public:
  static constexpr std::uint32_t block = SortBlocks<ExecutionSpace, Key, TopKRows<Key>>::block;

  template <class Source = TopKRows<Key>>
  static std::size_t workspace(const TopKShape& shape) {
    if (!uses_delegates<Source>(shape)) return levels(shape);
    const TopKShape delegates = delegate_shape(shape);
    return shape.rows * (delegates.longest + shape.k) + index_keys(shape.rows * (shape.k + 1)) +
           std::max(Source::is_computed ? workspace(delegates) : levels(delegates),
                    levels(member_shape(shape)));
  }

  template <class Source>
  static void run(const ExecutionSpace& exec_space, const Source& source, const TopKShape& shape,
                  Key* out, Key* workspace) {
    if (!uses_delegates<Source>(shape)) {
      sort_levels(exec_space, source, shape, out, workspace);
      return;
    }
    const TopKShape of_delegates = delegate_shape(shape);
    const std::size_t keys = shape.rows * of_delegates.longest;
    const auto groups = static_cast<std::uint32_t>(of_delegates.longest);
    const auto k = static_cast<std::uint32_t>(shape.k);
    Key* delegates = workspace;
    Key* best = delegates + keys;
    auto* selected = reinterpret_cast<std::uint32_t*>(best + shape.rows * shape.k);
    std::uint32_t* counts = selected + shape.rows * shape.k;
    Key* rest = best + shape.rows * shape.k + index_keys(shape.rows * (shape.k + 1));
    Launch::for_each_index(exec_space, "Kindred::TopK::select::delegates", keys,
                           Delegates<Key, Source>{source, shape.rows, groups, delegates, counts});
    const TopKRows<Key> delegate_rows{delegates, nullptr, groups};
    if constexpr (Source::is_computed) {
      run(exec_space, delegate_rows, of_delegates, best, rest);
    } else {
      sort_levels(exec_space, delegate_rows, of_delegates, best, rest);
    }
    Launch::for_each_index(exec_space, "Kindred::TopK::select::groups", keys,
                           SelectGroups<Key>{delegates, best, groups, k, selected, counts});
    sort_levels(exec_space, GroupSource<Key, Source>{source, best, selected, counts, k},
                member_shape(shape), out, rest);
  }

 private:
  static std::size_t block_count(std::size_t longest) {
    return std::max<std::size_t>(1, quotient_up(longest, block));
  }
  static std::size_t group_count(std::size_t longest) {
    constexpr std::size_t tile = delegate_group * delegate_stripe;
    return quotient_up(longest, tile) * delegate_stripe;
  }
  static TopKShape delegate_shape(const TopKShape& shape) {
    return {shape.rows, group_count(shape.longest), shape.k};
  }
  /// Of the groups that are selected.
  static TopKShape member_shape(const TopKShape& shape) {
    return {shape.rows, shape.k * delegate_group, shape.k};
  }
  static std::size_t index_keys(std::size_t count) {
    return quotient_up(count * sizeof(std::uint32_t), sizeof(Key));
  }
  /// Delegates pay off if the surviving groups are a small part of the row and two levels of sorts
  /// do not suffice, or keys would be computed by each of many rows that share cache lines.
  template <class Source>
  static bool uses_delegates(const TopKShape& shape) {
    if (group_count(shape.longest) < 4 * shape.k) return false;
    if (Source::is_computed) return shape.longest > block;
    return shape.longest > 8 * block && block_count(shape.longest) * shape.k > block;
  }
  /// Keys per row at the widest level of merging.
  static std::size_t merge_extent(std::size_t runs, std::size_t run, std::size_t k) {
    std::size_t extent = runs * run;
    for (; runs > 1; runs = (runs + 1) / 2, run = std::min(k, 2 * run))
      extent = std::max(extent, runs * run);
    return extent;
  }
  /// Two buffers for the keys that the blocks keep.
  static std::size_t levels(const TopKShape& shape) {
    return 2 * shape.rows *
           merge_extent(block_count(shape.longest), std::min<std::size_t>(block, shape.k), shape.k);
  }

  template <class Source>
  static void sort_blocks(const ExecutionSpace& exec_space, const Source& source, std::size_t rows,
                          std::size_t longest, std::size_t keep, Key* out) {
    using functor = SortBlocks<ExecutionSpace, Key, Source>;
    const std::size_t blocks = block_count(longest);
    Launch::for_each_team(exec_space, "Kindred::TopK::select::sort",
                          {.count = rows * blocks, .scratch_bytes = functor::scratch_bytes},
                          functor{source, longest, blocks, static_cast<std::uint32_t>(keep), out});
  }

  /// Sorts blocks, then blocks of the remaining keys, until one block is left; if blocks are not
  /// much longer than k, merges pairs of them instead.
  template <class Source>
  static void sort_levels(const ExecutionSpace& exec_space, const Source& source,
                          const TopKShape& shape, Key* out, Key* workspace) {
    std::size_t runs = block_count(shape.longest);
    if (runs <= 1) {
      sort_blocks(exec_space, source, shape.rows, shape.longest, shape.k, out);
      return;
    }
    std::size_t keep = std::min<std::size_t>(block, shape.k);
    Key* in = workspace;
    Key* next = workspace + shape.rows * merge_extent(runs, keep, shape.k);
    sort_blocks(exec_space, source, shape.rows, shape.longest, keep, in);
    while (keep * 4 <= block && runs > 1) {
      const TopKRows<Key> left{in, nullptr, runs * keep};
      const std::size_t blocks = block_count(runs * keep);
      sort_blocks(exec_space, left, shape.rows, runs * keep, keep, blocks == 1 ? out : next);
      runs = blocks;
      std::swap(in, next);
    }
    while (runs > 1) {
      const std::size_t pairs = (runs + 1) / 2;
      const std::size_t longer = pairs == 1 ? shape.k : std::min(shape.k, 2 * keep);
      Launch::for_each_index(
          exec_space, "Kindred::TopK::select::merge", shape.rows * pairs * longer,
          MergeRuns<Key>{in, runs, keep, pairs, longer, pairs == 1 ? out : next});
      runs = pairs;
      keep = longer;
      std::swap(in, next);
    }
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SELECT_IMPL_BLOCK_TOP_K_HPP
