// SPDX-License-Identifier: Apache-2.0
// The fields of a prediction, computed by hand from their definitions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <kindred/core/common/Error.hpp>

#include <cmath>
#include <limits>

#include "PredictionSupport.hpp"

namespace PredictionFieldsTest {

using namespace Kindred;
using Testing::each;
using Testing::events;
using Testing::Memory;
using Testing::of;

constexpr double tolerance = 1e-12;

/// Three patterns of frequency 1, 2 and 5; known symbols a b c d e; a is in all patterns, b in two.
Memory three() {
  Memory memory;
  memory.learn("p", each("a b c"), 1).learn("q", each("a b d"), 2).learn("r", each("a a e e"), 5);
  return memory;
}

TEST(PredictionFields, EntropiesAreOverTheWholePattern) {
  // Query a: the present of every pattern is only [a].
  const auto predictions = three().predict(each("a"));
  const Prediction p = *of(predictions, "p");
  EXPECT_EQ(p.present, each("a"));
  EXPECT_NEAR(p.entropy, std::log2(3.0), tolerance);
  EXPECT_NEAR(p.normalized_entropy, std::log(3.0) / std::log(5.0), tolerance);
  // a is in 3 of 3 patterns, b in 2, c in 1.
  const double global = -(2.0 / 3 * std::log(2.0 / 3) + 1.0 / 3 * std::log(1.0 / 3));
  EXPECT_NEAR(p.global_normalized_entropy, global / std::log(5.0), tolerance);
  EXPECT_NEAR(of(predictions, "r")->entropy, 1, tolerance);
}

TEST(PredictionFields, TfIdfIsTheMeanOverThePatternsDistinctSymbols) {
  const auto predictions = three().predict(each("a"));
  const double a = std::log2(3.0 / 3) + 1;
  const double b = std::log2(3.0 / 2) + 1;
  const double c = std::log2(3.0 / 1) + 1;
  EXPECT_NEAR(of(predictions, "p")->tfidf_score, (a + b + c) / 3 / 3, tolerance);
  EXPECT_NEAR(of(predictions, "r")->tfidf_score, (a / 2 + c / 2) / 2, tolerance);
}

TEST(PredictionFields, WithOneKnownSymbolTheNormalizedEntropiesAreZero) {
  Memory memory;
  memory.learn("p", each("a a"));
  const Prediction p = memory.predict(each("a"))[0];
  EXPECT_EQ(p.normalized_entropy, 0);
  EXPECT_EQ(p.global_normalized_entropy, 0);
}

TEST(PredictionFields, ConfluenceIsTheShareOfFrequencyTimesTheImprobabilityOfThePresent) {
  const auto predictions = three().predict(each("a b"));
  EXPECT_NEAR(of(predictions, "p")->confluence, 1.0 / 8 * (1 - 1.0 * 2 / 3), tolerance);
  EXPECT_NEAR(of(predictions, "q")->confluence, 2.0 / 8 * (1 - 1.0 * 2 / 3), tolerance);
  EXPECT_EQ(of(predictions, "r")->confluence, 0);  // its present, [a], is in every pattern
}

TEST(PredictionFields, ASymbolThatNoPatternContainsIsImprobable) {
  Memory memory;
  memory.learn("p", each("a b"));
  const std::vector<std::uint64_t> none;
  Ragged<std::string_view> query;
  query.values = {"a"};
  query.close_row();
  const auto predictions =
      Kindred::predict(Testing::context(), query, memory.candidates(each("a"), 0.1),
                       {1, 1, 2, none}, memory.vocabulary);
  EXPECT_NEAR(predictions[0].confluence, 1 - 1e-10, 1e-15);
  EXPECT_EQ(predictions[0].global_normalized_entropy, 0);
  EXPECT_EQ(predictions[0].itfdf_similarity, 0);  // both norms are 0, so the distance is 1
}

TEST(PredictionFields, ItfdfIsOneMinusTheWeightedDistance) {
  const auto predictions = three().predict(each("a b b"));
  // Probabilities: a 1, b 2/3. Query: a 1, b 2. p's present: a, b. r's: a.
  const double query = std::sqrt(1 + 16.0 / 9);
  const double p = (1 + 2.0 / 3 * 4 / 3) / (std::sqrt(1 + 4.0 / 9) * query);
  EXPECT_NEAR(of(predictions, "p")->itfdf_similarity, 1 - (1 - p) * 1 / 8, tolerance);
  EXPECT_NEAR(of(predictions, "q")->itfdf_similarity, 1 - (1 - p) * 2 / 8, tolerance);
  EXPECT_NEAR(of(predictions, "r")->itfdf_similarity, 1 - (1 - 1 / query) * 5 / 8, tolerance);
}

TEST(PredictionFields, RepeatsCountTowardsTheDistance) {
  Memory memory;
  memory.learn("p", events("a a | b")).learn("q", each("b c"));
  const Prediction p = *of(memory.predict(each("a b")), "p");
  EXPECT_EQ(p.present, events("a a | b"));
  // Probabilities: a 1/2, b 1. Present: a twice, b; query: a, b.
  const double cosine = (1 * 0.5 + 1 * 1) / (std::sqrt(2.0) * std::sqrt(1.25));
  EXPECT_NEAR(p.itfdf_similarity, 1 - (1 - cosine) / 2, tolerance);
}

TEST(PredictionFields, BayesUsesTheSurvivors) {
  const auto predictions = three().predict(each("a b"));
  // Similarities 0.8, 0.8, 1/3; priors 1/8, 2/8, 5/8.
  const double sum = 0.8 / 8 + 0.8 * 2 / 8 + 5.0 / 8 / 3;
  double priors = 0;
  double posteriors = 0;
  for (const Prediction& prediction : predictions) {
    priors += prediction.bayesian_prior;
    posteriors += prediction.bayesian_posterior;
    EXPECT_EQ(prediction.bayesian_likelihood, prediction.similarity);
    EXPECT_NEAR(prediction.bayesian_posterior,
                prediction.bayesian_prior * prediction.bayesian_likelihood / sum, tolerance);
  }
  EXPECT_NEAR(priors, 1, tolerance);
  EXPECT_NEAR(posteriors, 1, tolerance);
  EXPECT_NEAR(of(predictions, "q")->bayesian_prior, 0.25, tolerance);
  EXPECT_NEAR(of(predictions, "q")->bayesian_posterior, 0.2 / sum, tolerance);
}

TEST(PredictionFields, PosteriorsAreZeroWhereNothingIsLikely) {
  Memory memory;
  memory.learn("p", each("a b"));
  EXPECT_EQ(memory.predict(each("x"), 0.0)[0].bayesian_posterior, 0);
}

TEST(PredictionFields, EnsembleSumsIncludeAllSurvivorsNotOnlyTheReturned) {
  const Memory memory = three();
  PredictionOptions options;
  const auto all = memory.predict(each("a b"), options);
  options.top = 1;
  const auto best = memory.predict(each("a b"), options);
  ASSERT_EQ(best.size(), 1U);
  EXPECT_EQ(best[0].name, all[0].name);
  EXPECT_EQ(best[0].bayesian_prior, all[0].bayesian_prior);
  EXPECT_LT(best[0].bayesian_prior, 1);
  EXPECT_EQ(best[0].potential, all[0].potential);
}

TEST(PredictionFields, PredictiveInformationIsTheShareOfAFuture) {
  Memory memory;
  memory.learn("p", events("a | x y"), 1)
      .learn("q", events("b a | y x"), 3)  // the same future: events are sets
      .learn("r", events("a | x | y"), 4)  // another future
      .learn("s", events("a"), 8);         // no future
  const auto predictions = memory.predict(each("a"));
  const double p = 2.0 / 4;
  const double q = 2.0 / 5;
  const double r = 2.0 / 4;
  const double futures = p * 1 + q * 3 + r * 4;
  const double same = p * 1 + q * 3;
  EXPECT_NEAR(of(predictions, "p")->predictive_information, (p * 1 / 16) / (same / futures),
              tolerance);
  EXPECT_NEAR(of(predictions, "q")->predictive_information, (q * 3 / 16) / (same / futures),
              tolerance);
  EXPECT_NEAR(of(predictions, "r")->predictive_information, (r * 4 / 16) / (r * 4 / futures),
              tolerance);
  EXPECT_EQ(of(predictions, "s")->predictive_information, 0);
}

TEST(PredictionFields, PotentialMatchesItsFormula) {
  const auto predictions = three().predict(events("a x | d"), 0.0);
  ASSERT_EQ(predictions.size(), 3U);
  for (const Prediction& p : predictions) {
    const double cohesion = p.fragmentation == -1 ? 0 : 1 / (p.fragmentation + 1);
    EXPECT_NEAR(p.potential, (p.evidence + p.confidence) * p.snr + p.itfdf_similarity + cohesion,
                tolerance);
  }
  // By hand for q: blocks a, d; present a b d; extras x.
  const Prediction q = *of(predictions, "q");
  EXPECT_NEAR(q.snr, 3.0 / 5, tolerance);
  EXPECT_NEAR(q.evidence + q.confidence, 4.0 / 3, tolerance);
  EXPECT_NEAR(q.potential - q.itfdf_similarity, 4.0 / 3 * 3 / 5 + 0.5, tolerance);
}

TEST(PredictionFields, PotentialCanBeNegative) {
  // One rare symbol is matched; the other 35 of the query are in ten of eleven patterns.
  Memory memory;
  memory.learn("q", each("a"), 1000000);
  for (int i = 0; i < 10; ++i) memory.learn(Testing::numbered("p", i), each("b c d e f"));
  EventTexts query(35, SymbolTexts{"b"});
  query.push_back({"a"});
  const Prediction q = *of(memory.predict(query, 0.01), "q");
  EXPECT_NEAR(q.snr, -33.0 / 37, tolerance);
  const double cosine = 1 / std::sqrt(1 + 350.0 * 350);
  EXPECT_NEAR(q.itfdf_similarity, 1 - (1 - cosine) * 1000000 / 1000010, tolerance);
  EXPECT_NEAR(q.potential, 2 * q.snr + q.itfdf_similarity + 1, tolerance);
  EXPECT_LT(q.potential, -0.7);
}

TEST(PredictionFields, WithoutWeightsThereAreNoWeightedFields) {
  const Prediction p = three().predict(each("a"))[0];
  EXPECT_FALSE(p.weighted_similarity);
  EXPECT_FALSE(p.weighted_evidence);
  EXPECT_FALSE(p.weighted_confidence);
  EXPECT_FALSE(p.weighted_snr);
}

TEST(PredictionFields, WeightedWorkedExample) {
  Memory memory;
  memory.learn("p", each("A N5 B N6 N7 C N8"));
  std::vector<double> weights(memory.vocabulary.size(), 0.01);
  weights[memory.vocabulary.find("A")] = 0.84;
  weights[memory.vocabulary.find("B")] = 0.81;
  weights[memory.vocabulary.find("C")] = 0.84;
  PredictionOptions options;
  options.weights = weights;
  const Prediction p = memory.predict(each("A N1 N2 N3 B N4"), options)[0];
  EXPECT_NEAR(p.similarity, 4.0 / 13, tolerance);
  // 2 · 1.65 / (1.69 + 2.53): unknown symbols and those without an affinity have weight 0.01.
  EXPECT_NEAR(*p.weighted_similarity, 3.3 / 4.22, tolerance);
  EXPECT_NEAR(*p.weighted_similarity, 0.782, 5e-4);
  EXPECT_NEAR(*p.weighted_evidence, 1.65 / 2.53, tolerance);
  EXPECT_NEAR(*p.weighted_confidence, 1.65 / 1.66, tolerance);
  EXPECT_NEAR(*p.weighted_snr, 1.65 / 1.69, tolerance);
  EXPECT_NEAR(
      p.potential,
      (*p.weighted_evidence + *p.weighted_confidence) * *p.weighted_snr + p.itfdf_similarity + 0.5,
      tolerance);
}

TEST(PredictionFields, EqualWeightsChangeNothing) {
  const Memory memory = three();
  const std::vector<double> weights(memory.vocabulary.size(), 0.01);
  PredictionOptions options;
  options.weights = weights;
  const auto predictions = memory.predict(each("a x b"), options);
  EXPECT_EQ(predictions.size(), 3U);
  for (const Prediction& p : predictions) {
    EXPECT_NEAR(*p.weighted_similarity, p.similarity, tolerance);
    EXPECT_NEAR(*p.weighted_evidence, p.evidence, tolerance);
    EXPECT_NEAR(*p.weighted_confidence, p.confidence, tolerance);
  }
}

TEST(PredictionFields, ZeroWeightsGiveZero) {
  Memory memory;
  memory.learn("p", each("a b"));
  const std::vector<double> weights{0.0, 0.0};
  PredictionOptions options;
  options.weights = weights;
  const Prediction p = memory.predict(each("a"), options)[0];
  EXPECT_EQ(*p.weighted_similarity, 0);
  EXPECT_EQ(*p.weighted_evidence, 0);
  EXPECT_EQ(*p.weighted_snr, 0);
}

TEST(PredictionFields, WeightsOfAnotherNumberThanSymbolsAreRejected) {
  Memory memory;
  memory.learn("p", each("a b c"));
  for (const std::size_t count : {1U, 2U, 4U, 100U}) {
    const std::vector<double> weights(count, 1.0);
    PredictionOptions options;
    options.weights = weights;
    try {
      (void)memory.predict(each("a"), options);
      ADD_FAILURE() << count << " weights for 3 symbols were accepted";
    } catch (const InvalidArgument& error) {
      EXPECT_NE(std::string(error.what()).find("3 symbols"), std::string::npos) << error.what();
    }
  }
}

TEST(PredictionFields, AffinityWeightsAreAffinityPerOccurrenceAboveAFloor) {
  const Memory memory = [] {
    Memory made;
    made.learn("p", each("a b b"), 5).learn("q", each("c"), 1);
    return made;
  }();
  // Of a, b, c, and a symbol that was never learned.
  const std::vector<double> affinities{8, -5, 0, 3};
  const auto weights = affinity_weights(affinities, memory.occurrences());
  ASSERT_EQ(weights.size(), 4U);
  EXPECT_NEAR(weights[0], 8.0 / 5 + 0.01, tolerance);
  EXPECT_NEAR(weights[1], 5.0 / 10 + 0.01, tolerance);
  EXPECT_EQ(weights[2], 0.01);
  EXPECT_EQ(weights[3], 0.01);
}

TEST(PredictionFields, BadOptionsAreRejected) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> good{1.0};
  const auto refused = [](PredictionOptions options, const std::string& word) {
    try {
      candidate_threshold(options, 2);
      ADD_FAILURE() << "accepted: " << word;
    } catch (const InvalidArgument& error) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
  };
  PredictionOptions options;
  EXPECT_NO_THROW(candidate_threshold(options, 2));
  for (const double threshold : {nan, -0.1, 1.1}) {
    options = {};
    options.threshold = threshold;
    refused(options, "threshold");
    options = {};
    options.fuzzy_token_threshold = threshold;
    refused(options, "fuzzy_token_threshold");
  }
  options = {};
  options.top = 0;
  refused(options, "top");
  options = {};
  options.threads = -1;
  refused(options, "threads");
  options = {};
  options.rank_by = RankBy::weighted_snr;
  refused(options, "weighted_snr");
  options.weights = good;
  EXPECT_NO_THROW(candidate_threshold(options, 2));
  for (const double weight : {nan, -1.0, std::numeric_limits<double>::infinity(), 1e101}) {
    const std::vector<double> bad{1.0, weight};
    options.weights = bad;
    refused(options, "symbol 1");
  }
}

TEST(PredictionFields, PredictChecksItsOptions) {
  PredictionOptions options;
  options.top = 0;
  Memory memory;
  memory.learn("p", each("a b"));
  EXPECT_THROW(memory.predict(each("a"), memory.candidates(each("a"), 0), options),
               InvalidArgument);
}

}  // namespace PredictionFieldsTest
