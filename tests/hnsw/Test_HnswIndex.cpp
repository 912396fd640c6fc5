// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <numeric>

#include "HnswSupport.hpp"
#include "MessageOf.hpp"

namespace HnswIndexTest {

using namespace Kindred;
using Testing::all_metrics;
using Testing::bits;
using Testing::clustered;
using ::testing::Each;
using Testing::file_of;
using ::testing::HasSubstr;
using Testing::message_of;
using Testing::recall;
using Testing::row_of;
using Testing::stored_row;

constexpr std::size_t dimension = 24;
constexpr std::size_t count = 3000;

HnswSettings settings_of(Metric metric, HnswTraversal traversal = HnswTraversal::automatic) {
  HnswSettings settings;
  settings.metric = metric;
  settings.ef_construction = 80;
  settings.traversal = traversal;
  return settings;
}

HnswSearchOptions top_of(std::size_t top, std::size_t ef = 64) {
  HnswSearchOptions options;
  options.top = top;
  options.ef = std::max(top, ef);
  return options;
}

/// A separate context with the given number of threads.
Context& context_of(int threads) {
  // The first context initializes Kokkos, which is finalized before earlier statics are destroyed.
  Testing::context();
  static std::map<int, std::unique_ptr<Context>> contexts;
  auto& context = contexts[threads];
  if (context == nullptr) {
    ContextOptions options;
    options.threads = threads;
    options.load_profile = false;
    context = std::make_unique<Context>(options);
  }
  return *context;
}

class HnswIndexOf : public ::testing::TestWithParam<std::tuple<Metric, HnswTraversal>> {
 protected:
  Metric metric() const { return std::get<0>(GetParam()); }
  HnswSettings settings() const { return settings_of(metric(), std::get<1>(GetParam())); }
};

INSTANTIATE_TEST_SUITE_P(Every, HnswIndexOf,
                         ::testing::Combine(::testing::ValuesIn(all_metrics),
                                            ::testing::Values(HnswTraversal::bytes,
                                                              HnswTraversal::floats)),
                         [](const auto& info) {
                           return std::string(to_string(std::get<0>(info.param))) + "_" +
                                  std::string(to_string(std::get<1>(info.param)));
                         });

TEST_P(HnswIndexOf, FindsAlmostAllNearestNeighbors) {
  auto generator = Testing::generator("recall");
  const auto rows = clustered(generator, count, dimension, 30);
  const auto queries = clustered(generator, 100, dimension, 30);
  const HnswIndex index = HnswIndex::build(Testing::context(), rows, dimension, settings());
  const auto found = index.search(queries, top_of(10));
  EXPECT_GE(recall(found, metric(), rows, dimension, queries), 0.97);
  const auto more = index.search(queries, top_of(10, 400));
  EXPECT_GE(recall(more, metric(), rows, dimension, queries), 0.995);
  EXPECT_EQ(index.statistics().unreachable, 0U);
}

TEST_P(HnswIndexOf, ScoresAreReproducibleAndInTotalOrder) {
  auto generator = Testing::generator("scores");
  const auto rows = clustered(generator, 500, dimension, 5);
  const auto queries = clustered(generator, 20, dimension, 5);
  const HnswIndex index = HnswIndex::build(Testing::context(), rows, dimension, settings());
  const auto found = index.search(queries, top_of(20));
  for (std::size_t q = 0; q < 20; ++q) {
    std::vector<std::uint64_t> ids;
    for (std::size_t k = 0; k < 20; ++k)
      ids.push_back(static_cast<std::uint64_t>(found.ids[q * 20 + k]));
    const auto expected =
        Reference::score_candidates(metric(), rows, row_of(queries, dimension, q), ids, 20);
    ASSERT_EQ(expected.size(), 20U);
    for (std::size_t k = 0; k < 20; ++k) {
      EXPECT_EQ(ids[k], expected[k].index);
      EXPECT_EQ(std::bit_cast<std::uint32_t>(found.scores[q * 20 + k]),
                std::bit_cast<std::uint32_t>(expected[k].score));
    }
  }
}

TEST_P(HnswIndexOf, BuildsTheSameGraphOnAnyNumberOfThreads) {
  auto generator = Testing::generator("threads");
  const auto rows = clustered(generator, count, dimension, 30);
  const auto queries = clustered(generator, 50, dimension, 30);
  const auto more = clustered(generator, 300, dimension, 30);
  std::string first_file;
  HnswResults first;
  for (const int threads : {1, 2, 7}) {
    HnswIndex index = HnswIndex::build(context_of(threads), rows, dimension, settings());
    index.add(more);
    index.remove(std::vector<std::uint64_t>{3, 5, 1000, 3100});
    index.repair();
    const std::string file = file_of(index);
    const auto found = index.search(queries, top_of(10));
    if (first_file.empty()) {
      first_file = file;
      first = found;
    }
    EXPECT_TRUE(file == first_file) << threads << " threads";
    EXPECT_EQ(found.ids, first.ids);
    EXPECT_EQ(bits(found.scores), bits(first.scores));
    EXPECT_EQ(found.visited, first.visited);
  }
}

TEST_P(HnswIndexOf, ABatchEqualsALoopOnEverySpace) {
  auto generator = Testing::generator("batch");
  const auto rows = clustered(generator, 800, dimension, 10);
  const auto queries = clustered(generator, 33, dimension, 10);
  const HnswIndex index = HnswIndex::build(Testing::context(), rows, dimension, settings());
  const auto batch = index.search(queries, top_of(7));
  for (const Space space : {Space::serial, Space::openmp}) {
    if (!Testing::context().is_usable(space)) continue;
    auto options = top_of(7);
    options.space = space;
    EXPECT_EQ(index.search(queries, options).ids, batch.ids);
    for (std::size_t q = 0; q < 33; ++q) {
      const auto one = index.search(row_of(queries, dimension, q), options);
      EXPECT_TRUE(std::equal(one.ids.begin(), one.ids.end(), batch.ids.begin() + 7 * q));
    }
  }
}

TEST_P(HnswIndexOf, AFilterReturnsAllowedRowsOnly) {
  auto generator = Testing::generator("filter");
  const auto rows = clustered(generator, count, dimension, 30);
  const auto queries = clustered(generator, 40, dimension, 30);
  const HnswIndex index = HnswIndex::build(Testing::context(), rows, dimension, settings());
  for (const std::size_t every : {2, 10, 100, 1000}) {
    std::vector<std::uint8_t> filter(count, 0);
    std::vector<std::uint64_t> words((count + 63) / 64, 0);
    for (std::size_t i = 0; i < count; i += every) {
      filter[i] = 1;
      words[i / 64] |= std::uint64_t{1} << (i % 64);
    }
    auto options = top_of(10);
    options.filter = filter;
    const auto found = index.search(queries, options);
    const std::size_t allowed = (count + every - 1) / every;
    for (std::size_t i = 0; i < found.ids.size(); ++i) {
      if (i % 10 < allowed) {
        ASSERT_GE(found.ids[i], 0);
        EXPECT_EQ(found.ids[i] % static_cast<std::int64_t>(every), 0);
      } else {
        EXPECT_EQ(found.ids[i], -1);
        EXPECT_TRUE(std::isinf(found.scores[i]));
      }
    }
    EXPECT_GE(recall(found, metric(), rows, dimension, queries, filter), 0.95) << "every " << every;
    options.filter = {};
    options.filter_bits = words;
    EXPECT_EQ(index.search(queries, options).ids, found.ids);
  }
}

TEST_P(HnswIndexOf, RemovedRowsAreNotFoundAndRepairKeepsRecall) {
  auto generator = Testing::generator("remove");
  const auto rows = clustered(generator, count, dimension, 30);
  const auto queries = clustered(generator, 60, dimension, 30);
  HnswIndex index = HnswIndex::build(Testing::context(), rows, dimension, settings());
  std::vector<std::uint64_t> removed;
  std::vector<std::uint8_t> left(count, 1);
  for (std::size_t i = 0; i < count; ++i) {
    if (generator() % 2 == 0) continue;
    removed.push_back(i);
    left[i] = 0;
  }
  index.remove(removed);
  EXPECT_EQ(index.size(), count - removed.size());
  for (const bool repaired : {false, true}) {
    if (repaired) index.repair();
    const auto found = index.search(queries, top_of(10));
    for (const std::int64_t id : found.ids) EXPECT_EQ(left[static_cast<std::size_t>(id)], 1);
    EXPECT_GE(recall(found, metric(), rows, dimension, queries, left), 0.96)
        << (repaired ? "repaired" : "removed");
  }
  const HnswStatistics statistics = index.statistics();
  EXPECT_EQ(statistics.removed, 0U);
  EXPECT_EQ(statistics.unreachable, 0U);
  EXPECT_EQ(statistics.end_id, count);
  EXPECT_FALSE(index.contains(removed.front()));
  EXPECT_THROW(stored_row(index, removed.front()), NotFound);
}

TEST(HnswIndex, AddedRowsAreFoundWithTheNextIds) {
  auto generator = Testing::generator("add");
  const auto rows = clustered(generator, 2000, dimension, 20);
  const std::span<const float> all = rows;
  HnswIndex index(Testing::context(), dimension, settings_of(Metric::l2));
  EXPECT_EQ(index.add(all.first(100 * dimension)), 0U);
  EXPECT_EQ(index.add(all.subspan(100 * dimension, dimension)), 100U);
  EXPECT_EQ(index.add(all.subspan(101 * dimension)), 101U);
  EXPECT_EQ(index.add({}), 2000U);
  EXPECT_EQ(index.size(), 2000U);
  const auto queries = clustered(generator, 50, dimension, 20);
  EXPECT_GE(recall(index.search(queries, top_of(10)), Metric::l2, rows, dimension, queries), 0.95);
  const auto own = index.search(all.first(500 * dimension), top_of(1));
  for (std::size_t i = 0; i < 500; ++i) EXPECT_EQ(own.ids[i], static_cast<std::int64_t>(i));
  EXPECT_THAT(own.scores, Each(0.0F));
}

TEST(HnswIndex, ABuildReportsItsProgress) {
  std::mt19937_64 generator(7);
  const auto rows = clustered(generator, count, dimension, 30);
  std::vector<std::uint64_t> seen;
  const HnswIndex index =
      HnswIndex::build(Testing::context(), rows, dimension, settings_of(Metric::l2),
                       [&](std::uint64_t done) { seen.push_back(done); });
  ASSERT_GT(seen.size(), 10U);
  EXPECT_EQ(seen.back(), count);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  const HnswIndex silent =
      HnswIndex::build(Testing::context(), rows, dimension, settings_of(Metric::l2));
  EXPECT_EQ(file_of(index), file_of(silent));
}

TEST(HnswIndex, IdsAreNeverReused) {
  auto generator = Testing::generator("ids");
  const auto rows = clustered(generator, 50, 8, 3);
  HnswIndex index = HnswIndex::build(Testing::context(), rows, 8, settings_of(Metric::l2));
  index.remove(std::vector<std::uint64_t>{49, 0});
  index.repair();
  EXPECT_EQ(index.add(std::span(rows).first(8)), 50U);
  EXPECT_EQ(index.search(std::span(rows).first(8), top_of(1)).ids[0], 50);
  EXPECT_EQ(stored_row(index, 50), std::vector<float>(rows.begin(), rows.begin() + 8));
}

TEST(HnswIndex, SmallIndexesAreExact) {
  auto generator = Testing::generator("small");
  for (const Metric metric : all_metrics) {
    for (const std::size_t n : {1, 2, 3, 15, 16, 17, 33}) {
      const auto rows = clustered(generator, n, 5, 2);
      const auto queries = clustered(generator, 4, 5, 2);
      const HnswIndex index = HnswIndex::build(Testing::context(), rows, 5, settings_of(metric));
      const auto found = index.search(queries, top_of(n));
      EXPECT_EQ(recall(found, metric, rows, 5, queries), 1.0)
          << n << " rows, " << to_string(metric);
    }
  }
}

TEST(HnswIndex, EqualRowsTieByIdAndAllAreFound) {
  auto generator = Testing::generator("duplicates");
  const auto distinct = clustered(generator, 20, dimension, 4);
  std::vector<float> rows;
  for (int copy = 0; copy < 50; ++copy) rows.insert(rows.end(), distinct.begin(), distinct.end());
  for (const Metric metric : all_metrics) {
    const HnswIndex index =
        HnswIndex::build(Testing::context(), rows, dimension, settings_of(metric));
    EXPECT_EQ(index.statistics().unreachable, 0U);
    const auto found = index.search(row_of(rows, dimension, 7), top_of(50, 300));
    const auto truth = Reference::search(metric, rows, row_of(rows, dimension, 7), 50);
    EXPECT_EQ(bits(found.scores), bits(truth.scores));
    EXPECT_EQ(found.ids, truth.ids);
  }
}

TEST(HnswIndex, ZeroRowsAndZeroQueriesHaveTheirReproducibleScores) {
  auto generator = Testing::generator("zero");
  auto rows = clustered(generator, 200, dimension, 4);
  std::fill_n(rows.begin() + 17 * dimension, dimension, 0.0F);
  const std::vector<float> zero(dimension, 0.0F);
  for (const Metric metric : all_metrics) {
    const HnswIndex index =
        HnswIndex::build(Testing::context(), rows, dimension, settings_of(metric));
    const auto found = index.search(zero, top_of(200, 200));
    const auto truth = Reference::search(metric, rows, zero, 200);
    EXPECT_EQ(found.ids, truth.ids) << to_string(metric);
    EXPECT_EQ(bits(found.scores), bits(truth.scores));
  }
}

TEST(HnswIndex, AcceptsHugeTinyAndDistantValues) {
  auto generator = Testing::generator("magnitudes");
  for (const float scale : {1e-18F, 1e18F}) {
    auto rows = clustered(generator, 1000, 8, 10);
    auto queries = clustered(generator, 30, 8, 10);
    for (float& value : rows) value *= scale;
    for (float& value : queries) value *= scale;
    for (const Metric metric : all_metrics) {
      const HnswIndex index = HnswIndex::build(Testing::context(), rows, 8, settings_of(metric));
      const auto found = index.search(queries, top_of(10, 100));
      EXPECT_GE(recall(found, metric, rows, 8, queries), 0.9) << scale << to_string(metric);
    }
  }
  const HnswIndex index = HnswIndex::build(Testing::context(), clustered(generator, 100, 8, 3), 8,
                                           settings_of(Metric::l2));
  const float most = std::numeric_limits<float>::max();
  EXPECT_EQ(index.search(std::vector<float>(8, most), top_of(3)).ids.size(), 3U);
  EXPECT_EQ(index.search(std::vector<float>(8, -most), top_of(3)).ids.size(), 3U);
}

TEST(HnswIndex, TraversesFloatsWhereBytesAreTooCoarse) {
  auto generator = Testing::generator("coarse");
  // Clusters that one byte per dimension cannot resolve.
  const auto rows = clustered(generator, 2000, 16, 8, 1e-4F);
  const auto queries = clustered(generator, 50, 16, 8, 1e-4F);
  const HnswIndex index = HnswIndex::build(Testing::context(), rows, 16, settings_of(Metric::l2));
  EXPECT_EQ(index.statistics().settings.traversal, HnswTraversal::floats);
  EXPECT_GE(recall(index.search(queries, top_of(10)), Metric::l2, rows, 16, queries), 0.95);
  const auto wide = clustered(generator, 2000, 16, 8);
  EXPECT_EQ(HnswIndex::build(Testing::context(), wide, 16, settings_of(Metric::l2))
                .statistics()
                .settings.traversal,
            HnswTraversal::bytes);
}

TEST(HnswIndex, TheSeedDeterminesTheLevels) {
  auto generator = Testing::generator("seed");
  const auto rows = clustered(generator, 500, 8, 5);
  HnswSettings settings = settings_of(Metric::l2);
  const std::string one = file_of(HnswIndex::build(Testing::context(), rows, 8, settings));
  EXPECT_TRUE(one == file_of(HnswIndex::build(Testing::context(), rows, 8, settings)));
  settings.seed = 2;
  EXPECT_FALSE(one == file_of(HnswIndex::build(Testing::context(), rows, 8, settings)));
}

TEST(HnswIndex, RejectsSettingsOutOfRange) {
  Context& context = Testing::context();
  HnswSettings settings;
  EXPECT_THAT(message_of<InvalidArgument>([&] { HnswIndex(context, 0, settings); }),
              HasSubstr("dimension is 0"));
  EXPECT_THAT(
      message_of<InvalidArgument>([&] { HnswIndex(context, std::size_t{1} << 62U, settings); }),
      HasSubstr("dimension is 4611686018427387904"));
  for (const std::size_t m : {0, 1, 513}) {
    settings.m = m;
    EXPECT_THAT(message_of<InvalidArgument>([&] { HnswIndex(context, 4, settings); }),
                HasSubstr("in [2, 512]"));
  }
  settings.m = 16;
  settings.ef_construction = 15;
  EXPECT_THROW(HnswIndex(context, 4, settings), InvalidArgument);
  settings.ef_construction = 65537;
  EXPECT_THROW(HnswIndex(context, 4, settings), InvalidArgument);
  settings.ef_construction = 200;
  settings.traversal = HnswTraversal::bytes;
  EXPECT_THROW(HnswIndex(context, 65537, settings), InvalidArgument);
  settings.traversal = static_cast<HnswTraversal>(3);
  EXPECT_THAT(message_of<InvalidArgument>([&] { HnswIndex(context, 4, settings); }),
              HasSubstr("traversal 3; each must be 0 to 2"));
  settings.traversal = HnswTraversal::automatic;
  settings.metric = static_cast<Metric>(3);
  EXPECT_THAT(message_of<InvalidArgument>([&] { HnswIndex(context, 4, settings); }),
              HasSubstr("the metric is 3"));
}

TEST(HnswIndex, RejectsBadCallsAndIsUnchanged) {
  auto generator = Testing::generator("bad");
  const auto rows = clustered(generator, 60, 4, 3);
  HnswIndex index = HnswIndex::build(Testing::context(), rows, 4, settings_of(Metric::l2));
  const std::string before = file_of(index);
  const float nan = std::nanf("");
  const float infinity = std::numeric_limits<float>::infinity();
  const auto query = std::span(rows).first(4);

  EXPECT_THROW(index.add(std::vector<float>(5)), InvalidArgument);
  EXPECT_THAT(message_of<InvalidArgument>([&] {
                index.add(std::vector<float>{1, 2, 3, 4, 5, nan, 7, 8});
              }),
              HasSubstr("number 1 of row 1"));
  EXPECT_THROW(index.add(std::vector<float>{1, 2, 3, infinity}), InvalidArgument);
  EXPECT_THROW(index.search(std::vector<float>{1, nan, 3, 4}), InvalidArgument);
  EXPECT_THROW(index.search(std::vector<float>(3)), InvalidArgument);
  EXPECT_THROW(index.search(query, top_of(0)), InvalidArgument);
  HnswSearchOptions options = top_of(10);
  options.ef = 9;
  EXPECT_THAT(message_of<InvalidArgument>([&] { index.search(query, options); }),
              HasSubstr("ef is 9"));
  options.ef = 64;
  const std::vector<std::uint8_t> short_filter(59, 1);
  options.filter = short_filter;
  EXPECT_THROW(index.search(query, options), InvalidArgument);
  options.filter = {};
  const std::vector<std::uint64_t> words(2, 1);
  options.filter_bits = words;
  EXPECT_THROW(index.search(query, options), InvalidArgument);
  options.filter_bits = {};
  options.space = Space::cuda;
  EXPECT_THROW(index.search(query, options), SpaceUnavailable);
  EXPECT_THROW(index.remove(std::vector<std::uint64_t>{3, 60}), NotFound);
  EXPECT_THROW(index.remove(std::vector<std::uint64_t>{3, 3}), NotFound);
  EXPECT_THROW(stored_row(index, 60), NotFound);
  std::vector<float> row(dimension + 1);
  EXPECT_THROW(index.rows(std::vector<std::uint64_t>{3}, row), InvalidArgument);
  EXPECT_EQ(index.size(), 60U);
  EXPECT_TRUE(file_of(index) == before);

  index.remove(std::vector<std::uint64_t>{3});
  EXPECT_THROW(index.remove(std::vector<std::uint64_t>{3}), NotFound);
  const HnswIndex empty(Testing::context(), 4);
  EXPECT_EQ(empty.statistics().levels, 0U);
}

TEST(HnswIndex, ReturnsAllRowsWhereTopIsLarger) {
  auto generator = Testing::generator("top");
  const auto rows = clustered(generator, 400, 4, 3);
  HnswIndex index = HnswIndex::build(Testing::context(), rows, 4, settings_of(Metric::l2));
  const auto queries = std::span(rows).first(3 * 4);
  const auto expect_rows = [&](std::size_t left) {
    for (const std::size_t top : {left + 1, std::numeric_limits<std::size_t>::max()}) {
      HnswSearchOptions options;
      options.top = top;
      const HnswResults found = index.search(queries, options);
      EXPECT_EQ(found.top, left);
      ASSERT_EQ(found.ids.size(), 3 * left);
      ASSERT_EQ(found.scores.size(), 3 * left);
      EXPECT_EQ(std::count(found.ids.begin(), found.ids.end(), -1), 0);
      options.ef = top;
      EXPECT_EQ(index.search(queries, options).ids, found.ids);
    }
  };
  expect_rows(400);
  std::vector<std::uint64_t> ids(395);
  std::iota(ids.begin(), ids.end(), std::uint64_t{0});
  index.remove(ids);
  EXPECT_EQ(index.search(queries).top, 5U) << "the default is 10";
  expect_rows(5);
  index.repair();
  expect_rows(5);
  index.remove(std::vector<std::uint64_t>{395, 396, 397, 398, 399});
  expect_rows(0);
  EXPECT_TRUE(HnswIndex(Testing::context(), 4).search(queries).ids.empty());
}

TEST(HnswIndex, WritesToArraysOfTheCaller) {
  auto generator = Testing::generator("arrays");
  const auto rows = clustered(generator, 5, 4, 2);
  for (const Metric metric : all_metrics) {
    const HnswIndex index = HnswIndex::build(Testing::context(), rows, 4, settings_of(metric));
    const HnswIndex empty(Testing::context(), 4, settings_of(metric));
    std::vector<float> memory(rows.begin(), rows.begin() + 3 * 4);
    const std::span<const float> queries = memory;
    const HnswResults found = index.search(queries, top_of(7));
    ASSERT_EQ(found.top, 5U);
    std::vector<float> scores(3 * 7, 8);
    std::vector<std::int64_t> ids(3 * 7, 8);
    const HnswResults written = index.search(queries, top_of(7), {scores, ids});
    EXPECT_EQ(written.top, 7U);
    EXPECT_TRUE(written.ids.empty());
    EXPECT_TRUE(written.scores.empty());
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const bool is_found = i % 7 < 5;
      EXPECT_EQ(ids[i], is_found ? found.ids[i / 7 * 5 + i % 7] : -1);
      EXPECT_EQ(scores[i], is_found ? found.scores[i / 7 * 5 + i % 7] : padding_score(metric));
    }
    empty.search(queries, top_of(7), {scores, ids});
    EXPECT_THAT(ids, Each(-1));
    EXPECT_THAT(scores, Each(padding_score(metric)));
    EXPECT_THROW(index.search(queries, top_of(6), {scores, ids}), InvalidArgument);
    EXPECT_THROW(index.search(queries, top_of(7), {scores, {}}), InvalidArgument);
    EXPECT_THROW(
        index.search(queries, top_of(2), {std::span(memory).last(6), std::span(ids).first(6)}),
        InvalidArgument);
    EXPECT_EQ(index.search(queries.first(0), top_of(7), {}).top, 5U);
  }
}

