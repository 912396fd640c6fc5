// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_PREDICTION_HPP
#define KINDRED_MATCHER_PREDICTION_HPP

#include <kindred/backends/Context.hpp>
#include <kindred/core/common/Names.hpp>
#include <kindred/core/common/Public.hpp>
#include <kindred/core/common/Ragged.hpp>
#include <kindred/core/sequence/MatchingBlock.hpp>
#include <kindred/core/sequence/Symbol.hpp>
#include <kindred/matcher/Vocabulary.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace KINDRED_PUBLIC Kindred {

/// \brief The field by which predictions are ranked, in descending order.
enum class RankBy : std::uint8_t {
  potential,
  similarity,
  evidence,
  confidence,
  snr,
  fragmentation,
  frequency,
  normalized_entropy,
  global_normalized_entropy,
  itfdf_similarity,
  confluence,
  predictive_information,
  bayesian_posterior,
  bayesian_prior,
  bayesian_likelihood,
  tfidf_score,
  weighted_similarity,  ///< this and the following require weights
  weighted_evidence,
  weighted_confidence,
  weighted_snr
};
template <>
inline constexpr auto enum_names<RankBy> =
    std::to_array<std::string_view>({"potential",
                                     "similarity",
                                     "evidence",
                                     "confidence",
                                     "snr",
                                     "fragmentation",
                                     "frequency",
                                     "normalized_entropy",
                                     "global_normalized_entropy",
                                     "itfdf_similarity",
                                     "confluence",
                                     "predictive_information",
                                     "bayesian_posterior",
                                     "bayesian_prior",
                                     "bayesian_likelihood",
                                     "tfidf_score",
                                     "weighted_similarity",
                                     "weighted_evidence",
                                     "weighted_confidence",
                                     "weighted_snr"});
/// Whether ranking by \p rank_by requires weights.
constexpr bool is_weighted(RankBy rank_by) noexcept {
  return rank_by >= RankBy::weighted_similarity;
}

/// The weight of a symbol without affinity.
inline constexpr double weight_floor = 0.01;
/// Upper limit of symbol weights.
inline constexpr double weight_max = 1e100;

/// \brief The weight of every symbol: |affinity| / frequency + `weight_floor`, or `weight_floor` if
/// either is 0.
/// \param affinities indexed by symbol
/// \param frequencies how often each symbol was learned (sum over patterns of its occurrences times
/// the pattern's frequency); symbols beyond the end have frequency 0
std::vector<double> affinity_weights(std::span<const double> affinities,
                                     std::span<const std::uint64_t> frequencies);

struct PredictionOptions {
  RankBy rank_by = RankBy::potential;
  std::size_t top = 100;   ///< maximum number of predictions
  double threshold = 0.1;  ///< in [0, 1], inclusive: candidates below it are skipped; if above 0,
                           ///< candidates that share no block with the query are skipped too
  double fuzzy_token_threshold =
      0;  ///< in [0, 1]; if above 0: minimum similarity at which the texts of two symbols are
          ///< treated as spellings of the same symbol
  bool single_symbol_fast_path = false;  ///< process a query of one symbol as KATO's fast path does
  /// One per symbol of the vocabulary, in [0, `weight_max`]; other texts have `weight_floor`.
  /// Empty: no weighted fields; for a vocabulary without symbols, one weight asks for these fields.
  std::span<const double> weights = {};
  int threads = 0;  ///< maximum number of host threads; 0: all threads of the context
};

/// \brief Statistics of the whole memory that predictions use.
struct SymbolStatistics {
  std::uint64_t patterns = 0;         ///< number of distinct patterns
  std::uint64_t total_frequency = 0;  ///< sum over all patterns
  std::uint64_t symbols = 0;          ///< number of known symbols
  /// Indexed by symbol: the number of distinct patterns that contain it; 0 for symbols beyond the
  /// end.
  std::span<const std::uint64_t> patterns_with = {};
};

/// \brief A pattern from which predictions are made.
struct Candidate {
  std::uint64_t index = 0;  ///< of the pattern; unique among the candidates
  double similarity = 0;
  std::uint32_t matched = 0;  ///< matched symbols, as the measure counts them; passed through
  std::uint64_t frequency = 1;
};

