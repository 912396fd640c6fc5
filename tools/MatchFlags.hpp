// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_MATCH_FLAGS_HPP
#define KINDRED_TOOLS_MATCH_FLAGS_HPP

#include "Session.hpp"
#include "io/RowWriter.hpp"
#include "io/SequenceReader.hpp"
#include "io/TextFolding.hpp"

#include <kindred/matcher/Clusters.hpp>
#include <kindred/matcher/Prediction.hpp>
#include <kindred/matcher/SequenceMatcher.hpp>

namespace Kindred::Tools {

/// Flags of `match`.
struct MatchFlags {
  std::string patterns;  ///< exactly one of these three is given
  std::string lines;
  std::string store;
  std::string queries;
  std::string column;
  std::string query_column;
  std::optional<Level> level;
  TextFolding folding;
  std::size_t top = 0;  ///< 0: not given
  bool self = false;
  std::optional<Linkage> clusters;
  bool matched_only = false;
  bool skip_bad = false;
  bool follow = false;
  OutputFormat format = OutputFormat::json;
  MatchOptions options;
  bool predict = false;
  std::string affinity;               ///< path of a file
  PredictionOptions prediction;       ///< without the weights
  std::vector<CLI::Option*> sources;  ///< of the patterns, and
  std::vector<CLI::Option*> asked;    ///< of the queries: one of each is given

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
void check_match_flags(const CLI::App& command, const GlobalOptions& global, MatchFlags& flags);

/// Adds the inputs to the report. \param patterns number of patterns in the file or store named by
/// \p flags
void report_match(Session& session, const MatchFlags& flags, std::uint64_t patterns);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_MATCH_FLAGS_HPP
