// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/SequenceMatcher.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "DeviceCopy.hpp"
#include "MessageOf.hpp"
#include "RaggedRows.hpp"
#include "SequenceSupport.hpp"
#include "Support.hpp"

#include <vector>

namespace DeviceScoresTest {

using namespace Kindred;
using namespace Kindred::Testing;
using testing::HasSubstr;
using Sequence = std::vector<Symbol>;

TEST(DeviceScores, AreThoseOnTheHost) {
  if (!context().is_usable(Space::cuda)) GTEST_SKIP() << "no device";
  auto random = generator("scores: device");
  std::vector<Sequence> patterns;
  for (std::size_t i = 0; i < 200; ++i) patterns.push_back(random_sequence(random, i % 50, 9));
  const std::vector<Sequence> queries{patterns[40], {}, random_sequence(random, 300, 9)};
  const SequenceMatcher matcher(context(), ragged(patterns), Residency::both);
  const std::vector<std::int64_t> shape{3, 200};
  const std::vector<std::int64_t> strides{210, 1};
  for (const Measure measure : {Measure::lcs, Measure::difflib, Measure::levenshtein, Measure::osa,
                                Measure::prefix, Measure::postfix, Measure::jaro_winkler}) {
    std::vector<float> expected(3 * 200);
    matcher.score_all(ragged(queries), std::span(expected), {measure});
    const DeviceCopy<float> copy(context(), std::vector<float>(3 * 210, -5));
    const DispatchRecord record = matcher.score_all(
        ragged(queries), copy.array(DataType::float32, shape, strides), {measure});
    EXPECT_EQ(record.chosen, Space::cuda);
    const std::vector<float> out = copy.values();
    for (std::size_t i = 0; i < out.size(); ++i)
      ASSERT_EQ(out[i], i % 210 < 200 ? expected[i / 210 * 200 + i % 210] : -5.0F);
    PairOptions elsewhere{measure};
    elsewhere.space = Space::serial;
    EXPECT_THAT(message_of<InvalidArgument>([&] {
                  matcher.score_all(ragged(queries), copy.array(DataType::float32, shape, strides),
                                    elsewhere);
                }),
                HasSubstr("space is serial"));
  }
}

}  // namespace DeviceScoresTest