TEST(HnswIndex, ReportsTheSpaceAndTheTimeOfASearch) {
  auto generator = Testing::generator("HnswIndex record");
  const std::vector<float> rows = clustered(generator, 300, 8, 10);
  const HnswIndex index = HnswIndex::build(Testing::context(), rows, 8);
  const std::span<const float> queries = std::span(rows).first(5 * 8);
  for (const Space space : Testing::spaces()) {
    if (space == Space::cuda) continue;
    HnswSearchOptions options;
    options.space = space;
    const DispatchRecord record = index.search(queries, options).record;
    EXPECT_EQ(record.chosen, space);
    EXPECT_EQ(record.why, Reason::forced);
    EXPECT_EQ(record.items, 5U);
    EXPECT_GT(record.taken, 0);
    EXPECT_GE(record.threads, 1);
    if (space == Space::serial) {
      EXPECT_EQ(record.threads, 1);
    }
  }
  const DispatchRecord record = index.search(queries.first(8)).record;
  EXPECT_EQ(record.chosen, Space::serial) << "a single query runs on one thread";
  EXPECT_EQ(record.why, Reason::only);
}

TEST(HnswIndex, CanBeEmptiedAndFilledAgain) {
  auto generator = Testing::generator("empty");
  const auto rows = clustered(generator, 40, 6, 3);
  HnswIndex index = HnswIndex::build(Testing::context(), rows, 6, settings_of(Metric::cosine));
  std::vector<std::uint64_t> ids(40);
  std::iota(ids.begin(), ids.end(), std::uint64_t{0});
  index.remove(ids);
  EXPECT_EQ(index.size(), 0U);
  index.repair();
  EXPECT_EQ(index.add(rows), 40U);
  EXPECT_EQ(index.search(std::span(rows).first(6), top_of(1)).ids[0], 40);
}

