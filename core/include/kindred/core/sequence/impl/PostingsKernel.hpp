// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_IMPL_POSTINGS_KERNEL_HPP
#define KINDRED_CORE_SEQUENCE_IMPL_POSTINGS_KERNEL_HPP

#include <kindred/core/sequence/Postings.hpp>
#include <kindred/core/sequence/Similarity.hpp>
#include <kindred/core/sequence/impl/SlotCounts.hpp>

#include <Kokkos_BitManipulation.hpp>

namespace Kindred::Impl {

/// \brief A team counts, in its scratch, how many of the lists contain each slot of a block.
template <class ExecutionSpace>
struct CountPostingsKernel {
  using member_type = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
  using counts = SlotCounts<ExecutionSpace>;
  using counter_type = typename counts::counter_type;

  PatternTiles<ExecutionSpace> tiles;
  ArrayView<const std::uint32_t, ExecutionSpace> slots;
  ArrayView<const PostingList, ExecutionSpace> lists;
  PostingsBound bound;
  std::uint32_t slot_count;
  ArrayView<std::uint32_t, ExecutionSpace> list;
  ArrayView<std::uint32_t, ExecutionSpace> counters;

  /// The first posting of [begin, end) that is \p slot or greater.
  KOKKOS_INLINE_FUNCTION std::uint64_t first_from(std::uint64_t begin, std::uint64_t end,
                                                  std::uint32_t slot) const {
    while (begin < end) {
      const std::uint64_t middle = begin + (end - begin) / 2;
      if (slots(middle) < slot) {
        begin = middle + 1;
      } else {
        end = middle;
      }
    }
    return begin;
  }

  KOKKOS_INLINE_FUNCTION void operator()(const member_type& team) const {
    const std::uint32_t block = counts::block;
    const auto begin = static_cast<std::uint32_t>(team.league_rank()) * block;
    const std::uint32_t count = slot_count - begin < block ? slot_count - begin : block;
    auto* counted = static_cast<counter_type*>(
        team.team_scratch(0).get_shmem_aligned(block * sizeof(counter_type), 8));
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, count),
                         [&](const std::uint32_t i) { counted[i] = 0; });
    team.team_barrier();
    const auto list_count = static_cast<std::uint32_t>(lists.size());
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, list_count), [&](const std::uint32_t l) {
      const PostingList whole = lists(l);
      const std::uint64_t first = first_from(whole.begin, whole.end, begin);
      // A block contains no more postings than slots.
      const std::uint64_t most = first + count < whole.end ? first + count : whole.end;
      const std::uint64_t last = first_from(first, most, begin + count);
      Kokkos::parallel_for(
          Kokkos::ThreadVectorRange(team, last - first),
          [&](const std::uint64_t p) { counts::add_one(counted[slots(first + p) - begin]); });
    });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, count), [&](const std::uint32_t i) {
      if (counted[i] < bound.least) return;
      const std::uint32_t slot = begin + i;
      const std::uint64_t total = std::uint64_t{tiles.lengths(slot)} + bound.query_length;
      if (similarity(std::uint64_t{counted[i]} + bound.skipped, total) < bound.threshold) return;
      if (tiles.indices(slot) >= bound.index_limit) return;
      list(Kokkos::atomic_fetch_add(&counters(0), 1U)) = slot;
    });
  }
};

template <class ExecutionSpace, class SymbolType>
struct LcsOfListKernel {
  PatternTiles<ExecutionSpace> tiles;
  ListedQuery<ExecutionSpace> query;
  ArrayView<const std::uint32_t, ExecutionSpace> list;
  ArrayView<std::uint32_t, ExecutionSpace> matched;

  /// The index of \p symbol among the query's symbols, or their number.
  KOKKOS_INLINE_FUNCTION std::uint32_t place(std::uint32_t symbol) const {
    const auto count = static_cast<std::uint32_t>(query.symbols.size());
    std::uint32_t begin = 0;
    std::uint32_t end = count;
    while (begin < end) {
      const std::uint32_t middle = (begin + end) / 2;
      if (query.symbols(middle) < symbol) {
        begin = middle + 1;
      } else {
        end = middle;
      }
    }
    return begin < count && query.symbols(begin) == symbol ? begin : count;
  }

  KOKKOS_INLINE_FUNCTION void operator()(const std::uint32_t i) const {
    const std::uint32_t slot = list(i);
    const SymbolType* symbols = tiles.template slot_symbols<SymbolType>(slot);
    std::uint64_t state[listed_words_max];
    for (std::uint32_t w = 0; w < listed_words_max; ++w) state[w] = ~std::uint64_t{0};
    const std::uint32_t length = tiles.lengths(slot);
    for (std::uint32_t j = 0; j < length; ++j) {
      const std::uint32_t at = place(symbols[std::uint64_t{tile_patterns} * j]);
      if (at == query.symbols.size()) continue;
      std::uint64_t carry = 0;
      for (std::uint32_t w = 0; w < listed_words_max; ++w) {
        if (w >= query.words) break;
        const std::uint64_t mask = query.masks(std::uint64_t{at} * query.words + w);
        const std::uint64_t both = state[w] & mask;
        const std::uint64_t sum = state[w] + both + carry;
        carry = (both | (state[w] & ~sum)) >> 63U;
        state[w] = sum | (state[w] & ~mask);
      }
    }
    std::uint32_t zeros = 0;
    for (std::uint32_t w = 0; w < listed_words_max; ++w) {
      zeros += static_cast<std::uint32_t>(Kokkos::popcount(~state[w]));
    }
    matched(slot) = zeros;
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEQUENCE_IMPL_POSTINGS_KERNEL_HPP
