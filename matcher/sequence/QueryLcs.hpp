// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEQUENCE_QUERY_LCS_HPP
#define KINDRED_MATCHER_SEQUENCE_QUERY_LCS_HPP

#include <kindred/core/sequence/Symbol.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace Kindred::Impl {

/// \brief Longest common subsequences of one query with single patterns, for arbitrary symbols:
/// Hyyrö's bit-parallel recurrence (2004), 64 query symbols per word.
class QueryLcs {
 public:
  explicit QueryLcs(std::span<const Symbol> query);

  /// The length of the LCS, or some smaller number if the length is below \p least.
  std::uint32_t length(std::span<const Symbol> pattern, std::uint64_t least = 0) const;

 private:
  /// The masks of \p symbol, one per word; null if the query does not contain it.
  const std::uint64_t* masks(Symbol symbol) const;

  std::size_t m_words;
  std::vector<Symbol> m_symbols;        ///< distinct symbols of the query, ascending
  std::vector<std::uint32_t> m_places;  ///< small symbol → index in `m_symbols` + 1
  std::vector<std::uint64_t> m_masks;   ///< one row of words per symbol
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SEQUENCE_QUERY_LCS_HPP
