// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_GRAPH_IMPL_HOP_HPP
#define KINDRED_CORE_GRAPH_IMPL_HOP_HPP

#include <kindred/core/arch/Special.hpp>
#include <kindred/core/arch/launch/LaunchShape.hpp>
#include <kindred/core/common/ArrayView.hpp>
#include <kindred/core/graph/Hop.hpp>
#include <kindred/core/graph/impl/EdgeAccessors.hpp>
#include <kindred/core/graph/impl/HopUpdate.hpp>
#include <kindred/core/graph/impl/ThreadRowSums.hpp>
#include <kindred/core/graph/special/PropagationBlocking.hpp>
#include <kindred/core/graph/special/RowStreams.hpp>
#include <kindred/core/graph/special/WarpRowSums.hpp>
#include <kindred/core/launch/ForEachIndex.hpp>
#include <kindred/core/launch/ForEachTeam.hpp>
#include <kindred/core/math/ReproducibleSum.hpp>

#include <cstddef>
#include <type_traits>

namespace Kindred::Impl {

/// Calls `function` with the width as a type.
template <class Function>
void with_width(HopWidth width, const Function& function) {
  switch (width) {
    case HopWidth::one:
      return function(std::integral_constant<int, 1>{});
    case HopWidth::eight:
      return function(std::integral_constant<int, 8>{});
    case HopWidth::thirty_two:
      return function(std::integral_constant<int, 32>{});
  }
}

/// \brief Reproducible sums of `x[source] · weight` over rows of edges, as computed by one work
/// item.
///
/// Each node has `Width` values of x (float, bfloat16 or double), one per query, adjacent in
/// memory. A short row has one reproducible block. Each sum of a row that is not replaced is
/// visited once.
template <class ExecutionSpace>
using RowSums =
    Special::type_of<Special::Form::warp_row_sums, ExecutionSpace, WarpRowSums, ThreadRowSums>;

/// Short rows: a work item is processed by one thread (host) or warp (device).
template <class ExecutionSpace, int Width, class Edges, class X, class Update>
struct ShortRows {
  static constexpr unsigned threads_max = RowSums<ExecutionSpace>::threads_max;
  static constexpr unsigned teams_at_once = RowSums<ExecutionSpace>::template teams_at_once<Width>;

  Edges edges;
  const X* x;
  Update update;

  KOKKOS_INLINE_FUNCTION void operator()(const Launch::Member<ExecutionSpace>&,
                                         std::size_t work_item) const {
    if (!update.is_needed()) return;
    const Visitor<Update> visitor(update, work_item);
    RowSums<ExecutionSpace>::template short_rows<Width>(work_item, edges, x, visitor);
    visitor.end();
  }
};

/// The blocks of long rows: a hub consists of many work items. A row with one block is then
/// complete.
template <class ExecutionSpace, int Width, class Edges, class X, class Update>
struct LongRowBlocks {
  Edges edges;
  LongRowTable long_rows;
  const X* x;
  Update update;

  KOKKOS_INLINE_FUNCTION void operator()(const Launch::Member<ExecutionSpace>&,
                                         std::size_t index) const {
    if (!update.is_needed()) return;
    const RowBlock block = long_rows.block(edges, index);
    if (edges.is_replaced(block.row)) return;
    const Visitor<Update> visitor(update, index);
    const std::size_t node = edges.node_of(block.row);
    double* partial = update.partial();
    RowSums<ExecutionSpace>::template block<Width>(edges, block.begin, block.count, x,
                                                   [&](unsigned query, double sum) {
                                                     const std::size_t place = node * Width + query;
                                                     if (block.is_whole)
                                                       visitor(place, sum);
                                                     else
                                                       partial[index * Width + query] = sum;
                                                   });
    visitor.end();
  }
};

/// \brief The tree over the blocks of each row with several blocks, and its update.
///
/// One team per block that is not the first of its row: long rows are many, but few have several
/// blocks. The team of a row's second block processes the row: each part of the team reduces every
/// n-th block, then the team reduces the parts.
template <class ExecutionSpace, int Width, class Update>
struct LongRows {
  using member_type = Launch::Member<ExecutionSpace>;
  using shape = Arch::LaunchShape<ExecutionSpace>;
  static constexpr int parts =
      Arch::is_device<ExecutionSpace> ? shape::team_size * shape::vector_length / Width : 1;
  static constexpr int lanes = parts * Width;
  static constexpr int scratch = lanes * static_cast<int>(sizeof(double));

  PlainEdges edges;
  LongRowTable long_rows;
  Update update;

  KOKKOS_INLINE_FUNCTION void operator()(const member_type& team) const {
    if (!update.is_needed()) return;
    const auto further = static_cast<std::uint64_t>(team.league_rank());
    std::size_t entry = 0;  // the last entry that at most this many further blocks precede
    for (std::size_t end = long_rows.size; end - entry > 1;) {
      const std::size_t middle = entry + (end - entry) / 2;
      (long_rows.first[middle] - middle <= further ? entry : end) = middle;
    }
    if (long_rows.first[entry] - entry != further) return;
    const std::uint64_t first = long_rows.first[entry];
    const std::uint64_t count = long_rows.first[entry + 1] - first;
    const std::uint32_t row = long_rows.rows[entry];
    if (edges.is_replaced(row)) return;
    auto* sums = static_cast<double*>(team.team_scratch(0).get_shmem(int{scratch}));
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, int{lanes}), [&](int lane) {
      const double* partial = update.partial() + first * Width + lane % Width;
      sums[lane] = pairwise_tree_sum(quotient_up(count, parts), [&](std::uint64_t i) {
        const std::uint64_t block = i * parts + static_cast<std::uint64_t>(lane / Width);
        return block < count ? partial[block * Width] : 0.0;
      });
    });
    team.team_barrier();
    for (int half = lanes / 2; half >= Width; half /= 2) {
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, half),
                           [&](int lane) { sums[lane] += sums[lane + half]; });
      team.team_barrier();
    }
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Width), [&](int query) {
      const Visitor<Update> visitor(update, entry);
      const std::size_t place = edges.node_of(row) * std::size_t{Width} + query;
      visitor(place, sums[query]);
      visitor.end();
    });
  }
};

