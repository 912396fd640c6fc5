// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_MATCHING_BLOCKS_HPP
#define KINDRED_CORE_SEQUENCE_MATCHING_BLOCKS_HPP

#include <kindred/core/sequence/Symbol.hpp>
#include <kindred/core/sequence/SymbolTable.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace Kindred {

/// \brief The matching blocks of patterns and one query, whose places are sorted once.
///
/// On the calling thread, in memory proportional to the lengths, whatever they are; calls may run
/// at once. Complexity: O(pattern · occurrences in the query) a block.
class BlockFinder {
 public:
  /// What calls in turn reuse, so that they allocate nothing.
  class Workspace {
    friend class BlockFinder;

    /// A symbol of the pattern that the query has.
    struct Hit {
      std::uint32_t position;  ///< in the pattern
      std::uint32_t number;    ///< of the symbol
    };
    /// The run that ends at a position of the query.
    struct Run {
      std::uint64_t row = 0;  ///< where it ends in the pattern, of all patterns so far
      std::uint32_t length = 0;
    };
    std::vector<Hit> m_hits;
    std::vector<Run> m_runs;
    std::uint64_t m_rows = 0;  ///< of the patterns before this one
    std::vector<Block> m_blocks;
  };

  /// \param autojunk with Python's heuristic of popular symbols, \see without_popular
  explicit BlockFinder(std::span<const Symbol> query, bool autojunk = false);

  /// \brief What `get_matching_blocks()` of Python's `SequenceMatcher(None, pattern, query,
  /// autojunk=…)` has, without the final empty one.
  std::vector<Block> blocks(std::span<const Symbol> pattern) const;
  /// The same, valid until the next call with \p workspace, which serves this finder only.
  std::span<const Block> blocks(std::span<const Symbol> pattern, Workspace& workspace) const;
  /// Symbols in all blocks.
  std::uint32_t matched(std::span<const Symbol> pattern) const;

 private:
  class Runs;

  /// Calls \p emit with every run; returns the symbols in them.
  template <class Emit>
  std::uint32_t match(std::span<const Symbol> pattern, Workspace& workspace,
                      const Emit& emit) const;

  std::vector<Symbol> m_query;
  Impl::SymbolTable m_table;
  std::vector<std::uint32_t> m_first;  ///< by number: where its positions begin
  std::vector<std::uint32_t>
      m_positions;       ///< where a run may be, of one symbol in descending order
  bool m_grows = false;  ///< runs grow over popular symbols
};

/// The blocks of one pair.
std::vector<Block> matching_blocks(std::span<const Symbol> pattern, std::span<const Symbol> query,
                                   bool autojunk = false);

}  // namespace Kindred

#endif  // KINDRED_CORE_SEQUENCE_MATCHING_BLOCKS_HPP
