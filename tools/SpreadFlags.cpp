// SPDX-License-Identifier: Apache-2.0
#include "SpreadFlags.hpp"

#include "io/SpreadText.hpp"

namespace Kindred::Tools {

namespace {

const Choices<SpreadMode> modes{{"engine", SpreadMode::engine},
                                {"linear", SpreadMode::linear},
                                {"pagerank", SpreadMode::pagerank}};

/// \throws UsageError for a factor that makes weights negative, which the mode engine refuses
void check_factor(SpreadMode mode, const char* name, const std::string& text, double factor) {
  if (mode != SpreadMode::engine || factor >= 0) return;
  throw UsageError(
      fmt::format("spread: {}: {} makes weights negative, which are not of the mode engine "
                  "(--mode linear takes any)",
                  name, in_quotes(text)));
}

}  // namespace

std::string name_of(SpreadMode mode) {
  for (const auto& [name, known] : modes)
    if (known == mode) return name;
  return {};
}

SpreadOptions options_of(const SpreadFlags& flags) {
  const SpreadOptions& options = flags.options;
  const bool is_pagerank = options.mode == SpreadMode::pagerank;
  for (const CLI::Option* option : is_pagerank ? flags.of_hops : flags.of_pagerank) {
    if (option->count() > 0)
      throw UsageError(fmt::format("spread: {} is not of the mode {}", option->get_name(),
                                   name_of(options.mode)));
  }
  for (const std::string& text : flags.strengths)
    for (const auto& row : options.modifiers->strengths)
      for (const double strength : row) check_factor(options.mode, "--strength", text, strength);
  for (const std::string& text : flags.fans)
    for (const SpreadModifiers::Fan& fan : options.modifiers->fans)
      check_factor(options.mode, "--fan", text, fan.factor);
  if (flags.confidence && options.mode != SpreadMode::engine) {
    throw UsageError(
        "spread: --confidence is that of the paths of --trace-paths, in the mode engine");
  }
  if (!(options.damping < 1))
    throw UsageError("spread: --damping: 1 is not below 1, where PageRank does not converge");
  return options;
}

void add_spread_flags(CLI::App& command, SpreadFlags& flags) {
  add_input(command, "--graph", flags.graph,
            "A graph created by `graph build`, or lines 'from to weight' or 'from to' "
            "(separated by tabs or spaces, in *.csv by commas; # begins a comment), or a "
            "Matrix Market file, *.mtx, whose node i is named \"i\"");
  add_graph_text_flags(command, flags.text, "--graph, if that is an edge list");
  add_input(command, "--sources", flags.sources,
            "JSON lines {\"name\": \"…\", \"sources\": [[\"node\", 0.8]]}; \"hops\", "
            "\"decay\", \"threshold\" and \"kinds\" override the options for one query");
  SpreadOptions& options = flags.options;
  const auto* hops =
      add_count(command, "--hops", options.hops, "Hops from the sources (default: 4)", 0, hops_max);
  const auto* decay = add_parsed(command, "--decay",
                                 "exponential:RATE, power:EXPONENT, linear:SLOPE or constant:C "
                                 "(default: exponential:0.7)",
                                 "KIND:X", [&flags](const std::string& text) {
                                   flags.options.decay = parse_decay(text);
                                   flags.decay = text;
                                 });
  const auto* threshold = add_number(
      command, "--threshold", options.threshold,
      "Minimum activation of a node, for all tiers (default: 0.01, 0.05, 0.10 by tier)", 0);
  const auto* kinds =
      add_parsed(command, "--kinds",
                 "Kinds of edges to follow: all, or a list such as 0,3,7-9 (default: "
                 "all); edge lists then have a fourth field, the kind",
                 "KINDS", [&flags](const std::string& text) {
                   flags.options.kinds = parse_kinds(text);
                   flags.text.form.kinds = true;
                 });
  const auto modifiers_of = [&flags]() -> SpreadModifiers& {
    if (!flags.options.modifiers) flags.options.modifiers.emplace();
    return *flags.options.modifiers;
  };
  // Before --strength and --fan, whose factors replace some of these.
  const auto* modifiers = add_parsed(
      command, "--modifiers",
      "Multiply weights by the kinds of their nodes. engram: 0.8 from episodes (kind 1) to "
      "concepts (kind 0), 0.6 back, 0.4 among concepts, 0.3 among episodes (default: none)",
      "NAME", [=](const std::string& text) { modifiers_of() = parse_modifiers(text); });
  const auto list = [&](const char* name, std::vector<std::string>& values, const char* help,
                        const char* type, auto set) {
    return command
        .add_option_function<std::vector<std::string>>(
            name,
            [=, &values](const std::vector<std::string>& texts) {
              values = texts;
              for (const std::string& text : texts) try {
                  set(modifiers_of(), text);
                } catch (const RecordError& error) {
                  throw CLI::ValidationError(name, error.what());
                }
            },
            help)
        ->type_name(type)
        ->allow_extra_args(false);
  };
  const auto* strengths =
      list("--strength", flags.strengths,
           "Factor for weights from nodes of one kind to nodes of another; can be repeated",
           "FROM:TO=X", set_strength);
  const auto* fans = list("--fan", flags.fans,
                          "Factor for weights from nodes of one kind: inverse (1 / out-degree), "
                          "inverse-root (1 / √out-degree) or a number; can be repeated",
                          "KIND=X", set_fan);
  const auto* activations = add_choice(
      command, "--activations", options.activations,
      "float32, or bfloat16: rounds activations between hops, which saves bandwidth with many "
      "queries; answers differ and contain \"not_guaranteed\" (default: float32)",
      Choices<ActivationPrecision>{{"float32", ActivationPrecision::float32},
                                   {"bfloat16", ActivationPrecision::bfloat16}});
  CLI::Option* const trace_paths = add_count(
      command, "--trace-paths", options.trace_paths,
      "Print up to this number of paths by which activation reached each node (default: none)", 0,
      1000);
  const auto* confidence =
      command
          .add_flag("--confidence", flags.confidence,
                    "engine, with --trace-paths: print 1 − Π(1 − strength) over each node's paths")
          ->needs(trace_paths);
  flags.of_hops = {hops,      decay, threshold,   kinds,       modifiers,
                   strengths, fans,  activations, trace_paths, confidence};
  add_top(command, options.top, "Maximum number of nodes per query (default: 10)");
  add_choice(command, "--mode", options.mode,
             "engine: thresholds and saturation at 1; linear: sums of decayed walks; pagerank: "
             "personalised PageRank, restarting at the sources (default: engine)",
             modes);
  flags.of_pagerank = {
      add_number(
          command, "--damping", options.damping,
          "pagerank: share of a node's score that follows its edges, below 1 (default: 0.85)", 0,
          1),
      add_number(command, "--tolerance", options.tolerance,
                 "pagerank: stop when the 1-norm of the change in an iteration is at most this "
                 "(default: 1e-6)",
                 0),
      add_count(command, "--max-iterations", options.max_iterations,
                "pagerank: maximum number of iterations; a residual above the tolerance is "
                "reported (default: 200)")};
}

}  // namespace Kindred::Tools
