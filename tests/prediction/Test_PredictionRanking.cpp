// SPDX-License-Identifier: Apache-2.0
// How predictions are ranked and truncated.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <kindred/core/common/Error.hpp>
#include <kindred/matcher/Prediction.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "PredictionSupport.hpp"

namespace PredictionRankingTest {

using namespace Kindred;
using Testing::each;
using ::testing::ElementsAre;
using Testing::events;
using Testing::Memory;
using Testing::names;

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

TEST(PredictionRanking, RankNamesRoundTrip) {
  for (const auto& [name, field] : fields()) {
    EXPECT_EQ(to_string(parse<RankBy>(name, "rank_by")), name);
    EXPECT_EQ(enum_names<RankBy>[static_cast<std::size_t>(parse<RankBy>(name, "rank_by"))], name);
  }
  EXPECT_EQ(enum_names<RankBy>.size(), 20U);
}

TEST(PredictionRanking, AnUnknownRankNameIsRejectedListingTheKnownOnes) {
  EXPECT_THROW(parse<RankBy>("entropy", "rank_by"), InvalidArgument);
  EXPECT_THROW(parse<RankBy>("", "rank_by"), InvalidArgument);
  try {
    parse<RankBy>("Potential", "rank_by");
    FAIL();
  } catch (const InvalidArgument& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("rank_by is 'Potential'; it must be one of "), std::string::npos)
        << message;
    for (const auto& [name, field] : fields())
      EXPECT_NE(message.find(name), std::string::npos) << name;
  }
}

TEST(PredictionRanking, EveryFieldRanksDescendingThenBySimilarityThenByIndex) {
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
    options.rank_by = parse<RankBy>(name, "rank_by");
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

TEST(PredictionRanking, RankingByAWeightedFieldNeedsWeights) {
  PredictionOptions options;
  for (const char* name :
       {"weighted_similarity", "weighted_evidence", "weighted_confidence", "weighted_snr"}) {
    options.rank_by = parse<RankBy>(name, "rank_by");
    EXPECT_TRUE(is_weighted(options.rank_by));
    EXPECT_THROW(crowd().predict(each("a"), options), InvalidArgument);
  }
  EXPECT_FALSE(is_weighted(RankBy::tfidf_score));
}

TEST(PredictionRanking, TheBestByFrequencyAreNotLostToACutByPotential) {
  // KATO keeps the top 3 · max by potential before it applies the requested ranking.
  Memory memory;
  memory.learn("frequent", each("a x1 x2 x3 x4 x5 x6 x7 x8 b"), 1000);
  for (int i = 0; i < 10; ++i) memory.learn(Testing::numbered("p", i), each("a b"));
  PredictionOptions options;
  options.rank_by = RankBy::frequency;
  options.top = 1;
  EXPECT_THAT(names(memory.predict(each("a b"), options)), ElementsAre("frequent"));
}

TEST(PredictionRanking, AHigherThresholdNeverAddsResults) {
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

TEST(PredictionRanking, ARepeatedQueryGivesTheSameAnswer) {
  const Memory memory = crowd();
  const auto once = memory.predict(events("a b | c"), 0.2);
  const auto twice = memory.predict(events("a b | c"), 0.2);
  ASSERT_EQ(names(once), names(twice));
  for (std::size_t i = 0; i < once.size(); ++i) EXPECT_EQ(once[i].potential, twice[i].potential);
}

}  // namespace PredictionRankingTest
