// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_GRAPH_FRONTIER_HPP
#define KINDRED_CORE_GRAPH_FRONTIER_HPP

#include <kindred/core/graph/Hop.hpp>

#include <cstddef>
#include <cstdint>

namespace Kindred {

/// \brief Sizes of a spread that visits only the rows its frontier reaches: for queries that touch
/// a small part of the graph.
struct FrontierShape {
  std::size_t slots = 0;  ///< queries processed concurrently
  std::size_t nodes = 0;
  std::uint64_t budget = 0;  ///< steps after which a query is abandoned and left to full hops

  /// Each edge that is visited is one step; setting up a row costs this many.
  static constexpr std::uint64_t row_steps = 8;

  /// A small fraction of the cost of full hops, so that abandoning a query costs little.
  template <class ExecutionSpace>
  static std::uint64_t budget_of(std::size_t nodes, std::size_t edges);

  /// Maximum number of rows, including sources, that a query can reach within the budget.
  std::size_t rows() const { return budget / (row_steps / 2) + 2; }
};

/// The location of a node's out-edges.
struct alignas(16) FrontierOut {
  std::uint64_t place = 0;  ///< first edge; the highest bit marks the delta
  std::uint64_t count = 0;
};

/// A row that a query has reached.
struct alignas(16) FrontierRow {
  /// First edge; the highest bits: it is in the delta, it was not reached before.
  std::uint64_t place = 0;
  std::uint32_t node = 0;
  std::uint32_t count = 0;  ///< edges
  FrontierOut out;          ///< on a device: prefetched out-edges that it may need
};

/// A block of a row that the teams of a device sum.
struct FrontierBlock {
  FrontierRow row;
  std::uint32_t block = 0;
  std::uint32_t arrived = 0;  ///< of the first block: number of the row's blocks that are summed
};

/// The state that the threads of a slot share.
struct FrontierControl {
  /// The work that a hop found for the next one.
  struct alignas(16) Found {
    std::uint64_t rows = 0;  ///< short rows in the low half, long rows in the high half
    std::uint64_t steps = 0;
    std::uint64_t hub_steps = 0;  ///< kept separately, since other threads may still read `steps`
    std::uint32_t blocks = 0;
    std::uint32_t hubs = 0;  ///< nodes whose out-edges the whole group visits
  };
  Found found[3];
  std::uint32_t barrier_cell = 0;  ///< the barrier of the teams
  std::uint32_t stamp = 0;
  std::uint32_t query = 0;
  std::uint32_t entries = 0;  ///< keys of the last query
};

/// \brief The workspace of a spread, one row per slot. Cleared once; every call leaves it cleared.
template <class ExecutionSpace>
struct FrontierState {
  FrontierShape shape;
  ArrayView<float, ExecutionSpace> value;              ///< slots × nodes
  ArrayView<float, ExecutionSpace> passed;             ///< slots × 3 × nodes
  ArrayView<std::uint8_t, ExecutionSpace> tier;        ///< slots × nodes
  ArrayView<std::uint32_t, ExecutionSpace> mark;       ///< slots × nodes
  ArrayView<FrontierControl, ExecutionSpace> control;  ///< slots
  ArrayView<FrontierRow, ExecutionSpace> rows;         ///< slots × short_rows
  ArrayView<FrontierRow, ExecutionSpace> long_rows;    ///< slots × long_rows
  ArrayView<FrontierBlock, ExecutionSpace> blocks;     ///< slots × blocks
  ArrayView<double, ExecutionSpace> partial;           ///< slots × blocks
  ArrayView<FrontierOut, ExecutionSpace> hubs;         ///< slots × hubs
  ArrayView<Rank, ExecutionSpace> keys;                ///< slots × keys
};

/// Elements of the arrays of `FrontierState`, per slot.
template <class ExecutionSpace>
struct FrontierSizes {
  std::size_t rows = 0;
  std::size_t long_rows = 0;
  std::size_t blocks = 0;
  std::size_t hubs = 0;
  std::size_t keys = 0;

