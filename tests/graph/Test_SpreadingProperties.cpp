// SPDX-License-Identifier: Apache-2.0
#include "SpreadingWorld.hpp"

namespace Kindred::Testing::Graphs::SpreadingPropertiesTest {

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
  options.tolerance = *rc::gen::element(1e-6, 1e-2, 1e-9, 0.0);
  options.max_iterations = *rc::gen::element(200U, 2000U, 1U, 2U, 7U);
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

TEST(SpreadingProperties, EveryModeMatchesReferenceInABatchAndAlone) {
  for (const SpreadMode mode : modes) {
    expect_property("the reference, on every space, to the bit", [&] {
      const World world = any_world_of(mode);
      SpreadOptions options = any_options(mode);
      const bool has_own = mode != SpreadMode::pagerank && *rc::gen::arbitrary<bool>();
      std::vector<SpreadQuery> own;
      for (std::size_t q = 0; has_own && q < world.queries.size(); ++q)
        own.push_back(common_query(any_options(mode)));
      const SpreadingEngine engine = engine_of(world.graph);
      const auto matches = [&](const Queries& queries, std::span<const SpreadQuery> of_queries) {
        options.per_query = of_queries;
        const auto expected = bits(reference(world.graph, queries, options));
        for (const Space space : spaces())
          RC_ASSERT(bits(engine.spread(ragged(queries), on(space, options))) == expected);
      };
      matches(world.queries, own);
      for (std::size_t q = 0; q < world.queries.size(); ++q)
        matches({world.queries[q]}, std::span(own).subspan(has_own ? q : 0, has_own ? 1 : 0));
    });
  }
}

}  // namespace Kindred::Testing::Graphs::SpreadingPropertiesTest
