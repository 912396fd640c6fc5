// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_GRAPH_SPREADING_WORLD_HPP
#define KINDRED_TESTS_GRAPH_SPREADING_WORLD_HPP

#include <numeric>

#include "Properties.hpp"
#include "SpreadingSupport.hpp"

namespace Kindred::Testing::Graphs {

/// A graph with loops, parallel edges and nodes without edges, and the sources of queries.
struct World {
  Graph graph;
  Queries queries;
};

/// Some queries, each of some sources; with \p is_one, one query of at most 8.
inline World any_world(const rc::Gen<float>& weight, const rc::Gen<float>& value,
                       bool is_one = false) {
  World world;
  const std::size_t factor = *rc::gen::element(1U, 1U, 1U, 6U);
  world.graph.nodes = *rc::gen::inRange<std::size_t>(1, 40 * factor);
  const auto node =
      rc::gen::inRange<std::uint32_t>(0, static_cast<std::uint32_t>(world.graph.nodes));
  world.graph.edges = *rc::gen::scale(
      static_cast<double>(factor * factor),
      rc::gen::container<std::vector<Edge>>(rc::gen::construct<Edge>(node, node, weight)));
  const auto sources = rc::gen::container<Sources>(rc::gen::construct<Activation>(node, value));
  world.queries = is_one ? Queries{*rc::gen::resize(8, sources)}
                         : *rc::gen::resize(10, rc::gen::container<Queries>(sources));
  return world;
}

/// The same with its nodes in another order. \p place receives the new numbers
inline World renumbered(World world, std::vector<std::uint32_t>& place) {
  place.resize(world.graph.nodes);
  std::iota(place.begin(), place.end(), 0U);
  for (std::size_t i = place.size(); i > 1; --i)
    std::swap(place[i - 1], place[*rc::gen::inRange<std::size_t>(0, i)]);
  for (Edge& edge : world.graph.edges) edge = {place[edge.from], place[edge.to], edge.weight};
  for (Sources& query : world.queries) {
    for (Activation& source : query) source.node = place[source.node];
  }
  return world;
}

/// The answer to the query, one value per node.
inline std::vector<double> values(const World& world, const SpreadOptions& options) {
  return values_of(spread(world.graph, world.queries[0], options), world.graph.nodes);
}

/// Multiples of 1 / \p parts from \p least to \p most.
inline rc::Gen<float> fractions(int least, int most, int parts) {
  return rc::gen::map(rc::gen::inRange(least * parts, most * parts + 1),
                      [=](int n) { return static_cast<float>(n) / static_cast<float>(parts); });
}
/// A graph and a query, with numbers in [0, 1] or, in linear mode, in [−1, 1].
inline World any_query(bool is_linear = false) {
  const auto number = fractions(is_linear ? -1 : 0, 1, 1 << 24);
  return any_world(number, number, true);
}

}  // namespace Kindred::Testing::Graphs

#endif  // KINDRED_TESTS_GRAPH_SPREADING_WORLD_HPP
