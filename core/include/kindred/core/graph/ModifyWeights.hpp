// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_GRAPH_MODIFY_WEIGHTS_HPP
#define KINDRED_CORE_GRAPH_MODIFY_WEIGHTS_HPP

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/graph/GraphRows.hpp>
#include <kindred/core/graph/Spreading.hpp>

namespace Kindred {

/// \brief Applies \p modifiers to the weights of \p rows, for kernels that do not support modifiers
/// when a graph is traversed many times with the same ones. Does not fence. Complexity O(edges).
/// \param direction along: \p rows belong to the transpose \param out the graph itself
/// \param node_kinds one per node; empty: all are of kind 0 \param weights one per edge of \p rows
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
void modify_weights(const ExecutionSpace& exec_space,
                    const GraphRows<typename ExecutionSpace::memory_space>& rows,
                    HopDirection direction,
                    const GraphSide<typename ExecutionSpace::memory_space>& out,
                    const ArrayView<const std::uint8_t, ExecutionSpace>& node_kinds,
                    const SpreadModifiers& modifiers,
                    const ArrayView<float, ExecutionSpace>& weights);

}  // namespace Kindred

#endif  // KINDRED_CORE_GRAPH_MODIFY_WEIGHTS_HPP
