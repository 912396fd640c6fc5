// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEQUENCE_LCS_WORDS_HPP
#define KINDRED_MATCHER_SEQUENCE_LCS_WORDS_HPP

#include <kindred/core/sequence/Symbol.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace Kindred::Impl {

/// \brief Longest common subsequences of one query with single patterns, for arbitrary symbols:
/// Hyyrö's bit-parallel recurrence (2004), 64 query symbols per word.
class LcsWords {
 public:
  explicit LcsWords(std::span<const Symbol> query);

  /// The length of the LCS, or any smaller number once it is known to be below \p least.
  std::uint32_t length(std::span<const Symbol> pattern, std::uint64_t least = 0) const;

 private:
  /// Masks of the words for \p symbol, null if the query lacks it.
  const std::uint64_t* masks(Symbol symbol) const;

  std::size_t m_words;
  std::vector<Symbol> m_symbols;        ///< of the query, each once, in order
  std::vector<std::uint32_t> m_places;  ///< small symbol → place in `m_symbols` + 1
  std::vector<std::uint64_t> m_masks;   ///< a row of words a symbol
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SEQUENCE_LCS_WORDS_HPP