  explicit FrontierSizes(const FrontierShape& shape);
};

/// The parameters of one query.
struct FrontierQuery {
  std::uint32_t first_source = 0;
  std::uint32_t sources = 0;  ///< each node at most once
  HopParameters parameters;   ///< except `hop` and `decay`
  std::uint32_t first_decay = 0;
};

/// \brief The queries of a call, where the space can read them, and their results. A single small
/// query is passed with the launch (`only`).
template <class ExecutionSpace>
struct FrontierQueries {
  static constexpr std::size_t few_sources = 16;
  static constexpr std::size_t few_hops = 16;

  std::size_t count = 0;
  ArrayView<const FrontierQuery, ExecutionSpace> queries;  ///< empty: `only`
  ArrayView<const Activation, ExecutionSpace> sources;
  ArrayView<const float, ExecutionSpace> decays;  ///< D(1) … of each query
  /// One element: queries that slots have taken, from 0.
  ArrayView<std::uint32_t, ExecutionSpace> taken;
  FrontierQuery only;
  Activation only_sources[few_sources];
  float only_decays[few_hops];
  std::uint32_t top = 0;  ///< the best nodes that are ranked
  /// `count × top`, padded with `rank_none`; empty: see `spread_frontier`
  ArrayView<Rank, ExecutionSpace> ranks;
  /// One per query: 1 if it was completed, else 0, and its ranks are not written.
  ArrayView<std::uint8_t, ExecutionSpace> done;

  KOKKOS_INLINE_FUNCTION FrontierQuery query(std::size_t i) const {
    return is_few() ? only : queries(i);
  }
  KOKKOS_INLINE_FUNCTION Activation source(const FrontierQuery& query, std::uint32_t i) const {
    return is_few() ? only_sources[i] : sources(query.first_source + i);
  }
  /// D(\p hop) of \p query.
  KOKKOS_INLINE_FUNCTION float decay(const FrontierQuery& query, std::uint32_t hop) const {
    const std::uint32_t i = query.first_decay + hop - 1;
    return is_few() ? only_decays[i] : decays(i);
  }

 private:
  KOKKOS_INLINE_FUNCTION bool is_few() const { return queries.extent(0) == 0; }
};

/// Maximum number of best nodes that `spread_small_frontier` ranks.
inline constexpr std::size_t small_frontier_top_max = 64;

/// Maximum number of best nodes that `spread_frontier` ranks itself on a device; if more are
/// requested, it leaves all keys.
inline constexpr std::size_t frontier_top_max = 512;

/// Clears \p state before the first call. Does not fence.
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
void clear_frontier(const ExecutionSpace& exec_space, const FrontierState<ExecutionSpace>& state);

/// \brief Spreads every query whose frontier stays small, in one launch. The results are
/// bit-identical to those of `spread_hop`, since a row that the frontier does not reach has the sum
/// 0. Does not fence.
///
/// The frontier is only used to find, by its out-edges, the rows that it reaches; each of them is
/// then summed completely. Complexity: the out-edges of each frontier and the in-edges of the rows
/// it reaches.
/// \param in,out both directions of the graph
/// \param queries if its `ranks` are empty, the keys of a query are left in its slot, the first
/// `entries` of its control, some of them `rank_none` (at most as many queries as slots)
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
void spread_frontier(const ExecutionSpace& exec_space,
                     const GraphSide<typename ExecutionSpace::memory_space>& in,
                     const GraphSide<typename ExecutionSpace::memory_space>& out,
                     const FrontierState<ExecutionSpace>& state,
                     const FrontierQueries<ExecutionSpace>& queries);

/// \brief The same for queries so small that the shared memories of a cluster's teams hold their
/// whole state: about 6,000 nodes that pass something on and 100,000 out-edges per hop. Needs no
/// `FrontierState`. Does not fence.
///
/// Complexity: as `spread_frontier`; a hop costs four dependent memory reads and one barrier.
/// \param queries ranks 1 … `small_frontier_top_max` nodes; one is not completed if it exceeded the
/// shared memories
/// \return false if the space has no clusters; then nothing is written
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
bool spread_small_frontier(const ExecutionSpace& exec_space,
                           const GraphSide<typename ExecutionSpace::memory_space>& in,
                           const GraphSide<typename ExecutionSpace::memory_space>& out,
                           const FrontierQueries<ExecutionSpace>& queries);

}  // namespace Kindred

#endif  // KINDRED_CORE_GRAPH_FRONTIER_HPP
