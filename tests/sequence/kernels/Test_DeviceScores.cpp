// SPDX-License-Identifier: Apache-2.0
#include "DeviceCopy.hpp"
#include "SequenceSupport.hpp"

namespace DeviceScoresTest {

using namespace Kindred;
using namespace Kindred::Testing;

TEST(DeviceScores, AreThoseOnTheHost) {
  if (!context().is_usable(Space::cuda)) GTEST_SKIP() << "no device";
  auto random = generator("scores: device");
  SymbolRows patterns;
  for (std::size_t i = 0; i < 200; ++i) patterns.push_back(random_sequence(random, i % 50, 9));
  const SymbolRows queries{patterns[40], {}, random_sequence(random, 300, 9)};
  const SequenceMatcher matcher(context(), ragged(patterns), Residency::both);
  const std::vector<std::int64_t> shape{3, 200};
  const std::vector<std::int64_t> strides{210, 1};
  for (const Measure measure : of_symbols) {
    std::vector<float> expected(3 * 200);
    matcher.score_all(ragged(queries), std::span(expected), {measure});
    const DeviceCopy<float> copy(context(), std::vector<float>(3 * 210, -5));
    const Kindred::Array target = copy.array(DataType::float32, shape, strides);
    EXPECT_EQ(matcher.score_all(ragged(queries), target, {measure}).chosen, Space::cuda);
    const std::vector<float> out = copy.values();
    for (std::size_t i = 0; i < out.size(); ++i)
      ASSERT_EQ(out[i], i % 210 < 200 ? expected[i / 210 * 200 + i % 210] : -5.0F);
    const PairOptions elsewhere{.measure = measure, .space = Space::serial};
    const auto call = [&] { matcher.score_all(ragged(queries), target, elsewhere); };
    expect_refused({{call, "space is serial"}});
  }
}

}  // namespace DeviceScoresTest
