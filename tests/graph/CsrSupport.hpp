// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_GRAPH_CSR_SUPPORT_HPP
#define KINDRED_TESTS_GRAPH_CSR_SUPPORT_HPP

#include <kindred/matcher/CsrGraph.hpp>

#include "SpreadingSupport.hpp"

namespace Kindred::Testing::Graphs {

/// A list of edges as compressed sparse rows in every layout that callers may have.
struct CsrArrays {
  std::vector<std::int64_t> offsets;
  std::vector<std::int32_t> short_offsets;
  std::vector<std::uint32_t> ends;
  std::vector<std::int32_t> signed_ends;
  std::vector<float> weights;
  std::vector<std::uint16_t> short_weights;  ///< bfloat16, truncated

  explicit CsrArrays(const Graph& graph) : offsets(graph.nodes + 1) {
    std::vector<Edge> sorted = graph.edges;
    std::ranges::stable_sort(sorted, {}, &Edge::from);
    for (const Edge& edge : sorted) {
      ++offsets[edge.from + 1];
      ends.push_back(edge.to);
      weights.push_back(edge.weight);
      short_weights.push_back(
          static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(edge.weight) >> 16U));
    }
    for (std::size_t v = 0; v < graph.nodes; ++v) offsets[v + 1] += offsets[v];
    short_offsets.assign(offsets.begin(), offsets.end());
    signed_ends.assign(ends.begin(), ends.end());
  }

  /// int64, uint32 and float32: nothing is converted.
  CsrGraph graph() const { return {offsets, ends, weights}; }
  /// int32, int32 and float32, as Engram has them.
  CsrGraph short_graph() const { return {short_offsets, signed_ends, weights}; }
  CsrGraph unweighted_graph() const { return {offsets, ends}; }
  CsrGraph bfloat16_graph() const {
    const auto count = static_cast<std::int64_t>(ends.size());
    return {offsets, ends, shaped(short_weights, {count}, DataType::bfloat16)};
  }
};

/// A graph whose weights are bfloat16 values.
inline Graph rows_graph(std::size_t nodes, std::size_t edges) {
  Graph graph{nodes};
  for (std::size_t i = 0; i < edges; ++i)
    graph.edges.push_back({random_node(nodes), random_node(nodes),
                           static_cast<float>(random_below(65)) / 64 - 0.25F});
  return graph;
}

}  // namespace Kindred::Testing::Graphs

#endif  // KINDRED_TESTS_GRAPH_CSR_SUPPORT_HPP
