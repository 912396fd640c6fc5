// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_PREDICTION_PREDICTION_QUERY_HPP
#define KINDRED_MATCHER_PREDICTION_PREDICTION_QUERY_HPP

#include <kindred/matcher/Prediction.hpp>

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace Kindred::Impl {

/// The weight of \p symbol in \p options.
inline double weight(const PredictionOptions& options, Symbol symbol) {
  return symbol < options.weights.size() ? options.weights[symbol] : weight_floor;
}

/// \brief A query prepared for predictions, without empty events.
struct PredictionQuery {
  PredictionQuery(RaggedSpan<std::string_view> query, const SymbolStatistics& statistics,
                  const Vocabulary& vocabulary, const PredictionOptions& options);

  std::vector<std::uint64_t> events{0};  ///< offsets of the events
  // Per position.
  std::vector<std::string_view> texts;
  std::vector<Symbol> symbols;
  std::vector<std::uint32_t> tokens;  ///< number of the text among the distinct texts
  std::vector<double> weights;        ///< empty without weights
  // Per token, in order of first appearance.
  std::vector<std::string_view> token_texts;
  std::vector<Symbol> token_symbols;
  std::vector<double> components;  ///< probability · count
  double norm = 0;                 ///< of `components`
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_PREDICTION_PREDICTION_QUERY_HPP
