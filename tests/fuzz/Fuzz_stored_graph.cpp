// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as a graph: rejected, or read within their bounds.
#include "StoredTarget.hpp"
#include "TextRows.hpp"
#include "graph/StoredGraph.hpp"

#include <kindred/matcher/SpreadingEngine.hpp>

namespace Kindred::Testing {

/// Saves a valid graph with everything that a file can contain.
void save_graph(const std::string& path) {
  const std::vector<std::uint64_t> out_offsets{0, 2, 3, 3, 4};
  const std::vector<std::uint32_t> out_ends{1, 3, 1, 0};
  const std::vector<float> out_weights{0.5F, 1, 0.25F, 0.125F};
  const std::vector<std::uint8_t> out_kinds{1, 2, 3, 4};
  const std::vector<std::uint64_t> in_offsets{0, 1, 3, 3, 4};
  const std::vector<std::uint32_t> in_ends{3, 0, 1, 0};
  const std::vector<float> in_weights{0.125F, 0.5F, 0.25F, 1};
  const std::vector<std::uint8_t> in_kinds{4, 1, 3, 2};
  const std::vector<std::uint64_t> removed{4};
  const Ragged<char> names = text_rows({"a", "bc", "", "d"});
  Impl::StoredGraph graph;
  graph.form.kinds = true;
  graph.nodes = 4;
  graph.edges = 4;
  graph.out = {out_offsets, {out_ends}, {out_weights}, {}, {out_kinds}};
  graph.in = {in_offsets, {in_ends}, {in_weights}, {}, {in_kinds}};
  graph.has_node_kinds = true;
  graph.node_kinds = out_kinds;
  graph.removed = removed;
  graph.names = names;
  Impl::save_graph(path, graph);
}

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

const std::vector<std::string>& good_files() {
  static const std::vector<std::string> files{file_of(save_graph)};
  return files;
}

bool is_good(const std::string& path, std::size_t) {
  return SpreadingEngine::inspect(path, 1).edges == 4;
}

void use(const std::string& path) {
  const volatile double sum = use(Impl::load_graph(path, 1));
  static_cast<void>(sum);
  SpreadingEngine::inspect(path, 1);
}

}  // namespace Kindred::Testing
