// SPDX-License-Identifier: Apache-2.0
#include "GraphText.hpp"

#include "io/InputKind.hpp"
#include "program/Errors.hpp"
#include "program/Log.hpp"

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace Kindred::Tools {

const char* GraphText::list_flag() const noexcept {
  return !nodes.empty() ? "--nodes"
         : undirected   ? "--undirected"
         : header       ? "--header"
         : no_header    ? "--no-header"
                        : nullptr;
}

EdgeWeights GraphText::edge_weights() const {
  if (weights.empty()) return EdgeWeights::float32;
  for (const EdgeWeights each : {EdgeWeights::float32, EdgeWeights::bfloat16, EdgeWeights::none}) {
    if (to_string(each) == weights) return each;
  }
  throw UsageError(
      fmt::format("--weights: {} is not one of float32, bfloat16, none", in_quotes(weights)));
}

void add_graph_text_flags(CLI::App& command, GraphText& text, const std::string& edges) {
  add_file(command, "--nodes", text.nodes,
           "Lines 'node' or 'node kind': additional nodes, numbered before those of " + edges);
  command
      .add_option("--weights", text.weights,
                  "How weights are kept: float32, bfloat16 (rounded, half the memory), or none: "
                  "every weight is 1 (default: float32)")
      ->type_name("NAME");
  command.add_flag("--undirected", text.undirected,
                   "Each line of the edge list is an edge in both directions");
  command.add_flag("--header", text.header,
                   "The first line of the edge list is a header (default: it is one if its weight "
                   "is a word)");
  command.add_flag("--no-header", text.no_header, "The first line of the edge list is an edge");
}

Graph read_graph_text(const char* command, const GraphText& text, WeightRange range,
                      const Session& session) {
  if (text.header && text.no_header)
    throw UsageError(
        fmt::format("{}: --header and --no-header contradict each other; omit one", command));
  const char* const kinds_flag = command == std::string_view("spread") ? "--kinds" : "--edge-kinds";
  if (is_matrix_market(text.edges) && (text.kinds || text.list_flag() != nullptr)) {
    throw UsageError(fmt::format(
        "{}: {} does not go with a Matrix Market file, {}; it is for an edge list{}", command,
        text.kinds ? kinds_flag : text.list_flag(), text.edges,
        text.undirected ? " (a Matrix Market file says 'symmetric' in its first line)" : ""));
  }
  check_kind(text.edges, InputKind::edges);
  EdgeListForm form;
  form.weights = text.edge_weights() != EdgeWeights::none;
  form.kinds = text.kinds;
  form.undirected = text.undirected;
  form.header = text.header      ? HeaderLine::present
                : text.no_header ? HeaderLine::absent
                                 : HeaderLine::automatic;
  form.note = Log::info;
  Graph graph;
  if (!text.nodes.empty())
    read_node_list(text.nodes, is_csv(text.nodes), graph, session.read_progress(text.nodes));
  return read_graph(text.edges, range, form, session.read_progress(text.edges), std::move(graph));
}

void warn_without_edges(const std::string& path, std::uint64_t edges) {
  if (edges == 0)
    Log::warning(fmt::format("{}: the graph has no edges, so nothing spreads in it", path));
}

}  // namespace Kindred::Tools
