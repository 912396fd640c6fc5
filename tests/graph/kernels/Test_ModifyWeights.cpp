// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <kindred/core/graph/ModifyWeights.hpp>

#include "GraphSupport.hpp"

namespace ModifyWeightsTest {

using namespace Kindred;
using namespace Testing::Graphs;
using Testing::Graphs::Array;

TEST(ModifyWeights, MatchReferenceInBothDirectionsAndWithDeltas) {
  auto generator = Testing::generator("ModifyWeights.reference");
  for (const auto fan : {SpreadModifiers::Fan::Kind::constant, SpreadModifiers::Fan::Kind::inverse,
                         SpreadModifiers::Fan::Kind::inverse_root}) {
    const Graph graph = random_graph(700, true, generator);
    std::vector<std::uint8_t> node_kinds;
    for (std::size_t node = 0; node < graph.nodes; ++node)
      node_kinds.push_back(static_cast<std::uint8_t>(generator() % 10));
    const SpreadModifiers modifiers = SpreadModifiers::engram_fan(fan);
    Graph expected = graph;
    const auto links = Reference::modified(graph.nodes, links_of(graph), node_kinds, modifiers);
    for (std::size_t i = 0; i < links.size(); ++i) expected.edges[i].weight = links[i].weight;
    const Parts out_parts(graph, generator, HopDirection::against);
    for (const HopDirection direction : {HopDirection::along, HopDirection::against}) {
      const Rows target = rows_of(expected, direction);
      for (const Space space : Testing::spaces()) {
        Impl::with_instance(Testing::context(), space, [&](const auto& exec_space) {
          using exec_type = std::decay_t<decltype(exec_space)>;
          const Placed<exec_type> out(exec_space, out_parts);
          const Placed<exec_type> rows(exec_space, Parts(graph, direction));
          const auto kinds = to_space(exec_space, node_kinds);
          const Array<exec_type, float> weights("Kindred::Testing::weights", graph.edges.size());
          modify_weights<exec_type>(exec_space, rows.view().built, direction, out.view(), kinds,
                                    modifiers, weights);
          std::vector<float> found(graph.edges.size());
          Impl::download(exec_space, found.data(), weights, found.size());
          EXPECT_EQ(bits(found), bits(target.weights)) << to_string(space);
        });
      }
    }
  }
}

}  // namespace ModifyWeightsTest
