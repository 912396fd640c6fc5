// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_GRAPH_HOP_HPP
#define KINDRED_CORE_GRAPH_HOP_HPP

#include <kindred/core/arch/Elements.hpp>
#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/common/Alignment.hpp>
#include <kindred/core/common/ArrayView.hpp>
#include <kindred/core/graph/GraphRows.hpp>
#include <kindred/core/graph/Spreading.hpp>
#include <kindred/core/numeric/Rank.hpp>

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

/// \brief The rank keys of the queries from `first_query` on in \p state, `nodes` keys per query; a
/// node of value 0 has `rank_none`. Does not fence.
/// \param state a `SpreadState`, or a `PageRankState`, of whose `current` p is rounded to float32
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace, class State>
void rank_nodes(const ExecutionSpace& exec_space, const State& state, std::size_t first_query,
                std::size_t queries, const ArrayView<Rank, ExecutionSpace>& keys);
/// \brief The best key of every group of nodes, `groups` keys per query: group g has the nodes g, g
/// + groups, … Since keys are distinct, the \p k best nodes of a query are members of its k best
/// groups, so the keys of all nodes need not be written. Does not fence.
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace, class State>
void rank_groups(const ExecutionSpace& exec_space, const State& state, std::size_t first_query,
                 std::size_t queries, std::size_t groups,
                 const ArrayView<Rank, ExecutionSpace>& keys);
/// \brief The keys of the members of the \p top best groups of every query, `top ×
/// group_members(nodes, groups)` per query, some of them `rank_none`. Does not fence.
/// \param best `queries × top` keys from `rank_groups`
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace, class State>
void rank_members(const ExecutionSpace& exec_space, const State& state, std::size_t first_query,
                  std::size_t groups, std::size_t top,
                  const ArrayView<const Rank, ExecutionSpace>& best,
                  const ArrayView<Rank, ExecutionSpace>& keys);
/// Maximum number of nodes per group.
constexpr std::size_t group_members(std::size_t nodes, std::size_t groups) {
  return (nodes + groups - 1) / groups;
}

}  // namespace Kindred

#endif  // KINDRED_CORE_GRAPH_HOP_HPP
