// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_EDGE_LIST_HPP
#define KINDRED_TOOLS_IO_EDGE_LIST_HPP

#include "io/Graph.hpp"
#include "io/LineReader.hpp"

#include <string>

namespace Kindred::Tools {

/// What the lines of an edge list hold.
struct EdgeListForm {
  bool csv = false;     ///< divided at commas
  bool weights = true;  ///< false: every weight is 1; a third field is a number that is not kept
  bool kinds = false;   ///< a fourth field: the kind of the edge, 0 … 255
};

/// \brief Reads a graph of lines `from to weight`.
///
/// A line with a tab is divided at tabs (names may then have spaces), another at runs of spaces; of
/// CSV at commas, fields may stand in double quotes. Empty lines and lines that begin with `#` are
/// comments. A node has the index of its first appearance. \throws InputError with file and line
Graph read_edge_list(const std::string& path, WeightRange range, const ReadProgress& progress = {},
                     const EdgeListForm& form = {}, Graph graph = {});

/// \brief Reads nodes of their own into \p graph, a line `node` or `node kind` each.
/// \throws InputError with file and line, for a node that stands twice too
void read_node_list(const std::string& path, bool csv, Graph& graph,
                    const ReadProgress& progress = {});

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_EDGE_LIST_HPP
