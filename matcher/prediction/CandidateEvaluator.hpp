// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_PREDICTION_CANDIDATE_EVALUATOR_HPP
#define KINDRED_MATCHER_PREDICTION_CANDIDATE_EVALUATOR_HPP

#include "FuzzyTokens.hpp"
#include "PredictionFields.hpp"
#include "PredictionQuery.hpp"

#include <kindred/core/sequence/MatchingBlocks.hpp>
#include <kindred/core/sequence/SymbolTable.hpp>
#include <kindred/matcher/Prediction.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace Kindred::Impl {

/// Fields that count symbols, or sum their weights.
struct Shares {
  double evidence = 0;
  double confidence = 0;
  double snr = 0;
};

/// A 128-bit hash of a future. The order of the symbols within an event does not change it.
struct FutureKey {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  bool exists = false;

  friend bool operator==(const FutureKey&, const FutureKey&) = default;
};

/// \brief The evaluation of one candidate, independent of the other candidates.
struct Evaluation {
  RaggedSpan<Symbol> events;
  std::span<const Symbol> symbols;  ///< of all events
  std::span<const Block> blocks;
  std::size_t present_begin = 0;  ///< first event of the present
  std::size_t present_end = 0;    ///< one past its last event
  std::span<const Symbol> present;
  std::uint64_t matches = 0;  ///< positions of the query that were found in the pattern
  double distance = 1;        ///< 1 − cosine of the present and the query
  Shares shares;
  double weighted_similarity = 0;  ///< this member and the next are set only if there are weights
  Shares weighted;
};

/// \brief Evaluates candidates one after the other, for one thread.
class CandidateEvaluator {
 public:
  /// All arguments must outlive this object. \param flat as in the fast path: the present consists
  /// only of the matched symbols
  CandidateEvaluator(const PredictionQuery& query, const SymbolStatistics& statistics,
                     const Vocabulary& vocabulary, const PredictionOptions& options, bool flat);

  /// The result is valid until the next call. \param events from `CandidateSource::events`
  const Evaluation& evaluate(RaggedSpan<Symbol> events);

  // The following members refer to the last evaluation.

  /// The value of a field as far as it depends on this candidate alone: of the potential, (evidence
  /// + confidence) · snr. \param frequency of the pattern
  double value(RankBy field, std::uint64_t frequency);
  double entropy();
  FutureKey future_key();
  /// Fills in the lists of symbols.
  void describe(Prediction& prediction) const;

 private:
  void find_matches();
  void find_misspellings();
  void align();
  void measure();
  double distance();
  double weigh(std::span<const Symbol> symbols) const;
  EventTexts event_texts(std::size_t begin, std::size_t end) const;
  std::string text(Symbol symbol) const { return std::string(m_vocabulary.text(symbol)); }

  const PredictionQuery& m_query;
  const SymbolStatistics& m_statistics;
  const Vocabulary& m_vocabulary;
  const PredictionOptions& m_options;
  bool m_flat;
  BlockFinder m_blocks;
  BlockFinder::Workspace m_block_workspace;
  SymbolTable m_tokens;  ///< of the known symbols of the query
  std::vector<std::uint32_t> m_token_of;
  SymbolCounts m_counts;
  std::optional<FuzzyTokens> m_fuzzy;
  Evaluation m_now;
  std::vector<char> m_taken;  ///< per position of the query: whether it was found in the pattern
  /// Per token, if misspellings are allowed: the nearest symbol of the pattern.
  std::vector<FuzzyTokens::Hit> m_nearest;
  std::vector<Symbol> m_event;  ///< sorted
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_PREDICTION_CANDIDATE_EVALUATOR_HPP
