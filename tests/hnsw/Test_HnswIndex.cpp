// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "HnswSupport.hpp"
#include "RefusedWithoutMemory.hpp"

namespace HnswIndexTest {

using namespace Kindred;
using namespace Testing;
using ::testing::Each;
using Ids = std::vector<std::uint64_t>;
using Found = std::vector<std::int64_t>;

constexpr std::size_t dimension = 24;
constexpr std::size_t count = 3000;

HnswSettings settings_of(Metric metric, HnswTraversal traversal = HnswTraversal::automatic) {
  return {.metric = metric, .ef_construction = 80, .traversal = traversal};
}

/// Expects the ids of the reference and the bits of its scores.
void expect_reference(const HnswIndex& index, const std::vector<float>& rows,
                      std::span<const float> query, const HnswSearchOptions& options) {
  const auto found = index.search(query, options);
  const auto truth = Reference::search(index.settings().metric, rows, query, options.top);
  EXPECT_EQ(found.ids, truth.ids) << to_string(index.settings().metric);
  EXPECT_EQ(bits(found.scores), bits(truth.scores));
}

class HnswIndexOf : public ::testing::TestWithParam<std::tuple<Metric, HnswTraversal>> {
 protected:
  HnswSettings settings() const {
    return settings_of(std::get<0>(GetParam()), std::get<1>(GetParam()));
  }
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
  const Built all(settings(), count, 100);
  EXPECT_GE(all.recall(all.search({})), 0.97);
  EXPECT_GE(all.recall(all.search({.top = 10, .ef = 400})), 0.995);
  EXPECT_EQ(all.index.statistics().unreachable, 0U);
}

TEST_P(HnswIndexOf, ScoresAreReproducibleAndInTotalOrderInABatchAndALoopOnEverySpace) {
  const Built all(settings(), 800, 33, dimension, 10);
  const auto batch = all.search({.top = 20});
  for (std::size_t q = 0; q < 33; ++q) {
    const auto query = row_of(all.queries, dimension, q);
    const auto place = static_cast<std::ptrdiff_t>(q * 20);
    const Ids ids(batch.ids.begin() + place, batch.ids.begin() + place + 20);
    const auto expected = Reference::score_candidates(settings().metric, all.rows, query, ids, 20);
    ASSERT_EQ(expected.size(), 20U);
    for (std::size_t k = 0; k < 20; ++k) {
      EXPECT_EQ(ids[k], expected[k].index);
      EXPECT_EQ(bits({&batch.scores[q * 20 + k], 1}), bits({&expected[k].score, 1}));
    }
    for (const Space space : {Space::serial, Space::openmp}) {
      if (!context().is_usable(space)) continue;
      const auto one = all.index.search(query, {.top = 20, .space = space});
      EXPECT_TRUE(std::equal(one.ids.begin(), one.ids.end(), batch.ids.begin() + place));
      if (q == 0) {
        EXPECT_EQ(all.search({.top = 20, .space = space}).ids, batch.ids);
      }
    }
  }
}

TEST_P(HnswIndexOf, BuildsTheSameGraphOnAnyNumberOfThreads) {
  const auto rows = clustered(count, dimension, 30);
  const auto queries = clustered(50, dimension, 30);
  const auto more = clustered(300, dimension, 30);
  std::optional<std::tuple<std::string, Found, std::vector<std::uint32_t>, std::uint64_t>> first;
  for (const int threads : {1, 2, 7}) {
    Context context({.threads = threads, .load_profile = false});
    HnswIndex index = HnswIndex::build(context, rows, dimension, settings());
    index.add(more);
    index.remove({{3, 5, 1000, 3100}});
    index.repair();
    const auto found = index.search(queries);
    const std::tuple answer(file_of(index), found.ids, bits(found.scores), found.visited);
    EXPECT_TRUE(answer == first.value_or(answer)) << threads << " threads";
    first = answer;
  }
}

TEST_P(HnswIndexOf, AFilterReturnsAllowedRowsOnly) {
  const Built all(settings(), count, 40);
  for (const std::size_t every : {2, 10, 100, 1000}) {
    std::vector<std::uint8_t> filter(count, 0);
    Ids words((count + 63) / 64, 0);
    for (std::size_t i = 0; i < count; i += every) {
      filter[i] = 1;
      words[i / 64] |= std::uint64_t{1} << (i % 64);
    }
    const auto found = all.search({.filter = filter});
    for (std::size_t i = 0; i < found.ids.size(); ++i) {
      const bool is_found = i % 10 < (count + every - 1) / every;
      EXPECT_EQ(found.ids[i] == -1, !is_found);
      EXPECT_EQ(std::isinf(found.scores[i]), !is_found);
      EXPECT_TRUE(!is_found || filter.at(static_cast<std::size_t>(found.ids[i])) == 1);
    }
    EXPECT_GE(all.recall(found, filter), 0.95) << "every " << every;
    EXPECT_EQ(all.search({.filter_bits = words}).ids, found.ids);
  }
}

TEST_P(HnswIndexOf, RemovedRowsAreNotFoundAndRepairKeepsRecall) {
  Built all(settings(), count, 60);
  Ids removed;
  std::vector<std::uint8_t> left(count, 1);
  for (std::size_t i = 0; i < count; ++i) {
    if (random_below(2) == 0) continue;
    removed.push_back(i);
    left[i] = 0;
  }
  all.index.remove(removed);
  EXPECT_EQ(all.index.size(), count - removed.size());
  for (const bool repaired : {false, true}) {
    if (repaired) all.index.repair();
    const auto found = all.search({});
    for (const std::int64_t id : found.ids) EXPECT_EQ(left[static_cast<std::size_t>(id)], 1);
    EXPECT_GE(all.recall(found, left), 0.96) << (repaired ? "repaired" : "removed");
  }
  const HnswStatistics statistics = all.index.statistics();
  EXPECT_EQ(statistics.removed, 0U);
  EXPECT_EQ(statistics.unreachable, 0U);
  EXPECT_EQ(statistics.end_id, count);
  EXPECT_FALSE(all.index.contains(removed.front()));
  EXPECT_THROW(stored_row(all.index, removed.front()), NotFound);
}

TEST(HnswIndex, AddedRowsAreFoundWithTheNextIds) {
  Built all(settings_of(Metric::l2), 2000, 50, dimension, 20);
  all.index = HnswIndex(context(), dimension, settings_of(Metric::l2));
  std::size_t end = 0;
  for (const std::size_t added : {100UL, 1UL, 1899UL, 0UL}) {
    EXPECT_EQ(all.index.add(row_of(all.rows, dimension, end, added)), end);
    end += added;
  }
  EXPECT_EQ(all.index.size(), 2000U);
  EXPECT_GE(all.recall(all.search({})), 0.95);
}

TEST(HnswIndex, ABuildReportsItsProgress) {
  const Built silent(settings_of(Metric::l2), count, 1);
  Ids seen;
  const HnswIndex index =
      HnswIndex::build(context(), silent.rows, dimension, settings_of(Metric::l2),
                       [&](std::uint64_t done) { seen.push_back(done); });
  ASSERT_GT(seen.size(), 10U);
  EXPECT_EQ(seen.back(), count);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  EXPECT_EQ(file_of(index), file_of(silent.index));
}

TEST(HnswIndex, EqualRowsAndRowsOfZerosTieByIdAndAllAreFound) {
  auto distinct = clustered(20, dimension, 4);
  std::fill_n(distinct.begin() + 17 * dimension, dimension, 0.0F);
  std::vector<float> rows;
  for (int copy = 0; copy < 50; ++copy) rows.insert(rows.end(), distinct.begin(), distinct.end());
  for (const Metric metric : all_metrics) {
    const HnswIndex index = HnswIndex::build(context(), rows, dimension, settings_of(metric));
    EXPECT_EQ(index.statistics().unreachable, 0U);
    expect_reference(index, rows, row_of(rows, dimension, 7), {.top = 50, .ef = 300});
    expect_reference(index, rows, std::vector<float>(dimension), {.top = 200, .ef = 1000});
  }
}

TEST(HnswIndex, AcceptsHugeTinyAndDistantValues) {
  for (const float scale : {1e-18F, 1e18F}) {
    auto rows = clustered(1000, 8, 10), queries = clustered(30, 8, 10);
    for (auto* values : {&rows, &queries})
      for (float& value : *values) value *= scale;
    for (const Metric metric : all_metrics) {
      const Built all(settings_of(metric), 8, rows, queries);
      EXPECT_GE(all.recall(all.search({.top = 10, .ef = 100})), 0.9) << scale;
    }
  }
  const Built all(settings_of(Metric::l2), 100, 1, 8, 3);
  for (const float most : {std::numeric_limits<float>::max(), std::numeric_limits<float>::lowest()})
    EXPECT_EQ(all.index.search(std::vector<float>(8, most), {.top = 3}).ids.size(), 3U);
}

TEST(HnswIndex, TraversesFloatsWhereBytesAreTooCoarse) {
  // Clusters that one byte per dimension cannot resolve.
  const Built narrow(settings_of(Metric::l2), 16, clustered(2000, 16, 8, 1e-4F),
                     clustered(50, 16, 8, 1e-4F));
  EXPECT_EQ(narrow.index.statistics().settings.traversal, HnswTraversal::floats);
  EXPECT_GE(narrow.recall(narrow.search({})), 0.95);
  const Built wide(settings_of(Metric::l2), 2000, 1, 16, 8);
  EXPECT_EQ(wide.index.statistics().settings.traversal, HnswTraversal::bytes);
}

TEST(HnswIndex, TheSeedDeterminesTheLevels) {
  HnswSettings settings = settings_of(Metric::l2);
  const auto rows = clustered(500, 8, 5);
  const auto file = [&] { return file_of(HnswIndex::build(context(), rows, 8, settings)); };
  const std::string one = file();
  EXPECT_TRUE(one == file());
  settings.seed = 2;
  EXPECT_FALSE(one == file());
}

TEST(HnswIndex, RejectsSettingsOutOfRange) {
  const auto made = [](std::size_t of, const HnswSettings& settings) -> Call {
    return [=] { HnswIndex(context(), of, settings); };
  };
  expect_refused_without_memory({
      {{"dimension is 0"}, made(0, {})},
      {{"dimension is 4611686018427387904"}, made(std::size_t{1} << 62U, {})},
      {{"in [2, 512]"}, made(4, {.m = 0})},
      {{"in [2, 512]"}, made(4, {.m = 1})},
      {{"in [2, 512]"}, made(4, {.m = 513})},
      {{"15"}, made(4, {.ef_construction = 15})},
      {{"65537"}, made(4, {.ef_construction = 65537})},
      {{"65537"}, made(65537, {.traversal = HnswTraversal::bytes})},
      {{"traversal 3; each must be 0 to 2"}, made(4, {.traversal = static_cast<HnswTraversal>(3)})},
      {{"the metric is 3"}, made(4, {.metric = static_cast<Metric>(3)})},
  });
}

TEST(HnswIndex, RejectsBadCallsWithoutMemoryAndIsUnchanged) {
  Built all({.ef_construction = 20}, count, 200);
  HnswIndex& index = all.index;
  ASSERT_TRUE(index.contains(1));  // builds the sorted list of ids
  const std::string before = file_of(index);
  const auto with = [&](std::size_t place, float value) {
    std::vector<float> rows = all.queries;
    rows[place] = value;
    return rows;
  };
  const std::vector<float> bad = with(3 * dimension + 5, std::nanf(""));
  const std::vector<float> infinite = with(7, std::numeric_limits<float>::infinity());
  const auto odd = std::span(all.queries).first(100 * dimension + 1);
  const std::vector<std::uint8_t> filter(count - 1, 1);
  const Ids words(46, 1);
  std::vector<float> out(2 * dimension);
  Ids many(100'000);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = i % count;
  many.back() = count;
  const auto search = [&](const HnswSearchOptions& options) -> Call {
    return [&, options] { all.search(options); };
  };
  const auto rows = [&](const Ids& ids) -> Call { return [&, ids] { index.rows(ids, out); }; };
  const auto remove = [&](const Ids& ids) -> Call { return [&, ids] { index.remove(ids); }; };
  expect_refused_without_memory({
      {{"finite", "number 5 of row 3"}, [&] { index.search(bad); }},
      {{"finite", "number 5 of row 3"}, [&] { index.add(bad); }},
      {{"finite", "number 7 of row 0"}, [&] { index.add(infinite); }},
      {{"2401", "24"}, [&] { index.search(odd); }},
      {{"2401", "24"}, [&] { index.add(odd); }},
      {{"top is 0"}, search({.top = 0})},
      {{"ef is 64", "top, 65"}, search({.top = 65, .ef = 64})},
      {{"filter is 2999", "3000"}, search({.filter = filter})},
      {{"words is 46", "47"}, search({.filter_bits = words})},
      {{"output is 48", "1 rows"}, rows({3})},
  });
  expect_refused_without_memory<SpaceUnavailable>(
      {{{"serial or openmp"}, search({.space = Space::cuda})}});
  expect_refused_without_memory<NotFound>({
      {{"id 3000", "below 3000"}, remove({3, count})},
      {{"listed twice"}, remove({3, 3})},
      {{"id 3000"}, rows({3, count})},
      {{"id 3000"}, [&] { index.remove(many); }},
      {{"listed twice"}, [&] { index.remove(std::span(many).first(99'999)); }},
  });
  EXPECT_EQ(index.size(), count) << "the ids that were removed before the error must be restored";
  EXPECT_TRUE(file_of(index) == before);
  index.remove(Ids{3});
  EXPECT_THROW(index.remove(Ids{3}), NotFound);
  EXPECT_EQ(HnswIndex(context(), 4).statistics().levels, 0U);
}

TEST(HnswIndex, WritesToArraysOfTheCaller) {
  for (const Metric metric : all_metrics) {
    const Built all(settings_of(metric), 5, 3, 4, 2);
    const std::span<const float> queries = all.queries;
    const HnswResults found = all.search({.top = 7});
    ASSERT_EQ(found.top, 5U);
    std::vector<float> scores(3 * 7, 8);
    std::vector<std::int64_t> ids(3 * 7, 8);
    const HnswResults written = all.index.search(queries, {.top = 7}, {scores, ids});
    EXPECT_EQ(written.top, 7U);
    EXPECT_TRUE(written.ids.empty());
    EXPECT_TRUE(written.scores.empty());
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const bool is_found = i % 7 < 5;
      EXPECT_EQ(ids[i], is_found ? found.ids[i / 7 * 5 + i % 7] : -1);
      EXPECT_EQ(scores[i], is_found ? found.scores[i / 7 * 5 + i % 7] : padding_score(metric));
    }
    HnswIndex(context(), 4, settings_of(metric)).search(queries, {.top = 7}, {scores, ids});
    EXPECT_THAT(ids, Each(-1));
    EXPECT_THAT(scores, Each(padding_score(metric)));
    std::vector<float> shared = all.queries;
    const auto last = std::span(shared).last(6);
    const auto first = std::span(ids).first(6);
    EXPECT_THROW(all.index.search(queries, {.top = 6}, {scores, ids}), InvalidArgument);
    EXPECT_THROW(all.index.search(queries, {.top = 7}, {scores, {}}), InvalidArgument);
    EXPECT_THROW(all.index.search(shared, {.top = 2}, {last, first}), InvalidArgument);
    EXPECT_EQ(all.index.search(queries.first(0), {.top = 7}, {}).top, 5U);
  }
}

TEST(HnswIndex, ReportsTheSpaceAndTheTimeOfASearch) {
  const Built all({}, 300, 5, 8, 10);
  for (const Space space : spaces()) {
    if (space == Space::cuda) continue;
    const DispatchRecord record = all.search({.space = space}).record;
    EXPECT_EQ(record.chosen, space);
    EXPECT_EQ(record.why, Reason::forced);
    EXPECT_EQ(record.items, 5U);
    EXPECT_GT(record.taken, 0);
    EXPECT_GE(record.threads, 1);
    if (space == Space::serial) {
      EXPECT_EQ(record.threads, 1);
    }
  }
  const DispatchRecord record = all.index.search(row_of(all.queries, 8, 0)).record;
  EXPECT_EQ(record.chosen, Space::serial) << "a single query runs on one thread";
  EXPECT_EQ(record.why, Reason::only);
}

TEST(RecallOf, CountsPerRowInAnyOrder) {
  const auto recall = [](const Found& found, const Found& truth) {
    const Recall of = recall_of(found, truth, 2);
    return std::tuple(of.found, of.all, of.share());
  };
  EXPECT_EQ(recall({3, 1, 9, 2}, {1, 3, 1, 2}), std::tuple(3, 4, 0.75));
  EXPECT_EQ(recall({3, -1, -1, -1}, {3, -1, -1, 4}), std::tuple(1, 2, 0.5)) << "of empty slots";
  for (const std::size_t top : {0UL, 10UL}) EXPECT_EQ(recall_of({}, {}, top).share(), 1.0);
  // As for a top that exceeds the number of rows of one of the two indexes.
  EXPECT_THROW(recall({3, 1}, {1, 3, 1, 2}), InvalidArgument);
  EXPECT_THROW(recall({3, 1, 2}, {1, 3, 1}), InvalidArgument);
}

}  // namespace HnswIndexTest
