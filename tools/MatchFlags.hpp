// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_MATCH_FLAGS_HPP
#define KINDRED_TOOLS_MATCH_FLAGS_HPP

#include "PredictionFlags.hpp"
#include "Session.hpp"
#include "io/OutputFormat.hpp"
#include "io/SequenceReader.hpp"
#include "io/TextFolding.hpp"
#include "program/Options.hpp"

#include <kindred/matcher/SequenceMatcher.hpp>

#include <CLI/CLI.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace Kindred::Tools {

/// Flags of `match`.
struct MatchFlags {
  std::string patterns;  ///< exactly one of these three is given
  std::string lines;
  std::string store;
  std::string queries;
  std::string column;
  std::string query_column;
  std::string measure = "lcs";
  std::string level;
  std::string normalize;
  bool ignore_case = false;
  std::optional<double> threshold;
  std::size_t top = 0;  ///< 0: not given
  bool self = false;
  std::string clusters;  ///< empty: not given
  bool matched_only = false;
  bool skip_bad = false;
  bool follow = false;
  std::string format_name = "json";
  MatchOptions options;
  PredictionFlags prediction;
  // Set by check_match_flags:
  OutputFormat format = OutputFormat::json;
  TextFolding folding;

  /// The file of the patterns, unless they are in a store.
  const std::string& pattern_file() const noexcept { return lines.empty() ? patterns : lines; }
  SequenceForm form() const noexcept {
    if (!column.empty()) return SequenceForm::column;
    return lines.empty() ? SequenceForm::json : SequenceForm::lines;
  }
  bool streaming() const noexcept { return queries == "-"; }
};

void add_match_flags(CLI::App& command, MatchFlags& flags);

/// \brief Checks combinations of values, which the parser cannot check, and derives the options
/// from them. \throws UsageError
void check_match_flags(const GlobalOptions& global, MatchFlags& flags);

/// Adds the inputs to the report. \param patterns number of patterns in the file or store named by
/// \p flags
void report_match(Session& session, const MatchFlags& flags, std::uint64_t patterns);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_MATCH_FLAGS_HPP
