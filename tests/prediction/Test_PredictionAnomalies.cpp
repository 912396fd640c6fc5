// SPDX-License-Identifier: Apache-2.0
// Misspelled symbols.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <kindred/matcher/Prediction.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "PredictionSupport.hpp"

namespace PredictionAnomaliesTest {

using namespace Kindred;
using Testing::each;
using ::testing::ElementsAre;
using Testing::events;
using ::testing::IsEmpty;
using Testing::Memory;
using Testing::of;

constexpr double tolerance = 1e-12;

PredictionOptions fuzzy(double least) {
  PredictionOptions options;
  options.fuzzy_token_threshold = least;
  return options;
}

TEST(PredictionAnomalies, MisspelledSymbolsAreAnomaliesAndNeitherMissingNorExtra) {
  Memory memory;
  memory.learn("p", events("apple banana"));
  const Prediction p = memory.predict(events("apple bannana"), fuzzy(0.8))[0];
  EXPECT_THAT(p.matches, ElementsAre("apple", "bannana"));
  EXPECT_THAT(p.anomalies, ElementsAre(Anomaly{"bannana", "banana", 12.0 / 13}));
  EXPECT_EQ(p.missing, (EventTexts{{}}));
  EXPECT_EQ(p.extras, (EventTexts{{}}));
  EXPECT_EQ(p.similarity, 0.5);  // without the misspelled symbol
  EXPECT_EQ(p.fragmentation, 0);
  EXPECT_EQ(p.evidence, 1);
  EXPECT_EQ(p.snr, 1);
}

TEST(PredictionAnomalies, WithoutAFuzzyThresholdThereAreNoAnomalies) {
  Memory memory;
  memory.learn("p", events("apple banana"));
  const Prediction p = memory.predict(events("apple bannana"))[0];
  EXPECT_THAT(p.anomalies, IsEmpty());
  EXPECT_EQ(p.missing, events("banana"));
  EXPECT_EQ(p.extras, events("bannana"));
}

TEST(PredictionAnomalies, SeveralAnomaliesAreInTheOrderOfTheQuery) {
  Memory memory;
  memory.learn("p", events("apple banana cherry date elderberry"));
  const Prediction p = memory.predict(each("apple chery bannana zebra"), fuzzy(0.8))[0];
  ASSERT_EQ(p.anomalies.size(), 2U);
  EXPECT_EQ(p.anomalies[0].expected, "cherry");
  EXPECT_NEAR(p.anomalies[0].similarity, 10.0 / 11, tolerance);
  EXPECT_EQ(p.anomalies[1].expected, "banana");
  EXPECT_EQ(p.extras, (EventTexts{{}, {}, {}, {"zebra"}}));
  EXPECT_EQ(p.missing, events("date elderberry"));
  EXPECT_NEAR(p.snr, 5.0 / 7, tolerance);
}

TEST(PredictionAnomalies, ExactMatchesAreNotAnomaliesWhereverTheyAre) {
  Memory memory;
  memory.learn("p", each("dog cat bird"));
  const Prediction p = memory.predict(each("cat dog"), fuzzy(0.5))[0];
  EXPECT_THAT(p.anomalies, IsEmpty());
  EXPECT_THAT(p.matches, ElementsAre("cat", "dog"));
  EXPECT_EQ(p.blocks.size(), 1U);
}

TEST(PredictionAnomalies, AmongEquallySimilarSymbolsTheFirstOfThePatternIsExpected) {
  Memory memory;
  memory.learn("filler", each("ac"));  // with a lower symbol number than ab
  memory.learn("p", each("k ab ac"));
  const Prediction p = *of(memory.predict(each("k a"), fuzzy(0.6)), "p");
  EXPECT_THAT(p.anomalies, ElementsAre(Anomaly{"a", "ab", 2.0 / 3}));
}

TEST(PredictionAnomalies, TheFuzzyThresholdIsInclusive) {
  Memory memory;
  memory.learn("p", each("k abcd"));
  EXPECT_EQ(memory.predict(each("k abxy"), fuzzy(0.5))[0].anomalies.size(), 1U);
  EXPECT_EQ(memory.predict(each("k abxy"), fuzzy(0.51))[0].anomalies.size(), 0U);
  EXPECT_EQ(memory.predict(each("k abxy"), fuzzy(1))[0].matches.size(), 1U);
}

TEST(PredictionAnomalies, TextsAreComparedByCodePoints) {
  Memory memory;
  memory.learn("p", each("k naïve é🙂x"));
  const Prediction p = memory.predict(each("k naive é🙂y"), fuzzy(0.6))[0];
  ASSERT_EQ(p.anomalies.size(), 2U);
  EXPECT_NEAR(p.anomalies[0].similarity, 0.8, tolerance);
  EXPECT_NEAR(p.anomalies[1].similarity, 2.0 / 3, tolerance);
}

TEST(PredictionAnomalies, InvalidUtf8BytesAreSeparateCharacters) {
  Memory memory;
  memory.learn("p", {{"k", "ab\xff"}, {"\xc3"}});
  const Prediction p = memory.predict({{"k", "ab\xfe"}, {"\xc3"}}, fuzzy(0.6))[0];
  EXPECT_THAT(p.anomalies, ElementsAre(Anomaly{"ab\xfe", "ab\xff", 2.0 / 3}));
}

TEST(PredictionAnomalies, LongTextsAreComparedCompletely) {
  const std::string half(70, 'a');
  const std::string text = half + std::string(90, 'b');
  Memory memory;
  memory.learn("p", {{"k", text}});
  const Prediction p = memory.predict({{"k", text.substr(0, 159) + "c"}}, fuzzy(0.9))[0];
  ASSERT_EQ(p.anomalies.size(), 1U);
  EXPECT_EQ(p.anomalies[0].similarity, 318.0 / 320);
}

TEST(PredictionAnomalies, TheIndelRatioMatchesTheDynamicProgram) {
  auto random = Testing::generator("ratios");
  for (int round = 0; round < 300; ++round) {
    const auto text = [&random] {
      std::string made;
      for (std::uint64_t n = random() % (random() % 4 == 0 ? 150 : 8); n > 0; --n)
        made += static_cast<char>('a' + random() % 3);
      return made;
    };
    const std::string a = text();
    const std::string b = text();
    if (a == b) continue;
    std::vector<std::size_t> row(b.size() + 1, 0);
    for (const char c : a) {
      std::size_t diagonal = 0;
      for (std::size_t j = 1; j <= b.size(); ++j) {
        const std::size_t above = row[j];
        row[j] = c == b[j - 1] ? diagonal + 1 : std::max(above, row[j - 1]);
        diagonal = above;
      }
    }
    const double ratio =
        2.0 * static_cast<double>(row.back()) / static_cast<double>(a.size() + b.size());
    Memory memory;
    memory.learn("p", {{"KEY", a}});
    const Prediction p = memory.predict({{"KEY", b}}, fuzzy(1e-9))[0];
    ASSERT_EQ(p.anomalies.size(), ratio > 0 ? 1U : 0U) << a << " " << b;
    if (ratio > 0) {
      ASSERT_EQ(p.anomalies[0].similarity, ratio) << a << " " << b;
    }
  }
}

}  // namespace PredictionAnomaliesTest
