// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_GRAPH_IMPL_PAGE_RANK_PARTS_HPP
#define KINDRED_CORE_GRAPH_IMPL_PAGE_RANK_PARTS_HPP

#include <kindred/core/graph/PageRank.hpp>

namespace Kindred::Impl {

/// The first part of an iteration: from `state.current` to `state.next`. Does not fence.
template <class ExecutionSpace, class Value>
void hop_page_rank(const ExecutionSpace& exec_space,
                   const GraphSide<typename ExecutionSpace::memory_space>& graph,
                   const PageRankState<ExecutionSpace, Value>& state,
                   const PageRankParameters& parameters);

/// \brief The second part, from `state.current` to \p after: the residual of every query, what its
/// next iteration restarts with, and whether it is done. Does not fence.
template <class ExecutionSpace, class Value>
void sum_page_rank(const ExecutionSpace& exec_space,
                   const PageRankState<ExecutionSpace, Value>& state, const Value* after,
                   const PageRankParameters& parameters);

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_GRAPH_IMPL_PAGE_RANK_PARTS_HPP
