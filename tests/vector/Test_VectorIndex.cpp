// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <kindred/matcher/PreparedScore.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "VectorSupport.hpp"

namespace VectorIndexTest {

using namespace Kindred;
using Testing::all_metrics;
using Testing::Answer;
using Testing::answer_of;
using Testing::normal_values;

SearchOptions search_options(Metric metric, std::size_t top,
                             std::optional<Space> space = std::nullopt) {
  SearchOptions options;
  options.metric = metric;
  options.top = top;
  options.space = space;
  return options;
}

/// Compares every metric on every space with Reference.
void expect_matches_reference(const std::vector<float>& rows, std::size_t dimension,
                              const std::vector<float>& queries, std::size_t top) {
  const VectorIndex index(Testing::context(), rows, dimension);
  for (const Metric metric : all_metrics) {
    SearchOptions options = search_options(metric, std::min(top, index.size()));
    const Answer expected = Testing::reference_search(rows, dimension, queries, options);
    for (const Space space : Testing::spaces()) {
      options.space = space;
      const SearchResults results = index.search(queries, options);
      ASSERT_EQ(answer_of(results), expected)
          << to_string(metric) << " on " << to_string(space) << ", " << index.size() << " × "
          << dimension << ", top " << options.top;
      ASSERT_EQ(results.record.chosen, space);
    }
  }
}

std::vector<float> scaled(std::vector<float> values, float factor) {
  for (float& value : values) value *= factor;
  return values;
}

TEST(VectorIndex, MatchesReferenceAtEdgeSizes) {
  auto generator = Testing::generator("VectorIndex sizes");
  for (const std::size_t count : {1UL, 2UL, 3UL, 7UL, 15UL, 31UL, 32UL, 33UL, 63UL, 64UL, 65UL,
                                  127UL, 128UL, 129UL, 255UL, 256UL, 257UL}) {
    const std::vector<float> rows = normal_values(generator, count * 24);
    const std::vector<float> queries = normal_values(generator, 7 * 24);
    for (const std::size_t top : {std::size_t{1}, std::size_t{10}, count})
      expect_matches_reference(rows, 24, queries, top);
  }
}

TEST(VectorIndex, MatchesReferenceAtEveryDimension) {
  auto generator = Testing::generator("VectorIndex dimensions");
  for (const std::size_t dimension :
       {1UL, 2UL, 3UL, 31UL, 32UL, 33UL, 768UL, 4095UL, 4096UL, 4097UL, 10000UL}) {
    const std::vector<float> rows = normal_values(generator, 40 * dimension);
    const std::vector<float> queries = normal_values(generator, 7 * dimension);
    expect_matches_reference(rows, dimension, queries, 5);
  }
}

TEST(VectorIndex, MatchesReferenceOnManyRows) {
  auto generator = Testing::generator("VectorIndex many");
  const std::vector<float> rows = normal_values(generator, 40000 * 8);
  const std::vector<float> queries = normal_values(generator, 2 * 8);
  for (const std::size_t top : {1UL, 1000UL, 40000UL})
    expect_matches_reference(rows, 8, queries, top);
}

TEST(VectorIndex, MatchesReferenceOnSpecialVectors) {
  constexpr std::size_t dimension = 96;
  using Limits = std::numeric_limits<float>;
  auto generator = Testing::generator("VectorIndex special");
  const std::vector<float> base = normal_values(generator, dimension);
  std::vector<std::vector<float>> vectors{base, base, scaled(base, -1.0F)};
  std::vector<float> orthogonal(dimension, 0.0F);
  for (std::size_t i = 0; i + 1 < dimension; i += 2) {
    orthogonal[i] = -base[i + 1];
    orthogonal[i + 1] = base[i];
  }
  vectors.push_back(orthogonal);
  vectors.emplace_back(dimension, 0.0F);
  vectors.emplace_back(dimension, -0.0F);
  for (const float factor : {1e-10F, 1e10F, 1e20F, 1e-20F, 1e-38F, 1e-42F, 1e-45F, 3e37F})
    vectors.push_back(scaled(base, factor));
  std::vector<float> mixed(dimension);
  for (std::size_t i = 0; i < dimension; ++i) mixed[i] = base[i] * (i % 2 == 0 ? 1e-5F : 1e5F);
  vectors.push_back(mixed);
  for (std::size_t i = 0; i < dimension; ++i) mixed[i] = base[i] * (i % 2 == 0 ? 1e-20F : 1e20F);
  vectors.push_back(mixed);
  std::vector<float> cancelling(dimension);  // exactly 0 against a constant
  for (std::size_t i = 0; i < dimension; ++i) cancelling[i] = i % 2 == 0 ? 1e8F : -1e8F;
  vectors.push_back(cancelling);
  vectors.emplace_back(dimension, 1.0F);
  vectors.emplace_back(dimension, Limits::denorm_min());
  vectors.emplace_back(dimension, Limits::max());
  vectors.emplace_back(dimension, Limits::lowest());
  std::vector<float> sparse(dimension, 0.0F);
  for (std::size_t i = 0; i < dimension; i += 10) sparse[i] = base[i];
  vectors.push_back(sparse);
  for (const float value : {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity()}) {
    std::vector<float> one = base;
    one[dimension - 1] = value;
    vectors.push_back(one);
    vectors.emplace_back(dimension, value);
  }
  std::vector<float> both = base;
  both[3] = Limits::infinity();
  both[40] = -Limits::infinity();
  vectors.push_back(both);

  std::vector<float> rows;
  for (const auto& vector : vectors) rows.insert(rows.end(), vector.begin(), vector.end());
  expect_matches_reference(rows, dimension, rows, vectors.size());
}

TEST(VectorIndex, RanksEveryRowByIdForANaNQuery) {
  auto generator = Testing::generator("VectorIndex NaN");
  const std::vector<float> rows = normal_values(generator, 100 * 5);
  std::vector<float> query = normal_values(generator, 5);
  query[2] = std::numeric_limits<float>::quiet_NaN();
  const VectorIndex index(Testing::context(), rows, 5);
  for (const Metric metric : all_metrics) {
    for (const Space space : Testing::spaces()) {
      const SearchResults results = index.search(query, search_options(metric, 100, space));
      for (std::size_t i = 0; i < 100; ++i) {
        EXPECT_EQ(results.ids[i], static_cast<std::int64_t>(i));
        EXPECT_EQ(std::bit_cast<std::uint32_t>(results.scores[i]), 0x7FC00000U);
      }
    }
  }
}

TEST(VectorIndex, OrdersEqualRowsById) {
  auto generator = Testing::generator("VectorIndex ties");
  const std::vector<float> one = normal_values(generator, 33);
  std::vector<float> rows;
  for (int i = 0; i < 500; ++i) rows.insert(rows.end(), one.begin(), one.end());
  const VectorIndex index(Testing::context(), rows, 33);
  const std::vector<float> query = normal_values(generator, 33);
  for (const Metric metric : all_metrics) {
    for (const Space space : Testing::spaces()) {
      const SearchResults results = index.search(query, search_options(metric, 40, space));
      for (std::size_t i = 0; i < 40; ++i) {
        EXPECT_EQ(results.ids[i], static_cast<std::int64_t>(i));
        EXPECT_EQ(results.scores[i], results.scores[0]);
      }
    }
  }
}

TEST(VectorIndex, StaysWithinAMillionthOfTheExactScore) {
  auto generator = Testing::generator("VectorIndex accuracy");
  constexpr std::size_t dimension = 768;
  std::vector<float> rows = normal_values(generator, 300 * dimension);
  const std::vector<float> query = normal_values(generator, dimension);
  std::normal_distribution<float> noise(0.0F, 0.1F);
  for (std::size_t i = 0; i < 100 * dimension; ++i)  // near duplicates
    rows[i] = 0.9F * query[i % dimension] + noise(generator);
  const VectorIndex index(Testing::context(), rows, dimension);
  for (const Metric metric : all_metrics) {
    const SearchResults results = index.search(query, search_options(metric, 300));
    for (std::size_t place = 0; place < 300; ++place) {
      long double dot = 0;
      long double xx = 0;
      long double qq = 0;
      long double squares = 0;
      for (std::size_t i = 0; i < dimension; ++i) {
        const long double q = query[i];
        const long double x = rows[static_cast<std::size_t>(results.ids[place]) * dimension + i];
        dot += q * x;
        qq += q * q;
        xx += x * x;
        squares += (q - x) * (q - x);
      }
      const long double exact = metric == Metric::cosine ? dot / std::sqrt(qq * xx)
                                : metric == Metric::ip   ? dot
                                                         : std::sqrt(squares);
      const long double scale = std::max(1.0L, std::fabs(exact));
      ASSERT_LT(std::fabs(exact - static_cast<long double>(results.scores[place])) / scale, 1e-6L);
    }
  }
}

TEST(VectorIndex, SplitsQueriesAndRowsToFitTheBudget) {
  auto generator = Testing::generator("VectorIndex budget");
  const std::size_t count = 50000;
  const std::vector<float> rows = normal_values(generator, count * 4);
  const std::vector<float> queries = normal_values(generator, 20 * 4);
  for (const std::size_t top : {10UL, 700UL}) {
    SearchOptions options = search_options(Metric::cosine, top);
    const Answer expected = Testing::reference_search(rows, 4, queries, options);
    for (const std::uint64_t spare : {12'000'000ULL, 1'500'000ULL, 500'000ULL, 350'000ULL}) {
      ContextOptions context_options;
      context_options.load_profile = false;
      context_options.host_budget = rows.size() * sizeof(float) + count * sizeof(double) + spare;
      Context context(context_options);
      for (const Space space : {Space::serial, Space::openmp}) {
        if (!context.is_usable(space)) continue;
        options.space = space;
        const VectorIndex index(context, rows, 4, Residency::host);
        EXPECT_EQ(answer_of(index.search(queries, options)), expected)
            << spare << " bytes spare on " << to_string(space);
      }
      EXPECT_EQ(context.memory_statistics(Space::serial).bytes_in_use, 0U);
    }
  }
}

TEST(VectorIndex, ReportsWhenNothingFits) {
  auto generator = Testing::generator("VectorIndex nothing");
  const std::vector<float> rows = normal_values(generator, 1000 * 4);
  ContextOptions options;
  options.load_profile = false;
  options.host_budget = rows.size() * sizeof(float) + 1000 * sizeof(double) + 100;
  Context context(options);
  const VectorIndex index(context, rows, 4, Residency::host);
  const std::vector<float> query = normal_values(generator, 4);
  EXPECT_THROW(index.search(query), OutOfMemory);
  options.host_budget = 1000;
  Context small(options);
  EXPECT_THROW(VectorIndex(small, rows, 4), OutOfMemory);
}

TEST(VectorIndex, AllocatesNothingForARepeatedCall) {
  auto generator = Testing::generator("VectorIndex growth");
  const std::vector<float> rows = normal_values(generator, 20000 * 16);
  const std::vector<float> queries = normal_values(generator, 5 * 16);
  const VectorIndex index(Testing::context(), rows, 16);
  Ragged<std::uint64_t> candidates;
  for (int query = 0; query < 5; ++query)
    candidates.push_row(std::vector<std::uint64_t>{1, 2, 3, 500, 19999});
  for (const Space space : Testing::spaces()) {
    for (const SearchPath path :
         {SearchPath::brute_force, SearchPath::quantized, SearchPath::gemm}) {
      SearchOptions options = search_options(Metric::cosine, 10, space);
      options.path = path;
      index.search(queries, options);
      index.score(queries, candidates, options);
      const auto before = Testing::context().memory_statistics(space).allocations_total;
      index.search(queries, options);
      index.score(queries, candidates, options);
      EXPECT_EQ(Testing::context().memory_statistics(space).allocations_total, before)
          << to_string(path) << " on " << to_string(space);
    }
  }
}

TEST(VectorIndex, PadsWhereAFilterLeavesTooFew) {
  auto generator = Testing::generator("VectorIndex filter");
  const std::vector<float> rows = normal_values(generator, 300 * 10);
  const std::vector<float> queries = normal_values(generator, 7 * 10);
  const VectorIndex index(Testing::context(), rows, 10);
  for (const std::size_t passing : {0UL, 1UL, 9UL, 10UL, 11UL, 300UL}) {
    std::vector<std::uint8_t> filter(300, 0);
    for (std::size_t i = 0; i < passing; ++i)
      filter[i * 7 % 300] = static_cast<std::uint8_t>(1 + i % 255);
    for (const Metric metric : all_metrics) {
      SearchOptions options = search_options(metric, 10);
      options.filter = filter;
      const Answer expected = Testing::reference_search(rows, 10, queries, options);
      for (const Space space : Testing::spaces()) {
        options.space = space;
        EXPECT_EQ(answer_of(index.search(queries, options)), expected) << to_string(space);
      }
    }
  }
}

TEST(VectorIndex, RejectsBadArguments) {
  const std::vector<float> rows(12, 1.0F);
  EXPECT_THROW(VectorIndex(Testing::context(), rows, 0), InvalidArgument);
  EXPECT_THROW(VectorIndex(Testing::context(), rows, 5), InvalidArgument);
  const VectorSpan unknown(static_cast<DataType>(4), std::as_bytes(std::span(rows)), 3);
  EXPECT_THROW(VectorIndex(Testing::context(), unknown, VectorIndexOptions()), InvalidArgument);
  const VectorIndex index(Testing::context(), rows, 3);
  EXPECT_EQ(index.size(), 4U);
  EXPECT_EQ(index.dimension(), 3U);
  const std::vector<float> query(3, 1.0F);
  SearchOptions options = search_options(Metric::ip, 0);
  EXPECT_THROW(index.search(query, options), InvalidArgument);
  options.top = 1;
  EXPECT_THROW(index.search(std::span(query).first(2), options), InvalidArgument);
  EXPECT_TRUE(index.search({}, options).ids.empty());
  const VectorIndex empty(Testing::context(), {}, 3);
  EXPECT_EQ(empty.size(), 0U);
  const std::vector<std::uint8_t> filter(3, 1);
  options.filter = filter;
  EXPECT_THROW(index.search(query, options), InvalidArgument);
  EXPECT_GE(index.bytes(Space::serial), rows.size() * sizeof(float));
}

TEST(VectorIndex, ReturnsAllRowsWhereTopIsLarger) {
  auto generator = Testing::generator("VectorIndex top");
  const std::vector<float> rows = normal_values(generator, 5 * 6);
  const std::vector<float> queries = normal_values(generator, 3 * 6);
  VectorIndex index(Testing::context(), rows, 6);
  const auto expect_rows = [&](std::size_t left) {
    for (const Space space : Testing::spaces()) {
      for (const SearchPath path :
           {SearchPath::brute_force, SearchPath::quantized, SearchPath::gemm}) {
        for (const std::size_t top : {left + 1, std::numeric_limits<std::size_t>::max()}) {
          const SearchOptions options{.top = top, .space = space, .path = path};
          const SearchResults found = index.search(queries, options);
          EXPECT_EQ(found.top, left);
          ASSERT_EQ(found.ids.size(), 3 * left);
          ASSERT_EQ(found.scores.size(), 3 * left);
          if (left == 0) continue;
          const SearchOptions exactly{.top = left, .space = space, .path = path};
          EXPECT_EQ(answer_of(found), answer_of(index.search(queries, exactly)));
        }
      }
    }
  };
  EXPECT_EQ(index.search(queries).top, 5U) << "the default is 10";
  expect_rows(5);
  index.remove(std::vector<std::uint64_t>{1, 4});
  expect_rows(3);
  index.remove(std::vector<std::uint64_t>{0, 2, 3});
  expect_rows(0);
  EXPECT_TRUE(VectorIndex(Testing::context(), {}, 6).search(queries).ids.empty());
}

TEST(VectorIndex, PadsWhereAFilterLeavesLessThanAllRows) {
  const std::vector<float> rows{1, 0, 0, 1, 1, 1};
  const VectorIndex index(Testing::context(), rows, 2);
  const std::vector<std::uint8_t> filter{0, 1, 0};
  const SearchResults found =
      index.search(std::span(rows).first(2), {.top = 100, .filter = filter});
  EXPECT_EQ(found.top, 3U);
  EXPECT_EQ(found.ids, (std::vector<std::int64_t>{1, -1, -1}));
}

TEST(VectorIndex, ScoresForAnyTopAreAPrefixOfTheCompleteList) {
  auto generator = Testing::generator("VectorIndex score top");
  const std::vector<float> rows = normal_values(generator, 5 * 6);
  const std::vector<float> query = normal_values(generator, 6);
  const VectorIndex index(Testing::context(), rows, 6);
  const std::vector<std::uint64_t> list{4, 0, 4, 2};
  const std::vector<std::uint64_t> offsets{0, 4};
  const ScoreResults target = index.score(query, {offsets, list}, {.top = 3});
  for (const Space space : Testing::spaces()) {
    const SearchOptions all{.top = std::numeric_limits<std::size_t>::max(), .space = space};
    EXPECT_EQ(answer_of(index.score(query, {offsets, list}, all)), answer_of(target));
    PreparedScore prepared(index, 4, all);
    const std::span<const ScoredId> best = prepared.score(query, list);
    ASSERT_EQ(best.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(best[i].id, target.results[0][i].id);
  }
  EXPECT_THROW(PreparedScore(index, std::numeric_limits<std::size_t>::max()), InvalidArgument);
}

TEST(VectorIndex, StreamsRowsThroughADeviceWhereTheyDoNotFit) {
  auto generator = Testing::generator("VectorIndex streams");
  const std::vector<float> rows = normal_values(generator, 60'000 * 96);
  const std::vector<float> queries = normal_values(generator, 3 * 96);
  ContextOptions context_options;
  context_options.load_profile = false;
  context_options.device_budget = 20U << 20U;  // rows take 22 MiB
  Context context(context_options);
  const VectorIndex index(context, rows, 96);
  for (const Metric metric : all_metrics) {
    SearchOptions options = search_options(metric, 10, Space::serial);
    const Answer expected = answer_of(index.search(queries, options));
    for (const Space space : Testing::spaces()) {
      options.space = space;
      for (const SearchPath path :
           {SearchPath::brute_force, SearchPath::quantized, SearchPath::gemm}) {
        if (space == Space::cuda && path == SearchPath::quantized)
          continue;  // there is no other memory to read from
        options.path = path;
        EXPECT_EQ(answer_of(index.search(queries, options)), expected)
            << to_string(path) << " on " << to_string(space);
      }
    }
  }
  EXPECT_EQ(index.bytes(Space::cuda), 0U);
}

TEST(VectorIndex, IsStoredWhereItsResidencySays) {
  const std::vector<float> rows(12, 1.0F);
  const std::vector<float> query(3, 1.0F);
  const SearchOptions on_device = search_options(Metric::ip, 1, Space::cuda);
  const VectorIndex host(Testing::context(), rows, 3, Residency::host);
  EXPECT_EQ(host.bytes(Space::cuda), 0U);
  EXPECT_THROW(host.search(query, on_device), SpaceUnavailable);
  if (Testing::context().is_usable(Space::cuda)) {
    EXPECT_GT(VectorIndex(Testing::context(), rows, 3).bytes(Space::cuda), 0U);
    const VectorIndex device(Testing::context(), rows, 3, Residency::device);
    EXPECT_EQ(device.search(query, search_options(Metric::ip, 1)).record.chosen, Space::cuda);
    EXPECT_THROW(device.search(query, search_options(Metric::ip, 1, Space::serial)),
                 SpaceUnavailable);
  } else {
    for (const Residency residency : {Residency::both, Residency::device})
      EXPECT_THROW(VectorIndex(Testing::context(), rows, 3, residency), SpaceUnavailable);
  }
}

}  // namespace VectorIndexTest
