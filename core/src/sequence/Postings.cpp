// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/arch/StartCopy.hpp>
#include <kindred/core/sequence/Postings.hpp>

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/launch/ForEachIndex.hpp>
#include <kindred/core/launch/ForEachTeam.hpp>
#include <kindred/core/sequence/Similarity.hpp>
#include <kindred/core/sequence/impl/ScoreWords.hpp>
#include <kindred/core/sequence/impl/SequenceChecks.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace Kindred::Impl {

/// \brief A team counts, in its scratch, how many of the lists contain each slot of a block.
template <class ExecutionSpace>
struct CountPostingsKernel {
  using member_type = Launch::Member<ExecutionSpace>;
  static constexpr bool is_device = Arch::is_device<ExecutionSpace>;
  /// Of a slot; on a device of a type that supports atomic addition in scratch.
  using counter_type = std::conditional_t<is_device, std::uint32_t, std::uint16_t>;
  /// Slots of a team, as many as fit its scratch.
  static constexpr std::uint32_t block = is_device ? 1U << 13U : 1U << 15U;

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
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, last - first),
                           [&](const std::uint64_t p) {
                             counter_type& counter = counted[slots(first + p) - begin];
                             if constexpr (is_device) {
                               Kokkos::atomic_inc(&counter);
                             } else {
                               ++counter;
                             }
                           });
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
        state[w] = lcs_step(state[w], mask, carry);
      }
    }
    std::uint32_t zeros = 0;
    for (const std::uint64_t word : state) zeros += count_bits(~word);
    matched(slot) = zeros;
  }
};

}  // namespace Kindred::Impl

namespace Kindred {

template <class ExecutionSpace>
void count_postings(const ExecutionSpace& exec_space, const PatternTiles<ExecutionSpace>& tiles,
                    const ArrayView<const std::uint32_t, ExecutionSpace>& slots,
                    const ArrayView<const PostingList, ExecutionSpace>& lists,
                    const PostingsBound& bound,
                    const ArrayView<std::uint32_t, ExecutionSpace>& list,
                    const ArrayView<std::uint32_t, ExecutionSpace>& counters) {
  const Impl::ArgumentCheck check("count_postings");
  Impl::check_tiles(check, tiles);
  check.is_aligned("slots", slots);
  check.is_aligned("lists", lists);
  check.is_at_most("the size of lists", lists.size(), postings_lists_max);
  check.has("list", list, tiles.slots());
  check.has("counters", counters, 1);
  using kernel_type = Impl::CountPostingsKernel<ExecutionSpace>;
  Arch::start_fill(exec_space, counters, 0U);
  if (lists.size() == 0) return;
  constexpr std::uint64_t block = kernel_type::block;
  Launch::for_each_team<Launch::Dynamic>(
      exec_space, "Kindred::Sequence::count_postings::count",
      {.count = quotient_up(tiles.slots(), block),
       .scratch_bytes = block * sizeof(typename kernel_type::counter_type) + 16},
      kernel_type{tiles, slots, lists, bound, tiles.slots(), list, counters});
}

template <class ExecutionSpace>
void lcs_of_list(const ExecutionSpace& exec_space, const PatternTiles<ExecutionSpace>& tiles,
                 const ListedQuery<ExecutionSpace>& query,
                 const ArrayView<const std::uint32_t, ExecutionSpace>& list, std::uint32_t count,
                 const ArrayView<std::uint32_t, ExecutionSpace>& matched) {
  const Impl::ArgumentCheck check("lcs_of_list");
  Impl::check_tiles(check, tiles);
  check.is_aligned("query.symbols", query.symbols);
  check.is_at_most("query.words", query.words, listed_words_max);
  check.has("query.masks", query.masks, Impl::extent_of(query.symbols.size(), query.words));
  check.has("list", list, count);
  check.has("matched", matched, tiles.slots());
  with_symbol_type(tiles, [&](auto symbol) {
    Launch::for_each_index<Launch::Fine, std::uint32_t>(
        exec_space, "Kindred::Sequence::lcs_of_list::match", count,
        Impl::LcsOfListKernel<ExecutionSpace, decltype(symbol)>{tiles, query, list, matched});
  });
}

KINDRED_INSTANTIATE_FOR_SPACES(count_postings);
KINDRED_INSTANTIATE_FOR_SPACES(lcs_of_list);

}  // namespace Kindred
