// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <kindred/matcher/PreparedScore.hpp>

#include <limits>
#include <numeric>
#include <string>

#include "Allocations.hpp"
#include "VectorSupport.hpp"

namespace PreparedScoreTest {

using namespace Kindred;
using Testing::all_metrics;
using Testing::normal_values;

struct Scored {
  std::vector<std::int64_t> ids;
  std::vector<std::uint32_t> scores;
  friend bool operator==(const Scored&, const Scored&) = default;
};

Scored scored(std::span<const ScoredId> results) {
  Scored out;
  for (const ScoredId& item : results) {
    out.ids.push_back(item.id);
    out.scores.push_back(std::bit_cast<std::uint32_t>(item.score));
  }
  return out;
}

Scored by_index(const VectorIndex& index, std::span<const float> query,
                const std::vector<std::uint64_t>& candidates, const SearchOptions& options) {
  Ragged<std::uint64_t> lists;
  lists.push_row(candidates);
  return scored(index.score(query, lists, options).results.values);
}

TEST(PreparedScore, MatchesTheIndex) {
  auto generator = Testing::generator("PreparedScore");
  for (const std::size_t dimension : {3UL, 32UL, 100UL, 768UL}) {
    const std::vector<float> rows = normal_values(generator, 500 * dimension);
    const VectorIndex index(Testing::context(), rows, dimension);
    for (const Space space : Testing::spaces()) {
      for (const Metric metric : all_metrics) {
        for (const std::size_t top : {1UL, 10UL, 100UL}) {
          SearchOptions options;
          options.metric = metric;
          options.top = top;
          options.space = space;
          PreparedScore prepared(index, 1500, options);
          EXPECT_EQ(prepared.space(), space);
          for (const std::size_t length : {0UL, 1UL, 7UL, 64UL, 400UL, 1024UL, 1500UL}) {
            std::vector<std::uint64_t> candidates(length);
            for (auto& id : candidates) id = generator() % 500;  // with duplicates
            const std::vector<float> query = normal_values(generator, dimension);
            ASSERT_EQ(scored(prepared.score(query, candidates)),
                      by_index(index, query, candidates, options))
                << to_string(metric) << " on " << to_string(space) << ", " << length;
          }
        }
      }
    }
  }
}

TEST(PreparedScore, AllocatesNothingAfterItsFirstAnswer) {
  auto generator = Testing::generator("PreparedScore allocations");
  const std::vector<float> rows = normal_values(generator, 300 * 64);
  const VectorIndex index(Testing::context(), rows, 64);
  const std::vector<float> query = normal_values(generator, 64);
  std::vector<std::uint64_t> candidates(200);
  for (auto& id : candidates) id = generator() % 300;
  for (const Space space : Testing::spaces()) {
    SearchOptions options;
    options.space = space;
    PreparedScore prepared(index, 256, options);
    prepared.score(query, candidates);
    const std::size_t before = Testing::allocations();
    for (int call = 0; call < 20; ++call) prepared.score(query, candidates);
    EXPECT_EQ(Testing::allocations(), before) << to_string(space);
  }
}

TEST(PreparedScore, UsesTheCurrentRowsWhenTheIndexChanges) {
  auto generator = Testing::generator("PreparedScore changes");
  const std::vector<float> rows = normal_values(generator, 100 * 16);
  VectorIndex index(Testing::context(), rows, 16);
  std::vector<std::uint64_t> candidates{5, 99, 3, 5};
  SearchOptions options;
  options.metric = Metric::ip;
  PreparedScore prepared(index, 10, options);
  const std::vector<float> query = normal_values(generator, 16);
  prepared.score(query, candidates);
  index.add(VectorSpan(normal_values(generator, 3 * 16), 16));
  candidates.push_back(102);
  EXPECT_EQ(scored(prepared.score(query, candidates)), by_index(index, query, candidates, options));
  index.add(VectorSpan(normal_values(generator, 500 * 16), 16));
  candidates.push_back(600);
  EXPECT_EQ(scored(prepared.score(query, candidates)), by_index(index, query, candidates, options));
  const std::vector<std::uint64_t> removed{3};
  index.remove(removed);
  EXPECT_THROW(prepared.score(query, candidates), InvalidArgument);
  candidates = {600, 5};
  EXPECT_EQ(scored(prepared.score(query, candidates)), by_index(index, query, candidates, options));
}

TEST(PreparedScore, FindsReplacedRowsInWhateverSegmentTheyAre) {
  auto generator = Testing::generator("PreparedScore replaced");
  VectorIndex index(Testing::context(), normal_values(generator, 100 * 16), 16);
  const std::vector<std::vector<std::uint64_t>> lists{{5, 99, 3, 5}, {7},       {7, 8},
                                                      {5, 7},        {8, 3, 7}, {99, 5}};
  for (const Space space : Testing::spaces()) {
    SearchOptions options;
    options.space = space;
    PreparedScore prepared(index, 10, options);
    const std::vector<float> query = normal_values(generator, 16);
    for (int change = 0; change < 6; ++change) {
      for (const auto& candidates : lists)
        EXPECT_EQ(scored(prepared.score(query, candidates)),
                  by_index(index, query, candidates, options))
            << to_string(space) << " after change " << change;
      index.replace(change % 2 == 0 ? 7 : 8, VectorSpan(normal_values(generator, 16), 16));
    }
  }
}

TEST(PreparedScore, ReadsNoRowsOfItsLastListAfterTheIndexShrinks) {
  auto generator = Testing::generator("PreparedScore shrinks");
  VectorIndex index(Testing::context(), normal_values(generator, 5000 * 16), 16);
  PreparedScore prepared(index, 1000);
  const std::vector<float> query = normal_values(generator, 16);
  std::vector<std::uint64_t> last(1000);
  std::iota(last.begin(), last.end(), 4000);
  prepared.score(query, last);
  std::vector<std::uint64_t> removed(2000);
  std::iota(removed.begin(), removed.end(), 3000);
  index.remove(removed);
  ASSERT_EQ(index.statistics().removed, 0U)
      << "the removed rows must be compacted, so that the rows have moved";
  const std::vector<std::uint64_t> one{17};
  EXPECT_EQ(scored(prepared.score(query, one)), by_index(index, query, one, SearchOptions()));
}

TEST(PreparedScore, RanksNaNByIdAndRejectsInvalidArguments) {
  const std::vector<float> rows(40, 1.0F);
  const VectorIndex index(Testing::context(), rows, 4);
  PreparedScore prepared(index, 3);
  std::vector<float> query(4, std::numeric_limits<float>::quiet_NaN());
  const std::vector<std::uint64_t> candidates{7, 2, 5};
  EXPECT_EQ(scored(prepared.score(query, candidates)).ids, (std::vector<std::int64_t>{2, 5, 7}));
  const auto expect_refused = [&](std::size_t dimension, std::vector<std::uint64_t> ids,
                                  const std::string& said) {
    try {
      prepared.score(std::vector<float>(dimension, 1.0F), ids);
      FAIL() << said;
    } catch (const InvalidArgument& error) {
      EXPECT_NE(std::string(error.what()).find(said), std::string::npos) << error.what();
    }
  };
  expect_refused(3, {1}, "the query has 3 elements; the index has vectors of 4");
  expect_refused(4, {1, 2, 3, 4}, "there are 4 candidates; this was prepared for 3");
  expect_refused(4, {1, 10}, "candidate 1 of query 0 is 10");
  expect_refused(4, {1, 1ULL << 32U}, "candidate 1 of query 0 is 4294967296");
  query.assign(4, 1.0F);
  EXPECT_EQ(prepared.score(query, candidates).size(), 3U);
  EXPECT_THROW(PreparedScore(index, 0), InvalidArgument);
  SearchOptions options;
  options.top = 0;
  EXPECT_THROW(PreparedScore(index, 1, options), InvalidArgument);
}

TEST(PreparedScore, OmitsFilteredRows) {
  auto generator = Testing::generator("PreparedScore filter");
  const std::vector<float> rows = normal_values(generator, 200 * 16);
  for (const Space space : Testing::spaces()) {
    for (const std::size_t first : {200UL, 160UL}) {
      VectorIndex index(Testing::context(), std::span(rows).first(first * 16), 16);
      if (first < 200) index.add(VectorSpan(std::span(rows).subspan(first * 16), 16));
      ASSERT_EQ(index.statistics().segments, first < 200 ? 2U : 1U);
      const bool prepares = first == 200;
      SearchOptions options;
      options.space = space;
      options.top = 20;
      std::vector<std::uint8_t> bytes(200);
      std::vector<std::uint64_t> bits(4, 0);
      for (std::size_t id = 0; id < bytes.size(); ++id) {
        bytes[id] = generator() % 3 == 0;
        bits[id / 64] |= std::uint64_t{bytes[id]} << id % 64;
      }
      const std::vector<float> query = normal_values(generator, 16);
      std::vector<std::uint64_t> candidates(100);
      for (auto& id : candidates) id = generator() % 200;
      options.filter = bytes;
      const Scored expected = by_index(index, query, candidates, options);
      ASSERT_FALSE(expected.ids.empty());
      PreparedScore of_bytes(index, 100, options);
      options.filter = {};
      options.filter_bits = bits;
      PreparedScore of_bits(index, 100, options);
      bytes.assign(200, 0);  // a copy is stored
      bits.assign(4, 0);
      EXPECT_EQ(scored(of_bytes.score(query, candidates)), expected) << to_string(space);
      EXPECT_EQ(scored(of_bits.score(query, candidates)), expected) << to_string(space);
      PreparedScore of_none(index, 100, options);
      EXPECT_TRUE(of_none.score(query, candidates).empty()) << to_string(space);
      const std::size_t before = Testing::allocations();
      for (int call = 0; prepares && call < 20; ++call) of_bits.score(query, candidates);
      EXPECT_EQ(Testing::allocations(), before) << to_string(space);
      bits.assign(4, ~std::uint64_t{0});
      PreparedScore of_all(index, 100, options);
      bits.push_back(0);
      options.filter_bits = bits;
      EXPECT_THROW(PreparedScore(index, 1, options), InvalidArgument);
      index.add(VectorSpan(std::span(rows).first(16), 16));
      EXPECT_THROW(of_all.score(query, candidates), InvalidArgument);
      try {
        of_bits.score(query, candidates);
        FAIL() << "a filter for the previous ids was accepted";
      } catch (const InvalidArgument& error) {
        EXPECT_NE(std::string(error.what()).find("for 200 ids; the index now has 201"),
                  std::string::npos)
            << error.what();
      }
    }
  }
}

}  // namespace PreparedScoreTest
