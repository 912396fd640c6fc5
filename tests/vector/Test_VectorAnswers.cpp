// SPDX-License-Identifier: Apache-2.0
// Every call of an index and of rows of a caller gives the answers of the reference, to the bit.

#include "Properties.hpp"
#include "Threads.hpp"
#include "VectorAnswers.hpp"

namespace VectorAnswersTest {

using namespace Kindred;
using namespace Testing;

/// Random rows and queries.
void expect_reference(std::size_t rows, std::size_t dimension, std::size_t queries,
                      const std::vector<std::size_t>& tops) {
  const Asked asked{normal_values(queries * dimension), tops};
  ASSERT_EQ(difference(normal_values(rows * dimension), dimension, asked), "")
      << described(rows, "rows of dimension", dimension, "and", queries, "queries");
}

TEST(VectorAnswers, MatchReferenceAtEverySize) {
  std::vector<std::size_t> counts = edge_sizes;
  for (const std::size_t count : {7UL, 15UL, 255UL, 256UL, 257UL, 1500UL}) counts.push_back(count);
  for (const std::size_t count : counts) expect_reference(count, 24, 7, {1, 10, ~0UL});
  for (const std::size_t dimension :
       {1UL, 2UL, 3UL, 31UL, 32UL, 33UL, 64UL, 100UL, 768UL, 4095UL, 4096UL, 4097UL, 10000UL}) {
    for (const std::size_t queries : {1UL, 7UL}) expect_reference(40, dimension, queries, {5});
  }
  for (const std::size_t queries :
       {0UL, 1UL, 2UL, 3UL, 4UL, 5UL, 6UL, 13UL, 63UL, 64UL, 65UL, 97UL, 200UL, 1000UL})
    expect_reference(130, 12, queries, {9});
}

TEST(VectorAnswers, MatchReferenceForEveryElement) {
  for (const DataType element : all_elements) {
    for (const std::size_t dimension : {7UL, 36UL, 64UL, 768UL}) {
      const auto rows = StoredRows::near(element, normal_values(90 * dimension), dimension);
      for (const std::size_t queries : {1UL, 9UL}) {
        const Asked asked{normal_values(queries * dimension)};
        ASSERT_EQ(difference(rows.span(), rows.floats, asked), "")
            << to_string(element) << " of dimension " << dimension;
      }
    }
  }
}

TEST(VectorAnswers, MatchReferenceForEveryKindOfData) {
  for (const auto& kind : kinds_of_data()) {
    for (const std::size_t dimension : {1UL, 33UL, 768UL}) {
      const DataOfKind data(kind, 70, 4, dimension);
      ASSERT_EQ(difference(data.rows, dimension, Asked{data.queries, {10, 70}}), "")
          << kind.name << " of dimension " << dimension;
    }
  }
}

TEST(VectorAnswers, MatchReferenceForListsOfEveryLength) {
  std::vector<std::size_t> lengths = edge_sizes;
  for (const std::size_t length : {400UL, 1024UL, 1500UL, 3000UL}) lengths.push_back(length);
  const Asked asked{normal_values(lengths.size() * 40), {1, 10, 1000}, lengths};
  EXPECT_EQ(difference(normal_values(400 * 40), 40, asked), "");
}

TEST(VectorAnswers, MatchReferenceWhereAFilterLeavesFewRows) {
  const std::vector<float> rows = normal_values(300 * 10);
  for (const std::uint64_t every : {1UL, 25UL, 30UL, 35UL, 300UL, ~0UL}) {
    const Asked asked{normal_values(7 * 10), {10, 400}, {}, every};
    ASSERT_EQ(difference(rows, 10, asked), "") << "one of " << every;
  }
}

TEST(VectorAnswers, MatchReferenceOnManyRows) {
  const Asked asked{normal_values(2 * 8), {1, 1000, 40000}, {}, 3, {Metric::l2}};
  EXPECT_EQ(difference(normal_values(40000 * 8), 8, asked), "");
  // Few different scores: most places are decided by the numbers of the rows.
  std::vector<float> rows(30000);
  for (float& value : rows) value = static_cast<float>(random_below(40));
  const Asked ties{{1, -1}, {1, 100, 5000, 40000}, {}, 3, {Metric::ip}};
  EXPECT_EQ(difference(rows, 1, ties), "");
}

TEST(VectorAnswers, MatchReferenceOnAnyProblem) {
  expect_property("every call equals the reference on every space, to the bit", [] {
    const auto tame = rc::gen::element(0.0F, 1.0F, -1.0F, 0.5F, 0.1F, -3.0F);
    const auto wild = rc::gen::element(0.0F, -0.0F, 1.0F, 1e-42F, -1e-45F, 3e38F, -3e38F, 1e-20F,
                                       16777216.0F, infinity, -infinity, std::nanf(""));
    const bool hurts = *rc::gen::inRange(0, 4) == 0;
    const auto value = hurts ? rc::gen::oneOf(tame, wild) : rc::gen::oneOf(tame, tame);
    const auto dimension = *rc::gen::inRange<std::size_t>(1, 70);
    const auto count = *rc::gen::inRange<std::size_t>(1, 70);
    const auto queries = *rc::gen::inRange<std::size_t>(0, 6);
    const auto values = [&](std::size_t size) {
      return *rc::gen::container<std::vector<float>>(size * dimension, value);
    };
    const std::vector<float> rows = values(count);
    const Asked asked{
        values(queries),
        {*rc::gen::inRange<std::size_t>(1, count + 1)},
        {},
        *rc::gen::inRange<std::uint64_t>(1, 5),
        {*rc::gen::elementOf(std::vector(std::begin(all_metrics), std::end(all_metrics)))}};
    generator().seed(*rc::gen::arbitrary<std::uint64_t>());
    RC_ASSERT(difference(rows, dimension, asked) == "");
  });
}

TEST(VectorPaths, GiveTheSameBitsInTwoHundredRepeats) {
  Asked asked{normal_values(5 * 40), {10}};
  asked.searches = 200;
  EXPECT_EQ(difference(normal_values(700 * 40), 40, asked), "");
}

TEST(VectorPaths, GiveTheSameBitsForAnyNumberOfThreads) {
  const std::vector<float> rows = normal_values(2000 * 65);
  const std::vector<float> queries = normal_values(13 * 65);
  for (const int threads : {1, 2, 3, 5}) {
    Context context({.threads = threads, .load_profile = false});
    const Asked asked{queries, {77}, {}, 3, {Metric::cosine}, 1, false, &context};
    EXPECT_EQ(difference(VectorIndex(context, rows, 65), numbered(rows, 65), asked), "")
        << threads << " threads";
  }
}

TEST(VectorPaths, StreamRowsThroughADeviceWhereTheyDoNotFit) {
  const std::vector<float> rows = normal_values(60'000 * 96);
  Context context({.device_budget = 20U << 20U, .load_profile = false});  // rows take 22 MiB
  const VectorIndex index(context, rows, 96);
  Asked asked{normal_values(3 * 96), {10}};
  asked.only_searches = true;
  asked.in = &context;
  EXPECT_EQ(difference(index, numbered(rows, 96), asked), "");
  EXPECT_EQ(index.bytes(Space::cuda), 0U);
}

TEST(VectorPaths, SplitQueriesAndRowsToFitTheBudget) {
  const std::size_t count = 50000;
  const std::vector<float> rows = normal_values(count * 4);
  const std::vector<float> queries = normal_values(20 * 4);
  const std::uint64_t needed = count * (4 * sizeof(float) + sizeof(double));
  const auto ranked = numbered(rows, 4).ranked(Metric::cosine, queries);
  for (const std::size_t top : {10UL, 700UL}) {
    const auto expected = with_padding(ranked, top, Metric::cosine);
    for (const std::uint64_t spare : {12'000'000ULL, 1'500'000ULL, 500'000ULL, 350'000ULL}) {
      Context context({.host_budget = needed + spare, .load_profile = false});
      for (const Space space : {Space::serial, Space::openmp}) {
        if (!context.is_usable(space)) continue;
        const VectorIndex index(context, rows, 4, Residency::host);
        EXPECT_EQ(ranking_of(index.search(queries, {.top = top, .space = space})), expected)
            << spare << " bytes spare on " << to_string(space);
      }
      EXPECT_EQ(context.memory_statistics(Space::serial).bytes_in_use, 0U);
    }
  }
}

TEST(VectorPaths, AreChosenBySizeBeforeMeasurements) {
  constexpr std::size_t dimension = 64;
  const auto path_of = [&](std::size_t rows, std::size_t queries, Space space) {
    Context context({.load_profile = false});
    const VectorIndex index(context, normal_values(rows * dimension), dimension);
    const std::vector<float> searched = normal_values(queries * dimension);
    return index.search(searched, {.space = space}).report.path;
  };
  for (const Space space : spaces()) {
    SCOPED_TRACE(to_string(space));
    for (const std::size_t rows : {1UL, 5UL, 100UL, 1000UL})
      for (const std::size_t queries : {1UL, 3UL})
        EXPECT_EQ(path_of(rows, queries, space), "brute_force") << rows << " rows";
    EXPECT_EQ(path_of(20, 100, space), "brute_force")
        << "the preparation of a matrix product costs more";
    EXPECT_EQ(path_of(space == Space::cuda ? 100'000 : 3000, 1024, space), "gemm");
  }
}

TEST(RowFunctions, OfManyThreadsGiveTheSameBits) {
  constexpr std::size_t dimension = 96;
  const std::vector<float> rows = normal_values(3000 * dimension);
  const std::vector<float> queries = normal_values(8 * dimension);
  const auto known = numbered(rows, dimension);
  by_threads(8, [&](std::size_t i) {
    const auto query = row_of(queries, dimension, i);
    const auto expected = known.scores(Metric::cosine, query);
    const auto best = with_padding(known.ranked(Metric::cosine, query), 10, Metric::cosine);
    for (int repeat = 0; repeat < 20; ++repeat) {
      std::vector<float> scores(3000);
      row_scores(context(), query, VectorSpan(rows, dimension), scores);
      EXPECT_EQ(bits(scores), expected);
      EXPECT_EQ(ranking_of(top_rows(context(), query, VectorSpan(rows, dimension))), best);
    }
  });
}

}  // namespace VectorAnswersTest
