// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_LCS_ALIGNER_HPP
#define KINDRED_CORE_SEQUENCE_LCS_ALIGNER_HPP

#include <kindred/core/sequence/MatchingBlock.hpp>
#include <kindred/core/sequence/Symbol.hpp>
#include <kindred/core/sequence/SymbolTable.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace Kindred {

/// \brief Aligns patterns with one query by a longest common subsequence (LCS); the tables of the
/// query are built once.
///
/// Of the many subsequences of that length, it takes the one of RapidFuzz's `LCSseq.opcodes(query,
/// pattern)`: the common prefix, then the common suffix, and between them the path that goes back
/// from the end, skips a symbol of the query wherever that keeps the length, otherwise skips a
/// symbol of the pattern wherever that does, and otherwise matches both.
///
/// Hyyrö's bit-parallel recurrence (2004), 64 query symbols per word, whose rows are stored for the
/// way back. If they exceed a limit of r rows, only every (pattern / r)-th is stored, and the rows
/// between two of them are computed again on the way back, in as many levels as it takes. The limit
/// bounds the memory of a level and does not change the result; two sequences of 100,000 symbols
/// take two levels. The tables take memory in proportion to the query.
///
/// Runs on the calling thread: only the few results of a query are aligned, and a device would take
/// longer to start than a processor takes to align them. Thread-safe. Complexity: O(pattern ·
/// ⌈query / 64⌉ · levels), without the common ends.
class LcsAligner {
 public:
  /// 8 MiB: the rows of a pair of 8192 symbols each.
  static constexpr std::size_t default_stored_words = std::size_t{1} << 20U;

  /// \param stored_words limit of the rows of a level; at least two rows are stored
  explicit LcsAligner(std::span<const Symbol> query,
                      std::size_t stored_words = default_stored_words);

  /// The maximal runs of the alignment, in order; their lengths sum to the length of the LCS.
  std::vector<Block> blocks(std::span<const Symbol> pattern) const;

 private:
  class Walk;
  /// The places of a symbol in a word of the query.
  struct WordMask {
    std::uint64_t mask;
    std::uint32_t word;
  };

  std::span<const WordMask> masks(Symbol symbol) const;

  std::vector<Symbol> m_query;
  std::size_t m_stored_words;
  Impl::SymbolTable m_table;
  std::vector<std::uint32_t> m_first;  ///< by symbol number: where its masks begin
  std::vector<WordMask> m_masks;       ///< grouped by symbol, ascending words
};

/// The blocks of one pair. \see LcsAligner
std::vector<Block> lcs_blocks(std::span<const Symbol> pattern, std::span<const Symbol> query);

}  // namespace Kindred

#endif  // KINDRED_CORE_SEQUENCE_LCS_ALIGNER_HPP