/// Nodes beyond the built rows that have no row: their sums are 0.
template <class ExecutionSpace, class Update>
struct RowlessNodes {
  ArrayView<const std::uint32_t, ExecutionSpace> listed;
  std::size_t width;
  Update update;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t node) const {
    if (!update.is_needed()) return;
    const std::size_t count = listed.extent(0);
    if (find_node(listed.data(), count, static_cast<std::uint32_t>(node)) < count) return;
    const Visitor<Update> visitor(update, node);
    for (std::size_t query = 0; query < width; ++query) visitor(node * width + query, 0.0);
    visitor.end();
  }
};

/// Long rows of several blocks whose block sums are already computed.
template <class ExecutionSpace, int Width, class Update>
void launch_long_rows(const ExecutionSpace& exec_space, const PlainEdges& edges,
                      const LongRowTable& long_rows, const Update& update) {
  if (long_rows.blocks == 0) return;
  using kernel = LongRows<ExecutionSpace, Width, Update>;
  Launch::for_each_team(
      exec_space, "Kindred::Graph::hop::long_rows",
      {.count = long_rows.blocks - long_rows.size, .scratch_bytes = kernel::scratch},
      kernel{edges, long_rows, update});
}

template <class ExecutionSpace, int Width, class Edges, class X, class Update>
void launch_rows(const ExecutionSpace& exec_space,
                 const GraphRows<typename ExecutionSpace::memory_space>& graph, const Edges& edges,
                 const X* x, const Update& update) {
  const char* blocks_label = "Kindred::Graph::hop::long_row_blocks";
  const char* short_label = "Kindred::Graph::hop::short_rows";
  const LongRowTable long_rows = long_rows_of(graph);
  if constexpr (Special::is_compiled<Special::Form::row_streams, ExecutionSpace> && Width > 1) {
    if (long_rows.blocks > 0)
      stream_blocks<Width>(exec_space, blocks_label, edges, long_rows, x, update);
    launch_long_rows<ExecutionSpace, Width>(exec_space, edges, long_rows, update);
    stream_short_rows<Width>(exec_space, short_label, edges, x, update);
  } else {
    Launch::for_each_warp<Launch::Dynamic>(
        exec_space, blocks_label, long_rows.blocks,
        LongRowBlocks<ExecutionSpace, Width, Edges, X, Update>{edges, long_rows, x, update});
    launch_long_rows<ExecutionSpace, Width>(exec_space, edges, long_rows, update);
    Launch::for_each_warp<Launch::Dynamic>(
        exec_space, short_label, RowSums<ExecutionSpace>::template short_work_items<Width>(graph),
        ShortRows<ExecutionSpace, Width, Edges, X, Update>{edges, x, update});
  }
}

/// \brief Computes the sum of every node and gives it to the update, \see Visitor: place = node *
/// Width + query.
///
/// \param x floats, bfloat16 or doubles \param update also has `is_needed()`, which is false if
/// there is nothing to do, and `partial()`, the sums of blocks of long rows \param kind_queries see
/// `SpreadState`
template <class ExecutionSpace, int Width, class X, class Update>
void launch_hop(const ExecutionSpace& exec_space,
                const GraphSide<typename ExecutionSpace::memory_space>& graph, const X* x,
                const Update& update,
                const ArrayView<const std::uint32_t, ExecutionSpace>& kind_queries =
                    ArrayView<const std::uint32_t, ExecutionSpace>()) {
  for (const auto* part : {&graph.built, &graph.delta}) {
    with_edges<ExecutionSpace>(*part, kind_queries, [&]<class Edges>(const Edges& edges) {
      using enum Special::Form;
      if constexpr (Special::is_compiled<propagation_blocking, ExecutionSpace> && Width == 1 &&
                    std::is_same_v<Edges, PlainEdges> && std::is_same_v<X, float>) {
        if (part == &graph.built && graph.bins.bins() > 0 &&
            Special::is_used<propagation_blocking, ExecutionSpace>()) {
          const LongRowTable long_rows = long_rows_of(*part);
          sum_by_bins(exec_space, graph.bins, edges, long_rows, x, update);
          return launch_long_rows<ExecutionSpace, Width>(exec_space, edges, long_rows, update);
        }
      }
      launch_rows<ExecutionSpace, Width>(exec_space, *part, edges, x, update);
    });
  }
  if (graph.nodes <= graph.built.rows()) return;
  Launch::for_each_index(
      exec_space, "Kindred::Graph::hop::rowless_nodes", {graph.built.rows(), graph.nodes},
      RowlessNodes<ExecutionSpace, Update>{graph.delta.row_nodes, Width, update});
}

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_GRAPH_IMPL_HOP_HPP
