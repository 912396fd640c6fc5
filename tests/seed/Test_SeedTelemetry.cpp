// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <kindred/core/common/Error.hpp>

#include "LayerSupport.hpp"

#include <bit>
#include <random>
#include <vector>

namespace SeedTelemetryTest {

using namespace Kindred;
using namespace Kindred::Testing::Seeds;
using Testing::context;

std::vector<float> values(std::size_t count, std::mt19937_64& generator) {
  std::normal_distribution<float> normal(1, 2);
  std::vector<float> out(count);
  for (float& value : out) value = normal(generator);
  return out;
}

std::vector<SeedMoments> moments_of(std::uint32_t hidden, std::uint32_t seeds,
                                    const std::vector<float>& x) {
  Reference::SeedRows rows{DataType::float32, x.size() / hidden, {}};
  for (const float value : x) rows.bits.push_back(std::bit_cast<std::uint32_t>(value));
  return Reference::seed_moments(hidden, seeds, rows);
}

TEST(SeedTelemetry, KeepsTheLastEpochsAndMergesThem) {
  auto generator = Testing::generator("SeedTelemetry.Epochs");
  constexpr std::uint32_t hidden = 20, seeds = 7, kept = 3;
  for (const Space space : Testing::spaces()) {
    SeedLayer layer(context(), options_of(hidden, seeds, kept));
    EXPECT_FALSE(layer.has_telemetry());
    EXPECT_THROW(layer.telemetry(), NotFound);
    std::vector<std::vector<SeedMoments>> seen;
    for (int epoch = 0; epoch < 8; ++epoch) {
      if (epoch > 0) layer.step();
      EXPECT_THROW(layer.telemetry(), NotFound) << "before the first forward pass";
      const auto x = values((1 + epoch % 3) * 30 * hidden, generator);
      std::vector<float> y(x.size());
      layer.forward(std::span(x), std::span(y), on(space));
      seen.push_back(moments_of(hidden, seeds, x));
      for (std::uint32_t age = 0; age < kept; ++age) {
        EXPECT_EQ(layer.has_telemetry(age), static_cast<int>(age) <= epoch);
        if (static_cast<int>(age) > epoch) continue;
        layer.start_telemetry(age);
        const auto returned = layer.telemetry(age);
        for (std::uint32_t i = 0; i < seeds; ++i)
          EXPECT_EQ(returned[i], Kindred::telemetry_of(seen[seen.size() - 1 - age][i]));
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
      EXPECT_EQ(reduced.each[seed - 2], Kindred::telemetry_of(each.back()));
    }
    EXPECT_EQ(reduced.whole, Kindred::telemetry_of(Reference::merged(each)));
    EXPECT_THROW(layer.reduce_telemetry(0, 0, 1), InvalidArgument);
    EXPECT_THROW(layer.reduce_telemetry(kept + 1, 0, 1), InvalidArgument);
    EXPECT_THROW(layer.reduce_telemetry(1, 7, 1), InvalidArgument);
    EXPECT_THROW(layer.reduce_telemetry(1, 8, 0), InvalidArgument);
    layer.step();
    EXPECT_EQ(layer.reduce_telemetry(1, 0, seeds).whole.count, 0U) << "an epoch without forwards";
  }
}

TEST(SeedTelemetry, MergesTheForwardsOfAnEpochIfRequested) {
  auto generator = Testing::generator("SeedTelemetry.Merged");
  constexpr std::uint32_t hidden = 12, seeds = 5;
  SeedLayer layer(context(), options_of(hidden, seeds, 2));
  for (int epoch = 0; epoch < 3; ++epoch) {
    std::vector<SeedMoments> expected(seeds);
    for (int batch = 0; batch < 3; ++batch) {
      // Each forward pass runs on another space: the slot migrates.
      SeedForwardOptions options =
          on(Testing::spaces()[(epoch + batch) % Testing::spaces().size()]);
      options.telemetry = SeedTelemetryUse::merged;
      const auto x = values(70 * hidden, generator);
      std::vector<float> y(x.size());
      layer.forward(std::span(x), std::span(y), options);
      const auto own = moments_of(hidden, seeds, x);
      for (std::uint32_t i = 0; i < seeds; ++i)
        expected[i] =
            batch == 0 ? own[i] : Reference::merged(std::vector<SeedMoments>{expected[i], own[i]});
    }
    const auto returned = layer.telemetry();
    for (std::uint32_t i = 0; i < seeds; ++i)
      EXPECT_EQ(returned[i], Kindred::telemetry_of(expected[i]));
    SeedForwardOptions none = on(Space::serial);
    none.telemetry = SeedTelemetryUse::none;
    const auto x = values(hidden, generator);
    std::vector<float> y(x.size());
    layer.forward(std::span(x), std::span(y), none);
    EXPECT_EQ(layer.telemetry(), returned);
    layer.step();
  }
  SeedLayer without(context(), options_of(hidden, seeds, 0));
  const auto x = values(hidden, generator);
  std::vector<float> y(x.size());
  without.forward(std::span(x), std::span(y));
  EXPECT_THROW(without.telemetry(), NotFound);
}

}  // namespace SeedTelemetryTest