TEST(HnswIndex, OutOfMemoryLeavesItUnchanged) {
  ContextOptions options;
  options.load_profile = false;
  bool refuse = false;
  std::size_t left = 0;
  options.before_allocation = [&](std::string_view, std::size_t, const std::string&) {
    if (refuse && left-- == 0) throw OutOfMemory("host", 1, "test", "refused");
  };
  Context context(options);
  auto generator = Testing::generator("memory");
  const auto rows = clustered(generator, 300, 8, 3);
  HnswIndex index = HnswIndex::build(context, rows, 8, settings_of(Metric::l2));
  index.remove(std::vector<std::uint64_t>{5, 6});
  const std::string before = file_of(index);
  std::size_t failures = 0;
  for (std::size_t allowed = 0; allowed < 20; ++allowed) {
    refuse = true;
    left = allowed;
    try {
      index.add(rows);
      break;
    } catch (const OutOfMemory&) {
      ++failures;
    }
    refuse = false;
    ASSERT_TRUE(file_of(index) == before) << allowed;
    refuse = true;
    left = allowed;
    try {
      index.repair();
      ADD_FAILURE() << "repair allocates more often than add";
    } catch (const OutOfMemory&) {
    }
    refuse = false;
    ASSERT_TRUE(file_of(index) == before) << allowed;
  }
  EXPECT_GE(failures, 3U);
  refuse = false;
  EXPECT_EQ(index.size(), 598U);
}

}  // namespace HnswIndexTest
