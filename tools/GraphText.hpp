// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_GRAPH_TEXT_HPP
#define KINDRED_TOOLS_GRAPH_TEXT_HPP

#include "Session.hpp"
#include "io/EdgeList.hpp"
#include "io/Graph.hpp"

#include <kindred/matcher/SpreadingEngine.hpp>

namespace Kindred::Tools {

/// Text files that a graph is read from, and how.
struct GraphText {
  std::string edges;
  std::string nodes;  ///< list of nodes, which come before those of the edges; empty: none
  std::optional<EdgeWeights> weights;
  EdgeListForm form;  ///< of the lines, but for what the weights and the file names determine
  std::vector<CLI::Option*> of_lists;  ///< are for an edge list

  /// The first flag of an edge list that is given; null if none is.
  const CLI::Option* list_flag() const noexcept;
};

/// Adds the flags of \p text except the path of the edges, which the flag \p edges names.
void add_graph_text_flags(CLI::App& command, GraphText& text, const std::string& edges);

/// \brief Reads the files; for Matrix Market only `edges`.
/// \param command for messages
/// \throws UsageError for flags that do not go with the file; InputError with file and line
Graph read_graph_text(const char* command, const GraphText& text, WeightRange range,
                      const Session& session);

/// Warns that nothing can be reached in \p graph if it has no edges. \param path where it is from
void warn_without_edges(const std::string& path, std::uint64_t edges);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_GRAPH_TEXT_HPP
