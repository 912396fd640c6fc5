// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_GRAPH_GRAPH_CHECKS_HPP
#define KINDRED_MATCHER_GRAPH_GRAPH_CHECKS_HPP

#include "GraphSnapshot.hpp"

#include <kindred/backends/impl/HostWorkers.hpp>
#include <kindred/matcher/GraphOptions.hpp>
#include <kindred/matcher/GraphSpan.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace Kindred::Impl {

/// \brief Validates all parts of a graph. Returns the number of edges with a weight outside [0, 1].
/// \throws InvalidArgument for the first invalid edge
std::uint64_t check_graph(const GraphSpan& graph, const GraphOptions& options,
                          const HostWorkers& workers);
/// \throws InvalidArgument for a negative share
void check_merge_share(const GraphOptions& options);
/// \brief Validates edges to be added to \p graph. \throws InvalidArgument
void check_edges(const GraphSnapshot& graph, std::span<const Edge> edges,
                 std::span<const std::uint8_t> kinds);
/// \throws InvalidArgument if \p more nodes in addition to \p nodes exceed the range of node
/// numbers
void check_nodes(std::size_t nodes, std::uint64_t more, std::size_t kinds);

/// An edge with a weight outside [0, 1], for a message, which `, outside [0, 1]` continues.
std::string describe_outside(const GraphView<Kokkos::HostSpace>& graph);

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_GRAPH_GRAPH_CHECKS_HPP
