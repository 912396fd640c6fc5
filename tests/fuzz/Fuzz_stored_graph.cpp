// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as a graph: rejected, or read within their bounds.
#include "StoredTarget.hpp"
#include "graph/StoredGraph.hpp"

#include <kindred/matcher/SpreadingEngine.hpp>

namespace Kindred::Testing {

std::vector<std::string> good_files() { return stored_files({"graph.knd"}); }

/// Reads every row of a loaded graph, as an engine does.
void use(const std::string& path) {
  const Impl::StoredGraph graph = Impl::load_graph(path, 1);
  const std::vector<float> x(graph.nodes, 0.5F);
  for (const Impl::StoredRows* rows : {&graph.out, &graph.in}) {
    for (std::uint64_t node = 0; node < graph.nodes; ++node) {
      const auto row = [&](const auto& column) {
        const std::uint64_t begin = rows->offsets[node];
        return column.empty() ? typename std::decay_t<decltype(column)>::value_type()
                              : column.front().subspan(begin, rows->offsets[node + 1] - begin);
      };
      for (const std::uint32_t end : row(rows->ends)) read_numbers(std::span(&x[end], 1));
      read_numbers(row(rows->weights), row(rows->short_weights), row(rows->kinds));
    }
  }
  read_numbers(graph.node_kinds, graph.removed);
  for (std::size_t i = 0; graph.names && i < graph.names->rows(); ++i)
    read_numbers((*graph.names)[i]);
  SpreadingEngine::inspect(path, 1);
}

}  // namespace Kindred::Testing
