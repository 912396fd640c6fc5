// SPDX-License-Identifier: Apache-2.0
// KATO's golden cases: which patterns are recalled, and how they are divided into past, present and
// future.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "PredictionSupport.hpp"

namespace PredictionTest {

using namespace Kindred;
using Testing::each;
using ::testing::ElementsAre;
using Testing::events;
using Testing::flat;
using ::testing::IsEmpty;
using Testing::Memory;
using Testing::names;
using Testing::of;

constexpr double tolerance = 1e-12;

/// The only prediction of the only pattern \p pattern.
Prediction only(const EventTexts& pattern, const EventTexts& query, double threshold = 0.1) {
  const auto predictions = Memory().learn("p", pattern).predict(query, threshold);
  EXPECT_EQ(predictions.size(), 1U);
  return predictions.empty() ? Prediction{} : predictions[0];
}

EventTexts series(int count, const std::string& prefix, int per_event = 1) {
  EventTexts list;
  for (int i = 0; i < count; ++i) {
    if (i % per_event == 0) list.emplace_back();
    list.back().push_back(Testing::numbered(prefix, i));
  }
  return list;
}

struct Golden {
  EventTexts pattern, query;
  std::uint32_t matched;
  double similarity;
  std::vector<double> in, out;
};

TEST(Prediction, GoldenSimilaritiesAndDecisions) {
  const EventTexts ten = series(10, "t");
  const EventTexts nine = events("a1 a2 a3 | b1 b2 b3 | c1 c2 c3");
  const EventTexts four = events("s1 s2 | s3 s4");
  const EventTexts three = each("x y z");
  const EventTexts long_pattern = series(150, "l", 3);
  const std::vector<Golden> goldens{
      {each("alpha beta gamma"), each("alpha beta"), 2, 0.8, {0, 0.1, 0.7}, {0.9}},
      {each("a b c d"), each("a b"), 2, 2.0 / 3, {0.6, 0.65}, {0.7}},
      {ten, {ten.begin(), ten.begin() + 2}, 2, 1.0 / 3, {0.1, 0.3}, {0.4}},
      {ten, {ten.begin(), ten.begin() + 5}, 5, 2.0 / 3, {0.6}, {0.7}},
      {nine, events("a1 a2 a3 | b1 b2"), 5, 10.0 / 14, {0.7}, {0.8}},
      {nine, events("a1 | b1"), 2, 4.0 / 11, {0.3}, {0.7}},
      {four, events("s1 s2 x1 | s3 s4"), 4, 8.0 / 9, {0.7}, {0.9}},
      {four, events("s1 s2 x1 x2 | s3 s4 x3"), 4, 8.0 / 11, {0.5}, {0.8}},
      {four, events("s1 x1 | s3 x2"), 2, 0.5, {0.3, 0.5}, {0.51}},
      {each("rep seq rep seq"), each("rep seq"), 2, 2.0 / 3, {0.1}, {0.7}},
      {each("rep seq"), each("rep seq"), 2, 1.0, {0.1, 1.0}, {}},
      {three, each("u v"), 0, 0.0, {0.0}, {0.1}},
      {three, three, 3, 1.0, {1.0}, {}},
      {long_pattern,
       {long_pattern.begin() + 20, long_pattern.begin() + 22},
       6,
       12.0 / 156,
       {0.05},
       {0.1}},
  };
  for (std::size_t i = 0; i < goldens.size(); ++i) {
    const Golden& golden = goldens[i];
    SCOPED_TRACE(Testing::numbered("golden ", i));
    Memory memory;
    memory.learn("p", golden.pattern);
    for (const double threshold : golden.in) {
      const auto predictions = memory.predict(golden.query, threshold);
      ASSERT_EQ(predictions.size(), 1U) << threshold;
      EXPECT_EQ(predictions[0].matched, golden.matched);
      EXPECT_EQ(predictions[0].similarity,
                2.0 * golden.matched /
                    static_cast<double>(flat(golden.pattern).size() + flat(golden.query).size()));
      EXPECT_NEAR(predictions[0].similarity, golden.similarity, tolerance);
    }
    for (const double threshold : golden.out)
      EXPECT_THAT(memory.predict(golden.query, threshold), IsEmpty()) << threshold;
  }
}

TEST(Prediction, PresentIsTheEventsFromTheFirstMatchToTheLast) {
  const Prediction p = only(events("a b | c d | e"), each("b c"));
  EXPECT_THAT(p.past, IsEmpty());
  EXPECT_EQ(p.present, events("a b | c d"));
  EXPECT_EQ(p.missing, events("a | d"));
  EXPECT_EQ(p.future, events("e"));
  EXPECT_EQ(p.extras, (EventTexts{{}, {}}));
  EXPECT_THAT(p.matches, ElementsAre("b", "c"));
  EXPECT_NEAR(p.evidence, 0.4, tolerance);
  EXPECT_NEAR(p.confidence, 0.5, tolerance);
  EXPECT_EQ(p.snr, 1);
  EXPECT_EQ(p.fragmentation, 0);
}

TEST(Prediction, MissingAlignsWithThePresentAndExtrasWithTheQuery) {
  const Prediction p = only(events("a b | c d"), events("a x | c y"));
  EXPECT_EQ(p.missing, events("b | d"));
  EXPECT_EQ(p.extras, events("x | y"));
  EXPECT_NEAR(p.snr, 1.0 / 3, tolerance);
  EXPECT_EQ(p.fragmentation, 1);
  EXPECT_EQ(p.blocks, (std::vector<Block>{{0, 0, 1}, {2, 2, 1}}));
}

TEST(Prediction, AMatchInTheMiddleLeavesTheBeginningAsPast) {
  const Prediction p = only(each("beginning middle end"), each("middle"));
  EXPECT_EQ(p.past, each("beginning"));
  EXPECT_EQ(p.present, each("middle"));
  EXPECT_EQ(p.future, each("end"));
  const Prediction last = only(each("beginning middle end"), each("middle end"));
  EXPECT_EQ(last.past, each("beginning"));
  EXPECT_THAT(last.future, IsEmpty());
  EXPECT_EQ(last.predictive_information, 0);
}

TEST(Prediction, WithoutAMatchAtThresholdZeroEverythingIsMissingAndExtra) {
  const Prediction p = only(events("a b | c"), events("x | y z"), 0);
  EXPECT_THAT(p.matches, IsEmpty());
  EXPECT_THAT(p.past, IsEmpty());
  EXPECT_EQ(p.present, events("a b | c"));
  EXPECT_EQ(p.missing, events("a b | c"));
  EXPECT_EQ(p.extras, events("x | y z"));
  EXPECT_THAT(p.future, IsEmpty());
  EXPECT_EQ(p.snr, -1);
  EXPECT_EQ(p.fragmentation, -1);
  EXPECT_EQ(p.evidence, 0);
  EXPECT_EQ(p.confidence, 0);
  EXPECT_EQ(p.itfdf_similarity, 0);  // distance 1 from all frequencies
  EXPECT_EQ(p.potential, 0);         // the last term is 0, not 1 / 0
}

TEST(Prediction, AboveThresholdZeroACandidateWithoutACommonSymbolIsDropped) {
  // As at character level, where texts can be similar without a common symbol.
  Memory memory;
  memory.learn("p", each("banana split")).learn("q", each("bananas"));
  Testing::ListedCandidates candidates = memory.candidates(each("bananas"), 0);
  for (auto& entry : candidates.entries) entry.candidate.similarity = 0.7;
  PredictionOptions options;
  EXPECT_THAT(names(memory.predict(each("bananas"), candidates, options)), ElementsAre("q"));
  EXPECT_EQ(memory.predict(each("bananas"), candidates, options)[0].bayesian_prior, 1);
  options.threshold = 0;
  EXPECT_EQ(memory.predict(each("bananas"), candidates, options).size(), 2U);
}

TEST(Prediction, CandidatesBelowTheThresholdAreSkipped) {
  Memory memory;
  memory.learn("p", each("a b c d")).learn("q", each("a b"));
  PredictionOptions options;
  options.threshold = 0.9;
  const auto all = memory.candidates(each("a b"), 0);
  EXPECT_THAT(names(memory.predict(each("a b"), all, options)), ElementsAre("q"));
}

TEST(Prediction, ARepeatBeforeTheFirstMatchStaysInThePast) {
  // KATO assigns the event before to the present if it contains the first matched symbol.
  const Prediction p = only(each("a a b"), each("a b"));
  EXPECT_EQ(p.past, each("a"));
  EXPECT_EQ(p.present, each("a b"));
  EXPECT_EQ(p.missing, (EventTexts{{}, {}}));
  EXPECT_EQ(p.confidence, 1);
}

TEST(Prediction, AnEventMatchedFromItsMiddleIsPresent) {
  const Prediction p = only(events("z | a b | c"), each("b c"));
  EXPECT_EQ(p.past, each("z"));
  EXPECT_EQ(p.present, events("a b | c"));
  EXPECT_EQ(p.missing, (EventTexts{{"a"}, {}}));
}

TEST(Prediction, MissingAndExtrasAreSetsNotCounts) {
  // The pattern's second a was not observed and the query's second b was not expected.
  const Prediction p = only(events("a a b"), events("a b b"));
  EXPECT_EQ(p.missing, (EventTexts{{}}));
  EXPECT_EQ(p.extras, (EventTexts{{}}));
  EXPECT_EQ(p.matches.size(), 2U);
  EXPECT_NEAR(p.snr, 3.0 / 5, tolerance);  // one symbol of the query is in no block
}

TEST(Prediction, FieldsComeFromBlocksWhileSimilarityIsTheLongestCommonSubsequence) {
  const Prediction p = only(each("a b c d"), each("b d c a"));
  EXPECT_EQ(p.similarity, 0.5);
  EXPECT_EQ(p.matched, 2U);
  EXPECT_THAT(p.matches, ElementsAre("a"));
  EXPECT_EQ(p.blocks, (std::vector<Block>{{0, 3, 1}}));
}

TEST(Prediction, EmptyEventsAreIgnored) {
  const EventTexts pattern{{"a"}, {}, {"b", "c"}, {}, {"d"}, {}};
  const Prediction p = only(pattern, {{}, {"b"}, {}, {"c"}});
  EXPECT_EQ(p.past, events("a"));
  EXPECT_EQ(p.present, events("b c"));
  EXPECT_EQ(p.future, events("d"));
  EXPECT_EQ(p.missing, (EventTexts{{}}));
  EXPECT_EQ(p.extras, (EventTexts{{}, {}}));
}

TEST(Prediction, AnEmptyQueryPredictsNothing) {
  Memory memory;
  memory.learn("p", each("a b"));
  EXPECT_THAT(memory.predict({}, 0.0), IsEmpty());
  EXPECT_THAT(memory.predict({{}, {}}, memory.candidates(each("a"), 0), {}), IsEmpty());
}

TEST(Prediction, NoPatternsPredictNothing) {
  const Memory memory;
  EXPECT_THAT(memory.predict(each("a"), 0.0), IsEmpty());
}

TEST(Prediction, AnEmptyPatternIsLegalAtThresholdZero) {
  Memory memory;
  memory.learn("empty", {}).learn("p", each("a b"));
  const auto predictions = memory.predict(each("a"), 0.0);
  const auto empty = of(predictions, "empty");
  ASSERT_TRUE(empty);
  EXPECT_THAT(empty->present, IsEmpty());
  EXPECT_EQ(empty->extras, each("a"));
  EXPECT_EQ(empty->evidence, 0);
  EXPECT_EQ(empty->confidence, 0);
  EXPECT_EQ(empty->entropy, 0);
  EXPECT_EQ(empty->tfidf_score, 0);
  EXPECT_EQ(empty->confluence, 0);
  EXPECT_EQ(empty->snr, -1);
}

TEST(Prediction, ASingleSymbolFollowsTheGeneralPath) {
  Memory memory;
  memory.learn("first", each("a b c")).learn("second", events("x a | y")).learn("other", each("q"));
  const auto predictions = memory.predict(each("a"));
  EXPECT_EQ(predictions.size(), 2U);
  const auto second = of(predictions, "second");
  ASSERT_TRUE(second);
  EXPECT_EQ(second->present, events("x a"));
  EXPECT_EQ(second->future, events("y"));
  EXPECT_GT(second->bayesian_posterior, 0);
  EXPECT_FALSE(second->flat);
}

TEST(Prediction, AQueryMayBeLongerThanThePattern) {
  const Prediction p = only(each("c d"), each("a b c d e f"));
  EXPECT_EQ(p.present, each("c d"));
  EXPECT_EQ(p.extras, (EventTexts{{"a"}, {"b"}, {}, {}, {"e"}, {"f"}}));
  EXPECT_EQ(p.snr, 0);  // (2·2 − 4) / (2·2 + 4)
}

TEST(Prediction, UnknownSymbolsCountTowardsTheLengthAndAreExtras) {
  const Prediction p = only(each("a b"), each("a never b"));
  EXPECT_EQ(p.similarity, 0.8);
  EXPECT_EQ(p.extras, (EventTexts{{}, {"never"}, {}}));
  EXPECT_THAT(p.matches, ElementsAre("a", "b"));
}

TEST(Prediction, TextsAreCaseSensitive) {
  const Prediction p = only(each("A a"), each("a"));
  EXPECT_EQ(p.past, each("A"));
  EXPECT_EQ(p.present, each("a"));
  EXPECT_THAT(Memory().learn("p", each("A B")).predict(each("a b")), IsEmpty());
}

TEST(Prediction, ManyCopiesOfOneSymbol) {
  const EventTexts pattern(100, SymbolTexts{"x"});
  const Prediction p = only(pattern, EventTexts(40, SymbolTexts{"x"}));
  EXPECT_EQ(p.similarity, 80.0 / 140);
  EXPECT_EQ(p.matches.size(), 40U);
  EXPECT_EQ(p.present.size(), 40U);
  EXPECT_EQ(p.future.size(), 60U);
  EXPECT_EQ(p.entropy, 0);
}

TEST(Prediction, DuplicatesWithinAnEventAreKept) {
  const Prediction p = only(events("a a b | c"), events("a a"));
  EXPECT_THAT(p.matches, ElementsAre("a", "a"));
  EXPECT_EQ(p.present, events("a a b"));
  EXPECT_EQ(p.missing, events("b"));
  EXPECT_EQ(p.evidence, 0.5);
}

TEST(Prediction, AnyTextIsAValidSymbol) {
  const std::string long_name(100000, 'n');
  const EventTexts odd{
      {"1", "2.5", "-3"}, {"naïve", "日本", "🙂"}, {"a|b", "a-b", "a.b"}, {"", long_name}};
  const Prediction p = only(odd, {{"日本"}, {""}});
  EXPECT_THAT(p.matches, ElementsAre("日本", ""));
  EXPECT_EQ(p.present, (EventTexts{odd[1], odd[2], odd[3]}));
  EXPECT_EQ(p.past, EventTexts{odd[0]});
  EXPECT_EQ(p.missing[2], SymbolTexts{long_name});
}

TEST(Prediction, DisjointPatternsDoNotMatch) {
  Memory memory;
  memory.learn("p", each("a b c")).learn("q", each("d e f"));
  EXPECT_THAT(names(memory.predict(each("a c"))), ElementsAre("p"));
  EXPECT_THAT(names(memory.predict(each("e"))), ElementsAre("q"));
}

TEST(Prediction, SharedPrefixesAreAllRecalledWithTheirOwnFutures) {
  Memory memory;
  memory.learn("p", each("a b c")).learn("q", each("a b d")).learn("r", each("a b e f"));
  const auto predictions = memory.predict(each("a b"));
  EXPECT_EQ(of(predictions, "p")->future, each("c"));
  EXPECT_EQ(of(predictions, "q")->future, each("d"));
  EXPECT_EQ(of(predictions, "r")->future, each("e f"));
}

TEST(Prediction, ReversedOrderIsADifferentPattern) {
  Memory memory;
  memory.learn("forth", each("a b c")).learn("back", each("c b a"));
  const auto predictions = memory.predict(each("a b c"));
  EXPECT_EQ(predictions[0].name, "forth");
  EXPECT_EQ(predictions[0].similarity, 1);
  EXPECT_NEAR(predictions[1].similarity, 1.0 / 3, tolerance);
}

TEST(Prediction, ManyPatternsWithOneSymbolAreAllRecalled) {
  Memory memory;
  for (int i = 0; i < 25; ++i) {
    memory.learn(Testing::numbered("p", i),
                 each(Testing::numbered("u", i) + " shared " + Testing::numbered("v", i)));
  }
  EXPECT_EQ(memory.predict(each("shared")).size(), 25U);
}

TEST(Prediction, ANewlyLearnedPatternIsRecalledImmediately) {
  Memory memory;
  memory.learn("p", each("a b"));
  EXPECT_EQ(memory.predict(each("a")).size(), 1U);
  memory.learn("q", each("a c"));
  EXPECT_EQ(memory.predict(each("a")).size(), 2U);
}

TEST(Prediction, LongPatternsAndQueriesAreNotTruncated) {
  const EventTexts pattern = series(700, "s", 5);
  const Prediction p = only(pattern, {pattern.begin() + 10, pattern.begin() + 130});
  EXPECT_EQ(p.matches.size(), 600U);
  EXPECT_EQ(p.past.size(), 10U);
  EXPECT_EQ(p.future.size(), 10U);
  EXPECT_EQ(p.similarity, 1200.0 / 1300);
}

}  // namespace PredictionTest
