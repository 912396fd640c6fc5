// SPDX-License-Identifier: Apache-2.0
#include "LayerSupport.hpp"

namespace Kindred::Testing::Seeds::SeedTelemetryTest {

/// Passes ordinary values through a layer, and returns their moments.
std::vector<SeedMoments> seen_by(SeedLayer& layer, std::size_t rows,
                                 const SeedForwardOptions& options) {
  const auto x = random_rows(float32, rows, layer.hidden());
  const auto placed = placed_rows(Impl::host_instance(context(), Space::serial), x, layer.hidden());
  layer.forward(placed, placed, options);
  return Reference::seed_moments(layer.hidden(), layer.seeds(), x);
}

TEST(SeedTelemetry, KeepsTheLastEpochsAndMergesThem) {
  constexpr std::uint32_t hidden = 20, seeds = 7, kept = 3;
  for (const Space space : spaces()) {
    SeedLayer layer(context(), options_of(hidden, seeds, kept));
    EXPECT_FALSE(layer.has_telemetry());
    EXPECT_THROW(layer.telemetry(), NotFound);
    std::vector<std::vector<SeedMoments>> seen;
    for (int epoch = 0; epoch < 8; ++epoch) {
      if (epoch > 0) layer.step();
      EXPECT_THROW(layer.telemetry(), NotFound) << "before the first forward pass";
      seen.push_back(seen_by(layer, (1 + epoch % 3) * 30, on(space)));
      for (std::uint32_t age = 0; age < kept; ++age) {
        EXPECT_EQ(layer.has_telemetry(age), static_cast<int>(age) <= epoch);
        if (static_cast<int>(age) > epoch) continue;
        layer.start_telemetry(age);
        EXPECT_EQ(layer.telemetry(age), telemetry_of(seen[seen.size() - 1 - age]));
      }
    }
    EXPECT_THROW(layer.telemetry(kept), NotFound);
    EXPECT_THROW(layer.start_telemetry(kept), NotFound);
    EXPECT_FALSE(layer.has_telemetry(kept));
    const auto reduced = layer.reduce_telemetry(kept, 2, 4);
    std::vector<SeedMoments> each;
    for (std::uint32_t seed = 2; seed < 6; ++seed) {
      const std::vector<SeedMoments> epochs{seen[5][seed], seen[6][seed], seen[7][seed]};
      each.push_back(Reference::merged(epochs));
      EXPECT_EQ(reduced.each[seed - 2], telemetry_of(each.back()));
    }
    EXPECT_EQ(reduced.whole, telemetry_of(Reference::merged(each)));
    EXPECT_THROW(layer.reduce_telemetry(0, 0, 1), InvalidArgument);
    EXPECT_THROW(layer.reduce_telemetry(kept + 1, 0, 1), InvalidArgument);
    EXPECT_THROW(layer.reduce_telemetry(1, 7, 1), InvalidArgument);
    EXPECT_THROW(layer.reduce_telemetry(1, 8, 0), InvalidArgument);
    layer.step();
    EXPECT_EQ(layer.reduce_telemetry(1, 0, seeds).whole.count, 0U) << "an epoch without forwards";
  }
}

TEST(SeedTelemetry, MergesTheForwardsOfAnEpochIfRequested) {
  constexpr std::uint32_t hidden = 12, seeds = 5;
  SeedLayer layer(context(), options_of(hidden, seeds, 2));
  for (int epoch = 0; epoch < 3; ++epoch) {
    std::vector<SeedMoments> expected(seeds);
    for (int batch = 0; batch < 3; ++batch) {
      // Each forward pass runs on another space: the slot migrates.
      SeedForwardOptions options = on(spaces()[(epoch + batch) % spaces().size()]);
      options.telemetry = SeedTelemetryUse::merged;
      const auto own = seen_by(layer, 70, options);
      for (std::uint32_t i = 0; i < seeds; ++i)
        expected[i] = Reference::merged(std::vector<SeedMoments>{expected[i], own[i]});
    }
    EXPECT_EQ(layer.telemetry(0), telemetry_of(expected));
    seen_by(layer, 1, {.telemetry = SeedTelemetryUse::none, .space = Space::serial});
    EXPECT_EQ(layer.telemetry(0), telemetry_of(expected));
    layer.step();
  }
  SeedLayer without(context(), options_of(hidden, seeds, 0));
  seen_by(without, 1, {});
  EXPECT_THROW(without.telemetry(), NotFound);
}

}  // namespace Kindred::Testing::Seeds::SeedTelemetryTest
