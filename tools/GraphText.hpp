// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_GRAPH_TEXT_HPP
#define KINDRED_TOOLS_GRAPH_TEXT_HPP

#include "Session.hpp"
#include "io/GraphInput.hpp"

#include <CLI/CLI.hpp>

#include <string>

namespace Kindred::Tools {

/// Text files that a graph is read from.
struct GraphText {
  std::string edges;
  std::string nodes;    ///< list of nodes, which come before those of the edges; empty: none
  bool weights = true;  ///< false: every weight is 1
  bool kinds = false;   ///< lines have a fourth field
};

/// Adds --nodes, which complements the flag \p edges.
CLI::Option* add_nodes_flag(CLI::App& command, std::string& nodes, const std::string& edges);

/// \brief Reads the files; for Matrix Market only `edges`. \throws InputError with file and line
Graph read_graph_text(const GraphText& text, WeightRange range, const Session& session);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_GRAPH_TEXT_HPP
