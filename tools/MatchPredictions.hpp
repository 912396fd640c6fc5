// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_MATCH_PREDICTIONS_HPP
#define KINDRED_TOOLS_MATCH_PREDICTIONS_HPP

#include "io/NameTable.hpp"
#include "io/SequenceEvents.hpp"

#include <kindred/matcher/Prediction.hpp>
#include <kindred/matcher/SequenceMatcher.hpp>

#include <span>
#include <string>
#include <vector>

namespace Kindred::Tools {

/// \brief Converts matches of queries to predictions and prints them as JSON.
class MatchPredictions {
 public:
  /// All arguments must outlive this object. \param patterns indexed by `Match::index`
  MatchPredictions(Context& context, const SequenceMatcher& matcher, const PatternEvents& patterns,
                   const NameTable& names, const Vocabulary& vocabulary, const MatchOptions& match,
                   const PredictionOptions& options);

  /// Reads the weights from a file of affinities.
  void weigh(const std::string& path);

  /// \brief Predictions for \p query.
  /// \param query texts of the query's events
  /// \param symbols the query as it was matched
  /// \param matches all matches that reach the threshold
  std::vector<Prediction> predict(RaggedSpan<std::string_view> query,
                                  std::span<const Symbol> symbols,
                                  std::span<const Match> matches) const;
  /// Appends the JSON fields after name, index, similarity and matched.
  static void append_fields(std::string& out, const Prediction& prediction);

 private:
  Context& m_context;
  const SequenceMatcher& m_matcher;
  const PatternEvents& m_patterns;
  const NameTable& m_names;
  const Vocabulary& m_vocabulary;
  MatchOptions m_match_all;  ///< as for the query, but without a threshold
  PredictionOptions m_options;
  std::vector<double> m_weights;
};

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_MATCH_PREDICTIONS_HPP
