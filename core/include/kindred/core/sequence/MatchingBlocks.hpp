// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_MATCHING_BLOCKS_HPP
#define KINDRED_CORE_SEQUENCE_MATCHING_BLOCKS_HPP

#include <kindred/core/sequence/Symbol.hpp>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace Kindred {

/// \brief The matching blocks of patterns and one query, whose places are sorted once.
///
/// On the calling thread, in memory proportional to the lengths, whatever they are; calls may run
/// at once. Complexity: O(pattern · occurrences in the query) a block.
class BlockFinder {
 public:
  /// \param autojunk with Python's heuristic of popular symbols, \see without_popular
  explicit BlockFinder(std::span<const Symbol> query, bool autojunk = false);

  /// \brief What `get_matching_blocks()` of Python's `SequenceMatcher(None, pattern, query,
  /// autojunk=…)` has, without the final empty one.
  std::vector<Block> blocks(std::span<const Symbol> pattern) const;
  /// Symbols in all blocks.
  std::uint32_t matched(std::span<const Symbol> pattern) const;

 private:
  using Position = std::pair<Symbol, std::uint32_t>;
  class Runs;

  std::vector<Symbol> m_query;
  std::vector<Position> m_positions;  ///< where a run may be, by symbol
  bool m_grows = false;               ///< runs grow over popular symbols
};

/// The blocks of one pair.
std::vector<Block> matching_blocks(std::span<const Symbol> pattern, std::span<const Symbol> query,
                                   bool autojunk = false);

}  // namespace Kindred

#endif  // KINDRED_CORE_SEQUENCE_MATCHING_BLOCKS_HPP
