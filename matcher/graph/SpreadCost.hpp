// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_GRAPH_SPREAD_COST_HPP
#define KINDRED_MATCHER_GRAPH_SPREAD_COST_HPP

#include "GraphView.hpp"
#include "QueryGroups.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace Kindred::Impl {

/// Graph statistics estimated from an even sample of edges.
struct GraphSample {
  double edges = 0;
  double out_degree = 0;  ///< of a node, on average
  double in_degree = 0;   ///< of the node that an edge leads to
  double weight = 0;      ///< |weight| of an edge

  GraphSample() = default;
  /// Complexity O(1).
  explicit GraphSample(const GraphView<Kokkos::HostSpace>& graph);
};

/// \brief The expected number of edges that a query reads, from which the cost of a call is
/// predicted.
///
/// Every hop reads the rows adjacent to the nodes reached so far, at most all edges. Engine mode
/// stops where activation along average weights falls below the threshold. Of many sources only a
/// sample is used. Complexity O(hops). \param hops that are considered
double expected_edges(const GraphSample& sample, const GraphView<Kokkos::HostSpace>& graph,
                      QuerySources sources, const SpreadRequest& request, std::uint32_t hops);

/// \brief Accumulates the expected host cost of the queries of a call.
///
/// A query whose frontier stays within a step budget runs on one thread. The others are abandoned
/// at the budget and processed in whole hops, which read all edges on all threads for up to 32
/// queries together.
class SpreadWork {
 public:
  /// Queries with at most this number of sources are tried as small ones, unless they belong to a
  /// host call with many queries and are expected to be large.
  static constexpr std::size_t few_sources = 64;
  static constexpr std::size_t sharing_queries = 8;

  SpreadWork(const GraphSample& sample, const GraphView<Kokkos::HostSpace>& graph,
             std::size_t edges);

  void add(QuerySources sources, const QueryGroup& group);
  /// \brief \p queries that read all edges at every hop.
  /// \param expected edges of a query whose sources are active
  void add_whole(std::size_t queries, std::uint32_t hops,
                 double expected = std::numeric_limits<double>::infinity());
  /// Sets work, starts and pieces.
  void put_in(Workload& workload) const;

 private:
  const GraphSample& m_sample;
  const GraphView<Kokkos::HostSpace>& m_graph;
  double m_edges;
  double m_budget;
  double m_work = 0;  ///< edges of whole hops, or equivalent work
  std::size_t m_small = 0;
  std::size_t m_whole = 0;
  std::uint32_t m_hops = 0;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_GRAPH_SPREAD_COST_HPP
