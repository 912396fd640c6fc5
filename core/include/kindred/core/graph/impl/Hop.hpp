// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_GRAPH_IMPL_HOP_HPP
#define KINDRED_CORE_GRAPH_IMPL_HOP_HPP

#include <kindred/core/arch/launch/LaunchShape.hpp>
#include <kindred/core/arch/simd/Lanes.hpp>
#include <kindred/core/common/ArrayView.hpp>
#include <kindred/core/graph/Hop.hpp>
#include <kindred/core/graph/impl/BinPointers.hpp>
#include <kindred/core/graph/impl/EdgeRows.hpp>
#include <kindred/core/graph/impl/HopUpdate.hpp>
#include <kindred/core/graph/impl/LongRowTable.hpp>
#include <kindred/core/graph/impl/RowStreams_Cuda.hpp>
#include <kindred/core/graph/impl/RowSums.hpp>
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

/// Passes sums on to an update, and records at the end whether one of them reported something to
/// pass on.
template <class Update>
class Visitor {
 public:
  KOKKOS_INLINE_FUNCTION Visitor(const Update& update, std::size_t work_item)
      : m_update(update), m_work_item(work_item) {}

  /// Loads what the update of \p place reads.
  KOKKOS_INLINE_FUNCTION auto ask(std::size_t place) const {
    if constexpr (is_requested)
      return m_update.ask(place);
    else
      return Nothing{};
  }
  template <class Held>
  KOKKOS_INLINE_FUNCTION void operator()(std::size_t place, double sum, const Held& held) const {
    if constexpr (is_requested)
      m_any = m_update(place, sum, held) || m_any;
    else
      m_update(place, sum);
  }
  /// `Count` adjacent places, on the host.
  template <int Count>
  KOKKOS_INLINE_FUNCTION void row(std::size_t place, const double* sums) const {
    if constexpr (is_requested) {
      KOKKOS_IF_ON_HOST((m_any = m_update.template row<Count>(place, sums) || m_any;))
    } else if constexpr (requires { m_update.template row<Count>(place, sums); }) {
      KOKKOS_IF_ON_HOST((m_update.template row<Count>(place, sums);))
    } else {
      for (int q = 0; q < Count; ++q) m_update(place + q, sums[q]);
    }
  }
  KOKKOS_INLINE_FUNCTION void end() const {
    if constexpr (is_requested) m_update.note(m_any, m_work_item);
  }

 private:
  struct Nothing {};
  static constexpr bool is_requested = requires(const Update& u) { u.ask(std::size_t{}); };

  const Update& m_update;
  std::size_t m_work_item;
  mutable bool m_any = false;
};

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
                                                       visitor(place, sum, visitor.ask(place));
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
template <class ExecutionSpace, int Width, class Edges, class Update>
struct LongRows {
  using member_type = Launch::Member<ExecutionSpace>;
  using shape = Arch::LaunchShape<ExecutionSpace>;
  static constexpr int parts =
      Arch::is_device<ExecutionSpace> ? shape::team_size * shape::vector_length / Width : 1;
  static constexpr int lanes = parts * Width;
  static constexpr int scratch = lanes * static_cast<int>(sizeof(double));

  Edges edges;
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
      sums[lane] = pairwise_tree_sum((count + parts - 1) / parts, [&](std::uint64_t i) {
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
      visitor(place, sums[query], visitor.ask(place));
      visitor.end();
    });
  }
};

/// Nodes beyond the built rows that have no row: their sums are 0.
template <class ExecutionSpace, int Width, class Update>
struct RowlessNodes {
  ArrayView<const std::uint32_t, ExecutionSpace> listed;
  Update update;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t node) const {
    if (!update.is_needed()) return;
    const std::size_t count = listed.extent(0);
    if (find_node(listed.data(), count, static_cast<std::uint32_t>(node)) < count) return;
    const Visitor<Update> visitor(update, node);
    for (std::size_t query = 0; query < Width; ++query) {
      const std::size_t place = node * Width + query;
      visitor(place, 0.0, visitor.ask(place));
    }
  }
};

