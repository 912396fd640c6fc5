// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_GRAPH_INPUT_HPP
#define KINDRED_TOOLS_IO_GRAPH_INPUT_HPP

#include "io/EdgeList.hpp"
#include "io/Graph.hpp"
#include "io/GraphFields.hpp"

#include <string>

namespace Kindred::Tools {

/// Whether the file name of \p path has the extension of Matrix Market files.
bool is_matrix_market(const std::string& path);
bool is_csv(const std::string& path);

/// \brief Reads a graph from text. The file name determines the format: *.mtx is Matrix Market,
/// *.csv an edge list with commas, any other name an edge list with tabs or spaces.
/// \param path file to read
/// \param range allowed weights
/// \param form format of an edge list; `csv` is ignored
/// \param progress called while reading
/// \param graph nodes that come first, for an edge list
/// \throws InputError with file and line
Graph read_graph(const std::string& path, WeightRange range, EdgeListForm form = {},
                 const ReadProgress& progress = {}, Graph graph = {});

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_GRAPH_INPUT_HPP
