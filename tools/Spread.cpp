// SPDX-License-Identifier: Apache-2.0
#include "Batches.hpp"
#include "Commands.hpp"
#include "Progress.hpp"
#include "Session.hpp"
#include "io/Answer.hpp"
#include "io/EdgeList.hpp"
#include "io/InputError.hpp"
#include "io/MatrixMarket.hpp"
#include "io/Output.hpp"
#include "io/Sources.hpp"
#include "io/Text.hpp"

#include <kindred/matcher/SpreadingEngine.hpp>

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

namespace Kindred::Tools {

namespace {

struct SpreadFlags {
  std::string graph;
  std::string sources;
  std::size_t hops = 4;
  std::string decay = "exponential:0.7";
  std::optional<double> threshold;
  std::size_t top = 10;
  std::string mode = "engine";
};

constexpr std::array<std::pair<std::string_view, Decay::Kind>, 4> decay_names{
    {{"exponential", Decay::Kind::exponential},
     {"power", Decay::Kind::power},
     {"linear", Decay::Kind::linear},
     {"constant", Decay::Kind::constant}}};

Decay decay_from_string(std::string_view text) {
  const auto colon = text.find(':');
  for (const auto& [name, kind] : decay_names) {
    if (text.substr(0, colon) != name || colon == text.npos) continue;
    const auto parameter = parse_number(text.substr(colon + 1));
    if (parameter && *parameter >= 0) return {kind, *parameter};
    throw UsageError(
        fmt::format("spread: --decay: {} has no finite parameter ≥ 0", in_quotes(text)));
  }
  throw UsageError(fmt::format(
      "spread: --decay: {} is none of exponential:RATE, power:EXPONENT, linear:SLOPE, constant:C",
      in_quotes(text)));
}

SpreadOptions options_of(const SpreadFlags& flags) {
  SpreadOptions options;
  if (flags.mode == "linear") {
    options.mode = SpreadMode::linear;
  } else if (flags.mode != "engine") {
    throw UsageError(
        fmt::format("spread: --mode: {} is none of engine, linear", in_quotes(flags.mode)));
  }
  options.hops = static_cast<std::uint32_t>(flags.hops);
  options.decay = decay_from_string(flags.decay);
  options.threshold = flags.threshold;
  options.top = flags.top;
  return options;
}

void spread(const GlobalOptions& global, const SpreadFlags& flags) {
  const SpreadOptions options = options_of(flags);
  const WeightRange range =
      options.mode == SpreadMode::engine ? WeightRange::unit : WeightRange::finite;
  Session session(global, "spread");
  const bool matrix = std::filesystem::path(flags.graph).extension() == ".mtx";
  Graph graph = session.timed(Phase::load, [&] {
    const auto progress = session.read_progress(flags.graph);
    return matrix ? read_matrix_market(flags.graph, range, progress)
                  : read_edge_list(flags.graph, range, progress);
  });
  const Sources sources = session.timed(Phase::load, [&] {
    return read_sources(flags.sources, graph.nodes, range, session.read_progress(flags.sources));
  });
  std::optional<SpreadingEngine> engine;
  if (graph.nodes.size() > 0) {
    session.timed(Phase::upload,
                  [&] { engine.emplace(session.context(), graph.nodes.size(), graph.edges); });
  }
  graph.edges = {};

  Output output;
  Progress progress("answering", !global.quiet);
  const std::size_t queries = sources.names.size();
  for_each_batch(queries, batch_size(std::min(flags.top, graph.nodes.size())),
                 [&](std::size_t first, std::size_t count) {
                   const RowSlice<Activation> rows(sources.activations, first, count);
                   SpreadResults results;
                   if (engine) {
                     results = session.timed(Phase::compute,
                                             [&] { return engine->spread(rows.span(), options); });
                   }
                   for (std::size_t i = 0; i < count; ++i) {
                     std::string& out = output.text();
                     append_query(out, sources.names[first + i], first + i);
                     out += ", \"activations\": [";
                     const auto found =
                         engine ? results.activations[i] : std::span<const Activation>();
                     for (std::size_t k = 0; k < found.size(); ++k) {
                       out += k == 0 ? "[" : ", [";
                       graph.nodes.append(out, found[k].node);
                       out += ", ";
                       append_json(out, found[k].value);
                       out += ']';
                     }
                     out += "]}\n";
                     output.flush_if_large();
                   }
                   progress.update(first + count, queries);
                 });
  output.flush();
  session.finish();
}

}  // namespace

void add_spread_command(CLI::App& app, const GlobalOptions& global) {
  constexpr std::size_t hops_max = 10000;
  CLI::App* command =
      app.add_subcommand("spread", "Spread activation over a graph from the sources of each query");
  const auto flags = std::make_shared<SpreadFlags>();
  command
      ->add_option("--graph", flags->graph,
                   "Lines 'from to weight' (divided by tabs or spaces, # begins a comment), or a "
                   "Matrix Market file, *.mtx, whose node i is named \"i\"")
      ->type_name("FILE")
      ->required();
  command
      ->add_option("--sources", flags->sources,
                   "JSON lines {\"name\": \"…\", \"sources\": [[\"node\", 0.8]]}")
      ->type_name("FILE")
      ->required();
  add_count(*command, "--hops", flags->hops, "Hops from the sources (default: 4)", 0, hops_max);
  command
      ->add_option("--decay", flags->decay,
                   "exponential:RATE, power:EXPONENT, linear:SLOPE or constant:C (default: "
                   "exponential:0.7)")
      ->type_name("KIND:X");
  add_number(*command, "--threshold", flags->threshold,
             "Least activation of a node, for all tiers (default: 0.01, 0.05, 0.10 by tier)", 0);
  add_count(*command, "--top", flags->top, "Nodes a query at most (default: 10)");
  command
      ->add_option(
          "--mode", flags->mode,
          "engine: thresholds and saturation at 1; linear: sums of decayed walks (default: "
          "engine)")
      ->type_name("NAME");
  command->callback([&global, flags] { spread(global, *flags); });
}

}  // namespace Kindred::Tools
