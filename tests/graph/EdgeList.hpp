// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_GRAPH_EDGE_LIST_HPP
#define KINDRED_TESTS_GRAPH_EDGE_LIST_HPP

#include <kindred/matcher/SpreadingEngine.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "Support.hpp"
#include "TempFolder.hpp"

namespace Kindred::Testing {

/// A graph as a simple list of its edges, which every history of changes is compared with.
struct EdgeList {
  std::size_t nodes = 0;
  std::vector<Edge> edges;
  std::vector<std::uint8_t> kinds;  ///< one per edge
  std::vector<std::uint32_t> removed;
  bool has_kinds = false;

  void add(const Edge& edge, std::uint8_t kind = 0) {
    edges.push_back(edge);
    kinds.push_back(kind);
  }
  template <class Goes>
  void erase(const Goes& goes) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < edges.size(); ++i) {
      if (goes(edges[i], kinds[i])) continue;
      edges[kept] = edges[i];
      kinds[kept++] = kinds[i];
    }
    edges.resize(kept);
    kinds.resize(kept);
  }
  bool is_node(std::uint32_t node) const {
    return node < nodes && std::find(removed.begin(), removed.end(), node) == removed.end();
  }
  std::vector<std::uint32_t> alive() const {
    std::vector<std::uint32_t> out;
    for (std::uint32_t node = 0; node < nodes; ++node)
      if (is_node(node)) out.push_back(node);
    return out;
  }

  /// The same graph, built in one call.
  SpreadingEngine built(Context& context, GraphOptions options) const {
    options.merge_share = 1e9;
    GraphSpan graph{nodes, edges};
    if (has_kinds) graph.edge_kinds = kinds;
    SpreadingEngine engine(context, graph, options);
    engine.remove_nodes(removed);
    return engine;
  }
};

/// The bytes of the file that \p engine saves: all rows of both directions, kinds and names.
inline std::string saved(const SpreadingEngine& engine, const TempFolder& folder) {
  engine.save(folder / "saved");
  return read_all(folder / "saved");
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_GRAPH_EDGE_LIST_HPP
