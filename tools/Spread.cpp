// SPDX-License-Identifier: Apache-2.0
#include "Batches.hpp"
#include "Commands.hpp"
#include "Log.hpp"
#include "Progress.hpp"
#include "Session.hpp"
#include "io/Answer.hpp"
#include "io/DecayText.hpp"
#include "io/GraphInput.hpp"
#include "io/InputError.hpp"
#include "io/Output.hpp"
#include "io/Sources.hpp"
#include "io/Text.hpp"

#include <kindred/matcher/GraphFile.hpp>
#include <kindred/matcher/SpreadingEngine.hpp>

#include <fmt/format.h>

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace Kindred::Tools {

namespace {

struct SpreadFlags {
  std::string graph;
  std::string sources;
  std::size_t hops = 4;
  std::string decay = "exponential:0.7";
  std::optional<double> threshold;
  std::size_t top = 10;
  std::size_t trace_paths = 0;
  std::string mode = "engine";
  std::optional<double> damping;
  std::optional<double> tolerance;
  std::size_t max_iterations = 200;
  std::vector<const CLI::Option*> of_hops;      // not of PageRank
  std::vector<const CLI::Option*> of_pagerank;  // of nothing else
};

SpreadOptions options_of(const SpreadFlags& flags) {
  SpreadOptions options;
  if (flags.mode == "linear") {
    options.mode = SpreadMode::linear;
  } else if (flags.mode == "pagerank") {
    options.mode = SpreadMode::pagerank;
  } else if (flags.mode != "engine") {
    throw UsageError(fmt::format("spread: --mode: {} is none of engine, linear, pagerank",
                                 in_quotes(flags.mode)));
  }
  const bool is_pagerank = options.mode == SpreadMode::pagerank;
  for (const CLI::Option* option : is_pagerank ? flags.of_hops : flags.of_pagerank) {
    if (option->count() > 0)
      throw UsageError(
          fmt::format("spread: {} is not of the mode {}", option->get_name(), flags.mode));
  }
  options.hops = static_cast<std::uint32_t>(flags.hops);
  try {
    options.decay = parse_decay(flags.decay);
  } catch (const RecordError& error) {
    throw UsageError(fmt::format("spread: --decay: {}", error.what()));
  }
  options.threshold = flags.threshold;
  options.top = flags.top;
  options.trace_paths = flags.trace_paths;
  options.damping = flags.damping.value_or(options.damping);
  if (!(options.damping < 1))
    throw UsageError("spread: --damping: 1 is not below 1, where PageRank does not converge");
  options.tolerance = flags.tolerance.value_or(options.tolerance);
  options.max_iterations = static_cast<std::uint32_t>(flags.max_iterations);
  return options;
}

WeightRange range_of(SpreadMode mode) {
  return mode == SpreadMode::engine     ? WeightRange::unit
         : mode == SpreadMode::pagerank ? WeightRange::nonnegative
                                        : WeightRange::finite;
}

/// Tells of a query whose limit of iterations came before its tolerance.
void tell_residual(const Convergence& query, std::optional<std::string_view> name,
                   std::size_t index, double tolerance) {
  if (query.residual <= tolerance) return;
  Log::warning(
      fmt::format("query {}: after {} iterations the residual is {:.3g}, above the tolerance {:g}",
                  name ? in_quotes(*name) : std::to_string(index), query.iterations, query.residual,
                  tolerance));
}

/// The names of a loaded graph: its own, or 1 … n.
NodeNames names_of(const SpreadingEngine& engine) {
  if (!engine.has_names()) return NodeNames::numbers(engine.nodes());
  return {engine.nodes(), [&engine](std::string_view name) { return engine.find(name); },
          [&engine](std::uint32_t node) { return engine.name(node); }};
}

/// \throws InputError where the weights of a file cannot be spread over in \p mode
void check_weights(const SpreadingEngine& engine, SpreadMode mode, const std::string& path) {
  if (mode == SpreadMode::linear || engine.nodes() == 0) return;
  SpreadOptions options;
  options.mode = mode;
  try {
    engine.spread({}, options);
  } catch (const InvalidArgument& error) {
    throw InputError(fmt::format("{}: {}", path, reason_of(error)));
  }
}

/// Appends `, "paths": [[{"strength": s, "steps": [["from", "to", carried], …]}, …], …]`, a list of
/// paths for each of \p count results from \p first on.
template <class Names>
void append_paths(std::string& out, const Names& names, const SpreadPaths& paths, std::size_t first,
                  std::size_t count) {
  out += ", \"paths\": [";
  for (std::size_t i = first; i < first + count; ++i) {
    out += i == first ? "[" : ", [";
    const std::uint64_t begin = paths.strengths.offsets[i];
    for (std::uint64_t k = begin; k < paths.strengths.offsets[i + 1]; ++k) {
      out += k == begin ? "{\"strength\": " : ", {\"strength\": ";
      append_json(out, paths.strengths.values[k]);
      out += ", \"steps\": [";
      bool is_first = true;
      for (const SpreadStep& step : paths.steps[k]) {
        out += is_first ? "[" : ", [";
        is_first = false;
        names.append(out, step.from);
        out += ", ";
        names.append(out, step.to);
        out += ", ";
        append_json(out, step.carried);
        out += ']';
      }
      out += "]}";
    }
    out += ']';
  }
  out += ']';
}

void spread(const GlobalOptions& global, const SpreadFlags& flags) {
  SpreadOptions options = options_of(flags);
  const WeightRange range = range_of(options.mode);
  Session session(global, "spread");
  std::optional<SpreadingEngine> engine;
  Graph graph;
  if (is_graph_file(flags.graph)) {
    engine = session.timed(Phase::load, [&] {
      return reading_file([&] {
        return SpreadingEngine::load(session.context(), flags.graph, {}, global.threads);
      });
    });
    graph.nodes = names_of(*engine);
    check_weights(*engine, options.mode, flags.graph);
  } else {
    graph = session.timed(Phase::load, [&] {
      return read_graph(flags.graph, range, {}, session.read_progress(flags.graph));
    });
  }
  const Sources sources = session.timed(Phase::load, [&] {
    std::optional<SpreadQuery> defaults;
    if (options.mode != SpreadMode::pagerank)
      defaults = {options.hops, options.decay, options.threshold};
    return read_sources(flags.sources, graph.nodes, range, defaults,
                        session.read_progress(flags.sources));
  });
  if (!engine && graph.nodes.size() > 0) {
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
                   if (!sources.queries.empty())
                     options.per_query = std::span(sources.queries).subspan(first, count);
                   if (engine) {
                     results = session.timed(Phase::compute,
                                             [&] { return engine->spread(rows.span(), options); });
                   }
                   for (std::size_t i = 0; i < count; ++i) {
                     std::string& out = output.text();
                     append_query(out, sources.names[first + i], first + i);
                     out += ", \"activations\": [";
                     if (!results.convergence.empty())
                       tell_residual(results.convergence[i], sources.names[first + i], first + i,
                                     options.tolerance);
                     const auto found =
                         engine ? results.activations[i] : std::span<const Activation>();
                     for (std::size_t k = 0; k < found.size(); ++k) {
                       out += k == 0 ? "[" : ", [";
                       graph.nodes.append(out, found[k].node);
                       out += ", ";
                       append_json(out, found[k].value);
                       out += ']';
                     }
                     out += ']';
                     if (flags.trace_paths > 0)
                       append_paths(out, graph.nodes, results.paths,
                                    engine ? results.activations.offsets[i] : 0, found.size());
                     out += "}\n";
                     output.flush_if_large();
                   }
                   progress.update(first + count, queries);
                 });
  output.flush();
  session.finish();
}

}  // namespace

