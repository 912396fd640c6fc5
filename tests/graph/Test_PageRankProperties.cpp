// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/SpreadingEngine.hpp>
#include <kindred/reference/Reference.hpp>

#include <bit>
#include <cmath>
#include <numeric>

#include "Properties.hpp"
#include "RaggedRows.hpp"

namespace PageRankPropertiesTest {

using namespace Kindred;
using Testing::expect_property;

/// A small graph with loops, parallel edges and nodes without out-edges, and a few queries.
struct World {
  std::size_t nodes = 1;
  std::vector<Edge> edges;
  std::vector<std::vector<Activation>> queries;
  SpreadOptions options;

  std::vector<Reference::Link> links() const {
    std::vector<Reference::Link> list;
    for (const Edge& edge : edges) list.push_back({edge.from, edge.to, edge.weight});
    return list;
  }
};

World any_world() {
  World world;
  world.nodes = *rc::gen::inRange<std::size_t>(1, 40);
  const auto node = rc::gen::inRange<std::uint32_t>(0, static_cast<std::uint32_t>(world.nodes));
  const auto weight = rc::gen::element(0.0F, 1.0F, 0.5F, 0.1F, 1e-3F, 7.0F, 1e4F, 1e-30F, 3e38F);
  const auto value = rc::gen::element(1.0F, 0.25F, 0.1F, 3.0F, 1e-20F, 1e30F);
  world.edges =
      *rc::gen::container<std::vector<Edge>>(rc::gen::construct<Edge>(node, node, weight));
  world.queries =
      *rc::gen::resize(12, rc::gen::container<std::vector<std::vector<Activation>>>(
                               rc::gen::nonEmpty(rc::gen::container<std::vector<Activation>>(
                                   rc::gen::construct<Activation>(node, value)))));
  world.options.mode = SpreadMode::pagerank;
  world.options.top = world.nodes;
  world.options.damping = *rc::gen::element(0.85, 0.5, 0.0, 0.99);
  world.options.tolerance = *rc::gen::element(1e-6, 1e-2, 1e-9);
  world.options.max_iterations = *rc::gen::element(200U, 2000U, 1U, 7U);
  return world;
}

SpreadResults answers(const World& world, const SpreadOptions& options) {
  const SpreadingEngine engine(Testing::context(), {world.nodes, world.edges});
  return engine.spread(Testing::ragged(world.queries), options);
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> bits(std::span<const Activation> row) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (const Activation& a : row) pairs.emplace_back(a.node, std::bit_cast<std::uint32_t>(a.value));
  return pairs;
}

TEST(PageRankProperties, MatchesReference) {
  expect_property("the reference, on every space, to the bit", [] {
    World world = any_world();
    const auto links = world.links();
    for (const Space space : Testing::spaces()) {
      world.options.space = space;
      const SpreadResults results = answers(world, world.options);
      for (std::size_t q = 0; q < world.queries.size(); ++q) {
        std::vector<Reference::Node> sources;
        for (const Activation& source : world.queries[q])
          sources.push_back({source.node, source.value});
        const auto target = Reference::page_rank(
            world.nodes, links, sources,
            {world.options.damping, world.options.tolerance, world.options.max_iterations});
        std::vector<Activation> expected;
        for (const Reference::Node& node :
             Reference::ranked_nodes(target.values, world.options.top))
          expected.push_back({node.node, node.value});
        RC_ASSERT(bits(results.activations[q]) == bits(expected));
        RC_ASSERT(results.convergence[q].iterations == target.iterations);
        RC_ASSERT(results.convergence[q].residual == target.residual);
      }
    }
  });
}

TEST(PageRankProperties, MassIsOne) {
  expect_property("values lie in (0, 1] and their sum is 1", [] {
    const World world = any_world();
    const SpreadResults results = answers(world, world.options);
    for (std::size_t q = 0; q < world.queries.size(); ++q) {
      double mass = 0;
      for (const Activation& node : results.activations[q]) {
        RC_ASSERT(node.value > 0.0F);
        RC_ASSERT(node.value <= 1.0F + 1e-6F);
        mass += static_cast<double>(node.value);
      }
      RC_ASSERT(std::abs(mass - 1) < 1e-7 / (1 - world.options.damping) + 1e-7);
    }
  });
}

TEST(PageRankProperties, ABatchEqualsItsQueries) {
  expect_property("a batch is its queries, to the bit", [] {
    const World world = any_world();
    const SpreadResults together = answers(world, world.options);
    for (std::size_t q = 0; q < world.queries.size(); ++q) {
      World one = world;
      one.queries = {world.queries[q]};
      const SpreadResults alone = answers(one, world.options);
      RC_ASSERT(bits(alone.activations[0]) == bits(together.activations[q]));
      RC_ASSERT(alone.convergence[0] == together.convergence[q]);
    }
  });
}

TEST(PageRankProperties, NodeNumberingDoesNotMatter) {
  expect_property("a permutation of the nodes permutes the answer, within 1e-6", [] {
    World world = any_world();
    world.options.tolerance = 1e-9;
    world.options.max_iterations = 5000;
    std::vector<std::uint32_t> place(world.nodes);
    std::iota(place.begin(), place.end(), 0U);
    for (std::size_t i = place.size(); i > 1; --i)
      std::swap(place[i - 1], place[*rc::gen::inRange<std::size_t>(0, i)]);
    World moved = world;
    for (Edge& edge : moved.edges) edge = {place[edge.from], place[edge.to], edge.weight};
    for (auto& query : moved.queries) {
      for (Activation& source : query) source.node = place[source.node];
    }
    const SpreadResults before = answers(world, world.options);
    const SpreadResults after = answers(moved, world.options);
    for (std::size_t q = 0; q < world.queries.size(); ++q) {
      std::vector<float> values(world.nodes, 0.0F);
      for (const Activation& node : after.activations[q]) values[node.node] = node.value;
      for (const Activation& node : before.activations[q])
        RC_ASSERT(std::abs(values[place[node.node]] - node.value) < 1e-6F);
    }
  });
}

}  // namespace PageRankPropertiesTest
