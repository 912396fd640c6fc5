// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <kindred/core/common/Error.hpp>

#include "LayerSupport.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace SeedTelemetryTest {

using namespace Kindred;
using namespace Testing::Seeds;

/// Passes normal values through a layer, and returns their moments.
std::vector<SeedMoments> seen_by(SeedLayer& layer, std::size_t rows, std::mt19937_64& generator,
                                 const SeedForwardOptions& options) {
  std::normal_distribution<float> normal(1, 2);
  std::vector<float> x(rows * layer.hidden()), y(x.size());
  for (float& value : x) value = normal(generator);
  layer.forward(x, y, options);
  Reference::SeedRows of_x{float32, rows, {}};
  for (const float value : x) of_x.bits.push_back(std::bit_cast<std::uint32_t>(value));
  return Reference::seed_moments(layer.hidden(), layer.seeds(), of_x);
}

void expect_telemetry(SeedLayer& layer, std::uint32_t age, const std::vector<SeedMoments>& seen) {
  const auto returned = layer.telemetry(age);
  ASSERT_EQ(returned.size(), seen.size());
  for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(returned[i], telemetry_of(seen[i]));
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
      seen.push_back(seen_by(layer, (1 + epoch % 3) * 30, generator, on(space)));
      for (std::uint32_t age = 0; age < kept; ++age) {
        EXPECT_EQ(layer.has_telemetry(age), static_cast<int>(age) <= epoch);
        if (static_cast<int>(age) > epoch) continue;
        layer.start_telemetry(age);
        expect_telemetry(layer, age, seen[seen.size() - 1 - age]);
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
      const auto own = seen_by(layer, 70, generator, options);
      for (std::uint32_t i = 0; i < seeds; ++i)
        expected[i] =
            batch == 0 ? own[i] : Reference::merged(std::vector<SeedMoments>{expected[i], own[i]});
    }
    expect_telemetry(layer, 0, expected);
    seen_by(layer, 1, generator, {.telemetry = SeedTelemetryUse::none, .space = Space::serial});
    expect_telemetry(layer, 0, expected);
    layer.step();
  }
  SeedLayer without(context(), options_of(hidden, seeds, 0));
  seen_by(without, 1, generator, {});
  EXPECT_THROW(without.telemetry(), NotFound);
}

/// The telemetry of rows, which dormant seeds copy, on every space.
template <class Check>
void check_telemetry(const Reference::SeedRows& x, std::uint32_t hidden, std::uint32_t seeds,
                     const Check& check) {
  const auto rows = placed_rows(Impl::host_instance(context(), Space::serial), x, hidden);
  for (const Space space : Testing::spaces()) {
    SCOPED_TRACE(to_string(space));
    SeedLayer layer(context(), options_of(hidden, seeds));
    layer.forward(rows, rows, on(space));
    check(layer.telemetry());
  }
}

TEST(SeedTelemetry, IsAsAccurateAsDoubleArithmetic) {
  auto generator = Testing::generator("SeedTelemetry.double");
  // The mean is a million times the deviation: float32 sums of squares would have no correct digit.
  // Short elements are not shifted: their mean is only as accurate as their bits allow.
  struct Case {
    DataType element;
    double mean;
    float zeros;
  };
  for (const auto& [element, mean, zeros] :
       {Case{float32, 0, 0}, Case{float32, 3, 0}, Case{float32, 1e6, 0}, Case{bfloat16, 0, 0},
        Case{bfloat16, 250, 250}, Case{float16, 2000, 2000}}) {
    std::normal_distribution<float> normal(static_cast<float>(mean), 1);
    const std::uint32_t hidden = 50, seeds = 7, rows = 700;
    const auto owner = Reference::seeds_of_features(hidden, seeds);
    Reference::SeedRows x{element, rows, {}};
    std::vector<double> of_seed[seeds];
    for (std::size_t i = 0; i < rows * hidden; ++i) {
      x.bits.push_back(
          Reference::rounded(element, generator() % 10 == 0 ? zeros : normal(generator)));
      of_seed[owner[i % hidden]].push_back(Reference::widened(element, x.bits.back()));
    }
    const double cancelled = element == float32 ? 0 : mean * mean;
    check_telemetry(x, hidden, seeds, [&, mean = mean](const std::vector<SeedTelemetry>& got) {
      for (std::size_t seed = 0; seed < seeds; ++seed) {
        const auto count = static_cast<long double>(of_seed[seed].size());
        long double average = 0, squares = 0;
        double dead = 0;
        for (const double value : of_seed[seed]) average += value / count;
        for (const double value : of_seed[seed]) {
          squares += (value - average) * (value - average);
          dead += std::abs(value) < 1e-8 ? 1 : 0;
        }
        const auto variance = static_cast<double>(squares / count);
        EXPECT_EQ(got[seed].count, of_seed[seed].size());
        EXPECT_NEAR(got[seed].mean, static_cast<double>(average), 1e-12 * (1 + mean));
        EXPECT_NEAR(got[seed].variance, variance, 1e-12 * variance + 0x1p-50 * cancelled);
        EXPECT_EQ(got[seed].dead_ratio, dead / static_cast<double>(count));
      }
    });
  }
}

TEST(SeedTelemetry, OfNonFiniteValuesIsDefined) {
  constexpr float inf = std::numeric_limits<float>::infinity();
  const float nan = std::bit_cast<float>(std::uint32_t{0xFFC12345U});
  // One column per seed: one NaN; all NaN; an infinity; NaN and infinity; zeros of both signs.
  Reference::SeedRows x{float32, 3, {}};
  for (const float value : {nan, nan, inf, inf, -0.0F,  //
                            1.0F, nan, 1.0F, -inf, 0.0F, 3.0F, nan, 2.0F, 0.0F, -0.0F})
    x.bits.push_back(std::bit_cast<std::uint32_t>(value));
  check_telemetry(x, 5, 5, [&](const std::vector<SeedTelemetry>& got) {
    for (const std::size_t i : {0UL, 1UL, 2UL, 3UL}) {
      EXPECT_EQ(std::bit_cast<std::uint64_t>(got[i].mean), 0x7FF8000000000000U) << i;
      EXPECT_EQ(std::bit_cast<std::uint64_t>(got[i].variance), 0x7FF8000000000000U) << i;
    }
    EXPECT_EQ(got[0].min, 1);
    EXPECT_EQ(got[0].max, 3);
    EXPECT_EQ(std::bit_cast<std::uint32_t>(got[1].min), 0x7FC00000U);
    EXPECT_EQ(std::bit_cast<std::uint32_t>(got[1].max), 0x7FC00000U);
    EXPECT_EQ(got[2].max, inf);
    EXPECT_EQ(got[3].min, -inf);
    EXPECT_EQ(got[3].dead_ratio, 1.0 / 3);
    EXPECT_EQ(got[4].dead_ratio, 1);
    EXPECT_EQ(std::bit_cast<std::uint32_t>(got[4].min), 0U);
    EXPECT_EQ(std::bit_cast<std::uint32_t>(got[4].max), 0U);
  });
}

}  // namespace SeedTelemetryTest
