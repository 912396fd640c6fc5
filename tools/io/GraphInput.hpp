// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_GRAPH_INPUT_HPP
#define KINDRED_TOOLS_IO_GRAPH_INPUT_HPP

#include "io/EdgeList.hpp"
#include "io/Graph.hpp"

#include <string>

namespace Kindred::Tools {

/// Whether the name of \p path ends as those of that layout do.
bool is_matrix_market(const std::string& path);
bool is_csv(const std::string& path);

/// \brief Reads a graph from text, whose layout is told by its name: *.mtx is Matrix Market, *.csv
/// an edge list divided by commas, another one divided by tabs or spaces.
/// \param form without `csv` \param graph whose nodes come first, of an edge list
/// \throws InputError with file and line
Graph read_graph(const std::string& path, WeightRange range, EdgeListForm form = {},
                 const ReadProgress& progress = {}, Graph graph = {});

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_GRAPH_INPUT_HPP
