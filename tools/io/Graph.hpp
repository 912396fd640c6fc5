// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_GRAPH_HPP
#define KINDRED_TOOLS_IO_GRAPH_HPP

#include "io/NodeNames.hpp"

#include <kindred/matcher/SpreadingEngine.hpp>

#include <vector>

namespace Kindred::Tools {

/// \brief A graph as read from a file.
struct Graph {
  NodeNames nodes;
  std::vector<Edge> edges;               ///< in the order of the file
  std::vector<std::uint8_t> edge_kinds;  ///< one per edge, if kinds are read
  std::vector<std::uint8_t> node_kinds;  ///< one per node, or empty
};

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_GRAPH_HPP
