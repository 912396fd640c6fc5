// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/graph/ModifyWeights.hpp>

#include "GraphSupport.hpp"

namespace ModifyWeightsTest {

using namespace Kindred;
using namespace Testing::Graphs;

TEST(ModifyWeights, MatchReferenceInBothDirectionsAndWithDeltas) {
  auto generator = Testing::generator("ModifyWeights.reference");
  for (const auto fan : {SpreadModifiers::Fan::Kind::constant, SpreadModifiers::Fan::Kind::inverse,
                         SpreadModifiers::Fan::Kind::inverse_root}) {
    Graph graph = graph_for(SpreadMode::engine, 700, generator);
    graph.node_kinds = random_kinds(graph.nodes, 10, generator);
    const SpreadModifiers modifiers = SpreadModifiers::engram_fan(fan);
    Graph modified = graph;
    const auto links = links_of(graph, modifiers);
    for (std::size_t i = 0; i < links.size(); ++i) modified.edges[i].weight = links[i].weight;
    const Parts out_parts(graph, generator, HopDirection::against);
    for (const HopDirection direction : directions) {
      const auto expected = bits_of(rows_of(modified, direction).weights);
      on_spaces([&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
        SpaceArrays<ExecutionSpace> arrays(exec_space);
        const auto out = placed(arrays, out_parts);
        const auto side = placed(arrays, Parts(graph, direction));
        const auto weights = arrays.template zeros<float>(graph.edges.size());
        modify_weights<ExecutionSpace>(exec_space, side.built, direction, out,
                                       arrays.copy(graph.node_kinds), modifiers, weights);
        EXPECT_EQ(bits_of(to_host(exec_space, weights)), expected);
      });
    }
  }
}

}  // namespace ModifyWeightsTest
