// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_GRAPH_FRONTIER_HPP
#define KINDRED_CORE_GRAPH_FRONTIER_HPP

#include <kindred/core/graph/Hop.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace Kindred {

/// \brief Sizes of spreading that visits only the rows its frontier reaches: for queries that touch
/// a small part of the graph. Host only.
struct FrontierShape {
  std::size_t slots = 0;  ///< queries worked on at once
  std::size_t nodes = 0;
  std::uint64_t budget = 0;  ///< steps after which a query is given up, for whole hops to do

  /// A small part of what one whole hop costs, so that giving up costs little.
  static std::uint64_t budget_of(std::size_t nodes, std::size_t edges) {
    return std::max<std::uint64_t>(4096, (edges + 4 * nodes) / 16);
  }
  /// Nodes that a query can touch within the budget.
  std::size_t list() const { return std::min<std::size_t>(nodes, budget / 4 + 1); }
};

/// \brief What it works in, a row a slot. Cleared once; every call leaves it clear.
struct FrontierState {
  FrontierShape shape;
  ArrayView<float, HostSpace> value;          ///< slots × nodes
  ArrayView<float, HostSpace> passed;         ///< slots × nodes
  ArrayView<float, HostSpace> next;           ///< slots × nodes
  ArrayView<std::uint8_t, HostSpace> tier;    ///< slots × nodes
  ArrayView<std::uint32_t, HostSpace> mark;   ///< slots × nodes
  ArrayView<std::uint32_t, HostSpace> stamp;  ///< slots
  ArrayView<std::uint32_t, HostSpace> last;   ///< slots
  ArrayView<std::uint32_t, HostSpace> lists;  ///< slots × 3 × list
  ArrayView<Rank, HostSpace> keys;            ///< slots × list
};

/// Clears \p state for the first call. Does not fence.
void clear_frontier(const HostSpace& exec_space, const FrontierState& state);

/// \brief Spreads every query of \p sources whose frontier stays small; the bits are those of
/// `spread_hop`: a row that the frontier does not reach has the sum 0. Does not fence.
///
/// Complexity: the out-edges of each frontier and the in-edges of what they reach.
/// \param out_offsets,out_targets the out-edges of every node \param sources a query each, every
/// node at most once \param ranks `sources × top`, `rank_none` beyond what exists \param done a
/// query each: 1 where it was answered, else 0 and its ranks are not written
void spread_frontier(const HostSpace& exec_space, const GraphRows<Kokkos::HostSpace>& graph,
                     const ArrayView<const std::uint64_t, HostSpace>& out_offsets,
                     const ArrayView<const std::uint32_t, HostSpace>& out_targets,
                     const FrontierState& state,
                     std::span<const std::span<const Activation>> sources,
                     const HopParameters& parameters, const Decay& decay, std::size_t top,
                     std::span<Rank> ranks, std::span<std::uint8_t> done);

}  // namespace Kindred

#endif  // KINDRED_CORE_GRAPH_FRONTIER_HPP
