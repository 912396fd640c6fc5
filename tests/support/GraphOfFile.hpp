// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_SUPPORT_GRAPH_OF_FILE_HPP
#define KINDRED_TESTS_SUPPORT_GRAPH_OF_FILE_HPP

#include "storage/SectionFile.hpp"

#include <kindred/matcher/SpreadingEngine.hpp>

#include <gtest/gtest.h>

#include <bit>

namespace Kindred::Testing {

/// The graph that is built of the out-edges of the valid file at \p path, whatever else the file
/// contains.
inline SpreadingEngine graph_of_out_edges(Context& context, const std::string& path) {
  const Impl::SectionFile file(path, "graph", 1);
  const auto head = file.section<std::uint64_t>(0, "head");
  const auto offsets = file.section<std::uint64_t>(0, "out.offsets");
  const auto ends = file.section<std::uint32_t>(0, "out.ends");
  const GraphOptions options{.weights = static_cast<EdgeWeights>(head[0])};
  const std::size_t nodes = offsets.size() - 1;
  std::vector<Edge> edges;
  for (std::uint32_t node = 0; node < nodes; ++node) {
    for (std::uint64_t i = offsets[node]; i < offsets[node + 1]; ++i) {
      float weight = 1;
      if (options.weights == EdgeWeights::float32)
        weight = file.section<float>(0, "out.weights")[i];
      if (options.weights == EdgeWeights::bfloat16) {
        const std::uint32_t bits = file.section<std::uint16_t>(0, "out.weights")[i];
        weight = std::bit_cast<float>(bits << 16U);
      }
      edges.push_back({node, ends[i], weight});
    }
  }
  std::vector<std::uint32_t> removed;
  if (file.has(0, "node.removed")) {
    const auto words = file.section<std::uint64_t>(0, "node.removed");
    for (std::uint32_t node = 0; node < nodes; ++node)
      if ((words[node / 64] >> node % 64 & 1U) != 0) removed.push_back(node);
  }
  GraphSpan graph{nodes, edges};
  if (head[3] == 1) graph.edge_kinds = file.section<std::uint8_t>(0, "out.kinds");
  if (head[4] == 1) graph.node_kinds = file.section<std::uint8_t>(0, "node.kinds");
  std::vector<std::uint64_t> name_offsets{0};
  if (head[5] == 1) {
    const auto text = file.section<std::uint8_t>(0, "vocabulary.text");
    for (const std::uint64_t end : file.section<std::uint64_t>(0, "vocabulary.ends"))
      name_offsets.push_back(end);
    graph.names = {name_offsets, {reinterpret_cast<const char*>(text.data()), text.size()}};
  }
  SpreadingEngine engine(context, graph, options);
  engine.remove_nodes(removed);
  return engine;
}

/// Makes the calls of a graph that was loaded from \p path, and compares it with the graph of its
/// out-edges.
inline void expect_whole_graph(Context& context, SpreadingEngine& engine, const std::string& path) {
  const SpreadingEngine model = graph_of_out_edges(context, path);
  EXPECT_EQ(engine.to_bytes(), model.to_bytes());
  const GraphFileInfo info = SpreadingEngine::inspect(path, 1);
  EXPECT_EQ(info.nodes, engine.nodes());
  EXPECT_EQ(info.edges, engine.edges());
  Ragged<Activation> sources;
  std::optional<std::uint32_t> last;
  for (std::uint32_t node = 0; node < engine.nodes(); ++node) {
    if (!engine.has_node(node)) continue;
    last = node;
    if (node % 3 == 0) sources.values.push_back({node, 0.5F});
  }
  sources.close_row();
  const SpreadOptions options{.mode = SpreadMode::linear, .space = Space::serial};
  const SpreadResults found = engine.spread(sources, options);
  const SpreadResults expected = model.spread(sources, options);
  ASSERT_EQ(found.activations.offsets, expected.activations.offsets);
  for (std::size_t i = 0; i < found.activations.values.size(); ++i) {
    EXPECT_EQ(found.activations.values[i].node, expected.activations.values[i].node);
    EXPECT_EQ(std::bit_cast<std::uint32_t>(found.activations.values[i].value),
              std::bit_cast<std::uint32_t>(expected.activations.values[i].value));
  }
  if (last) engine.remove_nodes({{*last}});
  engine.merge();
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_SUPPORT_GRAPH_OF_FILE_HPP
