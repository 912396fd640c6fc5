// SPDX-License-Identifier: Apache-2.0
#include "GraphText.hpp"

#include <utility>

namespace Kindred::Tools {

CLI::Option* add_nodes_flag(CLI::App& command, std::string& nodes, const std::string& edges) {
  return command
      .add_option(
          "--nodes", nodes,
          "Lines 'node' or 'node kind': additional nodes, numbered before those of " + edges)
      ->type_name("FILE");
}

Graph read_graph_text(const GraphText& text, WeightRange range, const Session& session) {
  EdgeListForm form;
  form.weights = text.weights;
  form.kinds = text.kinds;
  Graph graph;
  if (!text.nodes.empty())
    read_node_list(text.nodes, is_csv(text.nodes), graph, session.read_progress(text.nodes));
  return read_graph(text.edges, range, form, session.read_progress(text.edges), std::move(graph));
}

}  // namespace Kindred::Tools
