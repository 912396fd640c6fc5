// SPDX-License-Identifier: Apache-2.0
#include "ReferenceSupport.hpp"

namespace SeedTest {

using namespace Kindred;
using namespace Kindred::Testing;

Reference::SeedRows floats(std::size_t rows, const std::vector<float>& values) {
  Reference::SeedRows out{DataType::float32, rows, {}};
  for (const float value : values) out.bits.push_back(bits(value));
  return out;
}

TEST(ReferenceSeed, WidensAndRoundsShortElements) {
  using enum DataType;
  EXPECT_EQ(Reference::widened(float16, 0x3C00), 1.0F);
  EXPECT_EQ(Reference::widened(float16, 0xC500), -5.0F);
  EXPECT_EQ(Reference::widened(float16, 0x0001), std::ldexp(1.0F, -24));
  EXPECT_EQ(Reference::widened(float16, 0x7BFF), 65504.0F);
  EXPECT_TRUE(std::isnan(Reference::widened(float16, 0x7C01)));
  EXPECT_EQ(Reference::widened(bfloat16, 0x4049), 3.140625F);
  EXPECT_EQ(Reference::widened(bfloat16, 0x0001), std::bit_cast<float>(0x00010000U));
  EXPECT_EQ(Reference::rounded(float16, 65519.996F), 0x7BFFU);
  EXPECT_EQ(Reference::rounded(float16, 65520.0F), 0x7C00U);
  EXPECT_EQ(Reference::rounded(float16, 2049.0F), 0x6800U);  // between 2048 and 2050
  EXPECT_EQ(Reference::rounded(float16, std::ldexp(1.0F, -25)), 0U);
  EXPECT_EQ(Reference::rounded(float16, std::ldexp(1.5F, -25)), 1U);
  EXPECT_EQ(Reference::rounded(float16, -0.0F), 0x8000U);
  EXPECT_EQ(Reference::rounded(bfloat16, std::bit_cast<float>(0x3F808000U)), 0x3F80U);
  EXPECT_EQ(Reference::rounded(bfloat16, std::bit_cast<float>(0x3F818000U)), 0x3F82U);
  EXPECT_EQ(Reference::rounded(bfloat16, std::numeric_limits<float>::max()), 0x7F80U);
  const float nan = std::bit_cast<float>(0xFFC12345U);
  EXPECT_EQ(Reference::rounded(float16, nan), 0x7E00U);
  EXPECT_EQ(Reference::rounded(bfloat16, nan), 0x7FC0U);
  EXPECT_EQ(Reference::rounded(float32, nan), 0x7FC00000U);
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

TEST(ReferenceSeed, MomentsByHand) {
  // Chunks of two and one features: {1, 3, 5, 7} and {0, 8}.
  const auto moments = Reference::seed_moments(3, 2, floats(2, {1, 3, 0, 5, 7, 8}));
  EXPECT_EQ(moments[0], (SeedMoments{4, 0, 4.0, 20.0, 1, 7}));
  EXPECT_EQ(moments[1], (SeedMoments{2, 1, 4.0, 32.0, 0, 8}));
  EXPECT_EQ(telemetry_of(moments[0]), (SeedTelemetry{4, 4, 5, 1, 7, 0}));
  EXPECT_EQ(telemetry_of(moments[1]).dead_ratio, 0.5);
}

TEST(ReferenceSeed, MomentsOfManyBlocksByHand) {
  // 0, 1, … 199: mean 99.5, Σ (x − mean)² = n(n² − 1)/12.
  std::vector<float> values;
  for (int i = 0; i < 200; ++i) values.push_back(static_cast<float>(i));
  const SeedMoments moments = Reference::seed_moments(1, 1, floats(200, values))[0];
  EXPECT_EQ(moments.count, 200U);
  EXPECT_NEAR(moments.mean, 99.5, 1e-13);
  EXPECT_NEAR(moments.m2, 200.0 * (200.0 * 200.0 - 1) / 12, 1e-9);
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

TEST(ReferenceSeed, GradientsByHand) {
  // x = 2, g = 5, w = 3, a = 0.5; then x = 1, g = 1.
  const std::vector<float> dx{10, 15, 5, 2.5F};
  const std::vector<float> dw{5.5F, 11, 6, 3};
  for (std::size_t mode = 0; mode < 4; ++mode) {
    const Reference::SeedLayer layer{
        1, {{Lifecycle::grafting, static_cast<ApplyMode>(mode), 0.5F, 0}}, {3}};
    const auto gradients = Reference::seed_backward(layer, floats(2, {2, 1}), floats(2, {5, 1}));
    EXPECT_EQ(gradients.dx.bits[0], bits(dx[mode])) << mode;
    EXPECT_EQ(gradients.dw[0], dw[mode]) << mode;
  }
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
  std::vector<Reference::SeedRecord> records(2);
  records[1].epochs = 9;
  std::vector<SeedUpdate> updates(3);
  for (SeedUpdate& update : updates) update.seed = 1;
  updates[0].mask = seed_lifecycle | seed_alpha;
  updates[0].lifecycle = Lifecycle::training;
  updates[0].alpha = 0.25F;
  updates[1].mask = seed_lifecycle;
  updates[1].lifecycle = Lifecycle::germinated;
  updates[2].mask = seed_errors;
  updates[2].errors = 3;
  Reference::update_seeds(records, updates);
  EXPECT_EQ(records[0], Reference::SeedRecord());
  EXPECT_EQ(records[1].lifecycle, Lifecycle::germinated);
  EXPECT_EQ(records[1].epochs, 0);
  EXPECT_EQ(records[1].alpha, 0.25F);
  EXPECT_EQ(records[1].errors, 3);
  ASSERT_EQ(records[1].history.size(), 1U);
  EXPECT_EQ(records[1].history[0], std::pair(Lifecycle::dormant, Lifecycle::germinated));
}

}  // namespace SeedTest
