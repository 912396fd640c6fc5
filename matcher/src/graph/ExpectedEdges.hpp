// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SRC_GRAPH_EXPECTED_EDGES_HPP
#define KINDRED_MATCHER_SRC_GRAPH_EXPECTED_EDGES_HPP

#include "GraphView.hpp"
#include "QueryGroups.hpp"

#include <span>

namespace Kindred::Impl {

/// What a few edges, taken evenly from all, tell of a graph.
struct GraphSample {
  double edges = 0;
  double out_degree = 0;  ///< of a node, on average
  double in_degree = 0;   ///< of the node that an edge leads to
  double weight = 0;      ///< |weight| of an edge

  GraphSample() = default;
  /// Complexity O(1).
  explicit GraphSample(const GraphView<Kokkos::HostSpace>& graph);
};

/// \brief The edges that a query is expected to read: what a call's cost is predicted by, before
/// it runs.
///
/// Every hop reads the rows that the nodes reached so far lead to, all edges at most. Engine mode
/// stops where a walk of average weights has lost so much that it is no longer passed on. Of many
/// sources, some are looked at. Complexity O(hops).
double expected_edges(const GraphSample& sample, const GraphView<Kokkos::HostSpace>& graph,
                      std::span<const Activation> sources, const QueryGroup& group);

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SRC_GRAPH_EXPECTED_EDGES_HPP
