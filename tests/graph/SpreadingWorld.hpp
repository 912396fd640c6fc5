// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_GRAPH_SPREADING_WORLD_HPP
#define KINDRED_TESTS_GRAPH_SPREADING_WORLD_HPP

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "Properties.hpp"
#include "SpreadingSupport.hpp"

namespace Kindred::Testing::SpreadingSupport {

/// A graph with loops and parallel edges whose weights come from \p weight, and the sources of a
/// query.
struct SpreadingWorld {
  Graph graph;
  Sources sources;
};

inline SpreadingWorld any_world(const rc::Gen<float>& weight, const rc::Gen<float>& value) {
  SpreadingWorld world;
  world.graph.nodes = *rc::gen::inRange<std::size_t>(1, 40);
  const auto node =
      rc::gen::inRange<std::uint32_t>(0, static_cast<std::uint32_t>(world.graph.nodes));
  world.graph.edges =
      *rc::gen::container<std::vector<Edge>>(rc::gen::construct<Edge>(node, node, weight));
  world.sources =
      *rc::gen::resize(8, rc::gen::container<Sources>(rc::gen::construct<Activation>(node, value)));
  return world;
}

/// Any number in [0, 1].
inline rc::Gen<float> unit() {
  return rc::gen::map(rc::gen::inRange(0, 1 << 24),
                      [](int n) { return std::ldexp(static_cast<float>(n), -24); });
}

inline std::vector<double> values_of(const Answer& answer, std::size_t nodes) {
  std::vector<double> values(nodes);
  for (const Activation& node : answer) values[node.node] = static_cast<double>(node.value);
  return values;
}
/// The answer to the query, one value per node.
inline std::vector<double> values(const SpreadingWorld& world, const SpreadOptions& options) {
  return values_of(spread(world.graph, world.sources, options), world.graph.nodes);
}

}  // namespace Kindred::Testing::SpreadingSupport

#endif  // KINDRED_TESTS_GRAPH_SPREADING_WORLD_HPP
