// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_PREDICTION_HPP
#define KINDRED_MATCHER_PREDICTION_HPP

#include <kindred/backends/Context.hpp>
#include <kindred/core/common/Ragged.hpp>
#include <kindred/core/sequence/Symbol.hpp>
#include <kindred/matcher/Vocabulary.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace Kindred {

/// \brief The field by which predictions are ranked, always the greatest first.
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
  weighted_similarity,  ///< this and the following need weights
  weighted_evidence,
  weighted_confidence,
  weighted_snr
};
std::string_view to_string(RankBy rank_by) noexcept;
/// The field of that name, if one can be ranked by.
std::optional<RankBy> rank_by_from_string(std::string_view name) noexcept;
/// \throws InvalidArgument for another name; the message has all
RankBy parse_rank_by(std::string_view name);
/// All names, separated by comma and space.
std::string rank_by_names();
/// Whether ranking by it needs weights.
bool is_weighted(RankBy rank_by) noexcept;

/// What a symbol without an affinity weighs.
inline constexpr double weight_floor = 0.01;
/// No symbol may weigh more.
inline constexpr double weight_max = 1e100;

/// \brief The weight of every symbol: |affinity| / frequency + `weight_floor`, or `weight_floor`
/// where either is 0.
/// \param affinities by symbol \param frequencies how often each symbol was learned (its
/// occurrences in a pattern times the pattern's frequency, summed); symbols beyond its end have 0
std::vector<double> affinity_weights(std::span<const double> affinities,
                                     std::span<const std::uint64_t> frequencies);

struct PredictionOptions {
  RankBy rank_by = RankBy::potential;
  std::size_t top = 100;   ///< predictions at most
  double threshold = 0.1;  ///< in [0, 1], inclusive: candidates below it are passed over. Where it
                           ///< is above 0 so are those that share no block with the query
  double fuzzy_token_threshold = 0;  ///< in [0, 1]; above 0: least similarity of two symbols' texts
                                     ///< that are taken for a misspelling of one another
  bool single_symbol_fast_path = false;  ///< answer a query of one symbol as KATO's fast path does
  std::span<const double> weights;  ///< by symbol, in [0, `weight_max`]; a symbol beyond the end
                                    ///< weighs `weight_floor`; empty: no weighted fields
  int threads = 0;                  ///< host threads at most; 0: as many as the context has
};

/// \brief What predictions need to know of the whole memory.
struct SymbolStatistics {
  std::uint64_t patterns = 0;         ///< different patterns
  std::uint64_t total_frequency = 0;  ///< of all patterns together
  std::uint64_t symbols = 0;          ///< known symbols
  /// By symbol: how many different patterns have it. A symbol beyond the end is in none.
  std::span<const std::uint64_t> patterns_with;
};

/// \brief A pattern that predictions are made from.
struct Candidate {
  std::uint64_t index = 0;  ///< of the pattern; no two candidates have the same
  double similarity = 0;
  std::uint32_t matched = 0;  ///< symbols, as the measure counts them; passed through
  std::uint64_t frequency = 1;
};

/// \brief Where candidates are read from. Its functions are called from several threads at once,
/// and more than once for a position.
class CandidateSource {
 public:
  virtual ~CandidateSource() = default;
  virtual std::size_t size() const = 0;
  /// \param position below `size()`; positions may be in any order of patterns
  virtual Candidate candidate(std::size_t position) const = 0;
  /// \brief The events of a candidate: event i is `values[offsets[i] … offsets[i + 1])`; unlike
  /// elsewhere `offsets` need not begin at 0.
  /// \param scratch may hold what the answer refers to; it lives until the next call with it
  virtual RaggedSpan<Symbol> events(std::size_t position, Ragged<Symbol>& scratch) const = 0;
  /// Called for the predictions that are answered.
  virtual std::string name(std::size_t position) const = 0;
};

using SymbolTexts = std::vector<std::string>;
using EventTexts = std::vector<SymbolTexts>;

/// \brief An observed symbol that was taken for a misspelling of an expected one.
struct Anomaly {
  std::string observed;
  std::string expected;
  double similarity = 0;

  friend bool operator==(const Anomaly&, const Anomaly&) = default;
};

/// \brief What a pattern says about the query: KATO's fields. `docs/guide/predictions.md` defines
/// each.
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
  /// From the fast path: `past`, `present`, `future`, `missing` and `extras` are one list each,
  /// without borders of events.
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

  // There only where weights were given.
  std::optional<double> weighted_similarity;
  std::optional<double> weighted_evidence;
  std::optional<double> weighted_confidence;
  std::optional<double> weighted_snr;
};

/// \brief The threshold by which to look for candidates for a query of \p symbols symbols: the
/// options', or 0 where the fast path answers.
double candidate_threshold(const PredictionOptions& options, std::size_t symbols) noexcept;

/// \throws InvalidArgument for a threshold outside [0, 1] or NaN, top = 0, a weight outside
/// [0, `weight_max`] or NaN, or ranking by a weighted field without weights
void check(const PredictionOptions& options);

/// \brief What the candidates predict for a query, best first: the greater field that is ranked by,
/// then the greater similarity, then the lower index.
///
/// Sums over candidates and the ranking are over all of them, before any is cut; the sums add in
/// the order of the indices, so that neither threads nor the order of \p candidates change a bit.
/// Candidates are read twice at most, their events are not kept: a candidate takes 80 bytes.
/// Two futures are taken for the same by 128 bits of hash. An empty query has no predictions; empty
/// events are ignored. On host threads; does not fence.
/// \param query the symbols' texts, an event a row; those that the vocabulary does not know match
/// nothing \throws InvalidArgument as `check` does; what \p candidates throws
std::vector<Prediction> predict(const Context& context, RaggedSpan<std::string_view> query,
                                const CandidateSource& candidates,
                                const SymbolStatistics& statistics, const Vocabulary& vocabulary,
                                const PredictionOptions& options = {});

}  // namespace Kindred

#endif  // KINDRED_MATCHER_PREDICTION_HPP
