// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "VectorSupport.hpp"

namespace VectorIndexScoreTest {

using namespace Kindred;
using Testing::all_metrics;
using Testing::Answer;
using Testing::answer_of;
using Testing::normal_values;

void expect_matches_reference(const std::vector<float>& rows, std::size_t dimension,
                              const std::vector<float>& queries,
                              const Ragged<std::uint64_t>& candidates, std::size_t top) {
  const VectorIndex index(Testing::context(), rows, dimension);
  for (const Metric metric : all_metrics) {
    SearchOptions options;
    options.metric = metric;
    options.top = top;
    const Answer expected = Testing::reference_score(rows, dimension, queries, candidates, options);
    for (const Space space : Testing::spaces()) {
      options.space = space;
      const ScoreResults results = index.score(queries, candidates, options);
      ASSERT_EQ(answer_of(results), expected) << to_string(metric) << " on " << to_string(space);
      ASSERT_EQ(results.results.rows(), candidates.rows());
    }
  }
}

TEST(VectorIndexScore, MatchesReferenceOnListsOfEveryLength) {
  auto generator = Testing::generator("Score lengths");
  const std::vector<float> rows = normal_values(generator, 400 * 40);
  std::vector<std::size_t> lengths = Testing::edge_sizes;
  lengths.push_back(3000);  // more than the number of rows: duplicates
  Ragged<std::uint64_t> candidates;
  for (const std::size_t length : lengths) {
    for (std::size_t i = 0; i < length; ++i) candidates.values.push_back(generator() % 400);
    candidates.close_row();
  }
  const std::vector<float> queries = normal_values(generator, lengths.size() * 40);
  for (const std::size_t top : {1UL, 10UL, 1000UL})
    expect_matches_reference(rows, 40, queries, candidates, top);
}

TEST(VectorIndexScore, MatchesReferenceAtEveryDimension) {
  auto generator = Testing::generator("Score dimensions");
  for (const std::size_t dimension : {1UL, 2UL, 3UL, 31UL, 32UL, 33UL, 768UL, 4096UL, 4097UL}) {
    const std::vector<float> rows = normal_values(generator, 30 * dimension);
    const std::vector<float> queries = normal_values(generator, 2 * dimension);
    Ragged<std::uint64_t> candidates;
    candidates.push_row(std::vector<std::uint64_t>{29, 0, 7, 7, 3});
    candidates.push_row(std::vector<std::uint64_t>{5});
    expect_matches_reference(rows, dimension, queries, candidates, 4);
  }
}

TEST(VectorIndexScore, MatchesReferenceOnManyQueries) {
  auto generator = Testing::generator("Score many");
  const std::vector<float> rows = normal_values(generator, 500 * 8);
  const std::size_t count = 1000;
  Ragged<std::uint64_t> candidates;
  for (std::size_t query = 0; query < count; ++query) {
    const std::size_t length = generator() % 60;
    for (std::size_t i = 0; i < length; ++i) candidates.values.push_back(generator() % 500);
    candidates.close_row();
  }
  expect_matches_reference(rows, 8, normal_values(generator, count * 8), candidates, 10);
}

TEST(VectorIndexScore, ScoresADuplicateOnce) {
  const std::vector<float> rows{1.0F, 0.0F, 0.0F, 1.0F, 0.5F, 0.5F};
  const VectorIndex index(Testing::context(), rows, 2);
  Ragged<std::uint64_t> candidates;
  candidates.push_row(std::vector<std::uint64_t>{2, 0, 2, 0, 0, 2, 2});
  SearchOptions options;
  options.metric = Metric::ip;
  const std::vector<float> query{1.0F, 0.0F};
  const ScoreResults results = index.score(query, candidates, options);
  ASSERT_EQ(results.results.values.size(), 2U);
  EXPECT_EQ(results.results.values[0].id, 0);
  EXPECT_EQ(results.results.values[1].id, 2);
  EXPECT_EQ(results.results.values[1].score, 0.5F);
}

TEST(VectorIndexScore, OmitsFilteredCandidates) {
  const std::vector<float> rows{1.0F, 2.0F, 3.0F, 4.0F};
  const VectorIndex index(Testing::context(), rows, 1);
  Ragged<std::uint64_t> candidates;
  candidates.push_row(std::vector<std::uint64_t>{0, 1, 3});
  const std::vector<std::uint8_t> filter{1, 1, 1, 0};
  SearchOptions options;
  options.metric = Metric::ip;
  options.filter = filter;
  const std::vector<float> query{1.0F};
  const ScoreResults results = index.score(query, candidates, options);
  ASSERT_EQ(results.results.values.size(), 2U);
  EXPECT_EQ(results.results.values[0].id, 1);
}

TEST(VectorIndexScore, GivesTheSameBitsUnderASmallBudget) {
  auto generator = Testing::generator("Score budget");
  const std::vector<float> rows = normal_values(generator, 300 * 16);
  Ragged<std::uint64_t> candidates;
  for (int query = 0; query < 100; ++query) {
    for (int i = 0; i < 200; ++i) candidates.values.push_back(generator() % 300);
    candidates.close_row();
  }
  const std::vector<float> queries = normal_values(generator, 100 * 16);
  ContextOptions context_options;
  context_options.load_profile = false;
  context_options.host_budget = rows.size() * sizeof(float) + 300 * sizeof(double) + 40000;
  Context context(context_options);
  const VectorIndex index(context, rows, 16, Residency::host);
  SearchOptions options;
  options.top = 7;
  options.space = Space::serial;
  EXPECT_EQ(answer_of(index.score(queries, candidates, options)),
            Testing::reference_score(rows, 16, queries, candidates, options));
}

TEST(VectorIndexScore, RejectsBadCandidatesBeforeAnythingRuns) {
  const std::vector<float> rows(12, 1.0F);
  const VectorIndex index(Testing::context(), rows, 3);
  const std::vector<float> queries(6, 1.0F);
  Ragged<std::uint64_t> candidates;
  candidates.push_row(std::vector<std::uint64_t>{0, 1});
  EXPECT_THROW(index.score(queries, candidates), InvalidArgument);
  candidates.push_row(std::vector<std::uint64_t>{3, 2, 4});
  try {
    index.score(queries, candidates);
    FAIL() << "an id out of range was accepted";
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("candidate 2 of query 1 is 4; the index has 4 rows"),
              std::string::npos)
        << error.what();
  }
  candidates.values.back() = 1ULL << 32U;  // 0 in 32 bits
  EXPECT_THROW(index.score(queries, candidates), InvalidArgument);
  candidates.values.back() = 0;
  SearchOptions options;
  options.top = 0;
  EXPECT_THROW(index.score(queries, candidates, options), InvalidArgument);
  EXPECT_EQ(index.score(queries, candidates).results.values.size(), 5U);
  candidates.offsets.back() = 9;
  EXPECT_THROW(index.score(queries, candidates), InvalidArgument);
}

