// SPDX-License-Identifier: Apache-2.0
#include "Commands.hpp"
#include "GraphText.hpp"
#include "Properties.hpp"
#include "wordnet/WordNet.hpp"

#include <kindred/matcher/GraphFileInfo.hpp>
#include <kindred/matcher/SpreadingEngine.hpp>

namespace Kindred::Tools {

namespace {

struct GraphBuildFlags {
  GraphText text;  ///< either its edges or `wordnet` are given
  std::string wordnet;
  std::vector<CLI::Option*> sources;
  std::string out;
};

/// The synsets of WordNet, named word.type.offset, and the links that the demo uses for spreading.
Graph wordnet_graph(const std::string& folder, EdgeWeights weights) {
  const WordNet net = read_wordnet(folder);
  Graph graph;
  for (const Synset& synset : net.synsets) {
    graph.nodes.add(fmt::format("{}.{}.{:08}", synset.words.front(), synset.type, synset.offset));
  }
  if (graph.nodes.size() != net.synsets.size())
    throw InputError(fmt::format("{}: two synsets have the same name", folder));
  graph.edges = heaviest_edges(net);
  if (weights == EdgeWeights::none)
    for (Edge& edge : graph.edges) edge.weight = 1;
  return graph;
}

void build_graph(const CLI::App& command, const GlobalOptions& global,
                 const GraphBuildFlags& flags) {
  const GraphText& text = flags.text;
  require_one(command, flags.sources);
  const EdgeWeights weights = text.weights.value_or(EdgeWeights::float32);
  check_output("graph build", flags.out, {text.edges, text.nodes});
  Session session(global, "graph build");
  Graph graph = session.timed(Phase::load, [&] {
    return flags.wordnet.empty()
               ? read_graph_text("graph build", text, WeightRange::finite, session)
               : wordnet_graph(flags.wordnet, weights);
  });
  warn_without_edges(text.edges + flags.wordnet, graph.edges.size());
  const Ragged<char> names = graph.nodes.is_numbered() ? Ragged<char>() : graph.nodes.texts();
  GraphSpan span{graph.nodes.size(), graph.edges, graph.edge_kinds, graph.node_kinds};
  if (!graph.nodes.is_numbered()) span.names = names;
  GraphOptions options;
  options.weights = weights;
  options.residency = Residency::host;
  session.timed(Phase::compute, [&] {
    reading_file([&] { SpreadingEngine(session.context(), span, options).save(flags.out); });
  });
  Log::info(fmt::format("{}: {} nodes, {} edges, weights {}", flags.out, graph.nodes.size(),
                        graph.edges.size(), to_string(weights)));
  session.add_input(flags.wordnet.empty() ? "edges" : "WordNet", text.edges + flags.wordnet);
  session.add_to_report("graph",
                        fmt::format("{} nodes, {} edges", graph.nodes.size(), graph.edges.size()));
  session.add_to_report("file", fmt::format("{}, weights {}", flags.out, to_string(weights)));
  session.finish();
}

InspectedFile inspect_graph(const std::string& path, int threads) {
  const GraphFileInfo info = SpreadingEngine::inspect(path, threads);
  // edge_bytes counts both directions.
  const double per_edge =
      info.edges == 0 ? 0.0
                      : static_cast<double>(info.edge_bytes) / 2 / static_cast<double>(info.edges);
  return {fmt::format("{} nodes and {} edges", info.nodes, info.edges),
          info.bytes,
          {{"weights", std::string(to_string(info.weights))},
           {"edge_kinds", info.edge_kinds},
           {"node_kinds", info.node_kinds},
           {"names", info.names},
           {"nodes", info.nodes},
           {"removed_nodes", info.removed_nodes},
           {"edges", info.edges},
           {"outside_unit", info.outside_unit},
           {"edge_bytes", info.edge_bytes},
           {"offset_bytes", info.offset_bytes},
           {"name_bytes", info.name_bytes},
           {"bytes", info.bytes},
           {"bytes_per_edge", per_edge}}};
}

}  // namespace

void add_graph_command(CLI::App& app, const GlobalOptions& global) {
  CLI::App* group = add_group(app, "graph", "Create, check and describe a graph file");
  const auto [command, flags] =
      add_command<GraphBuildFlags>(*group, "build", "Write a graph to a file", global, build_graph);
  CLI::Option* const edges = add_file(
      *command, "--edges", flags->text.edges,
      "Lines 'from to weight' or 'from to' (separated by tabs or spaces, in *.csv by commas; "
      "# begins a comment), or a Matrix Market file, *.mtx");
  CLI::Option* const wordnet =
      add_file(*command, "--wordnet", flags->wordnet,
               "Instead of --edges: WordNet's folder with data.noun, .verb, .adj and .adv; "
               "takes the synsets and the links that kindred-demo uses")
          ->type_name("DIR");
  flags->sources = {edges, wordnet};
  exclude_each_other(flags->sources);
  add_graph_text_flags(*command, flags->text, "--edges");
  flags->text.of_lists.push_back(
      command->add_flag("--edge-kinds", flags->text.form.kinds,
                        "Lines have a fourth field, the kind of the edge, 0 to 255"));
  for (CLI::Option* option : flags->text.of_lists) wordnet->excludes(option);
  add_out(*command, flags->out, "Output file");
  add_inspections(*group, global, "graph", InputKind::graph, inspect_graph);
}

}  // namespace Kindred::Tools
