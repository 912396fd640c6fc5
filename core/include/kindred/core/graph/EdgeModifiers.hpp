// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_GRAPH_EDGE_MODIFIERS_HPP
#define KINDRED_CORE_GRAPH_EDGE_MODIFIERS_HPP

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/graph/GraphRows.hpp>
#include <kindred/core/graph/Spreading.hpp>

namespace Kindred {

/// \brief The weights that \p modifiers give the edges of \p rows, as weights for kernels that know
/// nothing of modifiers: a graph is walked many times with the same ones. Does not fence.
/// \param direction along: \p rows are the transpose's \param out the graph itself
/// \param node_kinds a node each; empty: all are of kind 0 \param weights an edge of \p rows each
/// Complexity O(edges).
template <class ExecutionSpace>
void modify_weights(const ExecutionSpace& exec_space,
                    const GraphRows<typename ExecutionSpace::memory_space>& rows,
                    HopDirection direction,
                    const GraphSide<typename ExecutionSpace::memory_space>& out,
                    const ArrayView<const std::uint8_t, ExecutionSpace>& node_kinds,
                    const SpreadModifiers& modifiers,
                    const ArrayView<float, ExecutionSpace>& weights);

}  // namespace Kindred

#endif  // KINDRED_CORE_GRAPH_EDGE_MODIFIERS_HPP
