// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEQUENCE_TEXT_MASKS_HPP
#define KINDRED_MATCHER_SEQUENCE_TEXT_MASKS_HPP

#include <kindred/core/sequence/EditDistance.hpp>
#include <kindred/core/sequence/Symbol.hpp>
#include <kindred/core/sequence/impl/ScoreWords.hpp>
#include <kindred/matcher/Sequences.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace Kindred::Impl {

/// \brief Compares one query with many texts that lie in arrays of the caller, by the recurrences
/// of `QueryMasks`, with the same results.
///
/// The masks of the symbols below 256 are a table, others are hashed. Texts are sorted by length
/// in groups, and for a query of one word several of equal width are compared together, since a
/// recurrence waits for its own results.
class TextMasks {
 public:
  /// Queries of more symbols are compared by `QueryMasks`, for which tables would be large.
  static constexpr std::size_t query_max = 512;

  /// \param query up to `query_max` symbols
  explicit TextMasks(std::span<const Symbol> query);

  /// The lengths of the LCS. \param out one per text
  void lcs(std::span<const TextSpan> texts, std::uint32_t* out) const;
  /// The larger length minus the edit distance, \see edit_matched.
  void edit_matched(EditKind kind, std::span<const TextSpan> texts, std::uint32_t* out) const;
  /// Similarities by Jaro and Winkler, and the common symbols. \see JaroWinklerScore
  void jaro_winkler(std::span<const TextSpan> texts, PairResult* out) const;

 private:
  template <class Element>
  struct Lookup;
  struct Lcs;
  template <EditKind kind>
  struct Edits;

  /// The row of masks of \p symbol ≥ 256: one word per 64 query symbols.
  const std::uint64_t* high_row(Symbol symbol) const {
    std::size_t at = (symbol * 0x9E3779B97F4A7C15ULL) >> m_shift;
    while (m_hash[at].row != 0 && m_hash[at].symbol != symbol) at = (at + 1) & (m_hash.size() - 1);
    return m_rows.data() + std::size_t{m_hash[at].row} * m_words;
  }

  template <class Recurrence, class Word, class Element>
  void advance_together(const Element* const* texts, std::uint32_t symbols,
                        typename Recurrence::template State<Word>* states) const;
  template <class Recurrence, class Word, class Element>
  void compare_run(const Element* const* symbols, std::span<const std::uint16_t> run,
                   std::span<const TextSpan> group, std::uint32_t* results) const;
  template <class Result, class Function>
  static void for_each_run(std::span<const TextSpan> texts, bool of_equal_size,
                           const Function& function, Result* out);
  template <class Recurrence>
  void compare(std::span<const TextSpan> texts, std::uint32_t* out) const;
  template <class Element>
  PairResult jaro_winkler(const Element* text, std::uint32_t size) const;
  template <class Word, class Element>
  void jaro_winkler_together(const Element* const* texts, std::uint32_t size,
                             PairResult* results) const;

  struct Entry {
    Symbol symbol = 0;
    std::uint32_t row = 0;  ///< 0: there is no entry
  };

  std::size_t m_length;
  std::size_t m_words;
  std::vector<std::uint64_t> m_low;   ///< one row per symbol below 256
  std::vector<std::uint64_t> m_rows;  ///< of other symbols; the first one has no bits
  std::vector<Entry> m_hash;
  unsigned m_shift;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SEQUENCE_TEXT_MASKS_HPP
