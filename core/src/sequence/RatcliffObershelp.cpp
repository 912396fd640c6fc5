// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/arch/Special.hpp>
#include <kindred/core/launch/ForEachTeam.hpp>
#include <kindred/core/sequence/RatcliffObershelp.hpp>

#include <kindred/core/arch/launch/KernelCancel.hpp>
#include <kindred/core/sequence/impl/MatchedRuns.hpp>
#include <kindred/core/sequence/impl/RunList.hpp>
#include <kindred/core/sequence/impl/RunSearch.hpp>
#include <kindred/core/sequence/impl/SequenceChecks.hpp>
#include <kindred/core/sequence/impl/SequencePack.hpp>
#include <kindred/core/sequence/special/RunLevels.hpp>

#include <type_traits>

namespace Kindred::Impl {

/// Calls \p function with the type of the finder that is used, as a `std::type_identity`.
template <class ExecutionSpace, class Function>
auto with_run_finder(const Function& function) {
  return Special::choose<Special::Form::run_levels, ExecutionSpace>([&](auto is_special) {
    return function(std::type_identity<std::conditional_t<decltype(is_special)::value, RunLevels,
                                                          RunSearch<ExecutionSpace>>>());
  });
}

/// Workers take 32 slots at a time until none is left, which balances long and short patterns.
template <class ExecutionSpace, class SymbolType, class Finder>
struct RatcliffObershelpKernel {
  using finder = Finder;
  using pack = SequencePack<ExecutionSpace>;
  using member_type = Launch::Member<ExecutionSpace>;
  static constexpr bool is_light = true;

  PatternTiles<ExecutionSpace> tiles;
  QueryTables<ExecutionSpace> queries;
  RunsShape<ExecutionSpace> shape;
  ArrayView<const std::uint32_t, ExecutionSpace> list;
  ArrayView<std::uint32_t, ExecutionSpace> counters;
  ArrayView<std::uint64_t, ExecutionSpace> workspace;
  ArrayView<std::uint32_t, ExecutionSpace> matched;
  std::uint64_t worker_words;
  Arch::KernelCancel<ExecutionSpace> cancel;
  bool by_list;  ///< lists of runs first; run matrices for patterns whose runs exceed them

  KOKKOS_INLINE_FUNCTION void operator()(const member_type& team) const {
    const std::uint64_t worker = Launch::warp_of(team);
    std::uint64_t* own = workspace.data() + worker * worker_words;
    typename pack::Tables tables{};
    if constexpr (finder::lists_runs) {
      if (by_list) {
        const std::uint32_t segment = queries.first_segment(shape.query);
        tables = pack::template make<SymbolType, 2>(team, queries, segment,
                                                    queries.segments(segment), tiles.vocabulary);
      }
    }
    const std::uint32_t listed = counters(0);
    const std::uint32_t count =
        listed < list.size() ? listed : static_cast<std::uint32_t>(list.size());
    while (true) {
      std::uint32_t begin = 0;
      Kokkos::single(
          Kokkos::PerThread(team),
          [&](std::uint32_t& taken) {
            taken = Kokkos::atomic_fetch_add(&counters(1), tile_patterns);
          },
          begin);
      if (begin >= count || cancel.is_requested()) return;
      const std::uint32_t end = begin + tile_patterns < count ? begin + tile_patterns : count;
      Kokkos::parallel_for(
          Kokkos::ThreadVectorRange(team, finder::lanes), [&](const unsigned lane) {
            for (std::uint32_t item = begin + lane; item < end; item += finder::lanes) {
              const std::uint32_t slot = list(item);
              if (slot < shape.slot_end) match_slot(tables, own, slot, lane);
            }
          });
    }
  }

  /// The query's positions of every pattern symbol.
  template <unsigned Words>
  struct Rows {
    const typename pack::Tables& tables;
    const SymbolType* symbols;
    unsigned lane;

    KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t i, std::uint64_t* words) const {
      pack::template masks<pack::template lookup<SymbolType, 2>, Words>(
          tables, symbols[tile_patterns * std::size_t{i}], lane, words);
    }
  };

