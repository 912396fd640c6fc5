// SPDX-License-Identifier: Apache-2.0
// How predictions are ranked and truncated, misspelled symbols, and the fast path for a single
// symbol.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <kindred/core/common/Error.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>

#include "PredictionSupport.hpp"

namespace PredictionRulesTest {

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

using Field = std::function<double(const Prediction&)>;

/// Every rank name, with the field that it selects.
const std::map<std::string, Field>& fields() {
  static const std::map<std::string, Field> all{
      {"potential", [](const Prediction& p) { return p.potential; }},
      {"similarity", [](const Prediction& p) { return p.similarity; }},
      {"evidence", [](const Prediction& p) { return p.evidence; }},
      {"confidence", [](const Prediction& p) { return p.confidence; }},
      {"snr", [](const Prediction& p) { return p.snr; }},
      {"fragmentation", [](const Prediction& p) { return p.fragmentation; }},
      {"frequency", [](const Prediction& p) { return static_cast<double>(p.frequency); }},
      {"normalized_entropy", [](const Prediction& p) { return p.normalized_entropy; }},
      {"global_normalized_entropy",
       [](const Prediction& p) { return p.global_normalized_entropy; }},
      {"itfdf_similarity", [](const Prediction& p) { return p.itfdf_similarity; }},
      {"confluence", [](const Prediction& p) { return p.confluence; }},
      {"predictive_information", [](const Prediction& p) { return p.predictive_information; }},
      {"bayesian_posterior", [](const Prediction& p) { return p.bayesian_posterior; }},
      {"bayesian_prior", [](const Prediction& p) { return p.bayesian_prior; }},
      {"bayesian_likelihood", [](const Prediction& p) { return p.bayesian_likelihood; }},
      {"tfidf_score", [](const Prediction& p) { return p.tfidf_score; }},
      {"weighted_similarity", [](const Prediction& p) { return p.weighted_similarity.value(); }},
      {"weighted_evidence", [](const Prediction& p) { return p.weighted_evidence.value(); }},
      {"weighted_confidence", [](const Prediction& p) { return p.weighted_confidence.value(); }},
      {"weighted_snr", [](const Prediction& p) { return p.weighted_snr.value(); }}};
  return all;
}

/// A hundred patterns over few symbols, so that many fields tie.
Memory crowd() {
  Memory memory;
  auto random = Testing::generator("crowd");
  for (int i = 0; i < 100; ++i) {
    EventTexts pattern;
    for (std::uint64_t events = 1 + random() % 4; events > 0; --events) {
      pattern.emplace_back();
      for (std::uint64_t symbols = 1 + random() % 3; symbols > 0; --symbols)
        pattern.back().push_back(std::string(1, static_cast<char>('a' + random() % 6)));
    }
    memory.learn(Testing::numbered("p", i), pattern, 1 + random() % 4);
  }
  return memory;
}

TEST(PredictionRules, RankNamesRoundTrip) {
  for (const auto& [name, field] : fields()) {
    EXPECT_EQ(to_string(parse_rank_by(name)), name);
    EXPECT_NE((", " + rank_by_names() + ",").find(", " + name + ","), std::string::npos) << name;
  }
  const std::string listed = rank_by_names();
  EXPECT_EQ(std::count(listed.begin(), listed.end(), ','), 19);
}

TEST(PredictionRules, AnUnknownRankNameIsRejectedListingTheKnownOnes) {
  EXPECT_FALSE(rank_by_from_string("entropy"));
  EXPECT_FALSE(rank_by_from_string(""));
  try {
    parse_rank_by("Potential");
    FAIL();
  } catch (const InvalidArgument& error) {
    for (const auto& [name, field] : fields())
      EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << name;
  }
}

TEST(PredictionRules, EveryFieldRanksDescendingThenBySimilarityThenByIndex) {
  const Memory memory = crowd();
  std::vector<double> weights;
  for (std::size_t i = 0; i < memory.vocabulary.size(); ++i)
    weights.push_back(0.25 * static_cast<double>(i % 3) + 0.5);
  PredictionOptions options;
  options.weights = weights;
  options.threshold = 0;
  const EventTexts query = events("a b | c x");
  for (const auto& [name, field] : fields()) {
    SCOPED_TRACE(name);
    options.rank_by = parse_rank_by(name);
    options.top = 1000;
    const auto all = memory.predict(query, options);
    ASSERT_EQ(all.size(), 100U);
    for (std::size_t i = 1; i < all.size(); ++i) {
      const auto key = [&field = field](const Prediction& p) {
        return std::tuple(-field(p), -p.similarity, p.index);
      };
      ASSERT_LT(key(all[i - 1]), key(all[i])) << i;
    }
    options.top = 7;
    const auto best = memory.predict(query, options);
    ASSERT_EQ(best.size(), 7U);
    for (std::size_t i = 0; i < best.size(); ++i) {
      EXPECT_EQ(best[i].index, all[i].index);
      EXPECT_EQ(field(best[i]), field(all[i]));
    }
  }
}

TEST(PredictionRules, RankingByAWeightedFieldNeedsWeights) {
  PredictionOptions options;
  for (const char* name :
       {"weighted_similarity", "weighted_evidence", "weighted_confidence", "weighted_snr"}) {
    options.rank_by = parse_rank_by(name);
    EXPECT_TRUE(is_weighted(options.rank_by));
    EXPECT_THROW(crowd().predict(each("a"), options), InvalidArgument);
  }
  EXPECT_FALSE(is_weighted(RankBy::tfidf_score));
}

TEST(PredictionRules, TheBestByFrequencyAreNotLostToACutByPotential) {
  // KATO keeps the top 3 · max by potential before it applies the requested ranking.
  Memory memory;
  memory.learn("frequent", each("a x1 x2 x3 x4 x5 x6 x7 x8 b"), 1000);
  for (int i = 0; i < 10; ++i) memory.learn(Testing::numbered("p", i), each("a b"));
  PredictionOptions options;
  options.rank_by = RankBy::frequency;
  options.top = 1;
  EXPECT_THAT(names(memory.predict(each("a b"), options)), ElementsAre("frequent"));
}

TEST(PredictionRules, AHigherThresholdNeverAddsResults) {
  const Memory memory = crowd();
  std::vector<std::size_t> counts;
  for (int percent = 0; percent <= 100; percent += 5) {
    PredictionOptions options;
    options.threshold = percent / 100.0;
    options.top = 1000;
    counts.push_back(memory.predict(events("a b | c"), options).size());
  }
  EXPECT_TRUE(std::ranges::is_sorted(counts, std::greater())) << ::testing::PrintToString(counts);
  EXPECT_GT(counts.front(), counts.back()) << "no threshold leaves anything out";
}

TEST(PredictionRules, ARepeatedQueryGivesTheSameAnswer) {
  const Memory memory = crowd();
  const auto once = memory.predict(events("a b | c"), 0.2);
  const auto twice = memory.predict(events("a b | c"), 0.2);
  ASSERT_EQ(names(once), names(twice));
  for (std::size_t i = 0; i < once.size(); ++i) EXPECT_EQ(once[i].potential, twice[i].potential);
}

PredictionOptions fuzzy(double least) {
  PredictionOptions options;
  options.fuzzy_token_threshold = least;
  return options;
}

TEST(PredictionRules, MisspelledSymbolsAreAnomaliesAndNeitherMissingNorExtra) {
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

TEST(PredictionRules, WithoutAFuzzyThresholdThereAreNoAnomalies) {
  Memory memory;
  memory.learn("p", events("apple banana"));
  const Prediction p = memory.predict(events("apple bannana"))[0];
  EXPECT_THAT(p.anomalies, IsEmpty());
  EXPECT_EQ(p.missing, events("banana"));
  EXPECT_EQ(p.extras, events("bannana"));
}

TEST(PredictionRules, SeveralAnomaliesAreInTheOrderOfTheQuery) {
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

TEST(PredictionRules, ExactMatchesAreNotAnomaliesWhereverTheyAre) {
  Memory memory;
  memory.learn("p", each("dog cat bird"));
  const Prediction p = memory.predict(each("cat dog"), fuzzy(0.5))[0];
  EXPECT_THAT(p.anomalies, IsEmpty());
  EXPECT_THAT(p.matches, ElementsAre("cat", "dog"));
  EXPECT_EQ(p.blocks.size(), 1U);
}

TEST(PredictionRules, AmongEquallySimilarSymbolsTheFirstOfThePatternIsExpected) {
  Memory memory;
  memory.learn("filler", each("ac"));  // with a lower symbol number than ab
  memory.learn("p", each("k ab ac"));
  const Prediction p = *of(memory.predict(each("k a"), fuzzy(0.6)), "p");
  EXPECT_THAT(p.anomalies, ElementsAre(Anomaly{"a", "ab", 2.0 / 3}));
}

TEST(PredictionRules, TheFuzzyThresholdIsInclusive) {
  Memory memory;
  memory.learn("p", each("k abcd"));
  EXPECT_EQ(memory.predict(each("k abxy"), fuzzy(0.5))[0].anomalies.size(), 1U);
  EXPECT_EQ(memory.predict(each("k abxy"), fuzzy(0.51))[0].anomalies.size(), 0U);
  EXPECT_EQ(memory.predict(each("k abxy"), fuzzy(1))[0].matches.size(), 1U);
}

TEST(PredictionRules, TextsAreComparedByCodePoints) {
  Memory memory;
  memory.learn("p", each("k naïve é🙂x"));
  const Prediction p = memory.predict(each("k naive é🙂y"), fuzzy(0.6))[0];
  ASSERT_EQ(p.anomalies.size(), 2U);
  EXPECT_NEAR(p.anomalies[0].similarity, 0.8, tolerance);
  EXPECT_NEAR(p.anomalies[1].similarity, 2.0 / 3, tolerance);
}

TEST(PredictionRules, InvalidUtf8BytesAreSeparateCharacters) {
  Memory memory;
  memory.learn("p", {{"k", "ab\xff"}, {"\xc3"}});
  const Prediction p = memory.predict({{"k", "ab\xfe"}, {"\xc3"}}, fuzzy(0.6))[0];
  EXPECT_THAT(p.anomalies, ElementsAre(Anomaly{"ab\xfe", "ab\xff", 2.0 / 3}));
}

TEST(PredictionRules, LongTextsAreComparedCompletely) {
  const std::string half(70, 'a');
  const std::string text = half + std::string(90, 'b');
  Memory memory;
  memory.learn("p", {{"k", text}});
  const Prediction p = memory.predict({{"k", text.substr(0, 159) + "c"}}, fuzzy(0.9))[0];
  ASSERT_EQ(p.anomalies.size(), 1U);
  EXPECT_EQ(p.anomalies[0].similarity, 318.0 / 320);
}

TEST(PredictionRules, TheIndelRatioMatchesTheDynamicProgram) {
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

PredictionOptions fast() {
  PredictionOptions options;
  options.single_symbol_fast_path = true;
  return options;
}

TEST(PredictionRules, TheFastPathReturnsThePatternsThatBeginWithTheSymbol) {
  Memory memory;
  memory.learn("long", each("a b c d e f g h i j k l m n o p q r s t u v w x y"))
      .learn("short", events("a b"))
      .learn("later", events("x a"))
      .learn("mid", events("a | b | c"));
  const auto predictions = memory.predict(each("a"), fast());
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

TEST(PredictionRules, TheFastPathIgnoresTheRanking) {
  Memory memory;
  memory.learn("frequent", each("a b c"), 9).learn("short", each("a b"));
  PredictionOptions options = fast();
  options.rank_by = RankBy::frequency;
  options.top = 1;
  EXPECT_THAT(names(memory.predict(each("a"), options)), ElementsAre("short"));
}

TEST(PredictionRules, TheFastPathIsForSingleSymbolsOnly) {
  Memory memory;
  memory.learn("p", each("a b c")).learn("q", each("x a b"));
  EXPECT_EQ(memory.predict(each("a b"), fast()).size(), 2U);
  EXPECT_FALSE(memory.predict(each("a b"), fast())[0].flat);
  EXPECT_THAT(memory.predict(each("nowhere"), fast()), IsEmpty());
}

}  // namespace PredictionRulesTest
