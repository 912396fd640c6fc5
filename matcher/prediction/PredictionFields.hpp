// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_PREDICTION_PREDICTION_FIELDS_HPP
#define KINDRED_MATCHER_PREDICTION_PREDICTION_FIELDS_HPP

#include <kindred/core/sequence/SymbolTable.hpp>
#include <kindred/matcher/Prediction.hpp>

#include <cstdint>
#include <span>

namespace Kindred::Impl {

/// The share of the distinct patterns that contain \p symbol.
double probability(const SymbolStatistics& statistics, Symbol symbol);

// Fields over the distinct symbols of a pattern of \p length symbols.
using Counts = std::span<const SymbolCounts::Entry>;
double entropy(Counts counts, std::size_t length);
double normalized_entropy(Counts counts, std::size_t length, const SymbolStatistics& statistics);
double global_normalized_entropy(Counts counts, const SymbolStatistics& statistics);
double tfidf_score(Counts counts, std::size_t length, const SymbolStatistics& statistics);

/// \param present the symbols of the present events, with repetitions
double confluence(std::span<const Symbol> present, std::uint64_t frequency,
                  const SymbolStatistics& statistics);

/// (2·matches − extras) / (2·matches + extras); 0 if both are 0.
double signal_to_noise(std::uint64_t matches, std::uint64_t extras);
/// \p part / \p whole; 0 if \p whole is 0.
inline double share(double part, double whole) { return whole > 0 ? part / whole : 0.0; }

/// 1 / (fragmentation + 1) = 1 / \p blocks; 0 without blocks.
inline double cohesion(std::uint32_t blocks) { return blocks == 0 ? 0.0 : 1.0 / blocks; }

/// \brief Sums over all candidates that the fields of a candidate use.
struct EnsembleSums {
  double frequency = 0;
  double likelihood = 0;   ///< Σ similarity · prior
  double with_future = 0;  ///< Σ frequency · similarity of the candidates that have a future
};

inline double itfdf_similarity(double distance, double frequency, const EnsembleSums& sums) {
  return sums.frequency > 0 ? 1 - distance * frequency / sums.frequency : 0.0;
}
inline double bayesian_prior(double frequency, const EnsembleSums& sums) {
  return share(frequency, sums.frequency);
}
inline double bayesian_posterior(double similarity, double frequency, const EnsembleSums& sums) {
  return share(similarity * bayesian_prior(frequency, sums), sums.likelihood);
}
/// \param same_future Σ frequency · similarity of the candidates with the same future
inline double predictive_information(double similarity, double frequency, double same_future,
                                     const EnsembleSums& sums) {
  return share(similarity * bayesian_prior(frequency, sums), share(same_future, sums.with_future));
}

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_PREDICTION_PREDICTION_FIELDS_HPP
