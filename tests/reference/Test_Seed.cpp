// SPDX-License-Identifier: Apache-2.0
#include "ReferenceSupport.hpp"

namespace Kindred::Testing::SeedTest {

Reference::SeedRows floats(std::size_t rows, const std::vector<float>& values) {
  Reference::SeedRows out{DataType::float32, rows, {}};
  for (const float value : values) out.bits.push_back(bits(value));
  return out;
}

TEST(ReferenceSeed, WidensAndRoundsShortElements) {
  using enum DataType;
  struct Case {
    DataType type;
    float value;
    std::uint32_t bits;
  };
  for (const Case& c : {Case{float16, 65519.996F, 0x7BFF},
                        {float16, 65520.0F, 0x7C00},
                        {float16, 2049.0F, 0x6800},  // between 2048 and 2050
                        {float16, 0x1p-25F, 0},
                        {float16, 0x1.8p-25F, 1},
                        {float16, -5.0F, 0xC500},
                        {bfloat16, 3.140625F, 0x4049},
                        {bfloat16, std::bit_cast<float>(0x3F808000U), 0x3F80},
                        {bfloat16, std::bit_cast<float>(0x3F818000U), 0x3F82},
                        {bfloat16, std::numeric_limits<float>::max(), 0x7F80},
                        {float16, std::bit_cast<float>(0xFFC12345U), 0x7E00},
                        {bfloat16, std::bit_cast<float>(0xFFC12345U), 0x7FC0},
                        {float32, std::bit_cast<float>(0xFFC12345U), 0x7FC00000}})
    EXPECT_EQ(Reference::rounded(c.type, c.value), c.bits) << c.value;
  EXPECT_EQ(Reference::widened(float16, 0x0001), 0x1p-24F);
  EXPECT_EQ(Reference::widened(bfloat16, 0x0001), std::bit_cast<float>(0x00010000U));
  EXPECT_TRUE(std::isnan(Reference::widened(float16, 0x7C01)));
  for (const DataType type : {float16, bfloat16}) {
    for (std::uint32_t element = 0; element < 65536; ++element) {
      const float value = Reference::widened(type, element);
      if (!std::isnan(value)) {
        ASSERT_EQ(Reference::rounded(type, value), element);
      }
    }
  }
}

TEST(ReferenceSeed, ModesAndStatesByHand) {
  // w = 3, a = 0.5; x = 2.
  const std::vector<float> of_modes{4, 6, 5, 2.5F};
  for (int code = 0; code < 11; ++code) {
    const auto state = static_cast<Lifecycle>(code);
    for (int mode = 0; mode < 4; ++mode) {
      const Reference::SeedLayer layer{1, {{state, static_cast<ApplyMode>(mode), 0.5F, 0}}, {3}};
      const auto y = Reference::seed_forward(layer, floats(1, {2}), DataType::float32);
      float expected = 2;
      if (code >= 3 && code <= 6) expected = of_modes[static_cast<std::size_t>(mode)];
      if (code == 7) expected = mode == 0 ? 6 : of_modes[static_cast<std::size_t>(mode)];
      EXPECT_EQ(y.bits[0], bits(expected)) << to_string(state) << ", mode " << mode;
    }
  }
  // Without a blueprint nothing is applied, and the payload of a NaN is preserved.
  const Reference::SeedLayer none{
      1, {{Lifecycle::grafting, ApplyMode::additive, 1, seed_none}}, {3}};
  const Reference::SeedRows x{DataType::float32, 1, {0xFFC12345U}};
  EXPECT_EQ(Reference::seed_forward(none, x, DataType::float32).bits[0], 0xFFC12345U);
}

std::vector<SeedTelemetry> telemetry(std::size_t hidden, std::size_t seeds,
                                     const Reference::SeedRows& x) {
  std::vector<SeedTelemetry> out;
  for (const SeedMoments& moments : Reference::seed_moments(hidden, seeds, x))
    out.push_back(telemetry_of(moments));
  return out;
}

TEST(ReferenceSeed, TelemetryIsAsAccurateAsDoubleArithmetic) {
  using enum DataType;
  auto generator = Testing::generator("ReferenceSeed.double");
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
    const std::size_t hidden = 50, seeds = 7, rows = 700;
    const auto owner = Reference::seeds_of_features(hidden, seeds);
    Reference::SeedRows x{element, rows, {}};
    std::vector<double> of_seed[seeds];
    for (std::size_t i = 0; i < rows * hidden; ++i) {
      x.bits.push_back(
          Reference::rounded(element, generator() % 10 == 0 ? zeros : normal(generator)));
      of_seed[owner[i % hidden]].push_back(Reference::widened(element, x.bits.back()));
    }
    const auto found = telemetry(hidden, seeds, x);
    for (std::size_t seed = 0; seed < seeds; ++seed) {
      const auto count = static_cast<double>(of_seed[seed].size());
      long double average = 0, squares = 0;
      double dead = 0;
      for (const double value : of_seed[seed]) average += value / static_cast<long double>(count);
      for (const double value : of_seed[seed]) {
        squares += (value - average) * (value - average);
        dead += std::abs(value) < 1e-8 ? 1 : 0;
      }
      const double variance = static_cast<double>(squares) / count;
      const double cancelled = element == float32 ? 0 : mean * mean;
      EXPECT_EQ(found[seed].count, of_seed[seed].size());
      EXPECT_NEAR(found[seed].mean, static_cast<double>(average), 1e-12 * (1 + mean));
      EXPECT_NEAR(found[seed].variance, variance, 1e-12 * variance + 0x1p-50 * cancelled);
      EXPECT_EQ(found[seed].dead_ratio, dead / count);
    }
  }
}

