// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_PREDICTION_QUERY_BLOCKS_HPP
#define KINDRED_MATCHER_PREDICTION_QUERY_BLOCKS_HPP

#include "SymbolTable.hpp"

#include <kindred/core/sequence/Symbol.hpp>
#include <kindred/core/sequence/impl/LongestRuns.hpp>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace Kindred::Impl {

/// \brief `matching_blocks(pattern, query)` for one query and many patterns, without allocating.
class QueryBlocks {
 public:
  explicit QueryBlocks(std::span<const Symbol> query);

  /// The blocks as `matching_blocks` has them, until the next call.
  std::span<const Block> find(std::span<const Symbol> pattern);

  /// For `matched_runs`.
  Block longest(const RunRange& range);

 private:
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

  std::uint32_t m_query_length;
  SymbolTable m_table;
  std::vector<std::uint32_t> m_first;      ///< by number: where its positions begin
  std::vector<std::uint32_t> m_positions;  ///< in the query, of one symbol in descending order
  std::vector<Hit> m_hits;
  std::vector<Run> m_runs;
  std::uint64_t m_rows = 0;  ///< of the patterns before this one
  std::vector<Block> m_blocks;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_PREDICTION_QUERY_BLOCKS_HPP