  KOKKOS_INLINE_FUNCTION void match_slot(const typename pack::Tables& tables, std::uint64_t* own,
                                         std::uint32_t slot, unsigned lane) const {
    const std::uint32_t length = tiles.lengths(slot);
    const std::uint32_t query_length = queries.lengths(shape.query);
    const SymbolType* symbols = tiles.template slot_symbols<SymbolType>(slot);
    std::uint32_t count = length > 0 ? run_list_overflow : 0;
    if constexpr (finder::lists_runs) {
      if (by_list && length > 0 && length <= listed_length_max) {
        const auto runs = finder::list(own, lane);
        count =
            shape.words == 1
                ? matched_by_list<1>(Rows<1>{tables, symbols, lane}, length, query_length, runs)
                : matched_by_list<2>(Rows<2>{tables, symbols, lane}, length, query_length, runs);
      }
    }
    if (count == run_list_overflow) {
      finder runs(own, static_cast<std::uint32_t>(shape.words));
      runs.take(symbols, length, queries, shape.query, lane);
      const GrowRun<SymbolType> grow{symbols, tile_patterns,
                                     shape.grow_over.size() > 0 ? shape.grow_over.data() : nullptr};
      count = matched_runs(runs, length, query_length, IgnoreRun{}, grow);
    }
    matched(std::uint64_t{shape.query} * tiles.tiles * tile_patterns + slot) = count;
  }
};

}  // namespace Kindred::Impl

namespace Kindred {

template <class ExecutionSpace>
std::uint64_t RunsShape<ExecutionSpace>::worker_words() const {
  return Impl::with_run_finder<ExecutionSpace>([&]<class Finder>(std::type_identity<Finder>) {
    return Finder::workspace_words(rows, words);
  });
}

template <class ExecutionSpace>
void ratcliff_obershelp(const ExecutionSpace& exec_space, const PatternTiles<ExecutionSpace>& tiles,
                        const QueryTables<ExecutionSpace>& queries,
                        const RunsShape<ExecutionSpace>& shape,
                        const ArrayView<const std::uint32_t, ExecutionSpace>& list,
                        const ArrayView<std::uint32_t, ExecutionSpace>& counters,
                        const ArrayView<std::uint64_t, ExecutionSpace>& workspace,
                        const ArrayView<std::uint32_t, ExecutionSpace>& matched) {
  const Impl::ArgumentCheck check("ratcliff_obershelp");
  Impl::check_tiles(check, tiles);
  Impl::check_tables(check, queries, tiles);
  check.is_at_most("shape.slot_end", shape.slot_end, tiles.slots());
  check.is_at_least("shape.workers", shape.workers, 1);
  check.is_aligned("list", list);
  check.has("counters", counters, 2);
  check.has("workspace", workspace, Impl::extent_of(shape.workers, shape.worker_words()));
  check.has("matched", matched, Impl::extent_of(shape.query + 1ULL, tiles.slots()));
  using pack = Impl::SequencePack<ExecutionSpace>;
  if (shape.slot_end == 0 || shape.words == 0) return;
  Impl::with_run_finder<ExecutionSpace>([&]<class Finder>(std::type_identity<Finder>) {
    const bool by_list = Finder::lists_runs && shape.words <= 2 && shape.grow_over.size() == 0 &&
                         queries.hash_bits_max <= pack::near_bits_max;
    const int team = shape.workers % Finder::team_size == 0 ? Finder::team_size : 1;
    with_symbol_type(tiles, [&](auto symbol) {
      using kernel = Impl::RatcliffObershelpKernel<ExecutionSpace, decltype(symbol), Finder>;
      Launch::for_each_team(
          exec_space, "Kindred::Sequence::ratcliff_obershelp::match",
          {.count = shape.workers / static_cast<std::uint64_t>(team),
           .scratch_bytes = by_list ? pack::template scratch_bytes<decltype(symbol), 2>(
                                          queries, tiles.vocabulary)
                                    : 0,
           .size = team,
           .lanes = Finder::lanes},
          kernel{tiles,
                 queries,
                 shape,
                 list,
                 counters,
                 workspace,
                 matched,
                 shape.worker_words(),
                 {},
                 by_list});
    });
  });
}

#define KINDRED_INSTANTIATE(ExecutionSpace)  \
  template struct RunsShape<ExecutionSpace>; \
  template decltype(ratcliff_obershelp<ExecutionSpace>) ratcliff_obershelp<ExecutionSpace>;
KINDRED_FOR_EACH_SPACE(KINDRED_INSTANTIATE)
#undef KINDRED_INSTANTIATE

}  // namespace Kindred
