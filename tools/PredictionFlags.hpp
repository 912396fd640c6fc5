// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_PREDICTION_FLAGS_HPP
#define KINDRED_TOOLS_PREDICTION_FLAGS_HPP

#include "program/Options.hpp"

#include <kindred/matcher/Prediction.hpp>
#include <kindred/matcher/SequenceMatcher.hpp>

#include <CLI/CLI.hpp>

#include <optional>
#include <string>

namespace Kindred::Tools {

/// Flags of `match --predict`.
struct PredictionFlags {
  bool predict = false;
  std::string rank;
  std::optional<double> fuzzy;
  bool single_symbol_fast_path = false;
  std::string affinity;  ///< path of a file
};

void add_prediction_flags(CLI::App& command, PredictionFlags& flags);

/// \brief The prediction options except the weights.
/// \throws UsageError for an unknown ranking, for a ranking that requires weights if none are
/// given, and for prediction flags without --predict
PredictionOptions prediction_options(const GlobalOptions& global, const PredictionFlags& flags,
                                     const MatchOptions& match);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_PREDICTION_FLAGS_HPP