TEST(ReferenceSeed, TelemetryOfNonFiniteValuesIsDefined) {
  const float nan = std::bit_cast<float>(0xFFC12345U);
  // One column per seed: one NaN; all NaN; an infinity; NaN and infinity; zeros of both signs.
  const auto x = floats(3, {nan, nan, infinity, infinity, -0.0F,  //
                            1.0F, nan, 1.0F, -infinity, 0.0F, 3.0F, nan, 2.0F, 0.0F, -0.0F});
  const auto found = telemetry(5, 5, x);
  for (std::size_t i = 0; i < 4; ++i)
    for (const double value : {found[i].mean, found[i].variance})
      EXPECT_EQ(std::bit_cast<std::uint64_t>(value), 0x7FF8000000000000U) << i;
  const float ends[][2] = {
      {1, 3}, {quiet_nan, quiet_nan}, {1, infinity}, {-infinity, infinity}, {0, 0}};
  const double dead[] = {0, 0, 0, 1.0 / 3, 1};
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(bits(found[i].min), bits(ends[i][0])) << i;
    EXPECT_EQ(bits(found[i].max), bits(ends[i][1])) << i;
    EXPECT_EQ(found[i].dead_ratio, dead[i]) << i;
  }
}

TEST(ReferenceSeed, MergesByHand) {
  // {2, 4} and {9}: mean 5, m2 = 9 + 1 + 16.
  const std::vector<SeedMoments> parts{{2, 0, 3, 2, 2, 4}, {}, {1, 0, 9, 0, 9, 9}};
  EXPECT_EQ(Reference::merged(parts), (SeedMoments{3, 0, 5, 26, 2, 9}));
  // Kasmina's vectors (10, 50, 4) and (6, 18, 2) of sums, sums of squares and counts.
  const std::vector<SeedMoments> kasmina{{4, 0, 2.5, 25, 0, 5}, {2, 0, 3, 0, 3, 3}};
  const SeedTelemetry telemetry = telemetry_of(Reference::merged(kasmina));
  EXPECT_NEAR(telemetry.mean, 16.0 / 6, 1e-12);
  EXPECT_NEAR(telemetry.variance, 68.0 / 6 - (16.0 / 6) * (16.0 / 6), 1e-12);
}

/// y for one element in double.
double applied(const Reference::Seed& seed, double alpha, double w, double x) {
  const double a = seed.lifecycle == Lifecycle::fossilized ? 1 : alpha;
  if (!applies_blueprint(seed.lifecycle)) return x;
  if (seed.mode == ApplyMode::linear) return a * w * x + (1 - a) * x;
  if (seed.mode == ApplyMode::multiplicative) return w * x;
  return seed.mode == ApplyMode::additive ? x + w : 0.5 * x + 0.5 * w;
}

TEST(ReferenceSeed, GradientsAgreeWithFiniteDifferencesInDouble) {
  auto generator = Testing::generator("ReferenceSeed.differences");
  // One seed per state and mode.
  const std::size_t seeds = 44, width = 3, hidden = seeds * width, rows = 5;
  const auto random = [&](std::size_t count) {
    std::normal_distribution<float> normal(0.5F, 2.0F);
    std::vector<float> values(count);
    for (float& value : values) value = normal(generator);
    return values;
  };
  Reference::SeedLayer layer{hidden, {}, random(hidden)};
  for (std::size_t i = 0; i < seeds; ++i)
    layer.seeds.push_back(
        {static_cast<Lifecycle>(i % 11), static_cast<ApplyMode>(i / 11), 0.3F, 0});
  const auto x = random(rows * hidden), g = random(rows * hidden);
  const auto found = Reference::seed_backward(layer, floats(rows, x), floats(rows, g));
  constexpr double h = 1e-4;
  std::vector<double> of_alpha(seeds);
  const auto expect_near = [&](double got, double expected, const Reference::Seed& seed) {
    EXPECT_NEAR(got, expected, 1e-5 * (1 + std::abs(expected)))
        << to_string(seed.lifecycle) << " " << to_string(seed.mode);
  };
  for (std::size_t f = 0; f < hidden; ++f) {
    const Reference::Seed& seed = layer.seeds[f / width];
    const double w = layer.weights[f], a = seed.alpha;
    double of_w = 0;
    for (std::size_t i = f; i < rows * hidden; i += hidden) {
      const double at = x[i], upper = g[i] / (2 * h);  // the loss is Σ g·y
      expect_near(std::bit_cast<float>(found.dx.bits[i]),
                  upper * (applied(seed, a, w, at + h) - applied(seed, a, w, at - h)), seed);
      of_w += upper * (applied(seed, a, w + h, at) - applied(seed, a, w - h, at));
      of_alpha[f / width] += upper * (applied(seed, a + h, w, at) - applied(seed, a - h, w, at));
    }
    expect_near(found.dw[f], of_w, seed);
  }
  for (std::size_t seed = 0; seed < seeds; ++seed)
    expect_near(found.dalpha[seed], of_alpha[seed], layer.seeds[seed]);
}

