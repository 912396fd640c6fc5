// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_MATCH_FLAGS_HPP
#define KINDRED_TOOLS_MATCH_FLAGS_HPP

#include "Predictions.hpp"

#include <kindred/matcher/SequenceMatcher.hpp>

#include <cstddef>
#include <optional>
#include <string>

namespace Kindred::Tools {

/// What `match` takes.
struct MatchFlags {
  std::string patterns;  ///< one of these three is given
  std::string lines;
  std::string store;
  std::string queries;
  std::string measure = "lcs";
  std::string level;
  std::optional<double> threshold;
  std::size_t top = 0;  ///< 0: not given
  bool self = false;
  MatchOptions options;
  PredictionFlags prediction;
};

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_MATCH_FLAGS_HPP
