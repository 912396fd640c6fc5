// SPDX-License-Identifier: Apache-2.0
#include "SpreadingWorld.hpp"

namespace SpreadingPropertiesTest {

using namespace Kindred;
using namespace Testing::SpreadingSupport;
using Testing::expect_property;

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
  options.damping = *rc::gen::element(0.85, 0.5, 0.0, 0.99);
  options.tolerance = *rc::gen::element(1e-6, 1e-2, 1e-9);
  options.max_iterations = *rc::gen::element(200U, 2000U, 1U, 7U);
  return options;
}

/// Multiples of 1/16 in [0, 1], and a few numbers that are not short sums of powers of two.
rc::Gen<float> unit() {
  return rc::gen::oneOf(
      rc::gen::map(rc::gen::inRange(0, 17), [](int n) { return static_cast<float>(n) / 16; }),
      rc::gen::element(0.1F, 0.01F, 0.05F, 0.7F, 1e-3F, 1e-40F));
}
rc::Gen<float> finite() {
  return rc::gen::oneOf(unit(),
                        rc::gen::element(-1.0F, -0.3F, 2.5F, 1e10F, -1e10F, 3e38F, -3e38F, 1e-30F));
}

/// A world for the mode: PageRank takes weights of any size that are not negative.
World any_world_of(SpreadMode mode) {
  if (mode == SpreadMode::engine) return any_world(unit(), unit());
  if (mode == SpreadMode::linear) return any_world(finite(), finite());
  return any_world(rc::gen::element(0.0F, 1.0F, 0.5F, 0.1F, 1e-3F, 7.0F, 1e4F, 1e-30F, 3e38F),
                   rc::gen::element(1.0F, 0.25F, 0.1F, 3.0F, 1e-20F, 1e30F));
}

constexpr SpreadMode modes[] = {SpreadMode::engine, SpreadMode::linear, SpreadMode::pagerank};

TEST(SpreadingProperties, EveryModeMatchesReference) {
  for (const SpreadMode mode : modes) {
    expect_property("the reference, on every space, to the bit", [&] {
      const World world = any_world_of(mode);
      const SpreadOptions options = any_options(mode);
      const SpreadingEngine engine = engine_of(world.graph);
      const auto expected = bits(reference(world.graph, world.queries, options));
      for (const Space space : Testing::spaces())
        RC_ASSERT(bits(engine.spread(ragged(world.queries), on(space, options))) == expected);
    });
  }
}

TEST(SpreadingProperties, AQueryGivesTheSameAnswerAloneAndInABatch) {
  for (const SpreadMode mode : modes) {
    expect_property("a batch of different queries is its queries, to the bit", [&] {
      const World world = any_world_of(mode);
      SpreadOptions options = any_options(mode);
      std::vector<SpreadQuery> own;
      if (mode != SpreadMode::pagerank && *rc::gen::arbitrary<bool>()) {
        for (std::size_t q = 0; q < world.queries.size(); ++q) {
          const SpreadOptions other = any_options(mode);
          own.push_back({other.hops, other.decay, other.threshold});
        }
      }
      options.per_query = own;
      const SpreadingEngine engine = engine_of(world.graph);
      const auto together = engine.spread(ragged(world.queries), options);
      for (std::size_t q = 0; q < world.queries.size(); ++q) {
        SpreadResults expected;
        expected.activations.push_row(together.activations[q]);
        if (mode == SpreadMode::pagerank) expected.convergence = {together.convergence[q]};
        options.per_query = {};
        if (!own.empty()) {
          options.hops = own[q].hops;
          options.decay = own[q].decay;
          options.threshold = own[q].threshold;
        }
        const auto alone = engine.spread(ragged<Activation>({world.queries[q]}), options);
        RC_ASSERT(bits(alone) == bits(expected));
      }
    });
  }
}

TEST(SpreadingProperties, EngineActivationsLieInZeroOne) {
  expect_property("0 < activation ≤ 1, and no source loses", [] {
    const World world = any_world_of(SpreadMode::engine);
    SpreadOptions options = any_options(SpreadMode::engine);
    options.top = world.graph.nodes;
    const auto results = engine_of(world.graph).spread(ragged(world.queries), options);
    for (std::size_t q = 0; q < world.queries.size(); ++q) {
      for (const Activation& a : results.activations[q]) RC_ASSERT(a.value > 0 && a.value <= 1);
      const auto values = values_of(results.activations[q], world.graph.nodes);
      for (const Activation& source : world.queries[q])
        RC_ASSERT(values[source.node] >= static_cast<double>(source.value));
    }
  });
}

TEST(PageRankProperties, MassIsOne) {
  expect_property("values lie in (0, 1] and their sum is 1", [] {
    const World world = any_world_of(SpreadMode::pagerank);
    SpreadOptions options = any_options(SpreadMode::pagerank);
    options.top = world.graph.nodes;
    const auto results = engine_of(world.graph).spread(ragged(world.queries), options);
    for (std::size_t q = 0; q < world.queries.size(); ++q) {
      double mass = world.queries[q].empty() ? 1 : 0;
      for (const Activation& node : results.activations[q]) {
        RC_ASSERT(node.value > 0.0F && node.value <= 1.0F + 1e-6F);
        mass += static_cast<double>(node.value);
      }
      RC_ASSERT(std::abs(mass - 1) < 1e-7 / (1 - options.damping) + 1e-7);
    }
  });
}

}  // namespace SpreadingPropertiesTest
