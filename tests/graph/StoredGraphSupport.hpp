// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_GRAPH_STORED_GRAPH_SUPPORT_HPP
#define KINDRED_TESTS_GRAPH_STORED_GRAPH_SUPPORT_HPP

#include "graph/StoredGraph.hpp"

#include <cstdint>
#include <vector>

namespace Kindred::Testing {

/// Reads every row of a loaded graph, as an engine does; returns a sum, so that no read is
/// optimized away.
inline double use(const Impl::StoredGraph& graph) {
  std::vector<float> x(graph.nodes, 0.5F);
  double sum = 0;
  for (const Impl::StoredRows* rows : {&graph.out, &graph.in}) {
    for (std::uint64_t node = 0; node < graph.nodes; ++node) {
      for (std::uint64_t i = rows->offsets[node]; i < rows->offsets[node + 1]; ++i) {
        double term = static_cast<double>(x[rows->ends.front()[i]]);
        if (!rows->weights.empty()) term *= static_cast<double>(rows->weights.front()[i]);
        if (!rows->short_weights.empty()) term += rows->short_weights.front()[i];
        if (!rows->kinds.empty()) term += rows->kinds.front()[i];
        sum += term;
      }
    }
  }
  for (const std::uint8_t kind : graph.node_kinds) sum += kind;
  for (const std::uint64_t word : graph.removed) sum += static_cast<double>(word);
  for (std::size_t i = 0; graph.names && i < graph.names->rows(); ++i)
    for (const char c : (*graph.names)[i]) sum += c;
  return sum;
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_GRAPH_STORED_GRAPH_SUPPORT_HPP