TEST(VectorIndexScore, NamesTheFirstInvalidIdOnEverySpace) {
  constexpr std::size_t dimension = 4;
  constexpr std::size_t count = 500;
  constexpr std::size_t lists = 40;
  auto generator = Testing::generator("VectorIndexScore bad ids");
  const std::vector<float> rows = Testing::normal_values(generator, count * dimension);
  const std::vector<float> queries = Testing::normal_values(generator, lists * dimension);
  const VectorIndex index(Testing::context(), rows, dimension);
  for (const std::size_t length : {3UL, 3000UL}) {
    Ragged<std::uint64_t> candidates;
    for (std::size_t list = 0; list < lists; ++list) {
      for (std::size_t i = 0; i < length; ++i) candidates.values.push_back((list + 7 * i) % count);
      candidates.close_row();
    }
    for (const Space space : Testing::spaces()) {
      SearchOptions options;
      options.space = space;
      options.top = length == 3 ? 2 : 1200;  // one launch on a device, and several
      const auto before = index.score(queries, candidates, options).results;
      for (const std::uint64_t bad : {std::uint64_t{count}, std::uint64_t{0xFFFFFFFF},
                                      std::uint64_t{1} << 32U, ~std::uint64_t{0}}) {
        Ragged<std::uint64_t> broken = candidates;
        broken.values[17 * length + 2] = bad;
        broken.values[30 * length] = count + 1;
        try {
          index.score(queries, broken, options);
          FAIL() << bad << " was accepted on " << to_string(space);
        } catch (const InvalidArgument& error) {
          EXPECT_NE(std::string(error.what())
                        .find("candidate 2 of query 17 is " + std::to_string(bad) +
                              "; the index has 500 rows with ids below 500"),
                    std::string::npos)
              << to_string(space) << ": " << error.what();
        }
      }
      const auto after = index.score(queries, candidates, options).results;
      EXPECT_EQ(after.offsets, before.offsets);
      const auto is_same = [](const ScoredId& a, const ScoredId& b) {
        return a.id == b.id && a.score == b.score;
      };
      EXPECT_TRUE(std::equal(after.values.begin(), after.values.end(), before.values.begin(),
                             before.values.end(), is_same))
          << to_string(space);
    }
  }
}

TEST(VectorIndexScore, ReturnsEmptyRowsForEmptyLists) {
  const std::vector<float> rows(12, 1.0F);
  const VectorIndex index(Testing::context(), rows, 3);
  const Ragged<std::uint64_t> none;
  EXPECT_EQ(index.score({}, none).results.rows(), 0U);
  Ragged<std::uint64_t> empty_lists;
  empty_lists.close_row();
  empty_lists.close_row();
  const std::vector<float> two_queries(6, 1.0F);
  const ScoreResults results = index.score(two_queries, empty_lists);
  EXPECT_EQ(results.results.rows(), 2U);
  EXPECT_TRUE(results.results.values.empty());
}

}  // namespace VectorIndexScoreTest
