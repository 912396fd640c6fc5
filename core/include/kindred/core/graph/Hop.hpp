// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_GRAPH_HOP_HPP
#define KINDRED_CORE_GRAPH_HOP_HPP

#include <kindred/core/arch/Elements.hpp>
#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/common/Alignment.hpp>
#include <kindred/core/common/ArrayView.hpp>
#include <kindred/core/graph/GraphRows.hpp>
#include <kindred/core/graph/Spreading.hpp>
#include <kindred/core/select/TopK.hpp>

#include <cstddef>
#include <cstdint>

namespace Kindred {

/// Number of queries that a hop processes together: their values of a node are adjacent in memory,
/// so that one read of an edge serves all of them.
enum class HopWidth : std::uint8_t { one = 1, eight = 8, thirty_two = 32 };
/// The smallest width that holds \p queries, which must be at most 32.
constexpr HopWidth width_of(std::size_t queries) noexcept {
  return queries == 1 ? HopWidth::one : queries <= 8 ? HopWidth::eight : HopWidth::thirty_two;
}

/// Edges of the longest row that one work item of \p ExecutionSpace sums, \see plan_rows.
template <class ExecutionSpace>
std::uint64_t short_row_max();

/// Bytes of which the address of the \p x of `hop` must be a multiple on \p ExecutionSpace: a
/// device copies the values of a node 16 bytes at a time.
template <class ExecutionSpace>
inline constexpr std::size_t hop_alignment = Arch::is_device<ExecutionSpace> ? access_bytes_max
                                                                             : sizeof(float);

/// \brief Sparse matrix–vector product `y = Wᵀx` over the rows of the transpose, or `y = W x` over
/// those of the graph itself: reproducible sums rounded to float32 once, NaN as 0x7FC00000. Does
/// not fence. Complexity O((nodes + edges) · width).
/// \param x,y `nodes × width` values, those of one node adjacent; x is aligned to `hop_alignment`
/// \param partial `graph.blocks() × width` \param kind_queries see `SpreadState`
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
void hop(const ExecutionSpace& exec_space,
         const GraphSide<typename ExecutionSpace::memory_space>& graph, HopWidth width,
         const ArrayView<const float, ExecutionSpace>& x, const ArrayView<float, ExecutionSpace>& y,
         const ArrayView<double, ExecutionSpace>& partial,
         const ArrayView<const std::uint32_t, ExecutionSpace>& kind_queries =
             ArrayView<const std::uint32_t, ExecutionSpace>());

/// Some columns of a row-major matrix. Non-owning.
template <class T, class ExecutionSpace>
struct Columns {
  ArrayView<T, ExecutionSpace> values;
  std::size_t width = 0;  ///< of the matrix
  std::size_t first = 0;
};

/// \brief Copies \p count columns of a matrix to one that has as many rows, and sets the \p cleared
/// columns behind them to 0. Does not fence. Complexity O(rows · (count + cleared)).
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
void copy_columns(const ExecutionSpace& exec_space,
                  const Columns<const float, ExecutionSpace>& from,
                  const Columns<float, ExecutionSpace>& to, std::size_t count,
                  std::size_t cleared = 0);

/// Words of `SpreadState::last`.
inline constexpr std::size_t hop_marks = 8 * 1025;

/// \brief The state of spreading between hops: `nodes × width` values, those of one node adjacent.
template <class ExecutionSpace>
struct SpreadState {
  HopWidth width = HopWidth::one;
  ArrayView<float, ExecutionSpace> value;        ///< activation, or the sum in linear mode
  ArrayView<float, ExecutionSpace> passed;       ///< δ, or x in linear mode, of the last hop
  ArrayView<float, ExecutionSpace> next;         ///< the same of this hop
  ArrayView<std::uint8_t, ExecutionSpace> tier;  ///< used in engine mode
  ArrayView<double, ExecutionSpace> partial;     ///< blocks of long rows × width
  /// `hop_marks` words; the first is the last hop after which δ or x was not 0.
  ArrayView<std::uint32_t, ExecutionSpace> last;
  /// Replaces `passed` and `next` for 32 queries: rounded to bfloat16, which changes the results.
  ArrayView<Arch::BFloat16, ExecutionSpace> short_passed;
  ArrayView<Arch::BFloat16, ExecutionSpace> short_next;
  /// One word for each of 256 kinds of edges: bit q is set if query q uses the kind; an edge of
  /// another kind contributes +0. Empty: every query uses every edge.
  ArrayView<const std::uint32_t, ExecutionSpace> kind_queries;
};

/// The parameters of one hop.
struct HopParameters {
  SpreadMode mode = SpreadMode::engine;
  std::uint32_t hop = 1;     ///< d, from 1
  std::uint32_t hops = 1;    ///< H
  float decay = 1;           ///< D(d)
  float thresholds[3] = {};  ///< by tier, rounded to float32
};

/// \brief Starts spreading: sets every value to 0, then the values of the sources. Does not fence.
/// \param places `node * width + query`, without duplicates \param values of the sources at these
/// places
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
void start_spreading(const ExecutionSpace& exec_space, const SpreadState<ExecutionSpace>& state,
                     const ArrayView<const std::uint64_t, ExecutionSpace>& places,
                     const ArrayView<const float, ExecutionSpace>& values);

/// \brief Performs hop `parameters.hop` from `passed` to `next` and updates every node, as
/// `SpreadMode` defines. Does nothing if the previous hop left no nonzero δ or x. Does not fence.
/// Complexity O((nodes + edges) · width).
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
void spread_hop(const ExecutionSpace& exec_space,
                const GraphSide<typename ExecutionSpace::memory_space>& graph,
                const SpreadState<ExecutionSpace>& state, const HopParameters& parameters);

/// Keys of workspace that `rank_nodes` needs for \p shape.
template <class ExecutionSpace, class State>
std::size_t rank_nodes_workspace(const TopKShape& shape);

/// \brief The ranks of the best nodes of the queries from `first_query` on in \p state; a node of
/// value 0 has none. Does not fence.
/// \param state a `SpreadState`, or a `PageRankState`, of whose `current` p is rounded to float32
/// \param shape queries, the nodes of the state, and ranks per query
/// \param best `rows × k`, ascending, padded with `rank_none` \param workspace at least
/// `rank_nodes_workspace` keys, not shared with a call that may still run
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace, class State>
void rank_nodes(const ExecutionSpace& exec_space, const State& state, std::size_t first_query,
                const TopKShape& shape, const ArrayView<Rank, ExecutionSpace>& best,
                const ArrayView<Rank, ExecutionSpace>& workspace);

}  // namespace Kindred

#endif  // KINDRED_CORE_GRAPH_HOP_HPP
