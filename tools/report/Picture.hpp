// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_REPORT_PICTURE_HPP
#define KINDRED_TOOLS_REPORT_PICTURE_HPP

#include <cstddef>
#include <string>
#include <vector>

namespace Kindred::Tools {

struct ReportNode {
  std::string name;
  double value = 0;        ///< determines the shade
  bool is_source = false;  ///< is in the first column
};

struct ReportEdge {
  std::size_t from = 0;  ///< index of a node
  std::size_t to = 0;
  double weight = 0;  ///< determines the width
};

/// \brief Nodes of a graph and the edges between them.
struct ReportPicture {
  std::string title;
  std::string note;
  std::vector<ReportNode> nodes;  ///< sources first, then best first
  std::vector<ReportEdge> edges;
};

/// \brief Appends the picture: sources in the first column, then the nodes that one edge leads to,
/// and so on. The position of a node depends on the nodes and edges alone.
void append_picture(std::string& out, const ReportPicture& picture);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_REPORT_PICTURE_HPP
