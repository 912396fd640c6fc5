// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_GRAPH_EXPECTED_EDGES_HPP
#define KINDRED_MATCHER_GRAPH_EXPECTED_EDGES_HPP

#include "GraphView.hpp"
#include "QueryGroups.hpp"

#include <cstddef>
#include <cstdint>
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

/// \brief What the queries of a call are expected to cost on the host, collected query by query.
///
/// A query whose frontier stays within a budget of steps is one thread's. The others are given up
/// at the budget and read all edges in every hop, which all threads share, up to 32 queries side by
/// side.
class SpreadWork {
 public:
  /// A query of no more sources is tried as a small one, unless it is of a host's call of so many
  /// queries and expected to be large.
  static constexpr std::size_t few_sources = 64;
  static constexpr std::size_t sharing_queries = 8;

  SpreadWork(const GraphSample& sample, const GraphView<Kokkos::HostSpace>& graph,
             std::size_t edges);

  void add(std::span<const Activation> sources, const QueryGroup& group);
  /// \p queries that read all edges from the start.
  void add_whole(std::size_t queries, std::uint32_t hops);
  /// Sets work, starts and pieces.
  void put_in(Workload& workload) const;

 private:
  const GraphSample& m_sample;
  const GraphView<Kokkos::HostSpace>& m_graph;
  double m_edges;
  double m_budget;
  double m_work = 0;  ///< edges of whole hops, or what takes as long
  std::size_t m_small = 0;
  std::size_t m_whole = 0;
  std::uint32_t m_hops = 0;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_GRAPH_EXPECTED_EDGES_HPP
