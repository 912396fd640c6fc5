// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_GRAPH_IMPL_GRAPH_CHECKS_HPP
#define KINDRED_CORE_GRAPH_IMPL_GRAPH_CHECKS_HPP

#include <kindred/core/common/ArgumentCheck.hpp>
#include <kindred/core/graph/GraphRows.hpp>
#include <kindred/core/graph/Hop.hpp>

#include <cstdint>

namespace Kindred::Impl {

/// Words of a bit per node.
constexpr std::uint64_t bit_words(std::uint64_t nodes) { return nodes / 64 + (nodes % 64 != 0); }

/// The arrays of \p rows belong together. Offsets are not read: they may be on a device.
template <class MemorySpace>
void check_graph_rows(const ArgumentCheck& check, const GraphRows<MemorySpace>& rows) {
  const std::uint64_t edges = rows.sources.size();
  check.is_aligned("offsets of the graph", rows.offsets);
  check.has_if_given("weights of the graph", rows.weights, edges);
  check.has_if_given("short_weights of the graph", rows.short_weights, edges);
  check.has_if_given("kinds of the graph", rows.kinds, edges);
  check.has_if_given("row_nodes of the graph", rows.row_nodes, rows.rows());
  check.has_if_given("replaced of the graph", rows.replaced, bit_words(rows.rows()));
  if (rows.blocks() == 0) return;
  check.has("long_first of the graph", rows.long_first, extent_sum(rows.long_rows.size(), 1));
  check.is_at_most("the number of long_rows of the graph", rows.long_rows.size(), rows.blocks());
}

/// The arrays of \p graph belong together.
template <class MemorySpace>
void check_graph(const ArgumentCheck& check, const GraphSide<MemorySpace>& graph) {
  check_graph_rows(check, graph.built);
  if (graph.delta.rows() != 0) {
    check_graph_rows(check, graph.delta);
    check.has("row_nodes of the delta", graph.delta.row_nodes, graph.delta.rows());
  }
  check.is_at_most("the number of rows of the graph", graph.built.rows(), graph.nodes);
  const std::uint64_t bins = graph.bins.bins();
  if (bins == 0) return;
  const BinnedEdges<MemorySpace>& binned = graph.bins;
  const std::uint64_t slots = binned.sources.size();
  check.has("edges of the bins", binned.edges, bins + 1);
  check.has("blocks of the bins", binned.blocks, bins + 1);
  check.has("cells of the bins", binned.cells, extent_of(bin_blocks(graph.built.rows()) + 1, bins));
  check.has("slots of the bins", binned.slots, slots);
  check.has("weights of the bins", binned.weights, slots);
  check.has("values of the bins", binned.values, slots);
}

/// One word per kind of edges, if they are given.
template <class View>
void check_kind_queries(const ArgumentCheck& check, const View& kind_queries) {
  check.has_if_given("kind_queries", kind_queries, 256);
}

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_GRAPH_IMPL_GRAPH_CHECKS_HPP
