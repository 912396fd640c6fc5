// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_GRAPH_GRAPH_CHECKS_HPP
#define KINDRED_MATCHER_GRAPH_GRAPH_CHECKS_HPP

#include "GraphSnapshot.hpp"

#include <kindred/backends/impl/HostWorkers.hpp>
#include <kindred/matcher/GraphSpan.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace Kindred::Impl {

/// \brief All that a graph is made of. Returns how many edges have a weight outside [0, 1].
/// \throws InvalidArgument for the first edge that is wrong
std::uint64_t check_graph(const GraphSpan& graph, const GraphOptions& options,
                          const HostWorkers& workers);
/// \brief Edges that are added to \p graph. \throws InvalidArgument
void check_edges(const GraphSnapshot& graph, std::span<const Edge> edges,
                 std::span<const std::uint8_t> kinds);
/// \throws InvalidArgument where \p more nodes beside \p nodes cannot be numbered
void check_nodes(std::size_t nodes, std::uint64_t more, std::size_t kinds);

/// An edge whose weight is outside [0, 1], for a message. \p graph has one
std::string describe_outside(const GraphView<Kokkos::HostSpace>& graph);

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_GRAPH_GRAPH_CHECKS_HPP
