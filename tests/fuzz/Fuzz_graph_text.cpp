// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as an edge list or a Matrix Market file, which KINDRED_FUZZ selects: they are
// rejected with a position, or give a graph whose edges end at its nodes.
#include "TextTarget.hpp"
#include "io/EdgeList.hpp"
#include "io/MatrixMarket.hpp"

#include <cmath>
#include <utility>

namespace Kindred::Testing {

using namespace Tools;

const std::string& which() {
  static const std::string name = [] {
    const char* text = std::getenv("KINDRED_FUZZ");
    return std::string(text == nullptr ? "edge_list" : text);
  }();
  return name;
}

Graph read(const std::string& path, std::size_t size) {
  if (which() == "mtx") return read_matrix_market(path, WeightRange::finite);
  EdgeListForm form;
  form.csv = size % 5 < 2;
  form.weights = size % 2 == 0;
  form.kinds = size % 3 == 0;
  Graph graph;
  if (size % 16 == 5) {
    read_node_list(path, form.csv, graph);
    return graph;
  }
  return read_edge_list(path, WeightRange::finite, {}, form, std::move(graph));
}

void read_text(const std::string& path, std::size_t size) {
  try {
    const Graph graph = read(path, size);
    for (const Edge& edge : graph.edges) {
      require(edge.from < graph.nodes.size() && edge.to < graph.nodes.size());
      require(std::isfinite(edge.weight));
    }
    require(graph.edge_kinds.empty() || graph.edge_kinds.size() == graph.edges.size());
    require(graph.node_kinds.size() <= graph.nodes.size());
    // Every edge, and every node, has its own line.
    if (which() != "mtx") require(graph.nodes.size() <= size && graph.edges.size() <= size);
  } catch (const InputError& error) {
    located(error, path);
  }
}

}  // namespace Kindred::Testing
