// SPDX-License-Identifier: Apache-2.0
#include "Commands.hpp"
#include "GraphText.hpp"
#include "PrintIntact.hpp"
#include "Session.hpp"
#include "io/AppendJson.hpp"
#include "io/CheckOutputs.hpp"
#include "io/InputKind.hpp"
#include "program/Errors.hpp"
#include "program/Log.hpp"
#include "program/Output.hpp"
#include "wordnet/WordNet.hpp"

#include <kindred/matcher/GraphFileInfo.hpp>
#include <kindred/matcher/SpreadingEngine.hpp>
#include <kindred/memory/AtomicFile.hpp>

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <utility>

namespace Kindred::Tools {

namespace {

struct GraphBuildFlags {
  GraphText text;  ///< either its edges or `wordnet` are given
  std::string wordnet;
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

void build(const GlobalOptions& global, const GraphBuildFlags& flags) {
  const GraphText& text = flags.text;
  if (text.edges.empty() == flags.wordnet.empty()) {
    throw UsageError(fmt::format("graph build: give {} of --edges and --wordnet",
                                 text.edges.empty() ? "one" : "only one"));
  }
  if (!flags.wordnet.empty() && (text.kinds || text.list_flag() != nullptr)) {
    throw UsageError(fmt::format("graph build: {} does not go with --wordnet",
                                 text.kinds ? "--edge-kinds" : text.list_flag()));
  }
  const EdgeWeights weights = text.edge_weights();
  check_outputs("graph build", {flags.out}, {text.edges, text.nodes});
  { const AtomicFile probe(flags.out); }  // fails before hours of work
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

GraphFileInfo inspect_graph(const GlobalOptions& global, const std::string& path) {
  check_kind(path, InputKind::graph);
  return with_clock("checking " + path, !global.quiet, [&] {
    return reading_file([&] { return SpreadingEngine::inspect(path, global.threads); });
  });
}

void describe_graph(const GlobalOptions& global, const std::string& path) {
  const GraphFileInfo info = inspect_graph(global, path);
  const std::array flags{std::pair("edge_kinds", info.edge_kinds),
                         std::pair("node_kinds", info.node_kinds), std::pair("names", info.names)};
  const std::array numbers{
      std::pair("nodes", info.nodes),           std::pair("removed_nodes", info.removed_nodes),
      std::pair("edges", info.edges),           std::pair("outside_unit", info.outside_unit),
      std::pair("edge_bytes", info.edge_bytes), std::pair("offset_bytes", info.offset_bytes),
      std::pair("name_bytes", info.name_bytes), std::pair("bytes", info.bytes)};
  // edge_bytes counts both directions.
  const double per_edge =
      info.edges == 0 ? 0.0
                      : static_cast<double>(info.edge_bytes) / 2 / static_cast<double>(info.edges);
  Output output;
  std::string& out = output.text();
  if (global.json) {
    out = "{\"graph\": ";
    append_json(out, path);
    fmt::format_to(std::back_inserter(out), ", \"weights\": \"{}\"", to_string(info.weights));
    for (const auto& [name, kept] : flags)
      fmt::format_to(std::back_inserter(out), ", \"{}\": {}", name, kept);
    for (const auto& [name, number] : numbers)
      fmt::format_to(std::back_inserter(out), ", \"{}\": {}", name, number);
    out += ", \"bytes_per_edge\": ";
    append_json(out, per_edge);
    out += "}\n";
  } else {
    fmt::format_to(std::back_inserter(out), "{:18} {}\n", "weights", to_string(info.weights));
    for (const auto& [name, kept] : flags)
      fmt::format_to(std::back_inserter(out), "{:18} {}\n", name, kept ? "yes" : "no");
    for (const auto& [name, number] : numbers)
      fmt::format_to(std::back_inserter(out), "{:18} {}\n", name, number);
    fmt::format_to(std::back_inserter(out), "{:18} ", "bytes_per_edge");
    append_json(out, per_edge);
    out += '\n';
  }
  output.flush();
}

void verify_graph(const GlobalOptions& global, const std::string& path) {
  const GraphFileInfo info = inspect_graph(global, path);
  print_intact(global, "graph", path, fmt::format("{} nodes and {} edges", info.nodes, info.edges),
               info.bytes);
}

}  // namespace

void add_graph_command(CLI::App& app, const GlobalOptions& global) {
  CLI::App* group = app.add_subcommand("graph", "Create, check and describe a graph file");
  group->require_subcommand(1);
  CLI::App* command = group->add_subcommand("build", "Write a graph to a file");
  const auto flags = std::make_shared<GraphBuildFlags>();
  add_file(*command, "--edges", flags->text.edges,
           "Lines 'from to weight' or 'from to' (separated by tabs or spaces, in *.csv by commas; "
           "# begins a comment), or a Matrix Market file, *.mtx");
  command
      ->add_option("--wordnet", flags->wordnet,
                   "Instead of --edges: WordNet's folder with data.noun, .verb, .adj and .adv; "
                   "takes the synsets and the links that kindred-demo uses")
      ->type_name("DIR");
  add_graph_text_flags(*command, flags->text, "--edges");
  command->add_flag("--edge-kinds", flags->text.kinds,
                    "Lines have a fourth field, the kind of the edge, 0 to 255");
  refuse_renamed(*command, "graph build", "--kinds", "--edge-kinds");
  command->add_option("--out", flags->out, "Output file; an existing file is replaced")
      ->type_name("FILE")
      ->required();
  command->callback([&global, flags] { build(global, *flags); });
  add_store_reader(*group, "GRAPH", "--graph", "graph build", "info",
                   "Describe the contents of a graph", global, describe_graph);
  add_store_reader(*group, "GRAPH", "--graph", "graph build", "verify",
                   "Check every byte of a graph; exit status 3 on any damage", global,
                   verify_graph);
}

}  // namespace Kindred::Tools
