// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_GRAPH_GRAPH_VIEW_HPP
#define KINDRED_MATCHER_GRAPH_GRAPH_VIEW_HPP

#include <kindred/core/graph/GraphRows.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace Kindred::Impl {

/// Identifies a state of a graph by the owners of its parts, which a view does not contain.
using GraphIdentity = std::array<std::shared_ptr<const void>, 3>;

/// Non-owning view of one state of a graph in one memory space.
template <class MemorySpace>
struct GraphView {
  GraphSide<MemorySpace> in;                              ///< the transpose
  GraphSide<MemorySpace> out;                             ///< the graph itself
  ArrayView<const std::uint8_t, MemorySpace> node_kinds;  ///< empty: all are of kind 0
  ArrayView<const std::uint64_t, MemorySpace> removed;    ///< a bit per node; may end early
  std::size_t nodes = 0;                                  ///< all ids below it have been assigned
  /// Of the state: data derived from it is valid for every later one with the same identity. Null:
  /// nothing is kept.
  const GraphIdentity* identity = nullptr;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_GRAPH_GRAPH_VIEW_HPP