/// Long rows of several blocks whose block sums are already computed.
template <class ExecutionSpace, int Width, class Edges, class Update>
void launch_long_rows(const ExecutionSpace& exec_space,
                      const GraphRows<typename ExecutionSpace::memory_space>& graph,
                      const Edges& edges, const Update& update) {
  const std::size_t further = graph.blocks() - graph.long_rows.extent(0);
  using kernel = LongRows<ExecutionSpace, Width, Edges, Update>;
  Launch::for_each_team(exec_space, "Kindred::Graph::hop::long_rows",
                        {.count = further, .scratch_bytes = kernel::scratch},
                        kernel{edges, long_rows_of(graph), update});
}

/// Returns false if the rows must be summed one by one.
template <class ExecutionSpace, int Width, class Edges, class X, class Update>
bool launch_bins([[maybe_unused]] const ExecutionSpace& exec_space,
                 [[maybe_unused]] const GraphSide<typename ExecutionSpace::memory_space>& graph,
                 [[maybe_unused]] const Edges& edges, [[maybe_unused]] const X* x,
                 [[maybe_unused]] const Update& update) {
  if constexpr (Width == 1 && std::is_same_v<X, float> && Edges::is_plain &&
                PropagationBlocking<ExecutionSpace>::is_there) {
    if (graph.bins.bins() == 0) return false;
    const BinPointers bins = pointers_of(graph.bins, graph.built.rows());
    PropagationBlocking<ExecutionSpace>::template run<Visitor>(
        exec_space, bins, edges, long_rows_of(graph.built), x, update);
    if (graph.built.long_rows.extent(0) > 0)
      launch_long_rows<ExecutionSpace, Width>(exec_space, graph.built, edges, update);
    return true;
  } else {
    return false;
  }
}

template <class ExecutionSpace, int Width, class Edges, class X, class Update>
void launch_rows(const ExecutionSpace& exec_space,
                 const GraphRows<typename ExecutionSpace::memory_space>& graph, const Edges& edges,
                 const X* x, const Update& update) {
  using streams = RowStreams<ExecutionSpace>;
  if constexpr (streams::template is_there<Width, X>) {
    if (graph.blocks() > 0) {
      streams::template blocks<Width, Visitor>("Kindred::Graph::hop::long_row_blocks", exec_space,
                                               edges, long_rows_of(graph), x, update);
      launch_long_rows<ExecutionSpace, Width>(exec_space, graph, edges, update);
    }
    streams::template short_rows<Width, Visitor>("Kindred::Graph::hop::short_rows", exec_space,
                                                 edges, x, update);
    return;
  } else {
    const std::size_t blocks = graph.blocks();
    if (blocks > 0) {
      Launch::for_each_warp<Launch::Dynamic>(exec_space, "Kindred::Graph::hop::long_row_blocks",
                                             blocks,
                                             LongRowBlocks<ExecutionSpace, Width, Edges, X, Update>{
                                                 edges, long_rows_of(graph), x, update});
      launch_long_rows<ExecutionSpace, Width>(exec_space, graph, edges, update);
    }
    Launch::for_each_warp<Launch::Dynamic>(
        exec_space, "Kindred::Graph::hop::short_rows",
        RowSums<ExecutionSpace>::template short_work_items<Width>(graph),
        ShortRows<ExecutionSpace, Width, Edges, X, Update>{edges, x, update});
  }
}

/// \brief Computes the sum of every node and calls `update(place, sum)` for each, place = node *
/// Width + query; or, if `update.ask(place)` exists, `update(place, sum, requested)` with what it
/// loaded early.
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
    with_edges<ExecutionSpace>(*part, kind_queries, [&](const auto& edges) {
      if (part == &graph.built &&
          launch_bins<ExecutionSpace, Width>(exec_space, graph, edges, x, update))
        return;
      launch_rows<ExecutionSpace, Width>(exec_space, *part, edges, x, update);
    });
  }
  if (graph.nodes <= graph.built.rows()) return;
  Launch::for_each_index(
      exec_space, "Kindred::Graph::hop::rowless_nodes", {graph.built.rows(), graph.nodes},
      RowlessNodes<ExecutionSpace, Width, Update>{graph.delta.row_nodes, update});
}

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_GRAPH_IMPL_HOP_HPP
