// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/SpreadingEngine.hpp>
#include <kindred/reference/Reference.hpp>

#include <bit>

#include "Properties.hpp"
#include "RaggedRows.hpp"

namespace SpreadingPropertiesTest {

using namespace Kindred;
using Testing::expect_property;

/// A small graph with loops and parallel edges, and the sources of a few queries.
struct World {
  std::size_t nodes = 1;
  std::vector<Edge> edges;
  std::vector<std::vector<Activation>> sources;

  std::vector<Reference::Link> links() const {
    std::vector<Reference::Link> list;
    for (const Edge& edge : edges) list.push_back({edge.from, edge.to, edge.weight});
    return list;
  }
};

World any_world(const rc::Gen<float>& weight, const rc::Gen<float>& value) {
  World world;
  world.nodes = *rc::gen::inRange<std::size_t>(1, 40);
  const auto node = rc::gen::inRange<std::uint32_t>(0, static_cast<std::uint32_t>(world.nodes));
  world.edges =
      *rc::gen::container<std::vector<Edge>>(rc::gen::construct<Edge>(node, node, weight));
  world.sources = *rc::gen::resize(6, rc::gen::container<std::vector<std::vector<Activation>>>(
                                          rc::gen::container<std::vector<Activation>>(
                                              rc::gen::construct<Activation>(node, value))));
  return world;
}

SpreadOptions any_options(SpreadMode mode) {
  SpreadOptions options;
  options.mode = mode;
  options.hops = *rc::gen::inRange<std::uint32_t>(0, 7);
  options.decay =
      *rc::gen::element(Decay{}, Decay{Decay::Kind::exponential, 0.1},
                        Decay{Decay::Kind::power, 0.5}, Decay{Decay::Kind::linear, 0.25},
                        Decay{Decay::Kind::constant, 1.0}, Decay{Decay::Kind::constant, 0.3});
  options.threshold = *rc::gen::element<std::optional<double>>(std::nullopt, 0.0, 0.02, 0.25);
  options.top = *rc::gen::element<std::size_t>(1, 10, 1000);
  return options;
}

Reference::SpreadSettings settings(const SpreadOptions& options) {
  return {options.hops, options.decay, options.threshold};
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> bits(std::span<const Activation> row) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (const Activation& a : row) pairs.emplace_back(a.node, std::bit_cast<std::uint32_t>(a.value));
  return pairs;
}

void equals_reference(const World& world, SpreadOptions options) {
  const std::vector<Reference::Link> links = world.links();
  const SpreadingEngine engine(Testing::context(), {world.nodes, world.edges});
  for (const Space space : Testing::spaces()) {
    options.space = space;
    const SpreadResults results = engine.spread(Testing::ragged(world.sources), options);
    RC_ASSERT(results.activations.rows() == world.sources.size());
    for (std::size_t q = 0; q < world.sources.size(); ++q) {
      std::vector<Reference::Node> sources;
      for (const Activation& source : world.sources[q])
        sources.push_back({source.node, source.value});
      const std::vector<float> values =
          options.mode == SpreadMode::engine
              ? Reference::spread_engine(world.nodes, links, sources, settings(options))
              : Reference::spread_linear(world.nodes, links, sources, settings(options));
      std::vector<Activation> expected;
      for (const Reference::Node& node : Reference::ranked_nodes(values, options.top))
        expected.push_back({node.node, node.value});
      RC_ASSERT(bits(results.activations[q]) == bits(expected));
    }
  }
}

/// Multiples of 1/16 in [0, 1], and a few numbers that are not short sums of powers of two.
rc::Gen<float> unit() {
  return rc::gen::oneOf(
      rc::gen::map(rc::gen::inRange(0, 17), [](int n) { return static_cast<float>(n) / 16; }),
      rc::gen::element(0.1F, 0.01F, 0.05F, 0.7F, 1e-3F, 1e-40F));
}

TEST(SpreadingProperties, EngineModeMatchesReference) {
  expect_property("engine mode equals the reference on every space, to the bit", [] {
    equals_reference(any_world(unit(), unit()), any_options(SpreadMode::engine));
  });
}

TEST(SpreadingProperties, LinearModeMatchesReference) {
  const auto weight = rc::gen::oneOf(
      unit(), rc::gen::element(-1.0F, -0.3F, 2.5F, 1e10F, -1e10F, 3e38F, -3e38F, 1e-30F));
  expect_property("linear mode equals the reference on every space, to the bit", [&] {
    equals_reference(any_world(weight, weight), any_options(SpreadMode::linear));
  });
}

TEST(SpreadingProperties, AQueryGivesTheSameAnswerAloneAndInABatch) {
  expect_property("a batch is its queries", [] {
    const World world = any_world(unit(), unit());
    const SpreadOptions options = any_options(SpreadMode::engine);
    const SpreadingEngine engine(Testing::context(), {world.nodes, world.edges});
    const SpreadResults together = engine.spread(Testing::ragged(world.sources), options);
    for (std::size_t q = 0; q < world.sources.size(); ++q) {
      const SpreadResults alone =
          engine.spread(Testing::ragged<Activation>({world.sources[q]}), options);
      RC_ASSERT(bits(alone.activations[0]) == bits(together.activations[q]));
    }
  });
}

TEST(SpreadingProperties, QueriesWithIndividualHopsAndDecaysGiveTheSameAnswersAsAlone) {
  expect_property("a batch of different queries is its queries, to the bit", [] {
    const World world = any_world(unit(), unit());
    SpreadOptions options = any_options(*rc::gen::element(SpreadMode::engine, SpreadMode::linear));
    const SpreadingEngine engine(Testing::context(), {world.nodes, world.edges});
    std::vector<SpreadQuery> queries;
    for (std::size_t q = 0; q < world.sources.size(); ++q) {
      const SpreadOptions own = any_options(options.mode);
      queries.push_back({own.hops, own.decay, own.threshold});
    }
    options.per_query = queries;
    const SpreadResults together = engine.spread(Testing::ragged(world.sources), options);
    for (std::size_t q = 0; q < world.sources.size(); ++q) {
      SpreadOptions alone = options;
      alone.per_query = {};
      alone.hops = queries[q].hops;
      alone.decay = queries[q].decay;
      alone.threshold = queries[q].threshold;
      const SpreadResults one =
          engine.spread(Testing::ragged<Activation>({world.sources[q]}), alone);
      RC_ASSERT(bits(one.activations[0]) == bits(together.activations[q]));
    }
  });
}

TEST(SpreadingProperties, EngineActivationsLieInZeroOne) {
  expect_property("0 < activation ≤ 1, and no source loses", [] {
    const World world = any_world(unit(), unit());
    SpreadOptions options = any_options(SpreadMode::engine);
    options.top = world.nodes;
    const SpreadingEngine engine(Testing::context(), {world.nodes, world.edges});
    const SpreadResults results = engine.spread(Testing::ragged(world.sources), options);
    for (std::size_t q = 0; q < world.sources.size(); ++q) {
      std::vector<float> act(world.nodes, 0.0F);
      for (const Activation& a : results.activations[q]) {
        RC_ASSERT(a.value > 0.0F);
        RC_ASSERT(a.value <= 1.0F);
        act[a.node] = a.value;
      }
      for (const Activation& source : world.sources[q]) RC_ASSERT(act[source.node] >= source.value);
    }
  });
}

}  // namespace SpreadingPropertiesTest
