// SPDX-License-Identifier: Apache-2.0
#include "GraphChecks.hpp"

#include <kindred/core/common/Error.hpp>
#include <kindred/core/graph/Adjacency.hpp>

#include <atomic>
#include <cmath>

namespace Kindred::Impl {

namespace {

std::string describe(std::size_t index, const Edge& edge) {
  return "edge " + std::to_string(index) + " (" + std::to_string(edge.from) + " → " +
         std::to_string(edge.to) + ", weight " + std::to_string(edge.weight) + ")";
}

void check_weight(std::size_t index, const Edge& edge, EdgeWeights weights) {
  KINDRED_THROW_IF(!std::isfinite(edge.weight),
                   describe(index, edge) + " has a weight that is not finite");
  KINDRED_THROW_IF(
      weights == EdgeWeights::bfloat16 && !std::isfinite(widen_weight(short_weight(edge.weight))),
      describe(index, edge) + " has a weight that exceeds the bfloat16 limit of 3.39e38");
  KINDRED_THROW_IF(
      weights == EdgeWeights::none && edge.weight != 1.0F,
      describe(index, edge) + " has a weight; the graph stores none: all weights are 1");
}

void check_kinds(const char* what, std::size_t kinds, std::size_t count) {
  KINDRED_THROW_IF(kinds != 0 && kinds != count, std::to_string(kinds) + " kinds for " +
                                                     std::to_string(count) + " " + what +
                                                     "; there must be one for each, or none");
}

}  // namespace

void check_nodes(std::size_t nodes, std::uint64_t more, std::size_t kinds) {
  KINDRED_THROW_IF(nodes > nodes_max || more > nodes_max - nodes,
                   "a graph of " + std::to_string(nodes) + " and " + std::to_string(more) +
                       " nodes; at most " + std::to_string(nodes_max) +
                       " can be numbered in 32 bits");
  check_kinds("nodes", kinds, more);
}

void check_merge_share(const GraphOptions& options) {
  KINDRED_THROW_IF(!(options.merge_share >= 0),
                   "merge_share is " + std::to_string(options.merge_share) + "; it must be ≥ 0");
}

std::uint64_t check_graph(const GraphSpan& graph, const GraphOptions& options,
                          const HostWorkers& workers) {
  KINDRED_THROW_IF(graph.nodes > nodes_max, "a graph of " + std::to_string(graph.nodes) +
                                                " nodes; at most " + std::to_string(nodes_max) +
                                                " can be numbered in 32 bits");
  check_kinds("nodes", graph.node_kinds.size(), graph.nodes);
  check_kinds("edges", graph.edge_kinds.size(), graph.edges.size());
  KINDRED_THROW_IF(!graph.names.offsets.empty() && graph.names.rows() != graph.nodes,
                   std::to_string(graph.names.rows()) + " names for " +
                       std::to_string(graph.nodes) + " nodes; every node must have one, or none");
  check_merge_share(options);
  KINDRED_THROW_IF(options.weights > EdgeWeights::none,
                   std::to_string(static_cast<int>(options.weights)) +
                       " is not a storage of weights; it must be 0 to 2");
  std::atomic<std::uint64_t> outside{0};
  constexpr double edge_nanoseconds = 1;
  workers.for_each_range(
      graph.edges.size(), edge_nanoseconds, [&](std::size_t begin, std::size_t end) {
        std::uint64_t count = 0;
        for (std::size_t i = begin; i < end; ++i) {
          const Edge& edge = graph.edges[i];
          KINDRED_THROW_IF(edge.from >= graph.nodes || edge.to >= graph.nodes,
                           describe(i, edge) + " ends at a node that is not one of the " +
                               std::to_string(graph.nodes) + " nodes");
          check_weight(i, edge, options.weights);
          const float kept = options.weights == EdgeWeights::bfloat16
                                 ? widen_weight(short_weight(edge.weight))
                                 : edge.weight;
          count += is_in_unit_interval(kept) ? 0 : 1;
        }
        outside += count;
      });
  return outside;
}

void check_edges(const GraphSnapshot& graph, std::span<const Edge> edges,
                 std::span<const std::uint8_t> kinds) {
  check_kinds("edges", kinds.size(), edges.size());
  for (std::size_t i = 0; i < edges.size(); ++i) {
    for (const std::uint32_t node : {edges[i].from, edges[i].to}) {
      KINDRED_THROW_IF(!graph.is_node(node),
                       describe(i, edges[i]) + " ends at node " + std::to_string(node) +
                           (node < graph.nodes()
                                ? ", which was removed"
                                : "; the graph has " + std::to_string(graph.nodes()) + " nodes"));
    }
    check_weight(i, edges[i], graph.form().weights);
  }
}

std::string describe_outside(const GraphView<Kokkos::HostSpace>& graph) {
  for (std::uint32_t node = 0; node < graph.nodes; ++node) {
    const HostRowPlace row = row_of(graph.out, node);
    for (std::uint64_t i = 0; i < row.count; ++i) {
      if (is_in_unit_interval(weight_at(row, i))) continue;
      return "edge " + std::to_string(node) + " → " +
             std::to_string(row.part->sources(row.begin + i)) + " has the weight " +
             std::to_string(weight_at(row, i));
    }
  }
  return "an edge has a weight";
}

}  // namespace Kindred::Impl
