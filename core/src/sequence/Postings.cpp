// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/sequence/Postings.hpp>

#include <kindred/core/arch/launch/CancellableFor.hpp>
#include <kindred/core/arch/launch/LaunchShape.hpp>
#include <kindred/core/arch/launch/Policies.hpp>
#include <kindred/core/sequence/impl/PostingsKernel.hpp>
#include <kindred/core/sequence/impl/SequenceChecks.hpp>

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
  using shape = Arch::LaunchShape<ExecutionSpace>;
  Kokkos::deep_copy(exec_space, counters, 0U);
  if (tiles.tiles == 0 || lists.size() == 0) return;
  const std::uint32_t block = kernel_type::counts::block;
  const Kokkos::TeamPolicy<ExecutionSpace, Kokkos::Schedule<Kokkos::Dynamic>> policy(
      exec_space, Arch::league_size(tiles.slots(), block), shape::team_size, shape::vector_length);
  const char* label = "Kindred::Sequence::count_postings::count";
  Arch::cancellable_for(
      label,
      Arch::with_scratch(label, policy, block * sizeof(typename kernel_type::counter_type) + 16),
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
    Kokkos::parallel_for(
        "Kindred::Sequence::lcs_of_list::match", Arch::range<std::uint32_t>(exec_space, count),
        Impl::LcsOfListKernel<ExecutionSpace, decltype(symbol)>{tiles, query, list, matched});
  });
}

#define KINDRED_INSTANTIATE(ExecutionSpace)                                                       \
  template void count_postings(const ExecutionSpace&, const PatternTiles<ExecutionSpace>&,        \
                               const ArrayView<const std::uint32_t, ExecutionSpace>&,             \
                               const ArrayView<const PostingList, ExecutionSpace>&,               \
                               const PostingsBound&,                                              \
                               const ArrayView<std::uint32_t, ExecutionSpace>&,                   \
                               const ArrayView<std::uint32_t, ExecutionSpace>&);                  \
  template void lcs_of_list(const ExecutionSpace&, const PatternTiles<ExecutionSpace>&,           \
                            const ListedQuery<ExecutionSpace>&,                                   \
                            const ArrayView<const std::uint32_t, ExecutionSpace>&, std::uint32_t, \
                            const ArrayView<std::uint32_t, ExecutionSpace>&);
KINDRED_FOR_EACH_SPACE(KINDRED_INSTANTIATE)

}  // namespace Kindred
