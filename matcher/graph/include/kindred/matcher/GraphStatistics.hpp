// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_GRAPH_STATISTICS_HPP
#define KINDRED_MATCHER_GRAPH_STATISTICS_HPP

#include <kindred/backends/Space.hpp>
#include <kindred/core/common/Public.hpp>
#include <kindred/matcher/EdgeWeights.hpp>

#include <cstdint>

namespace KINDRED_PUBLIC Kindred {

/// \brief The size of a graph.
struct GraphStatistics {
  std::uint64_t nodes = 0;          ///< assigned ids, including those of removed nodes
  std::uint64_t removed_nodes = 0;  ///< of them
  std::uint64_t edges = 0;
  EdgeWeights weights = EdgeWeights::float32;
  bool edge_kinds = false;          ///< whether they are kept
  bool node_kinds = false;          ///< whether they are kept
  bool names = false;               ///< whether they are kept
  std::uint64_t rebuilt_rows = 0;   ///< rows rebuilt since the last merge, both directions
  std::uint64_t rebuilt_edges = 0;  ///< edges in the rebuilt rows
  std::uint64_t merges = 0;         ///< merges so far
  std::uint64_t edge_bytes = 0;     ///< on the host: ends, weights and kinds of both directions
  std::uint64_t offset_bytes = 0;   ///< on the host: row offsets and work plans of both directions
  std::uint64_t rebuilt_bytes = 0;  ///< on the host: rebuilt rows
  std::uint64_t name_bytes = 0;     ///< of memory, including the hash tables
  std::uint64_t bytes[space_count] = {};  ///< `SpreadingEngine::bytes` of each space
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_GRAPH_STATISTICS_HPP
