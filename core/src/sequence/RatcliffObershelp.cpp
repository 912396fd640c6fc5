// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/arch/launch/Policies.hpp>
#include <kindred/core/sequence/RatcliffObershelp.hpp>

#include <kindred/core/arch/launch/CancellableFor.hpp>
#include <kindred/core/sequence/impl/RatcliffObershelpKernel.hpp>
#include <kindred/core/sequence/impl/SequenceChecks.hpp>

namespace Kindred {

template <class ExecutionSpace>
std::uint64_t RunsShape<ExecutionSpace>::worker_words() const {
  return Impl::RunFinder<ExecutionSpace>::workspace_words(rows, words);
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
  using finder = Impl::RunFinder<ExecutionSpace>;
  using tables = Impl::QuerySegmentTables<ExecutionSpace>;
  if (shape.slot_end == 0 || shape.words == 0) return;
  const bool by_list = finder::lists_runs && shape.words <= 2 && shape.grow_over.size() == 0 &&
                       queries.hash_bits_max <= tables::near_bits_max;
  const int team = shape.workers % finder::team_size == 0 ? finder::team_size : 1;
  Kokkos::TeamPolicy<ExecutionSpace> policy(
      exec_space, Arch::league_size(shape.workers / static_cast<std::uint64_t>(team)), team,
      finder::lanes);
  const char* label = "Kindred::Sequence::ratcliff_obershelp::match";
  with_symbol_type(tiles, [&](auto symbol) {
    if (by_list) {
      policy = Arch::with_scratch(
          label, policy,
          tables::template scratch_bytes<decltype(symbol), 2>(queries, tiles.vocabulary));
    }
    Arch::cancellable_for(
        label,
        Kokkos::Experimental::require(policy,
                                      Kokkos::Experimental::WorkItemProperty::HintLightWeight),
        Impl::RatcliffObershelpKernel<ExecutionSpace, decltype(symbol)>{tiles,
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
}

#define KINDRED_INSTANTIATE(ExecutionSpace)                                                    \
  template struct RunsShape<ExecutionSpace>;                                                   \
  template void ratcliff_obershelp(const ExecutionSpace&, const PatternTiles<ExecutionSpace>&, \
                                   const QueryTables<ExecutionSpace>&,                         \
                                   const RunsShape<ExecutionSpace>&,                           \
                                   const ArrayView<const std::uint32_t, ExecutionSpace>&,      \
                                   const ArrayView<std::uint32_t, ExecutionSpace>&,            \
                                   const ArrayView<std::uint64_t, ExecutionSpace>&,            \
                                   const ArrayView<std::uint32_t, ExecutionSpace>&);
KINDRED_FOR_EACH_SPACE(KINDRED_INSTANTIATE)

}  // namespace Kindred
