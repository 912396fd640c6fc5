// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_GRAPH_CSR_SUPPORT_HPP
#define KINDRED_TESTS_GRAPH_CSR_SUPPORT_HPP

#include <kindred/matcher/CsrGraph.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "SpreadingSupport.hpp"

namespace Kindred::Testing {

/// A list of edges as compressed sparse rows in every layout that callers may have.
struct CsrArrays {
  std::vector<std::int64_t> offsets;
  std::vector<std::int32_t> short_offsets;
  std::vector<std::uint32_t> ends;
  std::vector<std::int32_t> signed_ends;
  std::vector<float> weights;
  std::vector<std::uint16_t> short_weights;  ///< bfloat16, truncated

  explicit CsrArrays(const SpreadingSupport::Graph& graph) : offsets(graph.nodes + 1) {
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
  CsrGraph graph() const {
    return {std::span(offsets), std::span(ends), ConstArray(std::span(weights))};
  }
  /// int32, int32 and float32, as Engram has them.
  CsrGraph short_graph() const {
    return {std::span(short_offsets), std::span(signed_ends), ConstArray(std::span(weights))};
  }
  CsrGraph unweighted_graph() const { return {std::span(offsets), std::span(ends)}; }
  CsrGraph bfloat16_graph() const {
    const std::vector<std::int64_t> shape{static_cast<std::int64_t>(ends.size())};
    return {std::span(offsets), std::span(ends),
            ConstArray(short_weights.data(), DataType::bfloat16, shape)};
  }
};

/// The edges in the order of their rows, which is the input order of `CsrArrays`.
inline SpreadingSupport::Graph in_row_order(SpreadingSupport::Graph graph) {
  std::ranges::stable_sort(graph.edges, {}, &Edge::from);
  return graph;
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_GRAPH_CSR_SUPPORT_HPP
