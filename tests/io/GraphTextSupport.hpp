// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_IO_GRAPH_TEXT_SUPPORT_HPP
#define KINDRED_TESTS_IO_GRAPH_TEXT_SUPPORT_HPP

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "MessageOf.hpp"
#include "TempFolder.hpp"
#include "io/Graph.hpp"
#include "program/Errors.hpp"

namespace Kindred::Testing {

using Triple = std::tuple<std::uint32_t, std::uint32_t, float>;

inline std::vector<Triple> edges(const Tools::Graph& graph) {
  std::vector<Triple> out;
  for (const Edge& edge : graph.edges) out.emplace_back(edge.from, edge.to, edge.weight);
  return out;
}

inline std::vector<std::string> names(const Tools::NodeNames& nodes) {
  std::vector<std::string> out(nodes.size());
  for (std::uint32_t i = 0; i < nodes.size(); ++i) nodes.append(out[i], i);
  return out;
}

/// The error message for \p text, without the path, of a reader that must reject it.
template <class Reader>
std::string refusal(const TempFolder& folder, const std::string& text, const Reader& reader) {
  const auto path = folder.write("g", text);
  const auto message = message_of<Tools::InputError>([&] { reader(path); });
  EXPECT_THAT(message, ::testing::StartsWith(path + ":"));
  return message.substr(std::min(message.size(), path.size() + 1));
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_IO_GRAPH_TEXT_SUPPORT_HPP
