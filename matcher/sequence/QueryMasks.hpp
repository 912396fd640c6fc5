// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEQUENCE_QUERY_MASKS_HPP
#define KINDRED_MATCHER_SEQUENCE_QUERY_MASKS_HPP

#include <kindred/core/sequence/EditDistance.hpp>
#include <kindred/core/sequence/PairScores.hpp>
#include <kindred/core/sequence/Symbol.hpp>
#include <kindred/core/sequence/impl/ScoreWords.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace Kindred::Impl {

/// \brief Compares one query with single patterns, for arbitrary symbols, by Hyyrö's bit-parallel
/// recurrences, 64 query symbols per word. Does not allocate for queries of up to 1,024 symbols.
class QueryMasks {
 public:
  explicit QueryMasks(std::span<const Symbol> query);

  /// The length of the LCS, or some smaller number if the length is below \p least.
  std::uint32_t lcs(std::span<const Symbol> pattern, std::uint64_t least = 0) const;
  /// The larger length minus the edit distance, \see edit_matched.
  std::uint32_t edit_matched(EditKind kind, std::span<const Symbol> pattern) const;
  /// \param separator \see pair_score_keys
  PairResult score(PairScore score, std::span<const Symbol> pattern, Symbol separator) const;

 private:
  /// The masks of \p symbol, one per word; null if the query does not contain it.
  const std::uint64_t* masks(Symbol symbol) const;

  template <EditKind kind>
  std::uint32_t edit_matched(std::span<const Symbol> pattern) const;

  std::size_t m_length;
  std::size_t m_words;
  std::vector<Symbol> m_symbols;        ///< distinct symbols of the query, ascending
  std::vector<std::uint32_t> m_places;  ///< small symbol → index in `m_symbols` + 1
  std::vector<std::uint64_t> m_masks;   ///< one row of words per symbol
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SEQUENCE_QUERY_MASKS_HPP
