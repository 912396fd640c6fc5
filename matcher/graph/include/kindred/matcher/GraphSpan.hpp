// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_GRAPH_SPAN_HPP
#define KINDRED_MATCHER_GRAPH_SPAN_HPP

#include <kindred/core/common/Public.hpp>
#include <kindred/core/common/Ragged.hpp>
#include <kindred/core/graph/Spreading.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace KINDRED_PUBLIC Kindred {

/// \brief Non-owning view of a graph as a list of edges.
struct GraphSpan {
  std::size_t nodes = 0;
  std::span<const Edge> edges = {};               ///< in input order
  std::span<const std::uint8_t> edge_kinds = {};  ///< one per edge; empty: kinds are not kept
  std::span<const std::uint8_t> node_kinds = {};  ///< one per node; empty: all nodes are of kind 0
  RaggedSpan<char> names = {};  ///< one distinct name per node; no offsets: nodes have no names
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_GRAPH_SPAN_HPP
