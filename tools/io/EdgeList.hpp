// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_EDGE_LIST_HPP
#define KINDRED_TOOLS_IO_EDGE_LIST_HPP

#include "io/Graph.hpp"
#include "io/LineReader.hpp"

#include <string>

namespace Kindred::Tools {

/// \brief Reads a graph of lines `from to weight`.
///
/// A line with a tab is divided at tabs (names may then have spaces), another at runs of spaces.
/// Empty lines and lines that begin with `#` are comments. A node has the index of its first
/// appearance. \throws InputError with file and line
Graph read_edge_list(const std::string& path, WeightRange range, const ReadProgress& progress = {});

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_EDGE_LIST_HPP
