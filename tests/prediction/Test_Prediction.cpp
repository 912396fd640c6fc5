// SPDX-License-Identifier: Apache-2.0
// KATO's golden cases: which patterns are recalled, and how they are divided into past, present and
// future.
#include "PredictionSupport.hpp"

namespace PredictionTest {

using namespace Kindred;
using namespace Kindred::Testing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr double tolerance = 1e-12;
constexpr double any = std::numeric_limits<double>::quiet_NaN();

/// The only prediction of the only pattern \p pattern.
Prediction only(const EventTexts& pattern, const EventTexts& query, double threshold = 0.1) {
  const auto predictions = memory_of(pattern).predict(query, threshold);
  EXPECT_EQ(predictions.size(), 1U);
  return predictions.empty() ? Prediction{} : predictions[0];
}

EventTexts series(int count, char letter, int per_event = 1) {
  EventTexts list;
  for (int i = 0; i < count; ++i) {
    if (i % per_event == 0) list.emplace_back();
    list.back().push_back(numbered(letter, i));
  }
  return list;
}

struct Golden {
  EventTexts pattern, query;
  std::uint32_t matched;
  std::vector<double> in, out;  ///< thresholds at which the pattern is predicted, and not
};

TEST(Prediction, GoldenSimilaritiesAndDecisions) {
  const EventTexts ten = series(10, 't');
  const EventTexts four = events("s1 s2 | s3 s4");
  const std::vector<Golden> goldens{
      {each("alpha beta gamma"), each("alpha beta"), 2, {0, 0.1, 0.7}, {0.9}},
      {ten, {ten.begin(), ten.begin() + 2}, 2, {0.1, 0.3}, {0.4}},
      {ten, {ten.begin(), ten.begin() + 5}, 5, {0.6}, {0.7}},
      {events("a1 a2 a3 | b1 b2 b3 | c1 c2 c3"), events("a1 | b1"), 2, {0.3}, {0.7}},
      {four, events("s1 s2 x1 x2 | s3 s4 x3"), 4, {0.5}, {0.8}},
      {four, events("s1 x1 | s3 x2"), 2, {0.3, 0.5}, {0.51}},
      {each("rep seq rep seq"), each("rep seq"), 2, {0.1}, {0.7}},
      {each("A B"), each("a b"), 0, {0.0}, {0.1}},
      {each("x y z"), each("x y z"), 3, {0.1, 1.0}, {}},
      {each("a b c"), each("c b a"), 1, {0.3}, {0.4}},
  };
  for (const Golden& golden : goldens) {
    SCOPED_TRACE(::testing::PrintToString(golden.pattern));
    const Memory memory = memory_of(golden.pattern);
    const std::size_t symbols = flat(golden.pattern).size() + flat(golden.query).size();
    for (const double threshold : golden.in) {
      const auto predictions = memory.predict(golden.query, threshold);
      ASSERT_EQ(predictions.size(), 1U) << threshold;
      EXPECT_EQ(predictions[0].matched, golden.matched);
      EXPECT_EQ(predictions[0].similarity, 2.0 * golden.matched / static_cast<double>(symbols));
    }
    for (const double threshold : golden.out)
      EXPECT_THAT(memory.predict(golden.query, threshold), IsEmpty()) << threshold;
  }
}

/// The events of a prediction, as `events` reads them, and some of its numbers.
struct Segments {
  const char* claim;
  const char* pattern;
  const char* query;
  const char* past;
  const char* present;
  const char* missing;
  const char* future;
  const char* extras;
  const char* matches;
  double snr = any;
  double evidence = any;
  double confidence = any;
  double fragmentation = any;
  double threshold = 0.1;
};

TEST(Prediction, GoldenSegments) {
  const Segments rows[] = {
      {"the present is the events from the first match to the last", "a b | c d | e", "b | c", "",
       "a b | c d", "a | d", "e", ". | .", "b c", 1, 0.4, 0.5, 0},
      {"missing aligns with the present and extras with the query", "a b | c d", "a x | c y", "",
       "a b | c d", "b | d", "", "x | y", "a c", 1.0 / 3, 0.5, 0.5, 1},
      {"the beginning is the past", "begin | middle | end", "middle", "begin", "middle", ".", "end",
       ".", "middle", 1, 1.0 / 3, 1, 0},
      {"there may be no future", "begin | middle | end", "middle | end", "begin", "middle | end",
       ". | .", "", ". | .", "middle end"},
      {"without a match everything is missing and extra", "a b | c", "x | y z", "", "a b | c",
       "a b | c", "", "x | y z", "", -1, 0, 0, -1, 0},
      // KATO assigns the event before to the present if it contains the first matched symbol.
      {"a repeat before the first match stays in the past", "a | a | b", "a | b", "a", "a | b",
       ". | .", "", ". | .", "a b", any, any, 1},
      {"an event matched from its middle is present", "z | a b | c", "b | c", "z", "a b | c",
       "a | .", "", ". | .", "b c"},
      // The pattern's second a was not observed, and the query's second b was not expected: one
      // symbol of the query is in no block.
      {"missing and extras are sets, not counts", "a a b", "a b b", "", "a a b", ".", "", ".",
       "a b", 3.0 / 5},
      {"fields come from blocks", "a | b | c | d", "b | d | c | a", "", "a", ".", "b | c | d",
       "b | d | c | .", "a"},
      {"empty events are ignored", "a | . | b c | . | d | .", ". | b | . | c", "a", "b c", ".", "d",
       ". | .", "b c"},
      {"a query may be longer than the pattern", "c | d", "a | b | c | d | e | f", "", "c | d",
       ". | .", "", "a | b | . | . | e | f", "c d", 0},
      {"unknown symbols are extras", "a | b", "a | never | b", "", "a | b", ". | .", "",
       ". | never | .", "a b"},
      {"texts are case-sensitive", "A | a", "a", "A", "a", ".", "", ".", "a"},
      {"duplicates within an event are kept", "a a b | c", "a a", "", "a a b", "b", "c", ".", "a a",
       any, 0.5},
  };
  const auto expect_near = [](double found, double expected) {
    if (!std::isnan(expected)) {
      EXPECT_NEAR(found, expected, tolerance);
    }
  };
  for (const Segments& row : rows) {
    SCOPED_TRACE(row.claim);
    const Prediction p = only(events(row.pattern), events(row.query), row.threshold);
    EXPECT_EQ(p.past, events(row.past));
    EXPECT_EQ(p.present, events(row.present));
    EXPECT_EQ(p.missing, events(row.missing));
    EXPECT_EQ(p.future, events(row.future));
    EXPECT_EQ(p.extras, events(row.extras));
    EXPECT_EQ(p.matches, words(row.matches));
    expect_near(p.snr, row.snr);
    expect_near(p.evidence, row.evidence);
    expect_near(p.confidence, row.confidence);
    expect_near(p.fragmentation, row.fragmentation);
    if (p.matches.empty()) {
      EXPECT_EQ(p.itfdf_similarity, 0);  // distance 1 from all frequencies
      EXPECT_EQ(p.potential, 0);         // the last term is 0, not 1 / 0
    }
    if (p.future.empty()) {
      EXPECT_EQ(p.predictive_information, 0);
    }
  }
  EXPECT_EQ(only(each("a b c d"), each("b d c a")).similarity, 0.5) << "that of the LCS";
}

TEST(Prediction, AboveThresholdZeroACandidateWithoutACommonSymbolIsDropped) {
  // As at character level, where texts can be similar without a common symbol.
  Memory memory;
  memory.learn("p", each("banana split")).learn("q", each("bananas"));
  ListedCandidates candidates = memory.candidates(each("bananas"), 0);
  for (auto& entry : candidates.entries) entry.candidate.similarity = 0.7;
  const auto kept = memory.predict(each("bananas"), candidates, {});
  EXPECT_THAT(names(kept), ElementsAre("q"));
  EXPECT_EQ(kept[0].bayesian_prior, 1);
  EXPECT_EQ(memory.predict(each("bananas"), candidates, {.threshold = 0}).size(), 2U);
}

TEST(Prediction, CandidatesBelowTheThresholdAreSkipped) {
  Memory memory = memory_of(each("a b c d"));
  memory.learn("q", each("a b"));
  const auto all = memory.candidates(each("a b"), 0);
  EXPECT_THAT(names(memory.predict(each("a b"), all, {.threshold = 0.9})), ElementsAre("q"));
}

TEST(Prediction, NothingIsPredictedFromNothing) {
  EXPECT_THAT(Memory().predict(each("a"), 0.0), IsEmpty());
  const Memory memory = memory_of(each("a b"));
  EXPECT_THAT(memory.predict({}, 0.0), IsEmpty());
  EXPECT_THAT(memory.predict({{}, {}}, memory.candidates(each("a"), 0), {}), IsEmpty());
}

TEST(Prediction, AnEmptyPatternIsLegalAtThresholdZero) {
  Memory memory = memory_of(each("a b"));
  memory.learn("empty", {});
  const Prediction p = of(memory.predict(each("a"), 0.0), "empty").value();
  EXPECT_THAT(p.present, IsEmpty());
  EXPECT_EQ(p.extras, each("a"));
  for (const double value :
       {p.evidence, p.confidence, p.entropy, p.tfidf_score, p.confluence, p.snr + 1})
    EXPECT_EQ(value, 0);
}

TEST(Prediction, ASingleSymbolFollowsTheGeneralPath) {
  const Prediction p = only(events("x a | y"), each("a"));
  EXPECT_EQ(p.present, events("x a"));
  EXPECT_EQ(p.future, events("y"));
  EXPECT_GT(p.bayesian_posterior, 0);
  EXPECT_FALSE(p.flat);
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

TEST(Prediction, LongPatternsAndQueriesAreNotTruncated) {
  const EventTexts pattern = series(700, 's', 5);
  const Prediction p = only(pattern, {pattern.begin() + 10, pattern.begin() + 130});
  EXPECT_EQ(p.matches.size(), 600U);
  EXPECT_EQ(p.past.size(), 10U);
  EXPECT_EQ(p.future.size(), 10U);
  EXPECT_EQ(p.similarity, 1200.0 / 1300);
  const Prediction copies = only(EventTexts(100, {"x"}), EventTexts(40, {"x"}));
  EXPECT_EQ(copies.similarity, 80.0 / 140);
  EXPECT_EQ(copies.present.size(), 40U);
  EXPECT_EQ(copies.entropy, 0);
}

// The fast path for a query of a single symbol.
const PredictionOptions fast{.single_symbol_fast_path = true};

TEST(PredictionFastPath, ReturnsThePatternsThatBeginWithTheSymbol) {
  Memory memory;
  memory.learn("long", each("a b c d e f g h i j k l m n o p q r s t u v w x y"))
      .learn("short", events("a b"))
      .learn("later", events("x a"))
      .learn("mid", events("a | b | c"));
  const auto predictions = memory.predict(each("a"), fast);
  // The similarity of the first, 1/13, is below the threshold, which the fast path ignores.
  EXPECT_THAT(names(predictions), ElementsAre("short", "mid", "long"));
  const Prediction& p = predictions[0];
  EXPECT_TRUE(p.flat);
  EXPECT_EQ(p.present, events("a"));
  EXPECT_EQ(p.future, events("b"));
  EXPECT_THAT(p.past, IsEmpty());
  EXPECT_THAT(p.missing, IsEmpty());
  EXPECT_THAT(p.extras, IsEmpty());
  EXPECT_EQ(p.confidence, 1);
  EXPECT_EQ(p.potential, 2.5);  // 2 + 1 / length
  EXPECT_EQ(p.bayesian_prior, 0);
  EXPECT_EQ(p.itfdf_similarity, 0);
  EXPECT_EQ(predictions[1].future, events("b c"));
}

TEST(PredictionFastPath, IgnoresTheRankingAndIsForSingleSymbolsOnly) {
  Memory memory;
  memory.learn("frequent", each("a b c"), 9).learn("short", each("a b")).learn("q", each("x a b"));
  PredictionOptions ranked = fast;
  ranked.rank_by = RankBy::frequency;
  ranked.top = 1;
  EXPECT_THAT(names(memory.predict(each("a"), ranked)), ElementsAre("short"));
  EXPECT_EQ(memory.predict(each("a b"), fast).size(), 3U);
  EXPECT_FALSE(memory.predict(each("a b"), fast)[0].flat);
  EXPECT_THAT(memory.predict(each("nowhere"), fast), IsEmpty());
}

}  // namespace PredictionTest