/// \brief The source of candidates. Its functions must be thread-safe; they are called
/// concurrently, and several times per position.
class CandidateSource {
 public:
  virtual ~CandidateSource() = default;
  virtual std::size_t size() const = 0;
  /// \param position below `size()`; positions need not follow the order of the patterns
  virtual Candidate candidate(std::size_t position) const = 0;
  /// \brief The events of a candidate: event i is `values[offsets[i] … offsets[i + 1])`; unlike
  /// elsewhere, `offsets` need not begin at 0.
  /// \param scratch storage that the result may refer to; it stays valid until the next call with
  /// the same object
  virtual RaggedSpan<Symbol> events(std::size_t position, Ragged<Symbol>& scratch) const = 0;
  /// Called only for the predictions that are returned.
  virtual std::string name(std::size_t position) const = 0;
};

using SymbolTexts = std::vector<std::string>;
using EventTexts = std::vector<SymbolTexts>;

/// \brief An observed symbol that was treated as a misspelling of an expected one.
struct Anomaly {
  std::string observed;
  std::string expected;
  double similarity = 0;

  friend bool operator==(const Anomaly&, const Anomaly&) = default;
};

/// \brief The prediction of one pattern for the query, with KATO's fields.
/// `docs/guide/pattern-memory.md` defines each.
struct Prediction {
  std::uint64_t index = 0;  ///< of the pattern
  std::string name;
  std::uint32_t matched = 0;  ///< the candidate's
  std::uint64_t frequency = 1;

  SymbolTexts matches;  ///< the query's symbols that were found, in its order
  EventTexts past;      ///< the pattern's events before those with a match
  EventTexts present;   ///< its events from the first match to the last
  EventTexts future;    ///< its events after them
  EventTexts missing;   ///< per event of `present`: its symbols that were not observed
  EventTexts extras;    ///< per event of the query: its symbols that are not in `present`
  std::vector<Anomaly> anomalies;
  std::vector<Block> blocks;  ///< Ratcliff-Obershelp's, over the symbols of pattern and query
  /// True for results of the fast path: `past`, `present`, `future`, `missing` and `extras` are
  /// then one list each, without event boundaries.
  bool flat = false;

  double evidence = 0;
  double confidence = 0;
  double similarity = 0;
  double fragmentation = 0;
  double snr = 0;
  double entropy = 0;
  double normalized_entropy = 0;
  double global_normalized_entropy = 0;
  double confluence = 0;
  double tfidf_score = 0;
  double itfdf_similarity = 0;
  double bayesian_prior = 0;
  double bayesian_likelihood = 0;
  double bayesian_posterior = 0;
  double predictive_information = 0;
  double potential = 0;

  // Set only if weights were given.
  std::optional<double> weighted_similarity;
  std::optional<double> weighted_evidence;
  std::optional<double> weighted_confidence;
  std::optional<double> weighted_snr;
};

/// \brief The similarity threshold for the candidate search for a query of \p symbols symbols: that
/// of the options, or 0 if the fast path applies.
/// \throws InvalidArgument for options that `predict` refuses: a threshold outside [0, 1] or NaN,
/// top = 0, a weight outside [0, `weight_max`] or NaN, or ranking by a weighted field without
/// weights
double candidate_threshold(const PredictionOptions& options, std::size_t symbols);

/// \brief Predictions of the candidates for a query, best first: by the ranking field (greater
/// first), then by greater similarity, then by lower index.
///
/// Sums and the ranking cover all candidates before the result is truncated to `top`. Sums are
/// added in the order of the indices, so neither the number of threads nor the order of \p
/// candidates changes a bit. Candidates are read at most twice and their events are not kept; a
/// candidate takes 80 bytes of memory. Futures are compared by a 128-bit hash. An empty query has
/// no predictions; empty events are ignored. Runs on host threads; does not fence.
/// \param query the texts of the symbols, one row per event; texts that the vocabulary does not
/// contain match nothing
/// \throws InvalidArgument as `candidate_threshold` does, and for another number of weights than
/// symbols of \p vocabulary; what \p candidates throws
std::vector<Prediction> predict(const Context& context, RaggedSpan<std::string_view> query,
                                const CandidateSource& candidates,
                                const SymbolStatistics& statistics, const Vocabulary& vocabulary,
                                const PredictionOptions& options = {});

}  // namespace Kindred

#endif  // KINDRED_MATCHER_PREDICTION_HPP
