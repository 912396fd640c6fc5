// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_PREDICTION_EVALUATOR_HPP
#define KINDRED_MATCHER_PREDICTION_EVALUATOR_HPP

#include "FuzzyTokens.hpp"
#include "Metrics.hpp"
#include "Query.hpp"

#include <kindred/core/sequence/MatchingBlocks.hpp>
#include <kindred/core/sequence/SymbolTable.hpp>
#include <kindred/matcher/Prediction.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace Kindred::Impl {

/// Fields that count symbols, or weigh them.
struct Shares {
  double evidence = 0;
  double confidence = 0;
  double snr = 0;
};

/// 128 bits that stand for a future, whose events are sets; none: there is no future.
struct FutureKey {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  bool exists = false;

  friend bool operator==(const FutureKey&, const FutureKey&) = default;
};

/// \brief One candidate against the query, without regard to the others.
struct Evaluation {
  RaggedSpan<Symbol> events;
  std::span<const Symbol> symbols;  ///< of all events
  std::span<const Block> blocks;
  std::size_t present_begin = 0;  ///< its first event
  std::size_t present_end = 0;    ///< behind its last event
  std::span<const Symbol> present;
  std::uint64_t matches = 0;  ///< positions of the query that were found
  double distance = 1;        ///< 1 − cosine of the present and the query
  Shares shares;
  double weighted_similarity = 0;  ///< this and the following: where there are weights
  Shares weighted;
};

/// \brief Evaluates candidates one after the other, for one thread.
class Evaluator {
 public:
  /// All arguments must outlive this object. \param flat as the fast path does: the present is the
  /// matched symbols alone
  Evaluator(const PredictionQuery& query, const SymbolStatistics& statistics,
            const Vocabulary& vocabulary, const PredictionOptions& options, bool flat);

  /// The result is valid until the next call. \param events as `CandidateSource::events` gives them
  const Evaluation& evaluate(RaggedSpan<Symbol> events);

  // About what was evaluated last.

  /// The value of a field that depends on the pattern alone. \param frequency of the pattern
  double intrinsic(RankBy field, std::uint64_t frequency);
  double entropy();
  FutureKey future_key();
  /// Fills the lists of symbols.
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
  SymbolTable m_tokens;  ///< of the query's known symbols
  std::vector<std::uint32_t> m_token_of;
  SymbolCounts m_counts;
  std::optional<FuzzyTokens> m_fuzzy;
  Evaluation m_now;
  std::vector<char> m_taken;  ///< by position of the query: found in the pattern
  /// By token, where misspellings are looked for: the pattern's symbol nearest to it.
  std::vector<FuzzyTokens::Hit> m_nearest;
  std::vector<Symbol> m_event;  ///< sorted
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_PREDICTION_EVALUATOR_HPP
