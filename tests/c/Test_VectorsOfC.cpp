// SPDX-License-Identifier: Apache-2.0
// Functions of indexes of vectors: each returns what the object of C++ behind the handle does.
#include "CppArguments.hpp"
#include "Given.hpp"
#include "Members.hpp"

#include <Hnsw.hpp>

#include <TempFolder.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace VectorsOfCTest {

using namespace Kindred;
using namespace Kindred::Testing;

constexpr std::size_t dimension = 24;
constexpr std::size_t size = 40;
constexpr std::size_t top = 5;
using Ids = Numbers<std::int64_t>;

/// An index of 40 rows without row 2, and three queries.
class CVectors : public ::testing::Test {
 protected:
  CVectors() {
    const kindred_index_options options = Given::index_options{.quantized_copy = 0};
    Floats none(0, dimension);
    ok(kindred_index_create(c_context(), &none, nullptr, &options, &index));
    EXPECT_EQ(result_of(kindred_index_add, index, &rows, nullptr), 0U);
    ok(kindred_index_remove(index, &removed, 1));
  }
  VectorIndex& inside() const { return C::index_of(index); }

  Floats rows{random_rows("CVectors rows", size* dimension), dimension};
  Floats queries{random_rows("CVectors queries", 3 * dimension), dimension};
  const std::uint64_t removed = 2;
  Owned<kindred_index> index;
};

TEST_F(CVectors, SearchesAndScoresAreThoseOfCpp) {
  const std::uint64_t lists[] = {0, 3, 1, 1};
  const std::uint64_t offsets[] = {0, 2, 4, 4};
  const RaggedSpan<std::uint64_t> rows_of_queries{offsets, lists};
  Ids candidates({0, 1, 1, -1, 700, 3, 5, 2, 1, 0, 0, 0}, 4);
  kindred_search_options options = KINDRED_SEARCH_OPTIONS_INIT;
  kindred_score_options scoring = KINDRED_SCORE_OPTIONS_INIT;
  kindred_record record = KINDRED_RECORD_INIT;
  options.top = top;
  for (const std::int32_t space : c_spaces())
    for (const std::int32_t metric : {KINDRED_COSINE, KINDRED_IP, KINDRED_L2}) {
      options.space = scoring.space = space;
      options.metric = scoring.metric = metric;
      const SearchOptions of_cpp = cpp_of(options);
      kindred_search_report report = KINDRED_SEARCH_REPORT_INIT;
      Ranked best(3, top);
      ok(kindred_index_search(index, &queries, &options, &best.scores, &best.ids, &report,
                              &record));
      EXPECT_EQ(record.space, space);
      EXPECT_STRNE(report.path, "");
      best.expect(inside().search(queries.values, of_cpp));

      const auto near = result_of(kindred_index_search_at_least, index, &queries, 0.5F, &options);
      expect_results(near, inside().search_at_least(queries.values, 0.5F, of_cpp).results);
      EXPECT_EQ(view_of(near).matched, nullptr);
      EXPECT_EQ(view_of(near).keys, nullptr);
      const auto scored = result_of(kindred_index_score, index, &queries, lists, offsets, &options);
      expect_results(scored, inside().score(queries.values, rows_of_queries, of_cpp).results);
      EXPECT_STREQ(view_of(scored).report->path, "candidates");

      Ranked found(3, top), expected(3, top);
      ok(kindred_index_score_arrays(index, &queries, &candidates, &options, &found.scores,
                                    &found.ids, nullptr));
      inside().score(array_of(&queries), array_of(&candidates), of_cpp,
                     {array_of(&expected.scores), array_of(&expected.ids)});
      EXPECT_EQ(found.scores.values, expected.scores.values);
      EXPECT_EQ(found.ids.values, expected.ids.values);

      Floats all(3, size - 1), expected_all(3, size - 1);
      EXPECT_EQ(result_of(kindred_index_score_all, index, &queries, &scoring, &all).space, space);
      inside().score_all(queries.values, expected_all.values, cpp_of(scoring));
      EXPECT_EQ(all.values, expected_all.values);
    }
}

