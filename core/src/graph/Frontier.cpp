// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/graph/Frontier.hpp>
#include <kindred/core/graph/impl/Frontier.hpp>

namespace Kindred {

namespace {

/// A slot takes the next query until none is left.
struct FrontierSlots {
  GraphRows<Kokkos::HostSpace> graph;
  const std::uint64_t* out_offsets;
  const std::uint32_t* out_targets;
  FrontierState state;
  std::span<const std::span<const Activation>> sources;
  HopParameters parameters;
  Decay decay;
  std::size_t top;
  std::span<Rank> ranks;
  std::span<std::uint8_t> done;
  std::size_t* next_query;

  void operator()(std::size_t slot) const {
    Impl::FrontierQuery query(graph, out_offsets, out_targets, state, slot);
    while (true) {
      const std::size_t i = Kokkos::atomic_fetch_add(next_query, std::size_t{1});
      if (i >= sources.size()) return;
      done[i] = query.run(sources[i], parameters, decay, ranks.subspan(i * top, top)) ? 1 : 0;
    }
  }
};

}  // namespace

void clear_frontier(const HostSpace& exec_space, const FrontierState& state) {
  Kokkos::deep_copy(exec_space, state.value, 0.0F);
  Kokkos::deep_copy(exec_space, state.passed, 0.0F);
  Kokkos::deep_copy(exec_space, state.next, 0.0F);
  Kokkos::deep_copy(exec_space, state.tier, Impl::tier_untouched);
  Kokkos::deep_copy(exec_space, state.mark, 0U);
  Kokkos::deep_copy(exec_space, state.stamp, 0U);
}

void spread_frontier(const HostSpace& exec_space, const GraphRows<Kokkos::HostSpace>& graph,
                     const ArrayView<const std::uint64_t, HostSpace>& out_offsets,
                     const ArrayView<const std::uint32_t, HostSpace>& out_targets,
                     const FrontierState& state,
                     std::span<const std::span<const Activation>> sources,
                     const HopParameters& parameters, const Decay& decay, std::size_t top,
                     std::span<Rank> ranks, std::span<std::uint8_t> done) {
  std::size_t next_query = 0;
  Kokkos::parallel_for("Kindred::SpreadingEngine::spread::frontier",
                       Kokkos::RangePolicy<HostSpace, Kokkos::IndexType<std::size_t>>(
                           exec_space, 0, std::min(state.shape.slots, sources.size())),
                       FrontierSlots{graph, out_offsets.data(), out_targets.data(), state, sources,
                                     parameters, decay, top, ranks, done, &next_query});
}

}  // namespace Kindred
