// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_PREDICTION_FUZZY_TOKENS_HPP
#define KINDRED_MATCHER_PREDICTION_FUZZY_TOKENS_HPP

#include <kindred/core/sequence/Symbol.hpp>
#include <kindred/matcher/Similarity.hpp>
#include <kindred/matcher/Vocabulary.hpp>

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace Kindred::Impl {

/// \brief Finds the symbols of patterns that are misspellings of texts of a query. Comparisons are
/// cached.
class FuzzyTokens {
 public:
  struct Hit {
    std::uint32_t token;  ///< number of the text of the query
    double similarity;    ///< ≥ the threshold
  };

  /// \param texts the distinct texts of the query \param vocabulary must outlive this object
  FuzzyTokens(std::span<const std::string_view> texts, const Vocabulary& vocabulary,
              double threshold);

  /// The texts that are similar enough to \p symbol; valid until the next call.
  std::span<const Hit> near(Symbol symbol);

 private:
  const Vocabulary& m_vocabulary;
  double m_threshold;
  std::vector<std::string_view> m_texts;
  std::vector<PreparedQuery> m_ratios;  ///< for the code points of `m_texts`
  std::unordered_map<Symbol, std::vector<Hit>> m_known;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_PREDICTION_FUZZY_TOKENS_HPP