TEST_F(CVectors, SlotsWithoutARowAreFilled) {
  const kindred_search_options options = Given::search_options{.top = size};
  Floats scores{std::vector<float>(size)};
  Ids ids{std::vector<std::int64_t>(size)};
  Floats query(std::vector<float>(dimension, 1));  // one, without the dimension of the queries
  ok(kindred_index_search(index, &query, &options, &scores, &ids, nullptr, nullptr));
  EXPECT_GE(ids.values[size - 2], 0);
  EXPECT_EQ(ids.values[size - 1], -1);
  EXPECT_EQ(scores.values[size - 1], padding_score(Metric::cosine));
}

TEST_F(CVectors, IdsAndStatisticsAreThoseOfCpp) {
  EXPECT_EQ(list_from(kindred_index_ids, index), inside().ids());
  EXPECT_EQ(size_of(index), inside().size());
  const auto found = expect_statistics<kindred_index_statistics>(index, inside().statistics(),
                                                                 "end_id dimension element");
  EXPECT_EQ(numbers(found.end_id, found.dimension, found.element),
            numbers(size, dimension, KINDRED_ELEMENT_FLOAT32));
}

TEST(CVectorRows, MayHaveGapsOrScales) {
  const std::vector<float> values{1, 2, -7, 3, 4, -7};
  std::int64_t strides[] = {3, 1};
  Tensor apart(values.data(), KINDRED_FLOAT32, 2, 2);
  apart.tensor.strides = strides;
  Floats none(0, 2);
  const auto index = result_of(kindred_index_create, c_context(), &none, nullptr, nullptr);
  ok(kindred_index_add(index, &apart, nullptr, nullptr));
  const std::uint64_t ids[] = {0, 1};
  Floats read(2, 2);
  ok(kindred_index_rows(index, ids, 2, &read));
  EXPECT_EQ(read.values, (std::vector<float>{1, 2, 3, 4}));

  Numbers<std::int8_t> codes({127, 0, 0, 127}, 2);
  Floats scales({0.5F, 1});
  const auto quantized = result_of(kindred_index_create, c_context(), &codes, &scales, nullptr);
  ok(kindred_index_rows(quantized, ids, 2, &read));
  EXPECT_EQ(read.values, (std::vector<float>{63.5F, 0, 0, 127}));
  expect_no_result("scale", kindred_index_create, c_context(), &read, &scales, nullptr);
  expect_no_result("scale", kindred_index_create, c_context(), &codes, nullptr, nullptr);
}

TEST_F(CVectors, AScorerKeepsItsIndexAlive) {
  const std::uint64_t candidates[] = {0, 1, 3};
  Floats query({rows.values.begin(), rows.values.begin() + dimension}, dimension);
  const ScoreResults expected = inside().score(
      query.values, RaggedSpan<std::uint64_t>{std::vector<std::uint64_t>{0, 3}, candidates});
  const kindred_search_options options = Given::search_options{.space = KINDRED_SPACE_SERIAL};
  const auto scorer = result_of(kindred_scorer_create, index, 3, &options);
  ok(kindred_destroy(released(std::move(index))));
  float scores[3];
  std::int64_t ids[3];
  std::size_t found = 0;
  ok(kindred_scorer_score(scorer, &query, candidates, 3, scores, ids, 3, &found));
  ASSERT_EQ(found, 3U);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(numbers(ids[i], scores[i]),
              numbers(expected.results.values[i].id, expected.results.values[i].score));
  expect_refused(kindred_scorer_score(scorer, &query, candidates, 3, scores, ids, 2, &found));
  EXPECT_EQ(found, 3U);
  EXPECT_EQ(result_of(kindred_scorer_space, scorer), KINDRED_SPACE_SERIAL);
}

