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

/// \brief How the weights of edges are kept. What is kept is a float32 that every sum takes as it
/// is.
enum class EdgeWeights : std::uint8_t {
  float32,
  bfloat16,  ///< rounded to the nearest, ties to even
  none       ///< every weight is 1, and must be
};
std::string_view to_string(EdgeWeights weights) noexcept;

/// \brief A graph as a list of edges, owned by someone else.
struct GraphSpan {
  std::size_t nodes = 0;
  std::span<const Edge> edges;                    ///< in input order
  std::span<const std::uint8_t> edge_kinds = {};  ///< an edge each; empty: kinds are not kept
  std::span<const std::uint8_t> node_kinds = {};  ///< a node each; empty: all are of kind 0
  RaggedSpan<char> names = {};  ///< a row a node, each once; no offsets: nodes have no names
};

struct GraphOptions {
  EdgeWeights weights = EdgeWeights::float32;
  Residency residency = Residency::automatic;
  /// Rebuilt rows are merged into the graph once they hold so large a part of its edges.
  double merge_share = 0.1;
  bool background_merge = true;  ///< by a thread; false: by the update that reaches the share
};

/// \brief All edges from a node to another, or those of one kind.
struct EdgeEnds {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::optional<std::uint8_t> kind = {};
};

/// \brief What a graph holds.
struct GraphStatistics {
  std::uint64_t nodes = 0;          ///< ids that were given
  std::uint64_t removed_nodes = 0;  ///< of them
  std::uint64_t edges = 0;
  EdgeWeights weights = EdgeWeights::float32;
  bool edge_kinds = false;          ///< are kept
  bool node_kinds = false;          ///< are kept
  bool names = false;               ///< are kept
  std::uint64_t rebuilt_rows = 0;   ///< of both directions, since the last merge
  std::uint64_t rebuilt_edges = 0;  ///< in them
  std::uint64_t merges = 0;         ///< done
  std::uint64_t edge_bytes = 0;     ///< ends, weights and kinds of both directions, on the host
  std::uint64_t offset_bytes = 0;   ///< offsets and plans of rows of both directions, on the host
  std::uint64_t rebuilt_bytes = 0;  ///< of rebuilt rows, on the host
  std::uint64_t name_bytes = 0;     ///< of memory, tables included
  std::uint64_t bytes[space_count] = {};  ///< `SpreadingEngine::bytes` of each space
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_GRAPH_SPAN_HPP
