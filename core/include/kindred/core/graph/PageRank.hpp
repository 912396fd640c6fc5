// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_GRAPH_PAGE_RANK_HPP
#define KINDRED_CORE_GRAPH_PAGE_RANK_HPP

#include <kindred/core/graph/Hop.hpp>

#include <cstddef>
#include <cstdint>

namespace Kindred {

/// \brief Personalised PageRank: p = α(Pᵀp + d·r) + (1 − α)r, where P moves along out-edges in
/// proportion to their weights, d is the mass of dangling nodes, and r is the restart distribution.
///
/// W(u) is the reproducible sum of u's out-weights; u is dangling if W(u) is 0. An iterate is
/// stored as z(u) = p(u)·(1 / W(u)), or p(u) for a dangling node, rounded to `Value`; from then on
/// p(u) means z(u)·W(u). An iteration computes α·Σ z(u)·w + (α·d + (1 − α))·r(v), with a
/// reproducible sum over v's in-edges, and with d as the reproducible sum over all nodes in order.
/// p₀ = r. Iteration ends with the first residual ‖p_{t+1} − p_t‖₁, summed reproducibly over all
/// nodes, that is within the tolerance. All arithmetic is in double.
///
/// `Value` may be float for tolerances from 1e-6 and W within `float_out_weights`.
struct PageRankParameters {
  double damping = 0.85;  ///< α
  double tolerance = 1e-6;
  std::uint32_t iteration = 1;  ///< from 1
};

/// Smallest tolerance for which iterates are stored as float32, whose rounding changes p by 6e-8.
inline constexpr double float_tolerance = 1e-6;
/// Smallest and largest positive W(u) for which p(u) / W(u) stays well within the range of float32.
inline constexpr double float_out_weights[2] = {0x1p-40, 0x1p40};

/// \brief The restart distributions of a batch of queries. Non-owning.
template <class ExecutionSpace>
struct RestartRows {
  ArrayView<const std::uint64_t, ExecutionSpace> named;  ///< bit v: some query restarts at node v
  /// One per word of `named`: bits set in the preceding words.
  ArrayView<const std::uint32_t, ExecutionSpace> before;
  ArrayView<const double, ExecutionSpace> shares;  ///< one row of `width` per named node: r

  KOKKOS_INLINE_FUNCTION bool is_named(std::size_t node) const {
    return (named(node / 64) >> node % 64 & 1U) != 0;
  }
  /// The row of \p node, which must be named.
  KOKKOS_INLINE_FUNCTION std::size_t row(std::size_t node) const {
    const std::uint64_t lower = named(node / 64) & ((std::uint64_t{1} << node % 64) - 1);
    return before(node / 64) + static_cast<std::size_t>(Kokkos::popcount(lower));
  }
  KOKKOS_INLINE_FUNCTION double share(std::size_t node, std::size_t query,
                                      std::size_t width) const {
    if (!is_named(node)) return 0.0;
    return shares(row(node) * width + query);
  }
};

/// The progress of a query.
struct PageRankProgress {
  double residual = 0;
  double restart = 0;  ///< α·d + (1 − α) of the next iteration
  std::uint32_t iterations = 0;
  std::uint32_t is_done = 0;  ///< its iterate no longer changes
};

/// \brief The state of PageRank between iterations: `nodes × width` values, those of one node
/// adjacent.
template <class ExecutionSpace, class Value>
struct PageRankState {
  HopWidth width = HopWidth::one;
  std::size_t nodes = 0;
  ArrayView<Value, ExecutionSpace> current;  ///< z
  ArrayView<Value, ExecutionSpace> next;
  ArrayView<const double, ExecutionSpace> out_weights;  ///< W, 0 for a dangling node
  ArrayView<const double, ExecutionSpace> inverses;     ///< 1 / W, 1 for a dangling node
  RestartRows<ExecutionSpace> restart;
  ArrayView<double, ExecutionSpace> partial;             ///< blocks of long rows × width
  ArrayView<double, ExecutionSpace> sums;                ///< `page_rank_sums` elements
  ArrayView<PageRankProgress, ExecutionSpace> progress;  ///< width
  /// One element: the last iteration after which a query was unfinished.
  ArrayView<std::uint32_t, ExecutionSpace> last;
};

/// Doubles of workspace for the sums over all nodes.
std::size_t page_rank_sums(std::size_t nodes, HopWidth width);

/// \brief Sets the first iterate of every query to r. Queries from \p queries on are marked as
/// done. Does not fence. Complexity O(nodes · width).
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace, class Value>
void start_page_rank(const ExecutionSpace& exec_space,
                     const PageRankState<ExecutionSpace, Value>& state, std::size_t queries,
                     const PageRankParameters& parameters);

/// \brief Iteration `parameters.iteration`: from `current` to `next`, and the progress of every
/// query. Does nothing if all queries are done. Does not fence. Complexity O((nodes +
/// edges)·width).
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace, class Value>
void page_rank_step(const ExecutionSpace& exec_space,
                    const GraphSide<typename ExecutionSpace::memory_space>& graph,
                    const PageRankState<ExecutionSpace, Value>& state,
                    const PageRankParameters& parameters);

/// \brief Copies columns \p columns of \p from, which has \p from_width columns, to the first
/// columns of `state.current`; the others become 0. Does not fence. Complexity O(nodes · width).
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace, class Value>
void take_page_rank_columns(const ExecutionSpace& exec_space,
                            const ArrayView<const Value, ExecutionSpace>& from, HopWidth from_width,
                            const ArrayView<const std::uint32_t, ExecutionSpace>& columns,
                            const PageRankState<ExecutionSpace, Value>& state);

}  // namespace Kindred

#endif  // KINDRED_CORE_GRAPH_PAGE_RANK_HPP
