// SPDX-License-Identifier: Apache-2.0
#include "PredictionFields.hpp"

#include <kindred/core/common/Error.hpp>
#include <kindred/core/math/Log.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace KINDRED_PUBLIC Kindred {

std::vector<double> affinity_weights(std::span<const double> affinities,
                                     std::span<const std::uint64_t> frequencies) try {
  std::vector<double> weights(affinities.size(), weight_floor);
  for (std::size_t symbol = 0; symbol < std::min(affinities.size(), frequencies.size()); ++symbol) {
    const double affinity = std::abs(affinities[symbol]);
    if (frequencies[symbol] > 0)
      weights[symbol] = affinity / static_cast<double>(frequencies[symbol]) + weight_floor;
  }
  return weights;
} catch (...) {
  Impl::rethrow_translated("Kindred::affinity_weights");
}

namespace KINDRED_HIDDEN Impl {

namespace {

/// −Σ term(count / length). Most symbols have the same count as the previous one (1), so its term
/// is reused.
template <class Term>
double entropy_of(Counts counts, std::size_t length, const Term& term) {
  double sum = 0;
  std::uint32_t last = 0;
  double value = 0;
  for (const auto& [symbol, count] : counts) {
    if (count != last) {
      last = count;
      value = term(last / static_cast<double>(length));
    }
    sum -= value;
  }
  return sum;
}

}  // namespace

double probability(const SymbolStatistics& statistics, Symbol symbol) {
  if (symbol >= statistics.patterns_with.size() || statistics.patterns == 0) return 0.0;
  return static_cast<double>(statistics.patterns_with[symbol]) /
         static_cast<double>(statistics.patterns);
}

double entropy(Counts counts, std::size_t length) {
  return entropy_of(counts, length, [](double p) { return p * portable_log2(p); });
}

double normalized_entropy(Counts counts, std::size_t length, const SymbolStatistics& statistics) {
  if (statistics.symbols <= 1) return 0.0;
  const double base = portable_log(static_cast<double>(statistics.symbols));
  return entropy_of(counts, length, [&](double p) { return p * (portable_log(p) / base); });
}

double global_normalized_entropy(Counts counts, const SymbolStatistics& statistics) {
  if (statistics.symbols <= 1) return 0.0;
  const double base = portable_log(static_cast<double>(statistics.symbols));
  double sum = 0;
  for (const auto& [symbol, count] : counts) {
    const double p = probability(statistics, symbol);
    if (p > 0) sum -= p * (portable_log(p) / base);
  }
  return sum;
}

double tfidf_score(Counts counts, std::size_t length, const SymbolStatistics& statistics) {
  if (counts.empty() || statistics.patterns == 0) return 0.0;
  const auto patterns = static_cast<double>(statistics.patterns);
  double sum = 0;
  for (const auto& [symbol, count] : counts) {
    const double frequency = count / static_cast<double>(length);
    // KATO's document frequency: the probability times the number of patterns, rounded down.
    const double with_symbol =
        std::max(1.0, std::floor(probability(statistics, symbol) * patterns));
    sum += frequency * (portable_log2(patterns / with_symbol) + 1);
  }
  return sum / static_cast<double>(counts.size());
}

double confluence(std::span<const Symbol> present, std::uint64_t frequency,
                  const SymbolStatistics& statistics) {
  if (present.empty() || statistics.total_frequency == 0) return 0.0;
  constexpr double improbable = 1e-10;
  double by_chance = 1;
  for (const Symbol symbol : present) {
    const double p = probability(statistics, symbol);
    by_chance *= p > 0 ? p : improbable;
  }
  return static_cast<double>(frequency) / static_cast<double>(statistics.total_frequency) *
         (1 - by_chance);
}

double signal_to_noise(std::uint64_t matches, std::uint64_t extras) {
  const double signal = 2.0 * static_cast<double>(matches);
  const auto noise = static_cast<double>(extras);
  return signal + noise > 0 ? (signal - noise) / (signal + noise) : 0.0;
}

}  // namespace Impl

}  // namespace Kindred
