// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_PREDICTION_FUZZY_TOKENS_HPP
#define KINDRED_MATCHER_PREDICTION_FUZZY_TOKENS_HPP

#include <kindred/core/sequence/Symbol.hpp>
#include <kindred/matcher/Vocabulary.hpp>

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace Kindred::Impl {

/// The code points of \p text; a byte that is no UTF-8 stands for itself, above all code points.
std::u32string code_points(std::string_view text);

/// \brief One text against many: 2 · longest common subsequence / code points of both (RapidFuzz's
/// `fuzz.ratio` / 100). Two empty texts: 1.
class IndelRatio {
 public:
  explicit IndelRatio(std::u32string text);

  /// The ratio, or 0 where it is below \p least.
  double ratio(const std::u32string& other, double least);

 private:
  std::u32string m_text;
  std::unordered_map<char32_t, std::vector<std::uint64_t>> m_masks;  ///< where a character stands
  std::vector<std::uint64_t> m_row;
};

/// \brief Which symbols of patterns are misspellings of which texts of a query. What was compared
/// once is remembered.
class FuzzyTokens {
 public:
  struct Hit {
    std::uint32_t token;  ///< number of the query's text
    double similarity;    ///< ≥ the threshold
  };

  /// \param texts the query's different texts \param vocabulary outlives this
  FuzzyTokens(std::span<const std::string_view> texts, const Vocabulary& vocabulary,
              double threshold);

  /// The texts that \p symbol is near enough to; valid until the next call.
  std::span<const Hit> near(Symbol symbol);

 private:
  const Vocabulary& m_vocabulary;
  double m_threshold;
  std::vector<std::string_view> m_texts;
  std::vector<IndelRatio> m_ratios;
  std::unordered_map<Symbol, std::vector<Hit>> m_known;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_PREDICTION_FUZZY_TOKENS_HPP
