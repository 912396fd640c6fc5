// SPDX-License-Identifier: Apache-2.0
// The fields of a prediction, computed by hand from their definitions.
#include "PredictionSupport.hpp"

namespace PredictionFieldsTest {

using namespace Kindred;
using namespace Kindred::Testing;
using P = Prediction;

constexpr double tolerance = 1e-12;

/// Three patterns of frequency 1, 2 and 5; known symbols a b c d e; a is in all patterns, b in two.
Memory three() {
  Memory memory;
  memory.learn("p", each("a b c"), 1).learn("q", each("a b d"), 2).learn("r", each("a a e e"), 5);
  return memory;
}

/// The value of a field of the prediction of a pattern.
struct Value {
  const char* pattern;
  double P::*field;
  double value;
};

void expect_values(const std::vector<P>& predictions, const std::vector<Value>& values) {
  for (const Value& value : values) {
    const auto prediction = of(predictions, value.pattern);
    ASSERT_TRUE(prediction) << value.pattern;
    EXPECT_NEAR((*prediction).*value.field, value.value, tolerance)
        << value.pattern << ", value " << &value - values.data();
  }
}

TEST(PredictionFields, EntropiesAndTfIdfAreOverTheWholePattern) {
  // Query a: the present of every pattern is only [a]. It is in 3 of 3 patterns, b in 2, c in 1.
  const double global = -(2.0 / 3 * std::log(2.0 / 3) + 1.0 / 3 * std::log(1.0 / 3));
  const double a = std::log2(3.0 / 3) + 1;
  const double b = std::log2(3.0 / 2) + 1;
  const double c = std::log2(3.0 / 1) + 1;
  expect_values(three().predict(each("a")),
                {{"p", &P::entropy, std::log2(3.0)},
                 {"p", &P::normalized_entropy, std::log(3.0) / std::log(5.0)},
                 {"p", &P::global_normalized_entropy, global / std::log(5.0)},
                 {"r", &P::entropy, 1},
                 // TF-IDF is the mean over the pattern's distinct symbols.
                 {"p", &P::tfidf_score, (a + b + c) / 3 / 3},
                 {"r", &P::tfidf_score, (a / 2 + c / 2) / 2}});
  expect_values(memory_of(each("a a")).predict(each("a")),
                {{"p", &P::normalized_entropy, 0}, {"p", &P::global_normalized_entropy, 0}});
}

TEST(PredictionFields, ConfluenceIsTheShareOfFrequencyTimesTheImprobabilityOfThePresent) {
  expect_values(three().predict(each("a b")),
                {{"p", &P::confluence, 1.0 / 8 * (1 - 1.0 * 2 / 3)},
                 {"q", &P::confluence, 2.0 / 8 * (1 - 1.0 * 2 / 3)},
                 {"r", &P::confluence, 0}});  // its present, [a], is in every pattern
}

TEST(PredictionFields, ASymbolThatNoPatternContainsIsImprobable) {
  const Memory memory = memory_of(each("a b"));
  const P p = Kindred::predict(context(), Words(each("a")), memory.candidates(each("a"), 0.1),
                               {1, 1, 2, {}}, memory.vocabulary)[0];
  EXPECT_NEAR(p.confluence, 1 - 1e-10, 1e-15);
  EXPECT_EQ(p.global_normalized_entropy, 0);
  EXPECT_EQ(p.itfdf_similarity, 0);  // both norms are 0, so the distance is 1
}

TEST(PredictionFields, ItfdfIsOneMinusTheWeightedDistance) {
  // Probabilities: a 1, b 2/3. Query: a 1, b 2. p's present: a, b. r's: a.
  const double query = std::sqrt(1 + 16.0 / 9);
  const double p = (1 + 2.0 / 3 * 4 / 3) / (std::sqrt(1 + 4.0 / 9) * query);
  expect_values(three().predict(each("a b b")),
                {{"p", &P::itfdf_similarity, 1 - (1 - p) * 1 / 8},
                 {"q", &P::itfdf_similarity, 1 - (1 - p) * 2 / 8},
                 {"r", &P::itfdf_similarity, 1 - (1 - 1 / query) * 5 / 8}});
  // Repeats count. Probabilities: a 1/2, b 1. Present: a twice, b; query: a, b.
  Memory memory;
  memory.learn("p", events("a a | b")).learn("q", each("b c"));
  const double cosine = (1 * 0.5 + 1 * 1) / (std::sqrt(2.0) * std::sqrt(1.25));
  expect_values(memory.predict(each("a b")), {{"p", &P::itfdf_similarity, 1 - (1 - cosine) / 2}});
}

TEST(PredictionFields, BayesUsesTheSurvivors) {
  const Memory memory = three();
  const auto predictions = memory.predict(each("a b"));
  // Similarities 0.8, 0.8, 1/3; priors 1/8, 2/8, 5/8.
  const double sum = 0.8 / 8 + 0.8 * 2 / 8 + 5.0 / 8 / 3;
  expect_values(predictions, {{"p", &P::bayesian_prior, 1.0 / 8},
                              {"q", &P::bayesian_prior, 2.0 / 8},
                              {"r", &P::bayesian_prior, 5.0 / 8},
                              {"r", &P::bayesian_likelihood, 1.0 / 3},
                              {"p", &P::bayesian_posterior, 0.1 / sum},
                              {"q", &P::bayesian_posterior, 0.2 / sum},
                              {"r", &P::bayesian_posterior, 5.0 / 8 / 3 / sum}});
  EXPECT_EQ(memory.predict(each("x"), 0.0)[0].bayesian_posterior, 0) << "nothing is likely";
  // Sums include all survivors, not only the returned.
  const auto best = memory.predict(each("a b"), {.top = 1});
  ASSERT_EQ(best.size(), 1U);
  EXPECT_EQ(best[0].name, predictions[0].name);
  EXPECT_EQ(best[0].bayesian_prior, predictions[0].bayesian_prior);
  EXPECT_EQ(best[0].potential, predictions[0].potential);
}

TEST(PredictionFields, PredictiveInformationIsTheShareOfAFuture) {
  Memory memory;
  memory.learn("p", events("a | x y"), 1)
      .learn("q", events("b a | y x"), 3)  // the same future: events are sets
      .learn("r", events("a | x | y"), 4)  // another future
      .learn("s", events("a"), 8);         // no future
  const double p = 2.0 / 4;
  const double q = 2.0 / 5;
  const double r = 2.0 / 4;
  const double futures = p * 1 + q * 3 + r * 4;
  const double same = p * 1 + q * 3;
  expect_values(memory.predict(each("a")),
                {{"p", &P::predictive_information, (p * 1 / 16) / (same / futures)},
                 {"q", &P::predictive_information, (q * 3 / 16) / (same / futures)},
                 {"r", &P::predictive_information, (r * 4 / 16) / (r * 4 / futures)},
                 {"s", &P::predictive_information, 0}});
}

TEST(PredictionFields, PotentialMatchesItsFormula) {
  const auto predictions = three().predict(events("a x | d"), 0.0);
  ASSERT_EQ(predictions.size(), 3U);
  for (const P& p : predictions) {
    const double cohesion = p.fragmentation == -1 ? 0 : 1 / (p.fragmentation + 1);
    EXPECT_NEAR(p.potential, (p.evidence + p.confidence) * p.snr + p.itfdf_similarity + cohesion,
                tolerance);
    EXPECT_FALSE(p.weighted_similarity || p.weighted_evidence || p.weighted_confidence ||
                 p.weighted_snr)
        << "there are no weights";
  }
  // By hand for q: blocks a, d; present a b d; extras x.
  const P q = *of(predictions, "q");
  EXPECT_NEAR(q.snr, 3.0 / 5, tolerance);
  EXPECT_NEAR(q.evidence + q.confidence, 4.0 / 3, tolerance);
  EXPECT_NEAR(q.potential - q.itfdf_similarity, 4.0 / 3 * 3 / 5 + 0.5, tolerance);
}

TEST(PredictionFields, PotentialCanBeNegative) {
  // One rare symbol is matched; the other 35 of the query are in ten of eleven patterns.
  Memory memory;
  memory.learn("q", each("a"), 1000000);
  for (int i = 0; i < 10; ++i) memory.learn(numbered('p', i), each("b c d e f"));
  EventTexts query(35, SymbolTexts{"b"});
  query.push_back({"a"});
  const double cosine = 1 / std::sqrt(1 + 350.0 * 350);
  const double itfdf = 1 - (1 - cosine) * 1000000 / 1000010;
  expect_values(memory.predict(query, 0.01), {{"q", &P::snr, -33.0 / 37},
                                              {"q", &P::itfdf_similarity, itfdf},
                                              {"q", &P::potential, -66.0 / 37 + itfdf + 1}});
}

TEST(PredictionFields, WeightedWorkedExample) {
  const Memory memory = memory_of(each("A N5 B N6 N7 C N8"));
  std::vector<double> weights(memory.vocabulary.size(), 0.01);
  for (const auto& [text, weight] : {std::pair("A", 0.84), {"B", 0.81}, {"C", 0.84}})
    weights[memory.vocabulary.find(text)] = weight;
  const P p = memory.predict(each("A N1 N2 N3 B N4"), {.weights = weights})[0];
  EXPECT_NEAR(p.similarity, 4.0 / 13, tolerance);
  // 2 · 1.65 / (1.69 + 2.53): unknown symbols and those without an affinity have weight 0.01.
  EXPECT_NEAR(*p.weighted_similarity, 3.3 / 4.22, tolerance);
  EXPECT_NEAR(*p.weighted_evidence, 1.65 / 2.53, tolerance);
  EXPECT_NEAR(*p.weighted_confidence, 1.65 / 1.66, tolerance);
  EXPECT_NEAR(*p.weighted_snr, 1.65 / 1.69, tolerance);
  EXPECT_NEAR(
      p.potential,
      (*p.weighted_evidence + *p.weighted_confidence) * *p.weighted_snr + p.itfdf_similarity + 0.5,
      tolerance);
}

TEST(PredictionFields, EqualWeightsChangeNothingAndZerosGiveZero) {
  const Memory memory = three();
  const std::vector<double> equal(memory.vocabulary.size(), 0.01);
  const auto predictions = memory.predict(each("a x b"), {.weights = equal});
  EXPECT_EQ(predictions.size(), 3U);
  for (const P& p : predictions) {
    EXPECT_NEAR(*p.weighted_similarity, p.similarity, tolerance);
    EXPECT_NEAR(*p.weighted_evidence, p.evidence, tolerance);
    EXPECT_NEAR(*p.weighted_confidence, p.confidence, tolerance);
  }
  const std::vector<double> zeros(memory.vocabulary.size(), 0.0);
  for (const P& p : memory.predict(each("a"), {.weights = zeros})) {
    for (const auto& value : {p.weighted_similarity, p.weighted_evidence, p.weighted_snr})
      EXPECT_EQ(value, 0);
  }
}

TEST(PredictionFields, AffinityWeightsAreAffinityPerOccurrenceAboveAFloor) {
  Memory memory;
  memory.learn("p", each("a b b"), 5).learn("q", each("c"), 1);
  // Of a, b, c, and a symbol that was never learned.
  const auto weights = affinity_weights(std::vector<double>{8, -5, 0, 3}, memory.occurrences());
  EXPECT_THAT(weights, ::testing::ElementsAre(::testing::DoubleEq(8.0 / 5 + 0.01),
                                              ::testing::DoubleEq(5.0 / 10 + 0.01), 0.01, 0.01));
}

TEST(PredictionFields, BadOptionsAreRejected) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Memory memory = three();
  const auto checking = [](const PredictionOptions& options) {
    return [options] { candidate_threshold(options, 2); };
  };
  const auto predicting = [&](const PredictionOptions& options) {
    return [&memory, options] { memory.predict(each("a"), options); };
  };
  const ListedCandidates candidates = memory.candidates(each("a"), 0);
  EXPECT_NO_THROW(checking({})());
  expect_refused({{checking({.top = 0}), "top"},
                  {checking({.threads = -1}), "threads"},
                  {[&] { memory.predict(each("a"), candidates, {.top = 0}); }, "top"}});
  for (const double bad : {nan, -0.1, 1.1}) {
    expect_refused({{checking({.threshold = bad}), "threshold"},
                    {checking({.fuzzy_token_threshold = bad}), "fuzzy_token_threshold"}});
  }
  const std::vector<double> good(2, 1.0);
  for (const RankBy rank : {RankBy::weighted_similarity, RankBy::weighted_evidence,
                            RankBy::weighted_confidence, RankBy::weighted_snr}) {
    EXPECT_TRUE(is_weighted(rank));
    EXPECT_NO_THROW(checking({.rank_by = rank, .weights = good})());
    const std::string name(to_string(rank));
    expect_refused({{checking({.rank_by = rank}), name}, {predicting({.rank_by = rank}), name}});
  }
  EXPECT_FALSE(is_weighted(RankBy::tfidf_score));
  for (const double bad : {nan, -1.0, std::numeric_limits<double>::infinity(), 1e101}) {
    const std::vector<double> weights{1, bad};
    expect_refused({{checking({.weights = weights}), "symbol 1"}});
  }
  const std::vector<double> many(100, 1.0);
  for (const std::size_t count : {1U, 2U, 4U, 6U, 100U})
    expect_refused({{predicting({.weights = std::span(many).first(count)}), "5 symbols"}});
}

}  // namespace PredictionFieldsTest
