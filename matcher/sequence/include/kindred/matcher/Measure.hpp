// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_MEASURE_HPP
#define KINDRED_MATCHER_MEASURE_HPP

#include <kindred/core/common/Names.hpp>
#include <kindred/core/common/Public.hpp>

#include <array>
#include <cstdint>
#include <string_view>

namespace KINDRED_PUBLIC Kindred {

/// \brief Similarity measure of a pattern and a query, in double.
///
/// Under `lcs` and `difflib`, `similarity = 2·matched / (pattern length + query length)`. Under the
/// edit distances and the common ends it is RapidFuzz's `normalized_similarity`, `1 − distance /
/// longest` with the larger of both lengths, and `matched = longest − distance`; two empty
/// sequences: 1. The others are RapidFuzz's `JaroWinkler.similarity`, `token_sort_ratio` / 100 and
/// `token_set_ratio` / 100, bit for bit, except that
/// RapidFuzz does not split a string without code points above U+00FF at U+0085 and U+00A0.
enum class Measure : std::uint8_t {
  lcs,      ///< matched = length of the longest common subsequence; two empty sequences: 0
  difflib,  ///< matched = Ratcliff-Obershelp, as Python's difflib with a = pattern, b = query and,
            ///< by default, autojunk=False; two empty sequences: 1
  levenshtein,   ///< distance = fewest insertions, deletions and substitutions
  osa,           ///< distance = the same with transpositions of adjacent symbols that are not
                 ///< edited again: optimal string alignment
  prefix,        ///< matched = length of the common prefix
  postfix,       ///< matched = length of the common postfix
  jaro_winkler,  ///< matched = symbols that both have at about the same place; two empty
                 ///< sequences: 1
  token_sort,    ///< LCS of the words of both texts, in ascending order and joined by spaces; two
                 ///< texts without words: 1
  token_set      ///< the words that both texts have, and the LCS of their other words, each set in
                 ///< ascending order and joined by spaces; a text without words: 0
};
inline constexpr std::array<Measure, 9> all_measures{
    Measure::lcs,          Measure::difflib,    Measure::levenshtein,
    Measure::osa,          Measure::prefix,     Measure::postfix,
    Measure::jaro_winkler, Measure::token_sort, Measure::token_set};
template <>
inline constexpr auto enum_names<Measure> =
    std::to_array<std::string_view>({"lcs", "difflib", "levenshtein", "osa", "prefix", "postfix",
                                     "jaro-winkler", "token-sort", "token-set"});

/// \brief Whether a measure takes symbols as Unicode code points, and splits sequences into words
/// at white space, as Python's `str.split()` does.
constexpr bool compares_words(Measure measure) noexcept {
  return measure == Measure::token_sort || measure == Measure::token_set;
}

/// Whether the distances of a measure are numbers of edits. The others are 1 − similarity.
constexpr bool counts_edits(Measure measure) noexcept {
  return measure != Measure::jaro_winkler && !compares_words(measure);
}

/// \brief The distance that belongs to \p matched symbols of sequences of the given lengths, for a
/// measure that counts edits: under `lcs` and `difflib` the symbols of both that are not matched
/// (insertions and deletions), else the larger length minus \p matched.
constexpr std::uint64_t distance(Measure measure, std::uint64_t matched, std::uint64_t pattern,
                                 std::uint64_t query) noexcept {
  if (measure == Measure::lcs || measure == Measure::difflib) return pattern + query - 2 * matched;
  return (pattern < query ? query : pattern) - matched;
}

}  // namespace Kindred

#endif  // KINDRED_MATCHER_MEASURE_HPP