int count_until(void* user, std::uint64_t done) {
  return done >= *static_cast<std::uint64_t*>(user) ? 1 : 0;
}

TEST(CHnsw, IsThatOfCppAndCanBeCancelled) {
  Floats rows(random_rows("CHnsw rows", 300 * dimension), dimension);
  Floats queries(random_rows("CHnsw queries", 4 * dimension), dimension);
  std::uint64_t limit = 1;
  expect_no_result<KINDRED_CANCELLED>("", kindred_hnsw_build, c_context(), &rows, nullptr,
                                      &count_until, &limit);
  limit = 301;
  const auto hnsw =
      result_of(kindred_hnsw_build, c_context(), &rows, nullptr, &count_until, &limit);
  const HnswIndex& inside = C::hnsw_of(hnsw);
  const kindred_hnsw_search_options options = Given::hnsw_search_options{.top = 7};
  const HnswResults found = inside.search(queries.values, cpp_of(options));
  Ranked best(4, 7);
  std::uint64_t visited = 0;
  std::uint64_t scanned = 9;
  kindred_record record = KINDRED_RECORD_INIT;
  ok(kindred_hnsw_search(hnsw, &queries, &options, &best.scores, &best.ids, &visited, &scanned,
                         &record));
  best.expect(found);
  EXPECT_EQ(numbers(visited, scanned), numbers(found.visited, found.scanned));
  EXPECT_EQ(record.operation, to_string(found.record.operation));
  Ids truth(best.ids.values, 7);
  truth.values[3] = -1;
  truth.values[9] = 300;
  std::uint64_t hits = 0;
  std::uint64_t all = 0;
  ok(kindred_recall(&best.ids, &truth, &hits, &all));
  EXPECT_EQ(numbers(hits, all), numbers(26, 27));

  const std::uint64_t gone[] = {3, 8};
  EXPECT_EQ(result_of(kindred_hnsw_add, hnsw, &queries), 300U);
  ok(kindred_hnsw_remove(hnsw, gone, 1));
  EXPECT_EQ(inside.statistics().removed, 1U);
  ok(kindred_hnsw_repair(hnsw));
  EXPECT_EQ(inside.statistics().removed, 0U);
  EXPECT_TRUE(has(hnsw, 4));
  EXPECT_FALSE(has(hnsw, 3));
  EXPECT_EQ(size_of(hnsw), 303U);
  const auto of = expect_statistics<kindred_hnsw_statistics>(
      hnsw, inside.statistics(), "traversal metric m ef_construction seed");
  const HnswSettings used = inside.statistics().settings;
  EXPECT_EQ(numbers(of.traversal, of.metric, of.m, of.ef_construction, of.seed),
            numbers(used.traversal, used.metric, used.m, used.ef_construction, used.seed));
  Floats two(2, dimension), expected(2, dimension);
  const std::uint64_t wanted[] = {302, 4};
  ok(kindred_hnsw_rows(hnsw, wanted, 2, &two));
  inside.rows(wanted, expected.values);
  EXPECT_EQ(two.values, expected.values);

  const TempFolder folder;
  const std::string path = folder / "hnsw.bin";
  const kindred_hnsw_settings settings = Given::hnsw_settings{.metric = KINDRED_IP};
  const auto created = result_of(kindred_hnsw_create, c_context(), dimension, &settings);
  ok(kindred_hnsw_add(created, &queries, nullptr));
  ok(kindred_hnsw_export_hnswlib(created, path.c_str()));
  const auto imported =
      result_of(kindred_hnsw_import_hnswlib, c_context(), path.c_str(), KINDRED_IP, dimension);
  const std::uint64_t last[] = {3, 0};
  ok(kindred_hnsw_rows(imported, last, 2, &two));
  EXPECT_TRUE(std::equal(two.values.begin() + dimension, two.values.end(), queries.values.begin()));
  EXPECT_EQ(C::hnsw_of(imported).statistics().settings.metric, Metric::ip);
}

}  // namespace VectorsOfCTest
