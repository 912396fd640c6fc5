// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_GRAPH_FILL_ADJACENCY_HPP
#define KINDRED_CORE_GRAPH_FILL_ADJACENCY_HPP

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/graph/Adjacency.hpp>
#include <kindred/core/graph/Spreading.hpp>

#include <cstdint>
#include <span>

namespace Kindred {

/// \brief Fills \p out with the out-edges of every node in (source, input order) and \p in with its
/// in-edges in (source index, input order), by two stable counting sorts. Fences \p exec_space.
/// Complexity O(nodes + edges): every thread reads all edges and builds the rows of some nodes.
/// \param edges their ends must be below the number of nodes \param kinds one per edge, if kinds
/// are to be filled \param in has the same nonempty columns as \p out
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
void fill_adjacency(const HostSpace& exec_space, std::span<const Edge> edges,
                    const AdjacencySpan& out, const AdjacencySpan& in,
                    std::span<const std::uint8_t> kinds = {});

/// \brief Fills \p in with the in-edges of every node in (source index, order in \p out), by one
/// stable counting sort. Fences \p exec_space. Complexity O(nodes + edges).
/// \param out rows of out-edges, whose ends must be below the number of nodes \param in has the
/// same nonempty columns as \p out
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
void fill_transpose(const HostSpace& exec_space, const ConstAdjacencySpan& out,
                    const AdjacencySpan& in);

}  // namespace Kindred

#endif  // KINDRED_CORE_GRAPH_FILL_ADJACENCY_HPP
