// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_GRAPH_FRONTIER_HPP
#define KINDRED_CORE_GRAPH_FRONTIER_HPP

#include <kindred/core/graph/Hop.hpp>

#include <cstddef>
#include <cstdint>

namespace Kindred {

/// \brief Sizes of spreading that visits only the rows its frontier reaches: for queries that touch
/// a small part of the graph.
struct FrontierShape {
  std::size_t slots = 0;  ///< queries worked on at once
  std::size_t nodes = 0;
  std::uint64_t budget = 0;  ///< steps after which a query is given up, for whole hops to do

  /// Every edge looked at is a step, and so is the setting up of a row.
  static constexpr std::uint64_t row_steps = 8;

  /// A small part of what whole hops cost, so that giving up costs little.
  template <class ExecutionSpace>
  static std::uint64_t budget_of(std::size_t nodes, std::size_t edges);

  /// Rows, sources among them, that a query can reach within the budget.
  std::size_t rows() const { return budget / (row_steps / 2) + 2; }
};

/// Where the out-edges of a node are.
struct alignas(16) FrontierOut {
  std::uint64_t place = 0;  ///< first edge; the highest bit: of the delta
  std::uint64_t count = 0;
};

/// A row that a query reaches.
struct alignas(16) FrontierRow {
  std::uint64_t place = 0;  ///< first edge; the highest bits: of the delta, not reached before
  std::uint32_t node = 0;
  std::uint32_t count = 0;  ///< edges
  FrontierOut out;          ///< of a device: it asks early for what it may need
};

/// A block of a row that teams of a device sum.
struct FrontierBlock {
  FrontierRow row;
  std::uint32_t block = 0;
  std::uint32_t arrived = 0;  ///< of the first block: blocks of the row that are summed
};

/// What the threads of a slot tell each other.
struct FrontierControl {
  /// What a hop found for the next one to do.
  struct alignas(16) Found {
    std::uint64_t rows = 0;  ///< short ones in the low half, long ones in the high half
    std::uint64_t steps = 0;
    std::uint64_t wide_steps = 0;  ///< made where others may still read `steps`
    std::uint32_t blocks = 0;
    std::uint32_t wide = 0;  ///< nodes whose out-edges the whole group looks at
  };
  Found found[3];
  std::uint32_t barrier_cell = 0;  ///< where teams wait for each other
  std::uint32_t stamp = 0;
  std::uint32_t query = 0;
  std::uint32_t entries = 0;  ///< keys of the last query
};

/// \brief What it works in, a row a slot. Cleared once; every call leaves it clear.
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
  ArrayView<FrontierOut, ExecutionSpace> wide;         ///< slots × wide nodes
  ArrayView<Rank, ExecutionSpace> keys;                ///< slots × keys
};

/// Elements of the arrays of `FrontierState`, a slot.
template <class ExecutionSpace>
struct FrontierSizes {
  std::size_t rows = 0;
  std::size_t long_rows = 0;
  std::size_t blocks = 0;
  std::size_t wide = 0;
  std::size_t keys = 0;

  explicit FrontierSizes(const FrontierShape& shape);
};

/// What is asked of one query.
struct FrontierQuery {
  std::uint32_t first_source = 0;
  std::uint32_t sources = 0;  ///< every node at most once
  HopParameters parameters;   ///< but for `hop` and `decay`
  std::uint32_t first_decay = 0;
};

/// \brief The queries of a call, where the space reads them; few ones travel with the launch.
template <class ExecutionSpace>
struct FrontierQueries {
  static constexpr std::size_t few_sources = 16;
  static constexpr std::size_t few_hops = 16;

  std::size_t count = 0;
  ArrayView<const FrontierQuery, ExecutionSpace> queries;  ///< empty: `only`
  ArrayView<const Activation, ExecutionSpace> sources;
  ArrayView<const float, ExecutionSpace> decays;   ///< D(1) … of each query
  ArrayView<std::uint32_t, ExecutionSpace> taken;  ///< one: queries that slots have taken; from 0
  FrontierQuery only;
  Activation only_sources[few_sources];
  float only_decays[few_hops];

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

/// Best nodes that `spread_small_frontier` ranks at most.
inline constexpr std::size_t small_frontier_top_max = 64;

/// Best nodes that `spread_frontier` ranks itself on a device; where more are asked for it leaves
/// all keys.
inline constexpr std::size_t frontier_top_max = 512;

/// Clears \p state for the first call. Does not fence.
template <class ExecutionSpace>
void clear_frontier(const ExecutionSpace& exec_space, const FrontierState<ExecutionSpace>& state);

/// \brief Spreads every query whose frontier stays small, in one launch; the bits are those of
/// `spread_hop`: a row that the frontier does not reach has the sum 0. Does not fence.
///
/// The frontier only finds the rows that it reaches, by its out-edges; each is then summed whole.
/// Complexity: the out-edges of each frontier and the in-edges of what they reach.
/// \param in,out both directions of the graph \param ranks `queries × top`, `rank_none` beyond what
/// exists; empty: the keys of the query are left in its slot, the first `entries` of its control,
/// `rank_none` among them (at most as many queries as slots) \param done a query each: 1 where it
/// was answered, else 0 and its ranks are not written
template <class ExecutionSpace>
void spread_frontier(const ExecutionSpace& exec_space,
                     const GraphSide<typename ExecutionSpace::memory_space>& in,
                     const GraphSide<typename ExecutionSpace::memory_space>& out,
                     const FrontierState<ExecutionSpace>& state,
                     const FrontierQueries<ExecutionSpace>& queries, std::size_t top,
                     const ArrayView<Rank, ExecutionSpace>& ranks,
                     const ArrayView<std::uint8_t, ExecutionSpace>& done);

/// \brief The same for queries so small that the memories of a cluster's teams hold all of their
/// state: about 6,000 nodes that pass something on and 100,000 out-edges a hop. Needs no
/// `FrontierState`. Does not fence.
///
/// Complexity: as `spread_frontier`; a hop costs four dependent reads of memory and one wait.
/// \param top 1 … `small_frontier_top_max` \param done a query each: 0 where it has outgrown the
/// memories \return false where the space has no clusters; then nothing is written
template <class ExecutionSpace>
bool spread_small_frontier(const ExecutionSpace& exec_space,
                           const GraphSide<typename ExecutionSpace::memory_space>& in,
                           const GraphSide<typename ExecutionSpace::memory_space>& out,
                           const FrontierQueries<ExecutionSpace>& queries, std::size_t top,
                           const ArrayView<Rank, ExecutionSpace>& ranks,
                           const ArrayView<std::uint8_t, ExecutionSpace>& done);

}  // namespace Kindred

#endif  // KINDRED_CORE_GRAPH_FRONTIER_HPP
