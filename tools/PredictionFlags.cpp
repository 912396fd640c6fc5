// SPDX-License-Identifier: Apache-2.0
#include "PredictionFlags.hpp"

#include "program/Errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace Kindred::Tools {

void add_prediction_flags(CLI::App& command, PredictionFlags& flags) {
  command.add_flag("--predict", flags.predict,
                   "Print what the patterns predict, in KATO's fields; --top selects the best of "
                   "all that reach the threshold");
  command
      .add_option(
          "--rank", flags.rank,
          fmt::format("Field to rank predictions by, largest first: {} (default: potential)",
                      fmt::join(enum_names<RankBy>, ", ")))
      ->type_name("NAME");
  add_number(command, "--fuzzy", flags.fuzzy,
             "Minimum similarity of two texts to treat one as a misspelling of the other; 0: off "
             "(default: 0)",
             0, 1);
  command.add_flag(
      "--single-symbol-fast-path", flags.single_symbol_fast_path,
      "Answer a query of one symbol from the patterns that begin with it, like KATO's fast path");
  add_file(command, "--affinity", flags.affinity,
           "JSON lines {\"symbol\": \"a\", \"affinity\": 0.5}; adds the weighted fields");
}

PredictionOptions prediction_options(const GlobalOptions& global, const PredictionFlags& flags,
                                     const MatchOptions& match) {
  if (!flags.predict) {
    const std::array<std::pair<bool, const char*>, 4> given{
        {{!flags.rank.empty(), "--rank"},
         {flags.fuzzy.has_value(), "--fuzzy"},
         {flags.single_symbol_fast_path, "--single-symbol-fast-path"},
         {!flags.affinity.empty(), "--affinity"}}};
    for (const auto& [is_given, name] : given)
      if (is_given) throw UsageError(fmt::format("match: {} goes with --predict only", name));
  }
  PredictionOptions options;
  if (!flags.rank.empty()) {
    const auto named = from_string<RankBy>(flags.rank);
    if (!named) {
      throw UsageError(fmt::format("match: --rank: '{}' is not one of {}", flags.rank,
                                   fmt::join(enum_names<RankBy>, ", ")));
    }
    options.rank_by = *named;
    if (is_weighted(options.rank_by) && flags.affinity.empty())
      throw UsageError(fmt::format("match: --rank: {} needs --affinity", flags.rank));
  }
  options.top = match.top;
  options.threshold = match.threshold;
  options.fuzzy_token_threshold = flags.fuzzy.value_or(0);
  options.single_symbol_fast_path = flags.single_symbol_fast_path;
  if (global.space == Space::serial) options.threads = 1;
  return options;
}

}  // namespace Kindred::Tools
