// SPDX-License-Identifier: Apache-2.0
#include "GraphText.hpp"

#include "io/MatrixMarket.hpp"

namespace Kindred::Tools {

namespace {

bool is_matrix_market(const std::string& path) {
  return without_compression(path).ends_with(".mtx");
}
bool is_csv(const std::string& path) { return without_compression(path).ends_with(".csv"); }

/// \brief Reads a graph from text. The file name determines the format: *.mtx is Matrix Market,
/// *.csv an edge list with commas, any other name an edge list with tabs or spaces.
/// \param graph nodes that come first, for an edge list
Graph read_graph(const std::string& path, WeightRange range, EdgeListForm form,
                 const ReadProgress& progress, Graph graph) {
  if (!is_matrix_market(path)) {
    form.csv = is_csv(path);
    return read_edge_list(path, range, progress, form, std::move(graph));
  }
  graph = read_matrix_market(path, range, progress);
  if (!form.weights)
    for (Edge& edge : graph.edges) edge.weight = 1;
  return graph;
}

}  // namespace

const CLI::Option* GraphText::list_flag() const noexcept {
  const auto given = std::find_if(of_lists.begin(), of_lists.end(),
                                  [](const CLI::Option* option) { return option->count() > 0; });
  return given == of_lists.end() ? nullptr : *given;
}

void add_graph_text_flags(CLI::App& command, GraphText& text, const std::string& edges) {
  add_choice(command, "--weights", text.weights,
             "How weights are kept: float32, bfloat16 (rounded, half the memory), or none: "
             "every weight is 1 (default: float32)",
             choices_of<EdgeWeights>());
  text.of_lists = {
      add_file(command, "--nodes", text.nodes,
               "Lines 'node' or 'node kind': additional nodes, numbered before those of " + edges),
      command.add_flag("--undirected", text.form.undirected,
                       "Each line of the edge list is an edge in both directions"),
      command.add_flag_callback(
          "--header", [&text] { text.form.header = HeaderLine::present; },
          "The first line of the edge list is a header (default: it is one if its "
          "weight is a word)"),
      command.add_flag_callback(
          "--no-header", [&text] { text.form.header = HeaderLine::absent; },
          "The first line of the edge list is an edge")};
  text.of_lists[2]->excludes(text.of_lists[3]);
}

Graph read_graph_text(const char* command, const GraphText& text, WeightRange range,
                      const Session& session) {
  if (const CLI::Option* const given = text.list_flag();
      is_matrix_market(text.edges) && (given != nullptr || text.form.kinds)) {
    throw UsageError(fmt::format(
        "{}: {} does not go with a Matrix Market file, {}; it is for an edge list{}", command,
        given != nullptr ? given->get_name() : "--kinds", text.edges,
        text.form.undirected ? " (a Matrix Market file says 'symmetric' in its first line)" : ""));
  }
  check_kind(text.edges, InputKind::edges);
  EdgeListForm form = text.form;
  form.weights = text.weights != EdgeWeights::none;
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
