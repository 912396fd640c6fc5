// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_MATCHING_BLOCKS_HPP
#define KINDRED_CORE_SEQUENCE_MATCHING_BLOCKS_HPP

#include <kindred/core/sequence/MatchingBlock.hpp>
#include <kindred/core/sequence/Symbol.hpp>
#include <kindred/core/sequence/SymbolTable.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace Kindred {

/// \brief Finds the matching blocks of patterns and one query, whose positions are sorted once.
///
/// Runs on the calling thread; memory is proportional to the lengths, which are below 2³².
/// Thread-safe: several threads may call it concurrently. Complexity: O(pattern · occurrences in
/// the query) per block.
class BlockFinder {
 public:
  /// Storage that successive calls reuse, so that they allocate nothing. Not thread-safe.
  class Workspace {
    friend class BlockFinder;

    /// A symbol of the pattern that occurs in the query.
    struct Hit {
      std::uint32_t position;  ///< in the pattern
      std::uint32_t number;    ///< number of the symbol
    };
    /// The run that ends at a position of the query.
    struct Run {
      std::uint64_t row = 0;  ///< where it ends in the pattern, counted over all patterns so far
      std::uint32_t length = 0;
    };
    std::vector<Hit> m_hits;
    std::vector<Run> m_runs;
    std::uint64_t m_rows = 0;  ///< rows of the patterns before this one
    std::vector<Block> m_blocks;
  };

  /// \param autojunk applies Python's heuristic of popular symbols, \see without_popular
  explicit BlockFinder(std::span<const Symbol> query, bool autojunk = false);

  /// \brief The result of `get_matching_blocks()` of Python's `SequenceMatcher(None, pattern,
  /// query, autojunk=…)`, without the final empty block.
  std::vector<Block> blocks(std::span<const Symbol> pattern) const;
  /// The same; valid until the next call with \p workspace, which must be used with this finder
  /// only.
  std::span<const Block> blocks(std::span<const Symbol> pattern, Workspace& workspace) const;
  /// Number of symbols in all blocks.
  std::uint32_t matched(std::span<const Symbol> pattern) const;

 private:
  class Runs;

  /// Calls \p emit with every run; returns the number of symbols in them.
  template <class Emit>
  std::uint32_t match(std::span<const Symbol> pattern, Workspace& workspace,
                      const Emit& emit) const;

  std::vector<Symbol> m_query;
  Impl::SymbolTable m_table;
  std::vector<std::uint32_t> m_first;      ///< by symbol number: where its positions begin
  std::vector<std::uint32_t> m_positions;  ///< where a run may be, grouped by symbol, ascending
  bool m_grows = false;                    ///< runs are extended over popular symbols
};

/// The matching blocks of one pair.
std::vector<Block> matching_blocks(std::span<const Symbol> pattern, std::span<const Symbol> query,
                                   bool autojunk = false);

}  // namespace Kindred

#endif  // KINDRED_CORE_SEQUENCE_MATCHING_BLOCKS_HPP
