// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_GRAPH_PAGE_RANK_HPP
#define KINDRED_CORE_GRAPH_PAGE_RANK_HPP

#include <kindred/core/graph/Hop.hpp>

#include <cstddef>
#include <cstdint>

namespace Kindred {

/// \brief Personalised PageRank: p = α(Pᵀp + d·r) + (1 − α)r, where P moves along out-edges in
/// proportion to their weights, d is the mass of nodes without any and r is where walks restart.
///
/// W(u) is the canonical sum of u's out-weights; u is dangling if that is 0. An iterate is stored
/// as z(u) = p(u)·(1 / W(u)), of a dangling node p(u), rounded to `Value`, and from there on p(u)
/// means z(u)·W(u). An iteration makes α·Σ z(u)·w + (α·d + (1 − α))·r(v), the sum canonical over
/// v's in-edges, d canonical over all nodes in order. p₀ = r. It ends with the first residual
/// ‖p_{t+1} − p_t‖₁, canonical over all nodes, that is within the tolerance. All in double.
///
/// Floats as `Value` serve tolerances from 1e-6 and W within `float_out_weights`.
struct PageRankParameters {
  double damping = 0.85;  ///< α
  double tolerance = 1e-6;
  std::uint32_t iteration = 1;  ///< from 1
};

/// Least tolerance that iterates of float32 are stored for: their rounding moves p by 6e-8.
inline constexpr double float_tolerance = 1e-6;
/// Least and greatest positive W(u) for which p(u) / W(u) stays far within float32.
inline constexpr double float_out_weights[2] = {0x1p-40, 0x1p40};

/// \brief Where the queries of a batch restart. Owned by someone else.
template <class ExecutionSpace>
struct RestartRows {
  ArrayView<const std::uint64_t, ExecutionSpace> named;   ///< bit v: a query restarts at node v
  ArrayView<const std::uint32_t, ExecutionSpace> before;  ///< a word: bits set in those before it
  ArrayView<const double, ExecutionSpace> shares;         ///< a row of `width` a named node: r

  KOKKOS_INLINE_FUNCTION bool is_named(std::size_t node) const {
    return (named(node / 64) >> node % 64 & 1U) != 0;
  }
  /// The row of \p node, which is named.
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

/// How far a query has come.
struct PageRankProgress {
  double residual = 0;
  double restart = 0;  ///< α·d + (1 − α) of the next iteration
  std::uint32_t iterations = 0;
  std::uint32_t is_done = 0;  ///< its iterate stays as it is
};

/// \brief What PageRank keeps between iterations; `nodes × width` values, those of a node side by
/// side.
template <class ExecutionSpace, class Value>
struct PageRankState {
  HopWidth width = HopWidth::one;
  std::size_t nodes = 0;
  ArrayView<Value, ExecutionSpace> current;  ///< z
  ArrayView<Value, ExecutionSpace> next;
  ArrayView<const double, ExecutionSpace> out_weights;  ///< W, 0 of a dangling node
  ArrayView<const double, ExecutionSpace> inverses;     ///< 1 / W, 1 of a dangling node
  RestartRows<ExecutionSpace> restart;
  ArrayView<double, ExecutionSpace> partial;             ///< blocks of long rows × width
  ArrayView<double, ExecutionSpace> sums;                ///< `page_rank_sums`
  ArrayView<PageRankProgress, ExecutionSpace> progress;  ///< width
  ArrayView<std::uint32_t, ExecutionSpace> last;  ///< one: the last iteration that left a query
};

/// Doubles that the sums over all nodes are made in.
std::size_t page_rank_sums(std::size_t nodes, HopWidth width);

/// \brief Makes the first iterate of every query, r. Queries from \p queries on are done before
/// they begin. Does not fence. Complexity O(nodes · width).
template <class ExecutionSpace, class Value>
void start_page_rank(const ExecutionSpace& exec_space,
                     const PageRankState<ExecutionSpace, Value>& state, std::size_t queries,
                     const PageRankParameters& parameters);

/// \brief Iteration `parameters.iteration`: from `current` to `next`, and the progress of every
/// query. Does nothing where no query is left. Does not fence. Complexity O((nodes + edges)·width).
template <class ExecutionSpace, class Value>
void page_rank_step(const ExecutionSpace& exec_space,
                    const GraphSide<typename ExecutionSpace::memory_space>& graph,
                    const PageRankState<ExecutionSpace, Value>& state,
                    const PageRankParameters& parameters);

/// \brief Makes columns \p columns of \p from, of \p from_width, the first of `state.current`;
/// further ones are 0. Does not fence. Complexity O(nodes · width).
template <class ExecutionSpace, class Value>
void take_page_rank_columns(const ExecutionSpace& exec_space,
                            const ArrayView<const Value, ExecutionSpace>& from, HopWidth from_width,
                            const ArrayView<const std::uint32_t, ExecutionSpace>& columns,
                            const PageRankState<ExecutionSpace, Value>& state);

/// \brief The rank keys of queries `first_query …` of `state.current`, `nodes` keys a query: p
/// rounded to float32; where that is 0, `rank_none`. Does not fence.
template <class ExecutionSpace, class Value>
void rank_nodes(const ExecutionSpace& exec_space, const PageRankState<ExecutionSpace, Value>& state,
                std::size_t first_query, std::size_t queries,
                const ArrayView<Rank, ExecutionSpace>& keys);
/// As of `SpreadState`.
template <class ExecutionSpace, class Value>
void rank_groups(const ExecutionSpace& exec_space,
                 const PageRankState<ExecutionSpace, Value>& state, std::size_t first_query,
                 std::size_t queries, std::size_t groups,
                 const ArrayView<Rank, ExecutionSpace>& keys);
template <class ExecutionSpace, class Value>
void rank_members(const ExecutionSpace& exec_space,
                  const PageRankState<ExecutionSpace, Value>& state, std::size_t first_query,
                  std::size_t groups, std::size_t top,
                  const ArrayView<const Rank, ExecutionSpace>& best,
                  const ArrayView<Rank, ExecutionSpace>& keys);

}  // namespace Kindred

#endif  // KINDRED_CORE_GRAPH_PAGE_RANK_HPP
