// SPDX-License-Identifier: Apache-2.0
// The dense scores of an index.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <kindred/matcher/VectorArray.hpp>

#include <algorithm>
#include <string>

#include "MessageOf.hpp"
#include "VectorSupport.hpp"

namespace VectorIndexScoresTest {

using namespace Kindred;
using Testing::all_metrics;
using Testing::bits;
using testing::HasSubstr;
using Testing::normal_values;

/// The reference scores of the rows \p ids, for every query.
std::vector<std::uint32_t> reference_scores(Metric metric, const std::vector<float>& queries,
                                            const std::vector<float>& rows, std::size_t dimension,
                                            const std::vector<std::uint64_t>& ids) {
  std::vector<float> out;
  for (std::size_t q = 0; q < queries.size(); q += dimension) {
    for (const std::uint64_t id : ids) {
      out.push_back(Reference::score(metric, std::span(queries).subspan(q, dimension),
                                     std::span(rows).subspan(id * dimension, dimension)));
    }
  }
  return bits(out);
}

void expect_matches_reference(const VectorIndex& index, const std::vector<float>& rows,
                              const std::vector<float>& queries) {
  const std::vector<std::uint64_t> ids = index.ids();
  ASSERT_EQ(ids.size(), index.size());
  ASSERT_TRUE(std::is_sorted(ids.begin(), ids.end()));
  for (const Metric metric : all_metrics) {
    const auto expected = reference_scores(metric, queries, rows, index.dimension(), ids);
    for (const Space space : Testing::spaces()) {
      std::vector<float> out(expected.size());
      const DispatchRecord record = index.score_all(queries, out, {metric, space, {}});
      ASSERT_EQ(bits(out), expected) << to_string(metric) << " on " << to_string(space) << ", "
                                     << index.size() << " x " << index.dimension();
      if (!out.empty()) {
        EXPECT_EQ(record.chosen, space);
      }
    }
  }
}

TEST(VectorIndexScores, MatchReferenceAtEveryNumberOfRows) {
  auto generator = Testing::generator("Scores rows");
  std::vector<std::size_t> counts = Testing::edge_sizes;
  counts.push_back(2000);
  for (const std::size_t count : counts) {
    const std::vector<float> rows = normal_values(generator, count * 24);
    const VectorIndex index(Testing::context(), rows, 24);
    for (const std::size_t queries : {0UL, 1UL, 3UL, 4UL, 13UL})
      expect_matches_reference(index, rows, normal_values(generator, queries * 24));
  }
}

TEST(VectorIndexScores, MatchReferenceAtEveryDimension) {
  auto generator = Testing::generator("Scores dimensions");
  for (const std::size_t dimension : {1UL, 2UL, 3UL, 31UL, 33UL, 64UL, 768UL, 4096UL, 4097UL}) {
    const std::vector<float> rows = normal_values(generator, 50 * dimension);
    const VectorIndex index(Testing::context(), rows, dimension);
    for (const std::size_t queries : {1UL, 7UL})
      expect_matches_reference(index, rows, normal_values(generator, queries * dimension));
  }
}

TEST(VectorIndexScores, MatchReferenceForEveryElement) {
  auto generator = Testing::generator("Scores elements");
  const std::vector<float> floats = normal_values(generator, 200 * 36);
  for (const DataType element : {DataType::float16, DataType::bfloat16, DataType::int8}) {
    VectorArray rows(element, 200, 36);
    encode_rows(floats, 36, element, rows.values(), rows.scales());
    std::vector<float> decoded(floats.size());
    decode_rows(rows.span(), decoded);
    const VectorIndex index(Testing::context(), rows.span(), {});
    for (const std::size_t queries : {1UL, 6UL})
      expect_matches_reference(index, decoded, normal_values(generator, queries * 36));
  }
}

TEST(VectorIndexScores, FollowAddedAndRemovedRows) {
  auto generator = Testing::generator("Scores changes");
  constexpr std::size_t dimension = 20;
  std::vector<float> rows = normal_values(generator, 880 * dimension);
  VectorIndex index(Testing::context(), std::span(rows).first(600 * dimension), dimension);
  index.add({std::span(rows).subspan(600 * dimension, 200 * dimension), dimension});
  index.add({std::span(rows).subspan(800 * dimension, 60 * dimension), dimension});
  index.add({std::span(rows).subspan(860 * dimension, 20 * dimension), dimension});
  EXPECT_GT(index.statistics().segments, 1U);
  for (int step = 0; step < 4; ++step) {
    expect_matches_reference(index, rows, normal_values(generator, 5 * dimension));
    std::vector<std::uint64_t> removed;
    for (std::uint64_t id = static_cast<std::uint64_t>(step); id < 880; id += 17 + step * 6) {
      const auto ids = index.ids();
      if (std::binary_search(ids.begin(), ids.end(), id)) removed.push_back(id);
    }
    index.remove(removed);
  }
  const std::vector<float> row = normal_values(generator, dimension);
  const std::uint64_t id = index.ids()[3];
  index.replace(id, {row, dimension});
  std::copy(row.begin(), row.end(), rows.begin() + static_cast<std::ptrdiff_t>(id * dimension));
  expect_matches_reference(index, rows, normal_values(generator, 2 * dimension));
  index.remove(index.ids());
  expect_matches_reference(index, rows, normal_values(generator, 2 * dimension));
}

TEST(VectorIndexScores, AreThoseOfSearch) {
  auto generator = Testing::generator("Scores search");
  const std::vector<float> rows = normal_values(generator, 700 * 48);
  const std::vector<float> queries = normal_values(generator, 9 * 48);
  const VectorIndex index(Testing::context(), rows, 48);
  std::vector<float> scores(9 * 700);
  index.score_all(queries, scores);
  SearchOptions options;
  options.top = 700;
  const SearchResults results = index.search(queries, options);
  for (std::size_t q = 0; q < 9; ++q) {
    for (std::size_t place = 0; place < 700; ++place) {
      const auto id = static_cast<std::size_t>(results.ids[q * 700 + place]);
      ASSERT_EQ(bits({scores[q * 700 + id]}), bits({results.scores[q * 700 + place]}));
    }
  }
}

TEST(VectorIndexScores, RefuseSizesThatDoNotMatch) {
  const std::vector<float> rows(12, 1.0F);
  const VectorIndex index(Testing::context(), rows, 3);
  std::vector<float> out(7, 5.0F);
  const auto message = [&](std::size_t floats, std::size_t size, const ScoreOptions& options = {}) {
    return Testing::message_of<InvalidArgument>([&] {
      index.score_all(std::span(rows).first(floats), std::span(out).first(size), options);
    });
  };
  EXPECT_THAT(message(4, 4), HasSubstr("size of the queries is 4"));
  EXPECT_THAT(message(3, 3), HasSubstr("size of the output is 3; it must be queries × rows, 4"));
  EXPECT_THAT(message(6, 7), HasSubstr("queries × rows, 8"));
  ScoreOptions options;
  options.stream = Stream::cuda(nullptr);
  EXPECT_THAT(message(3, 4, options), HasSubstr("stream"));
  EXPECT_EQ(out, std::vector<float>(7, 5.0F)) << "a refused call must not write";
  if (!Testing::context().is_usable(Space::cuda)) {
    options.stream = {};
    options.space = Space::cuda;
    EXPECT_THROW(index.score_all(std::span(rows).first(3), std::span(out).first(4), options),
                 SpaceUnavailable);
  }
}

}  // namespace VectorIndexScoresTest
