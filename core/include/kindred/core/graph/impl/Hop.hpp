// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_GRAPH_IMPL_HOP_HPP
#define KINDRED_CORE_GRAPH_IMPL_HOP_HPP

#include <kindred/core/arch/RowSums.hpp>
#include <kindred/core/common/CanonicalSum.hpp>
#include <kindred/core/graph/impl/HopUpdate.hpp>

namespace Kindred::Impl {

/// Every short row, a unit's rows in one thread (host) or warp (device).
template <class ExecutionSpace, int Width, class X, class Update>
struct ShortRows {
  using member_type = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;

  GraphRows<typename ExecutionSpace::memory_space> graph;
  const X* x;
  Update update;

  KOKKOS_INLINE_FUNCTION void operator()(const member_type& team) const {
    if (!update.is_needed()) return;
    Arch::RowSums<ExecutionSpace>::template short_rows<Width>(team, graph, x, update);
  }
};

/// The sums of the blocks of the long rows: a hub is many units.
template <class ExecutionSpace, int Width, class X, class Update>
struct LongRowBlocks {
  using member_type = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;

  GraphRows<typename ExecutionSpace::memory_space> graph;
  const X* x;
  Update update;

  KOKKOS_INLINE_FUNCTION void operator()(const member_type& team) const {
    using row_sums = Arch::RowSums<ExecutionSpace>;
    const std::size_t block = row_sums::template block_of<Width>(team);
    if (block >= graph.block_long_row.extent(0) || !update.is_needed()) return;
    const std::uint32_t entry = graph.block_long_row(block);
    const std::uint32_t row = graph.long_rows(entry);
    if (graph.is_replaced(row)) return;
    const std::uint64_t begin =
        graph.offsets(row) + (block - graph.long_first(entry)) * canonical_block;
    const std::uint64_t left = graph.offsets(std::size_t{row} + 1) - begin;
    const auto count = static_cast<std::uint32_t>(left < canonical_block ? left : canonical_block);
    double* partial = update.partial();
    row_sums::template block<Width>(team, block, graph.sources.data() + begin,
                                    graph.weights.data() + begin, count, x,
                                    [=](std::size_t place, double sum) { partial[place] = sum; });
  }
};

/// The tree over the blocks of each long row, and its update.
template <class ExecutionSpace, int Width, class Update>
struct LongRows {
  GraphRows<typename ExecutionSpace::memory_space> graph;
  Update update;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t index) const {
    if (!update.is_needed()) return;
    const std::size_t entry = index / Width;
    const std::size_t query = index % Width;
    const std::uint32_t row = graph.long_rows(entry);
    if (graph.is_replaced(row)) return;
    const std::uint64_t first = graph.long_first(entry);
    const double sum = halving_tree(graph.long_first(entry + 1) - first, [&](std::uint64_t block) {
      return update.partial()[(first + block) * Width + query];
    });
    update(graph.node_of(row) * std::size_t{Width} + query, sum);
  }
};

/// The nodes beyond the rows as built that have no row: their sums are 0.
template <class ExecutionSpace, int Width, class Update>
struct RowlessNodes {
  ArrayView<const std::uint32_t, ExecutionSpace> listed;
  Update update;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t node) const {
    if (!update.is_needed()) return;
    if (find_node(listed, static_cast<std::uint32_t>(node)) < listed.extent(0)) return;
    for (std::size_t query = 0; query < Width; ++query) update(node * Width + query, 0.0);
  }
};

template <class ExecutionSpace, int Width, class X, class Update>
void launch_rows(const ExecutionSpace& exec_space,
                 const GraphRows<typename ExecutionSpace::memory_space>& graph, const X* x,
                 const Update& update) {
  using policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::Schedule<Kokkos::Dynamic>>;
  using shape = Arch::LaunchShape<ExecutionSpace>;
  using row_sums = Arch::RowSums<ExecutionSpace>;
  const auto teams = [](std::size_t units) {
    return static_cast<int>((units + shape::team_size - 1) / shape::team_size);
  };
  const std::size_t units = row_sums::template short_units<Width>(graph);
  if (units > 0) {
    Kokkos::parallel_for("Kindred::SpreadingEngine::hop::short_rows",
                         policy(exec_space, teams(units), shape::team_size, shape::vector_length),
                         ShortRows<ExecutionSpace, Width, X, Update>{graph, x, update});
  }
  const std::size_t blocks = graph.blocks();
  if (blocks == 0) return;
  Kokkos::parallel_for("Kindred::SpreadingEngine::hop::long_row_blocks",
                       policy(exec_space, teams(row_sums::template block_units<Width>(blocks)),
                              shape::team_size, shape::vector_length),
                       LongRowBlocks<ExecutionSpace, Width, X, Update>{graph, x, update});
  Kokkos::parallel_for("Kindred::SpreadingEngine::hop::long_rows",
                       Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::size_t>>(
                           exec_space, 0, graph.long_rows.extent(0) * Width),
                       LongRows<ExecutionSpace, Width, Update>{graph, update});
}

/// \brief The sums of every node and `update(node * Width + query, sum)` of each.
///
/// \param x floats or doubles \param update has `is_needed()`, false where nothing is to be done,
/// and `partial()`, the sums of blocks of long rows, too
template <class ExecutionSpace, int Width, class X, class Update>
void launch_hop(const ExecutionSpace& exec_space,
                const GraphSide<typename ExecutionSpace::memory_space>& graph, const X* x,
                const Update& update) {
  launch_rows<ExecutionSpace, Width>(exec_space, graph.built, x, update);
  launch_rows<ExecutionSpace, Width>(exec_space, graph.delta, x, update);
  if (graph.nodes <= graph.built.rows()) return;
  Kokkos::parallel_for("Kindred::SpreadingEngine::hop::rowless_nodes",
                       Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::size_t>>(
                           exec_space, graph.built.rows(), graph.nodes),
                       RowlessNodes<ExecutionSpace, Width, Update>{graph.delta.row_nodes, update});
}

/// The values of the sources, and the tiers that they have with them.
template <class ExecutionSpace>
struct Sources {
  SpreadState<ExecutionSpace> state;
  ArrayView<const std::uint64_t, ExecutionSpace> places;
  ArrayView<const float, ExecutionSpace> values;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t i) const {
    const std::uint64_t place = places(i);
    const float value = values(i);
    state.value(place) = value;
    state.passed(place) = value;
    if (state.tier.extent(0) > 0 && value > 0.0F) state.tier(place) = 0;
  }
};

template <class ExecutionSpace>
struct NodeRanks {
  SpreadState<ExecutionSpace> state;
  std::size_t nodes;
  std::size_t first_query;
  ArrayView<Rank, ExecutionSpace> keys;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t index) const {
    const std::size_t query = first_query + index / nodes;
    const std::size_t node = index % nodes;
    const float value = state.value(node * static_cast<std::size_t>(state.width) + query);
    keys(index) =
        value != 0.0F ? rank_descending(value, static_cast<std::uint32_t>(node)) : rank_none;
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_GRAPH_IMPL_HOP_HPP
