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
  // w = 3, a = 0.5; x is 2 and 0.5, and the gradients of y are 4 and 2. A fossilized seed has a
  // = 1.
  const auto x = floats(2, {2, 0.5F}), gradient = floats(2, {4, 2});
  struct Passes {
    float y, dx;  // of the first row
    float dw, dalpha;
  };
  const Passes none{2, 4, 0, 0}, fossilized{6, 12, 9, 0};
  const Passes of_modes[] = {{4, 8, 4.5F, 18}, {6, 12, 9, 0}, {5, 4, 6, 0}, {2.5F, 2, 3, 0}};
  for (int code = 0; code < 11; ++code) {
    for (int mode = 0; mode < 4; ++mode) {
      const auto state = static_cast<Lifecycle>(code);
      const Reference::SeedLayer layer{1, {{state, static_cast<ApplyMode>(mode), 0.5F, 0}}, {3}};
      SCOPED_TRACE(std::string(to_string(state)) + ", mode " + std::to_string(mode));
      const bool is_applied = code >= 3 && code <= 7;
      const Passes& of_mode = code == 7 && mode == 0 ? fossilized : of_modes[mode];
      const Passes& expected = is_applied ? of_mode : none;
      const auto y = Reference::seed_forward(layer, x, DataType::float32);
      EXPECT_EQ(y.bits[0], bits(expected.y));
      const auto gradients = Reference::seed_backward(layer, x, gradient);
      EXPECT_EQ(gradients.dx.bits[0], bits(expected.dx));
      EXPECT_EQ(gradients.dw[0], expected.dw);
      EXPECT_EQ(gradients.dalpha[0], expected.dalpha);
    }
  }
  // Without a blueprint nothing is applied, and the payload of a NaN is preserved.
  const Reference::SeedLayer without{
      1, {{Lifecycle::grafting, ApplyMode::additive, 1, seed_none}}, {3}};
  const Reference::SeedRows nan{DataType::float32, 1, {0xFFC12345U}};
  EXPECT_EQ(Reference::seed_forward(without, nan, DataType::float32).bits[0], 0xFFC12345U);
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
  // The mean is a million times the deviation: float32 sums of squares would have no correct digit.
  // Short elements are not shifted: their mean is only as accurate as their bits allow.
  for (const auto& [element, mean] :
       {std::pair(float32, 3.0F), {float32, 1e6F}, {bfloat16, 250.0F}, {float16, 2000.0F}}) {
    // Rows are one above and one below the mean of their feature, which of every other one is two
    // larger. A seed has several times sixteen features, and a feature two blocks of rows.
    const std::size_t seeds = 3, hidden = seeds * 34, rows = 700;
    Reference::SeedRows x{element, rows, {}};
    for (std::size_t i = 0; i < rows * hidden; ++i)
      x.bits.push_back(Reference::rounded(
          element, mean + (i / hidden % 2 == 0 ? 1.0F : -1.0F) + (i % 2 == 0 ? 2.0F : 0.0F)));
    for (const SeedTelemetry& found : telemetry(hidden, seeds, x)) {
      EXPECT_EQ(found.count, 34U * rows);
      EXPECT_NEAR(found.mean, mean + 1, 1e-12 * (1 + mean));
      const double cancelled = element == float32 ? 0.0 : double{mean} * double{mean};
      EXPECT_NEAR(found.variance, 2, 2e-12 + 0x1p-50 * cancelled);
      EXPECT_EQ(found.dead_ratio, 0);
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
