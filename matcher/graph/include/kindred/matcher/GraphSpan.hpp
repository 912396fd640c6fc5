// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_GRAPH_SPAN_HPP
#define KINDRED_MATCHER_GRAPH_SPAN_HPP

#include <kindred/backends/Dispatcher.hpp>
#include <kindred/core/common/Ragged.hpp>
#include <kindred/core/graph/Spreading.hpp>
#include <kindred/matcher/Residency.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace Kindred {

/// \brief Storage type of edge weights. Sums use the stored value, converted exactly to float32.
enum class EdgeWeights : std::uint8_t {
  float32,
  bfloat16,  ///< rounded to the nearest, ties to even
  none       ///< not stored: every weight must be 1
};
std::string_view to_string(EdgeWeights weights) noexcept;

/// \brief Non-owning view of a graph as a list of edges.
struct GraphSpan {
  std::size_t nodes = 0;
  std::span<const Edge> edges;                    ///< in input order
  std::span<const std::uint8_t> edge_kinds = {};  ///< one per edge; empty: kinds are not kept
  std::span<const std::uint8_t> node_kinds = {};  ///< one per node; empty: all nodes are of kind 0
  RaggedSpan<char> names = {};  ///< one distinct name per node; no offsets: nodes have no names
};

struct GraphOptions {
  EdgeWeights weights = EdgeWeights::float32;
  Residency residency = Residency::automatic;
  /// Rebuilt rows are merged into the graph when they hold this share of its edges.
  double merge_share = 0.1;
  bool background_merge =
      true;  ///< merge on a background thread; false: in the update that reaches the share
};

/// \brief Selects all edges from one node to another, or those of one kind.
struct EdgeEnds {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::optional<std::uint8_t> kind = {};
};

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

#endif  // KINDRED_MATCHER_GRAPH_SPAN_HPP
