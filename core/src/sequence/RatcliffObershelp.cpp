// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/sequence/RatcliffObershelp.hpp>

#include <kindred/core/sequence/impl/RatcliffObershelpKernel.hpp>

namespace Kindred {

namespace {

/// A worker's rows lie in team scratch where they fit; host threads always use the workspace.
template <class ExecutionSpace>
bool fits_scratch(std::uint64_t words) {
  return Arch::is_device<ExecutionSpace> &&
         words * sizeof(std::uint64_t) + 16 <= std::uint64_t{Arch::scratch_bytes_max};
}

}  // namespace

template <class ExecutionSpace>
std::uint64_t RunsShape<ExecutionSpace>::worker_words() const {
  return Arch::RunFinder<ExecutionSpace>::workspace_words(rows, words);
}

template <class ExecutionSpace>
std::uint64_t RunsShape<ExecutionSpace>::workspace_words() const {
  return fits_scratch<ExecutionSpace>(worker_words()) ? 0 : workers * worker_words();
}

template <class ExecutionSpace>
void collect_survivors(const ExecutionSpace& exec_space, const PatternTiles<ExecutionSpace>& tiles,
                       std::uint32_t query, std::uint32_t slot_end, std::uint32_t query_length,
                       double threshold, std::uint32_t index_limit,
                       const ArrayView<const std::uint32_t, ExecutionSpace>& matched,
                       const ArrayView<std::uint32_t, ExecutionSpace>& list,
                       const ArrayView<std::uint32_t, ExecutionSpace>& counters) {
  Kokkos::deep_copy(exec_space, counters, 0U);
  const std::uint64_t row = std::uint64_t{query} * tiles.slots();
  const ArrayView<const std::uint32_t, ExecutionSpace> own(matched.data() + row, tiles.slots());
  Kokkos::parallel_for("Kindred::Sequence::collect_survivors::append",
                       Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::uint32_t>>(
                           exec_space, 0, slot_end),
                       Impl::SurvivorsKernel<ExecutionSpace>{tiles, own, list, counters, threshold,
                                                             query_length, index_limit});
}

template <class ExecutionSpace>
void ratcliff_obershelp(const ExecutionSpace& exec_space, const PatternTiles<ExecutionSpace>& tiles,
                        const QueryTables<ExecutionSpace>& queries,
                        const RunsShape<ExecutionSpace>& shape,
                        const ArrayView<const std::uint32_t, ExecutionSpace>& list,
                        const ArrayView<std::uint32_t, ExecutionSpace>& counters,
                        const ArrayView<std::uint64_t, ExecutionSpace>& workspace,
                        const ArrayView<std::uint32_t, ExecutionSpace>& matched) {
  if (shape.slot_end == 0 || shape.words == 0) return;
  if (!shape.listed) Kokkos::deep_copy(exec_space, counters, 0U);
  const std::uint64_t worker_words = shape.worker_words();
  const bool in_scratch = fits_scratch<ExecutionSpace>(worker_words);
  Kokkos::TeamPolicy<ExecutionSpace> policy(exec_space, static_cast<int>(shape.workers), 1,
                                            Arch::RunFinder<ExecutionSpace>::lanes);
  if (in_scratch) {
    policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(worker_words * 8 + 16)));
  }
  with_symbol_type(tiles, [&](auto symbol) {
    Kokkos::parallel_for(
        "Kindred::Sequence::ratcliff_obershelp::match", policy,
        Impl::RatcliffObershelpKernel<ExecutionSpace, decltype(symbol)>{
            tiles, queries, shape, list, counters, workspace, matched, worker_words, in_scratch});
  });
}

#define KINDRED_INSTANTIATE(ExecutionSpace)                                                        \
  template struct RunsShape<ExecutionSpace>;                                                       \
  template void collect_survivors(                                                                 \
      const ExecutionSpace&, const PatternTiles<ExecutionSpace>&, std::uint32_t, std::uint32_t,    \
      std::uint32_t, double, std::uint32_t, const ArrayView<const std::uint32_t, ExecutionSpace>&, \
      const ArrayView<std::uint32_t, ExecutionSpace>&,                                             \
      const ArrayView<std::uint32_t, ExecutionSpace>&);                                            \
  template void ratcliff_obershelp(const ExecutionSpace&, const PatternTiles<ExecutionSpace>&,     \
                                   const QueryTables<ExecutionSpace>&,                             \
                                   const RunsShape<ExecutionSpace>&,                               \
                                   const ArrayView<const std::uint32_t, ExecutionSpace>&,          \
                                   const ArrayView<std::uint32_t, ExecutionSpace>&,                \
                                   const ArrayView<std::uint64_t, ExecutionSpace>&,                \
                                   const ArrayView<std::uint32_t, ExecutionSpace>&);
KINDRED_FOR_EACH_SPACE(KINDRED_INSTANTIATE)

}  // namespace Kindred
