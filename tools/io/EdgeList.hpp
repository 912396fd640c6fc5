// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_EDGE_LIST_HPP
#define KINDRED_TOOLS_IO_EDGE_LIST_HPP

#include "io/Graph.hpp"
#include "io/LineReader.hpp"

namespace Kindred::Tools {

/// Whether the first line of a file is a header.
enum class HeaderLine : std::uint8_t {
  automatic,  ///< if the field of the weight is a word
  present,
  absent
};

/// Format of the lines of an edge list.
struct EdgeListForm {
  bool csv = false;         ///< separated by commas
  bool weights = true;      ///< false: every weight is 1; a third field must be a number, which is
                            ///< ignored
  bool kinds = false;       ///< the fourth field is the kind of the edge, 0 … 255
  bool undirected = false;  ///< each line is an edge in both directions
  HeaderLine header = HeaderLine::automatic;
  std::function<void(const std::string&)> note = {};  ///< called for a header that is skipped
};

/// \brief Reads a graph from lines `from to weight` or, all of them, `from to` (weight 1).
///
/// A line that contains a tab is split at tabs (so names may contain spaces), any other line at
/// runs of spaces. CSV lines are split at commas, and fields may be in double quotes. Empty lines
/// and lines that begin with `#` are ignored. Nodes are numbered in order of first appearance.
/// \throws InputError with file and line, also for a first line that may be a header or an edge
Graph read_edge_list(const std::string& path, WeightRange range, const ReadProgress& progress = {},
                     const EdgeListForm& form = {}, Graph graph = {});

/// \brief Adds nodes to \p graph, from lines `node` or `node kind`.
/// \throws InputError with file and line, also for a node that is listed twice
void read_node_list(const std::string& path, bool csv, Graph& graph,
                    const ReadProgress& progress = {});

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_EDGE_LIST_HPP
