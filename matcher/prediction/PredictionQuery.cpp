// SPDX-License-Identifier: Apache-2.0
#include "PredictionQuery.hpp"

#include "PredictionFields.hpp"

#include <kindred/core/common/CheckOffsets.hpp>

#include <cmath>
#include <unordered_map>

namespace Kindred::Impl {

PredictionQuery::PredictionQuery(RaggedSpan<std::string_view> query,
                                 const SymbolStatistics& statistics, const Vocabulary& vocabulary,
                                 const PredictionOptions& options) {
  check_offsets(query, "event", "texts");
  std::unordered_map<std::string_view, std::uint32_t> numbers;
  for (std::size_t event = 0; event < query.rows(); ++event) {
    for (const std::string_view text : query[event]) {
      const auto token = static_cast<std::uint32_t>(token_texts.size());
      const auto [known, is_new] = numbers.try_emplace(text, token);
      if (is_new) {
        token_texts.push_back(text);
        token_symbols.push_back(vocabulary.find(text));
        components.push_back(0);
      }
      const Symbol symbol = token_symbols[known->second];
      texts.push_back(text);
      symbols.push_back(symbol);
      tokens.push_back(known->second);
      components[known->second] += 1;
      if (!options.weights.empty()) weights.push_back(weight(options, symbol));
    }
    if (texts.size() > events.back()) events.push_back(texts.size());
  }
  double squares = 0;
  for (std::size_t token = 0; token < components.size(); ++token) {
    components[token] *= probability(statistics, token_symbols[token]);
    squares += components[token] * components[token];
  }
  norm = std::sqrt(squares);
}

}  // namespace Kindred::Impl
