// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_IMPL_RATCLIFF_OBERSHELP_KERNEL_HPP
#define KINDRED_CORE_SEQUENCE_IMPL_RATCLIFF_OBERSHELP_KERNEL_HPP

#include <kindred/core/arch/RunFinder.hpp>
#include <kindred/core/sequence/RatcliffObershelp.hpp>
#include <kindred/core/sequence/Similarity.hpp>
#include <kindred/core/sequence/impl/LongestRuns.hpp>

namespace Kindred::Impl {

/// Slots whose count reaches the threshold.
template <class ExecutionSpace>
struct SurvivorsKernel {
  PatternTiles<ExecutionSpace> tiles;
  ArrayView<const std::uint32_t, ExecutionSpace> matched;  ///< of the query
  ArrayView<std::uint32_t, ExecutionSpace> list;
  ArrayView<std::uint32_t, ExecutionSpace> counters;
  double threshold;
  std::uint32_t query_length;
  std::uint32_t index_limit;

  KOKKOS_INLINE_FUNCTION void operator()(const std::uint32_t slot) const {
    const std::uint32_t count = matched(slot);
    if (count == 0 || tiles.indices(slot) >= index_limit) return;
    if (similarity(count, std::uint64_t{tiles.lengths(slot)} + query_length) < threshold) return;
    list(Kokkos::atomic_fetch_add(&counters(0), 1U)) = slot;
  }
};

/// Workers take 32 slots at a time until none is left, so that long and short ones even out.
template <class ExecutionSpace, class SymbolType>
struct RatcliffObershelpKernel {
  using finder = Arch::RunFinder<ExecutionSpace>;
  using member_type = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;

  PatternTiles<ExecutionSpace> tiles;
  QueryTables<ExecutionSpace> queries;
  RunsShape<ExecutionSpace> shape;
  ArrayView<const std::uint32_t, ExecutionSpace> list;
  ArrayView<std::uint32_t, ExecutionSpace> counters;
  ArrayView<std::uint64_t, ExecutionSpace> workspace;
  ArrayView<std::uint32_t, ExecutionSpace> matched;
  std::uint64_t worker_words;
  bool in_scratch;

  KOKKOS_INLINE_FUNCTION void operator()(const member_type& team) const {
    std::uint64_t* own =
        in_scratch
            ? static_cast<std::uint64_t*>(
                  team.team_scratch(0).get_shmem_aligned(worker_words * sizeof(std::uint64_t), 8))
            : workspace.data() + static_cast<std::uint64_t>(team.league_rank()) * worker_words;
    const std::uint32_t count = shape.listed ? counters(0) : shape.slot_end;
    while (true) {
      std::uint32_t begin = 0;
      Kokkos::single(
          Kokkos::PerTeam(team),
          [&](std::uint32_t& taken) {
            taken = Kokkos::atomic_fetch_add(&counters(1), tile_patterns);
          },
          begin);
      if (begin >= count) return;
      const std::uint32_t end = begin + tile_patterns < count ? begin + tile_patterns : count;
      Kokkos::parallel_for(
          Kokkos::ThreadVectorRange(team, finder::lanes), [&](const unsigned lane) {
            for (std::uint32_t item = begin + lane; item < end; item += finder::lanes) {
              match_slot(own, shape.listed ? list(item) : item, lane);
            }
          });
    }
  }

  KOKKOS_INLINE_FUNCTION void match_slot(std::uint64_t* own, std::uint32_t slot,
                                         unsigned lane) const {
    const std::uint32_t length = tiles.lengths(slot);
    std::uint32_t count = 0;
    if (length > 0) {
      finder runs(own, static_cast<std::uint32_t>(shape.words));
      const SymbolType* symbols = tiles.template symbols<SymbolType>() +
                                  tiles.offsets(slot / tile_patterns) + slot % tile_patterns;
      runs.take(symbols, length, queries, shape.query, lane);
      const GrowRun<SymbolType> grow{symbols, tile_patterns,
                                     shape.grow_over.size() > 0 ? shape.grow_over.data() : nullptr};
      count = matched_runs(runs, length, queries.lengths(shape.query), IgnoreRun{}, grow);
    }
    matched(std::uint64_t{shape.query} * tiles.tiles * tile_patterns + slot) = count;
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEQUENCE_IMPL_RATCLIFF_OBERSHELP_KERNEL_HPP