TEST(ReferenceSeed, GradientsOfTheTableAndOfAlphaByHand) {
  // Two features per seed, the last belongs to none. The first seed applies the second blueprint.
  Reference::SeedLayer layer{5,
                             {{Lifecycle::grafting, ApplyMode::linear, 0.5F, 1},
                              {Lifecycle::grafting, ApplyMode::additive, 0.5F, 0}},
                             {9, 9, 9, 9, 9, 3, 4, 9, 9, 9}};
  layer.chunk = 2;
  const auto x = floats(1, {2, 1, 7, 7, 7});
  const auto g = floats(1, {5, 3, 2, 6, 8});
  const auto gradients = Reference::seed_backward(layer, x, g);
  EXPECT_EQ(gradients.table, (std::vector<float>{0, 0, 2, 6, 0, 5, 1.5F, 0, 0, 0}));
  EXPECT_EQ(gradients.dalpha, (std::vector<float>{2 * 10 + 3 * 3, 0}));
  EXPECT_EQ(gradients.dx.bits[4], bits(8));
  layer.seeds[0].lifecycle = Lifecycle::fossilized;
  EXPECT_EQ(Reference::seed_backward(layer, x, g).table[5], 10);
  EXPECT_EQ(Reference::seed_backward(layer, x, g).dalpha[0], 0);
  layer.fossilized_applies = false;
  EXPECT_EQ(Reference::seed_backward(layer, x, g).table[5], 0);
  EXPECT_EQ(Reference::seed_forward(layer, x, x.element).bits[0], bits(2));
  const auto moments = Reference::seed_moments(5, 4, x, 2);
  EXPECT_EQ(moments[1].count, 2U);
  EXPECT_EQ(moments[2].count, 1U);
  EXPECT_EQ(moments[3], SeedMoments());
}

TEST(ReferenceSeed, UpdatesByHand) {
  struct Case {
    std::vector<SeedUpdate> updates;
    Reference::SeedRecord expected;
  };
  using enum Lifecycle;
  constexpr auto both = std::uint16_t{seed_lifecycle | seed_epochs};
  for (const Case& c : std::vector<Case>{
           // The last update wins. Epochs restart only where the lifecycle changes.
           {{{.mask = seed_lifecycle | seed_alpha, .alpha = 0.25F, .lifecycle = training},
             {.mask = seed_lifecycle, .lifecycle = germinated},
             {.mask = seed_errors, .errors = 3}},
            {.lifecycle = germinated,
            .errors = 3,
            .alpha = 0.25F,
            .history = {{dormant, germinated}}}},
           {{{.mask = both, .epochs = 3, .lifecycle = germinated}},
            {.lifecycle = germinated, .epochs = 3, .history = {{dormant, germinated}}}},
           {{{.mask = seed_lifecycle, .epochs = 3, .lifecycle = dormant}}, {.epochs = 7}},
           {{{.mask = seed_alpha, .epochs = 3, .lifecycle = germinated}}, {.epochs = 7}}}) {
    std::vector<Reference::SeedRecord> records(2);
    records[0].epochs = 7;
    Reference::update_seeds(records, c.updates);
    EXPECT_EQ(records[0], c.expected);
    EXPECT_EQ(records[1], Reference::SeedRecord());
  }
  // The history keeps the last ten.
  std::vector<Reference::SeedRecord> records(1);
  for (int i = 1; i <= 14; ++i) {
    const SeedUpdate update{.mask = seed_lifecycle, .lifecycle = static_cast<Lifecycle>(i % 11)};
    Reference::update_seeds(records, {&update, 1});
  }
  EXPECT_EQ(records[0].history.size(), seed_history);
  EXPECT_EQ(records[0].history.front(), std::pair(Lifecycle{4}, Lifecycle{5}));
  EXPECT_EQ(records[0].history.back(), std::pair(Lifecycle{2}, Lifecycle{3}));
}

}  // namespace Kindred::Testing::SeedTest
