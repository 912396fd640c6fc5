// SPDX-License-Identifier: Apache-2.0
// How predictions are ranked and truncated.
#include <tuple>

#include "PredictionSupport.hpp"

namespace PredictionRankingTest {

using namespace Kindred;
using namespace Kindred::Testing;
using ::testing::ElementsAre;
using P = Prediction;

/// The fields that rank, but the frequency, in the order of `RankBy`.
constexpr double P::*plain[] = {&P::potential,
                                &P::similarity,
                                &P::evidence,
                                &P::confidence,
                                &P::snr,
                                &P::fragmentation,
                                nullptr,
                                &P::normalized_entropy,
                                &P::global_normalized_entropy,
                                &P::itfdf_similarity,
                                &P::confluence,
                                &P::predictive_information,
                                &P::bayesian_posterior,
                                &P::bayesian_prior,
                                &P::bayesian_likelihood,
                                &P::tfidf_score};
constexpr std::optional<double> P::*weighted[] = {&P::weighted_similarity, &P::weighted_evidence,
                                                  &P::weighted_confidence, &P::weighted_snr};

double field(const P& prediction, RankBy rank) {
  const auto number = static_cast<std::size_t>(rank);
  if (rank == RankBy::frequency) return static_cast<double>(prediction.frequency);
  if (number < std::size(plain)) return prediction.*plain[number];
  return (prediction.*weighted[number - std::size(plain)]).value();
}

TEST(PredictionRanking, NamesRoundTripAndAreListedForAnUnknownOne) {
  EXPECT_EQ(enum_names<RankBy>.size(), 20U);
  const auto parsing = [](const char* name) { return [=] { parse<RankBy>(name, "rank_by"); }; };
  expect_refused({{parsing("entropy"), "rank_by is 'entropy'"},
                  {parsing(""), "rank_by is ''"},
                  {parsing("Potential"), "rank_by is 'Potential'; it must be one of "}});
  for (const std::string_view name : enum_names<RankBy>) {
    EXPECT_EQ(to_string(parse<RankBy>(name, "rank_by")), name);
    expect_refused({{parsing("Potential"), std::string(name)}});
  }
}

TEST(PredictionRanking, EveryFieldRanksDescendingThenBySimilarityThenByIndex) {
  const Memory memory = random_memory("crowd", 100, 4, 6, "", 4);  // many fields tie
  std::vector<double> weights;
  for (std::size_t i = 0; i < memory.vocabulary.size(); ++i)
    weights.push_back(0.25 * static_cast<double>(i % 3) + 0.5);
  const EventTexts query = events("a b | c x");
  for (const std::string_view name : enum_names<RankBy>) {
    SCOPED_TRACE(name);
    const RankBy rank = parse<RankBy>(name, "rank_by");
    PredictionOptions options{.rank_by = rank, .top = 1000, .threshold = 0, .weights = weights};
    const auto all = memory.predict(query, options);
    ASSERT_EQ(all.size(), 100U);
    const auto key = [&](const P& p) {
      return std::tuple(-field(p, rank), -p.similarity, p.index);
    };
    for (std::size_t i = 1; i < all.size(); ++i) ASSERT_LT(key(all[i - 1]), key(all[i])) << i;
    options.top = 7;
    const auto best = memory.predict(query, options);
    ASSERT_EQ(best.size(), 7U);
    for (std::size_t i = 0; i < best.size(); ++i) EXPECT_EQ(key(best[i]), key(all[i]));
  }
}

TEST(PredictionRanking, TheBestByFrequencyAreNotLostToACutByPotential) {
  // KATO keeps the top 3 · max by potential before it applies the requested ranking.
  Memory memory;
  memory.learn("frequent", each("a x1 x2 x3 x4 x5 x6 x7 x8 b"), 1000);
  for (int i = 0; i < 10; ++i) memory.learn(numbered('p', i), each("a b"));
  EXPECT_THAT(names(memory.predict(each("a b"), {.rank_by = RankBy::frequency, .top = 1})),
              ElementsAre("frequent"));
}

}  // namespace PredictionRankingTest
