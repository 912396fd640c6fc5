// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_IO_GRAPH_TEXT_SUPPORT_HPP
#define KINDRED_TESTS_IO_GRAPH_TEXT_SUPPORT_HPP

#include <cstdint>
#include <tuple>

#include "ReaderSupport.hpp"
#include "io/Graph.hpp"

namespace Kindred::Testing::ReaderSupport {

using Triple = std::tuple<std::uint32_t, std::uint32_t, float>;

inline std::vector<Triple> edges(const Graph& graph) {
  std::vector<Triple> out;
  for (const Edge& edge : graph.edges) out.emplace_back(edge.from, edge.to, edge.weight);
  return out;
}

inline std::vector<std::string> names(const NodeNames& nodes) {
  std::vector<std::string> out(nodes.size());
  for (std::uint32_t i = 0; i < nodes.size(); ++i) out[i] = nodes.text(i);
  return out;
}

}  // namespace Kindred::Testing::ReaderSupport

#endif  // KINDRED_TESTS_IO_GRAPH_TEXT_SUPPORT_HPP
