// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_MATCH_FLAGS_HPP
#define KINDRED_TOOLS_MATCH_FLAGS_HPP

#include "PredictionFlags.hpp"
#include "Session.hpp"

#include <kindred/matcher/SequenceMatcher.hpp>

#include <fmt/format.h>

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
  std::string measure = "lcs";
  std::string level;
  std::optional<double> threshold;
  std::size_t top = 0;  ///< 0: not given
  bool self = false;
  std::string clusters;  ///< empty: not given
  MatchOptions options;
  PredictionFlags prediction;
};

/// Adds the inputs to the report. \param patterns number of patterns in the file or store named by
/// \p flags
inline void report_match(Session& session, const MatchFlags& flags, std::uint64_t patterns) {
  session.add_to_report(
      "patterns", fmt::format("{} in {}{}{}", patterns, flags.patterns, flags.lines, flags.store));
  session.add_to_report("queries", flags.self ? "the patterns themselves" : flags.queries);
  session.add_to_report("measure", flags.measure);
  session.add_to_report("threshold", fmt::format("{:g}", flags.options.threshold));
}

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_MATCH_FLAGS_HPP
