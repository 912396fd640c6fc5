// SPDX-License-Identifier: Apache-2.0
#include "SpreadFlags.hpp"

#include "io/DecayText.hpp"
#include "io/EdgeRulesText.hpp"
#include "program/Errors.hpp"
#include "program/Options.hpp"

#include <fmt/format.h>

#include <limits>

namespace Kindred::Tools {

namespace {

SpreadMode mode_of(const SpreadFlags& flags) {
  if (flags.mode == "engine") return SpreadMode::engine;
  if (flags.mode == "linear") return SpreadMode::linear;
  if (flags.mode == "pagerank") return SpreadMode::pagerank;
  throw UsageError(fmt::format("spread: --mode: {} is not one of engine, linear, pagerank",
                               in_quotes(flags.mode)));
}

/// Runs \p parse, which parses the value of the flag \p name.
template <class Parse>
auto value_of(const char* name, const Parse& parse) {
  try {
    return parse();
  } catch (const RecordError& error) {
    throw UsageError(fmt::format("spread: {}: {}", name, error.what()));
  }
}

std::optional<SpreadModifiers> modifiers_of(const SpreadFlags& flags, SpreadMode mode) {
  if (flags.modifiers.empty() && flags.strengths.empty() && flags.fans.empty()) return {};
  SpreadModifiers modifiers;
  if (!flags.modifiers.empty())
    modifiers = value_of("--modifiers", [&] { return parse_modifiers(flags.modifiers); });
  const auto check = [&](const char* name, const std::string& text, double factor) {
    if (mode == SpreadMode::engine && factor < 0) {
      throw UsageError(
          fmt::format("spread: {}: {} makes weights negative, which are not of the mode engine "
                      "(--mode linear takes any)",
                      name, in_quotes(text)));
    }
  };
  for (const std::string& text : flags.strengths) {
    value_of("--strength", [&] { set_strength(modifiers, text); });
    for (const auto& row : modifiers.strengths)
      for (const double strength : row) check("--strength", text, strength);
  }
  for (const std::string& text : flags.fans) {
    value_of("--fan", [&] { set_fan(modifiers, text); });
    for (const SpreadModifiers::Fan& fan : modifiers.fans) check("--fan", text, fan.factor);
  }
  return modifiers;
}

ActivationPrecision activations_of(const SpreadFlags& flags) {
  if (flags.activations == "float32") return ActivationPrecision::float32;
  if (flags.activations == "bfloat16") return ActivationPrecision::bfloat16;
  throw UsageError(fmt::format("spread: --activations: {} is not one of float32, bfloat16",
                               in_quotes(flags.activations)));
}

}  // namespace

SpreadOptions options_of(const SpreadFlags& flags) {
  SpreadOptions options;
  options.mode = mode_of(flags);
  const bool is_pagerank = options.mode == SpreadMode::pagerank;
  for (const CLI::Option* option : is_pagerank ? flags.of_hops : flags.of_pagerank) {
    if (option->count() > 0)
      throw UsageError(
          fmt::format("spread: {} is not of the mode {}", option->get_name(), flags.mode));
  }
  options.hops = static_cast<std::uint32_t>(flags.hops);
  options.decay = value_of("--decay", [&] { return parse_decay(flags.decay); });
  options.threshold = flags.threshold;
  if (!flags.kinds.empty())
    options.kinds = value_of("--kinds", [&] { return parse_kinds(flags.kinds); });
  options.modifiers = modifiers_of(flags, options.mode);
  options.activations = activations_of(flags);
  options.top = flags.top;
  options.trace_paths = flags.trace_paths;
  if (flags.confidence && (flags.trace_paths == 0 || options.mode != SpreadMode::engine)) {
    throw UsageError(
        "spread: --confidence is that of the paths of --trace-paths, in the mode engine");
  }
  options.damping = flags.damping.value_or(options.damping);
  if (!(options.damping < 1))
    throw UsageError("spread: --damping: 1 is not below 1, where PageRank does not converge");
  options.tolerance = flags.tolerance.value_or(options.tolerance);
  options.max_iterations = static_cast<std::uint32_t>(flags.max_iterations);
  return options;
}

void add_spread_flags(CLI::App& command, SpreadFlags& flags) {
  add_file(command, "--graph", flags.graph,
           "A graph created by `graph build`, or lines 'from to weight' or 'from to' "
           "(separated by tabs or spaces, in *.csv by commas; # begins a comment), or a "
           "Matrix Market file, *.mtx, whose node i is named \"i\"")
      ->required();
  add_graph_text_flags(command, flags.text, "--graph, if that is an edge list");
  add_file(command, "--sources", flags.sources,
           "JSON lines {\"name\": \"…\", \"sources\": [[\"node\", 0.8]]}; \"hops\", "
           "\"decay\", \"threshold\" and \"kinds\" override the options for one query")
      ->required();
  const auto text = [&](const char* name, std::string& value, const char* help, const char* type) {
    return command.add_option(name, value, help)->type_name(type);
  };
  const auto list = [&](const char* name, std::vector<std::string>& values, const char* help,
                        const char* type) {
    return command.add_option(name, values, help)->type_name(type)->allow_extra_args(false);
  };
  const auto* hops =
      add_count(command, "--hops", flags.hops, "Hops from the sources (default: 4)", 0, hops_max);
  const auto* decay = text("--decay", flags.decay,
                           "exponential:RATE, power:EXPONENT, linear:SLOPE or constant:C "
                           "(default: exponential:0.7)",
                           "KIND:X");
  const auto* threshold = add_number(
      command, "--threshold", flags.threshold,
      "Minimum activation of a node, for all tiers (default: 0.01, 0.05, 0.10 by tier)", 0);
  const auto* kinds = text("--kinds", flags.kinds,
                           "Kinds of edges to follow: all, or a list such as 0,3,7-9 (default: "
                           "all); edge lists then have a fourth field, the kind",
                           "KINDS");
  const auto* modifiers =
      text("--modifiers", flags.modifiers,
           "Multiply weights by the kinds of their nodes. engram: 0.8 from episodes (kind 1) to "
           "concepts (kind 0), 0.6 back, 0.4 among concepts, 0.3 among episodes (default: none)",
           "NAME");
  const auto* strengths =
      list("--strength", flags.strengths,
           "Factor for weights from nodes of one kind to nodes of another; can be repeated",
           "FROM:TO=X");
  const auto* fans = list("--fan", flags.fans,
                          "Factor for weights from nodes of one kind: inverse (1 / out-degree), "
                          "inverse-root (1 / √out-degree) or a number; can be repeated",
                          "KIND=X");
  const auto* activations =
      text("--activations", flags.activations,
           "float32, or bfloat16: rounds activations between hops, which saves bandwidth with many "
           "queries; answers differ and contain \"not_guaranteed\" (default: float32)",
           "NAME");
  const auto* trace_paths = add_count(
      command, "--trace-paths", flags.trace_paths,
      "Print up to this number of paths by which activation reached each node (default: none)", 0,
      1000);
  const auto* confidence = command.add_flag(
      "--confidence", flags.confidence,
      "engine, with --trace-paths: print 1 − Π(1 − strength) over each node's paths");
  flags.of_hops = {hops,      decay, threshold,   kinds,       modifiers,
                   strengths, fans,  activations, trace_paths, confidence};
  add_top(command, flags.top, "Maximum number of nodes per query (default: 10)");
  text("--mode", flags.mode,
       "engine: thresholds and saturation at 1; linear: sums of decayed walks; pagerank: "
       "personalised PageRank, restarting at the sources (default: engine)",
       "NAME");
  flags.of_pagerank = {
      add_number(
          command, "--damping", flags.damping,
          "pagerank: share of a node's score that follows its edges, below 1 (default: 0.85)", 0,
          1),
      add_number(command, "--tolerance", flags.tolerance,
                 "pagerank: stop when the 1-norm of the change in an iteration is at most this "
                 "(default: 1e-6)",
                 0),
      add_count(command, "--max-iterations", flags.max_iterations,
                "pagerank: maximum number of iterations; a residual above the tolerance is "
                "reported (default: 200)",
                1, std::numeric_limits<std::uint32_t>::max())};
}

}  // namespace Kindred::Tools
