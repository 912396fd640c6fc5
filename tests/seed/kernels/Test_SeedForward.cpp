// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "SeedSupport.hpp"

namespace SeedForwardTest {

using namespace Kindred;
using namespace Testing::Seeds;

/// Checks \p call on every space against the reference, bit for bit.
void expect_reference(const Reference::SeedLayer& layer, const Reference::SeedRows& x,
                      const Call& call, const std::string& what) {
  const Reference::SeedRows y = Reference::seed_forward(layer, x, call.output);
  const auto moments = call.telemetry ? Reference::seed_moments(layer.hidden, layer.seeds.size(), x)
                                      : std::vector<SeedMoments>();
  for (const Space space : Testing::spaces()) {
    Impl::with_instance(Testing::context(), space, [&](const auto& exec_space) {
      const Forward got = forward(exec_space, layer, x, call);
      const std::string where = what + " on " + std::string(to_string(space));
      ASSERT_EQ(got.y.bits, y.bits) << where;
      ASSERT_EQ(difference(got.moments, moments), "") << where;
      ASSERT_TRUE(got.kept_rest) << where << ": wrote between the rows";
    });
  }
}

std::string name(std::size_t hidden, std::size_t seeds, std::size_t rows, DataType in,
                 DataType out) {
  return "hidden " + std::to_string(hidden) + ", seeds " + std::to_string(seeds) + ", rows " +
         std::to_string(rows) + ", " + std::string(to_string(in)) + " to " +
         std::string(to_string(out));
}

TEST(SeedForward, MatchesReferenceInEveryShapeStateModeAndElement) {
  auto generator = Testing::generator("SeedForward.shapes");
  constexpr std::size_t rows_of[] = {1, 2, 7, 8, 9, 31, 63, 64, 65, 130};
  for (std::size_t hidden = 1; hidden <= 130; ++hidden) {
    for (const DataType in : elements) {
      const std::size_t seeds = generator() % 201;
      const std::size_t rows = rows_of[generator() % std::size(rows_of)];
      const auto layer = random_layer(hidden, seeds, 1 + generator() % 3, generator);
      const auto x = random_rows(in, rows, hidden,
                                 generator() % 2 == 0 ? Values::ordinary : Values::all, generator);
      Call call;
      call.output = generator() % 2 == 0 ? in : elements[generator() % 3];
      call.in = {generator() % 3, hidden + generator() % 5};
      call.out = {generator() % 3, hidden + generator() % 5};
      call.shuffled = generator() % 2 == 0;
      expect_reference(layer, x, call, name(hidden, seeds, rows, in, call.output));
      if (HasFatalFailure()) return;
    }
  }
}

TEST(SeedForward, MatchesReferenceInEveryStateAndMode) {
  auto generator = Testing::generator("SeedForward.states");
  for (const DataType type : elements) {
    for (int mode = 0; mode < 4; ++mode) {
      Reference::SeedLayer layer = random_layer(64, 11, 1, generator);
      for (std::size_t i = 0; i < 11; ++i)
        layer.seeds[i] = {static_cast<Lifecycle>(i), static_cast<ApplyMode>(mode), 0.3F, 0};
      const auto x = random_rows(type, 70, 64, Values::all, generator);
      expect_reference(layer, x, {type, {0, 64}, {0, 64}}, "mode " + std::to_string(mode));
    }
  }
}

TEST(SeedForward, AlignedRowsOfManyBlocksMatchReference) {
  auto generator = Testing::generator("SeedForward.blocks");
  struct Shape {
    std::size_t hidden, seeds, rows;
  };
  for (const Shape& shape :
       {Shape{256, 60, 64}, Shape{512, 3, 600}, Shape{384, 1, 1100}, Shape{96, 96, 2500},
        Shape{1000, 7, 260}, Shape{260, 130, 4200}, Shape{4, 9, 9000}}) {
    for (const DataType type : elements) {
      const auto layer = random_layer(shape.hidden, shape.seeds, 2, generator);
      const auto x = random_rows(type, shape.rows, shape.hidden, Values::ordinary, generator);
      expect_reference(layer, x, {type, {0, shape.hidden}, {0, shape.hidden}},
                       name(shape.hidden, shape.seeds, shape.rows, type, type));
    }
  }
}

TEST(SeedForward, WorksInPlaceAndWithoutTelemetry) {
  auto generator = Testing::generator("SeedForward.inplace");
  for (const std::size_t hidden : {5UL, 64UL, 130UL}) {
    for (const DataType type : elements) {
      for (const bool telemetry : {true, false}) {
        const auto layer = random_layer(hidden, 9, 2, generator);
        const auto x = random_rows(type, 200, hidden, Values::all, generator);
        Call call{type, {0, hidden}, {0, hidden}, true, telemetry, false};
        expect_reference(layer, x, call, name(hidden, 9, 200, type, type));
        call.in_place = false;
        expect_reference(layer, x, call, name(hidden, 9, 200, type, type));
      }
    }
  }
}

TEST(SeedForward, AppliesTheModesAsDefined) {
  // x = 2, w = 3, a = 0.5: linear 4, multiplicative 6, additive 5, mixed 2.5.
  Reference::SeedLayer layer{4, {}, {3, 3, 3, 3}};
  for (int mode = 0; mode < 4; ++mode)
    layer.seeds.push_back({Lifecycle::grafting, static_cast<ApplyMode>(mode), 0.5F, 0});
  const Reference::SeedRows x{DataType::float32, 1,
                              std::vector<std::uint32_t>(4, std::bit_cast<std::uint32_t>(2.0F))};
  for (const Space space : Testing::spaces()) {
    Impl::with_instance(Testing::context(), space, [&](const auto& exec_space) {
      const Forward got = forward(exec_space, layer, x, {DataType::float32, {0, 4}, {0, 4}});
      std::vector<float> y;
      for (const std::uint32_t bits : got.y.bits) y.push_back(std::bit_cast<float>(bits));
      EXPECT_EQ(y, (std::vector<float>{4, 6, 5, 2.5F})) << to_string(space);
    });
  }
}

TEST(SeedForward, TelemetryOfEmptyChunksAndNoRowsIsZero) {
  for (const Space space : Testing::spaces()) {
    Impl::with_instance(Testing::context(), space, [&](const auto& exec_space) {
      auto generator = Testing::generator("SeedForward.empty");
      const auto layer = random_layer(3, 5, 1, generator);
      const auto x = random_rows(DataType::float32, 4, 3, Values::ordinary, generator);
      const auto got = forward(exec_space, layer, x, {DataType::float32, {0, 3}, {0, 3}}).moments;
      EXPECT_EQ(got[2].count, 4U);
      EXPECT_EQ(telemetry_of(got[3]), SeedTelemetry());
      EXPECT_EQ(telemetry_of(got[4]), SeedTelemetry());
      const Reference::SeedRows none{DataType::float32, 0, {}};
      for (const SeedMoments& moments :
           forward(exec_space, layer, none, {DataType::float32, {0, 3}, {0, 3}}).moments)
        EXPECT_EQ(moments, SeedMoments()) << to_string(space);
    });
  }
}

TEST(SeedForward, TelemetryIsAsAccurateAsDoubleArithmetic) {
  auto generator = Testing::generator("SeedForward.double");
  // The mean is a million times the deviation: float32 sums of squares would have no correct digit.
  // Short elements are not shifted: their mean is only as accurate as their bits allow.
  struct Case {
    DataType element;
    double mean;
    float zeros;
  };
  for (const Case& inputs :
       {Case{DataType::float32, 0, 0}, Case{DataType::float32, 3, 0},
        Case{DataType::float32, 1e6, 0}, Case{DataType::bfloat16, 0, 0},
        Case{DataType::bfloat16, 250, 250}, Case{DataType::float16, 2000, 2000}}) {
    const DataType element = inputs.element;
    const double mean = inputs.mean;
    std::normal_distribution<float> normal(static_cast<float>(mean), 1);
    const std::size_t hidden = 50;
    const std::size_t rows = 700;
    Reference::SeedRows x{element, rows, {}};
    std::vector<double> values(rows * hidden);
    for (double& value : values) {
      x.bits.push_back(
          Reference::rounded(element, generator() % 10 == 0 ? inputs.zeros : normal(generator)));
      value = Reference::widened(element, x.bits.back());
    }
    const auto layer = random_layer(hidden, 7, 1, generator);
    const auto owner = Reference::seeds_of_features(hidden, 7);
    for (const Space space : Testing::spaces()) {
      Impl::with_instance(Testing::context(), space, [&](const auto& exec_space) {
        const auto got = forward(exec_space, layer, x, {element, {0, hidden}, {0, hidden}});
        for (std::size_t seed = 0; seed < 7; ++seed) {
          long double sum = 0;
          std::size_t count = 0;
          std::size_t dead = 0;
          for (std::size_t i = 0; i < values.size(); ++i) {
            if (owner[i % hidden] != seed) continue;
            sum += values[i];
            dead += std::abs(values[i]) < 1e-8 ? 1 : 0;
            ++count;
          }
          const long double average = sum / static_cast<long double>(count);
          long double squares = 0;
          for (std::size_t i = 0; i < values.size(); ++i) {
            if (owner[i % hidden] == seed) squares += (values[i] - average) * (values[i] - average);
          }
          const SeedTelemetry telemetry = telemetry_of(got.moments[seed]);
          const auto variance = static_cast<double>(squares / static_cast<long double>(count));
          EXPECT_EQ(telemetry.count, count);
          EXPECT_NEAR(telemetry.mean, static_cast<double>(average), 1e-12 * (1 + mean));
          const double cancels = element == DataType::float32 ? 0 : mean * mean / variance;
          EXPECT_NEAR(telemetry.variance, variance, (1e-12 + 0x1p-50 * cancels) * variance);
          EXPECT_EQ(telemetry.dead_ratio, static_cast<double>(dead) / static_cast<double>(count));
        }
      });
    }
  }
}

TEST(SeedForward, TelemetryOfNonFiniteValuesIsDefined) {
  constexpr float inf = std::numeric_limits<float>::infinity();
  const float nan = std::bit_cast<float>(std::uint32_t{0xFFC12345U});
  // One column per seed: one NaN; all NaN; an infinity; NaN and infinity; zeros of both signs.
  const std::vector<std::vector<float>> columns{
      {nan, 1, 3}, {nan, nan, nan}, {inf, 1, 2}, {inf, -inf, 0}, {-0.0F, 0.0F, -0.0F}};
  Reference::SeedRows x{DataType::float32, 3, {}};
  for (std::size_t row = 0; row < 3; ++row) {
    for (const auto& column : columns) x.bits.push_back(std::bit_cast<std::uint32_t>(column[row]));
  }
  Reference::SeedLayer layer{5, std::vector<Reference::Seed>(5), {}};
  for (const Space space : Testing::spaces()) {
    Impl::with_instance(Testing::context(), space, [&](const auto& exec_space) {
      const auto got = forward(exec_space, layer, x, {DataType::float32, {0, 5}, {0, 5}}).moments;
      for (const std::size_t i : {0UL, 1UL, 2UL, 3UL}) {
        EXPECT_EQ(std::bit_cast<std::uint64_t>(got[i].mean), 0x7FF8000000000000U) << i;
        EXPECT_EQ(std::bit_cast<std::uint64_t>(got[i].m2), 0x7FF8000000000000U) << i;
      }
      EXPECT_EQ(got[0].min, 1);
      EXPECT_EQ(got[0].max, 3);
      EXPECT_EQ(std::bit_cast<std::uint32_t>(got[1].min), 0x7FC00000U);
      EXPECT_EQ(std::bit_cast<std::uint32_t>(got[1].max), 0x7FC00000U);
      EXPECT_EQ(got[2].max, inf);
      EXPECT_EQ(got[3].min, -inf);
      EXPECT_EQ(got[3].dead, 1U);
      EXPECT_EQ(got[4].dead, 3U);
      EXPECT_EQ(std::bit_cast<std::uint32_t>(got[4].min), 0U);
      EXPECT_EQ(std::bit_cast<std::uint32_t>(got[4].max), 0U);
    });
  }
}

TEST(SeedForward, RejectsIntegers) {
  Impl::with_instance(Testing::context(), Space::serial, [&](const auto& exec_space) {
    using exec_type = std::decay_t<decltype(exec_space)>;
    SeedRows<const std::byte, exec_type> x;
    SeedRows<std::byte, exec_type> y;
    x.element = DataType::int8;
    EXPECT_THROW((seed_forward<exec_type>(exec_space, {}, {{1, 1}, {}, {}}, 1, x, y, {}, {})),
                 InvalidArgument);
  });
}

}  // namespace SeedForwardTest