void add_spread_command(CLI::App& app, const GlobalOptions& global) {
  CLI::App* command =
      app.add_subcommand("spread", "Spread activation over a graph from the sources of each query");
  const auto flags = std::make_shared<SpreadFlags>();
  command
      ->add_option("--graph", flags->graph,
                   "What `graph build` made, or lines 'from to weight' (divided by tabs or spaces, "
                   "in *.csv by commas; # begins a comment), or a Matrix Market file, *.mtx, "
                   "whose node i is named \"i\"")
      ->type_name("FILE")
      ->required();
  command
      ->add_option("--sources", flags->sources,
                   "JSON lines {\"name\": \"…\", \"sources\": [[\"node\", 0.8]]}")
      ->type_name("FILE")
      ->required();
  const auto* hops =
      add_count(*command, "--hops", flags->hops, "Hops from the sources (default: 4)", 0, hops_max);
  const auto* decay =
      command
          ->add_option("--decay", flags->decay,
                       "exponential:RATE, power:EXPONENT, linear:SLOPE or constant:C (default: "
                       "exponential:0.7)")
          ->type_name("KIND:X");
  const auto* threshold = add_number(
      *command, "--threshold", flags->threshold,
      "Least activation of a node, for all tiers (default: 0.01, 0.05, 0.10 by tier)", 0);
  const auto* trace_paths = add_count(
      *command, "--trace-paths", flags->trace_paths,
      "Tell so many paths to every node, by which its activation came (default: none)", 0, 1000);
  flags->of_hops = {hops, decay, threshold, trace_paths};
  add_count(*command, "--top", flags->top, "Nodes a query at most (default: 10)");
  command
      ->add_option(
          "--mode", flags->mode,
          "engine: thresholds and saturation at 1; linear: sums of decayed walks; pagerank: "
          "personalised PageRank, restarting at the sources (default: engine)")
      ->type_name("NAME");
  flags->of_pagerank = {
      add_number(*command, "--damping", flags->damping,
                 "pagerank: the part of a node that moves on, below 1 (default: 0.85)", 0, 1),
      add_number(*command, "--tolerance", flags->tolerance,
                 "pagerank: the change of an iteration in the 1-norm that ends it (default: 1e-6)",
                 0),
      add_count(
          *command, "--max-iterations", flags->max_iterations,
          "pagerank: iterations at most; a residual above the tolerance is told (default: 200)", 1,
          std::numeric_limits<std::uint32_t>::max())};
  command->callback([&global, flags] { spread(global, *flags); });
}

}  // namespace Kindred::Tools
