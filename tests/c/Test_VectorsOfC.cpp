// SPDX-License-Identifier: Apache-2.0
// Functions of indexes of vectors: each returns what the object of C++ behind the handle does.
#include "Members.hpp"

#include <Arguments.hpp>
#include <Hnsw.hpp>
#include <Vector.hpp>

#include <Support.hpp>
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
    kindred_index_options options = KINDRED_INDEX_OPTIONS_INIT;
    options.quantized_copy = 0;
    Floats none(0, dimension);
    std::uint64_t first = 9;
    ok(kindred_index_create(c_context(), &none, nullptr, &options, &index));
    ok(kindred_index_add(index, &rows, nullptr, &first));
    EXPECT_EQ(first, 0U);
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
  Ids candidates({0, 1, 1, -1, 700, 3, 5, 2, 1, 0, 0, 0}, 4);
  for (const std::int32_t space : c_spaces())
    for (const Metric metric : {Metric::cosine, Metric::ip, Metric::l2}) {
      kindred_search_options options = KINDRED_SEARCH_OPTIONS_INIT;
      options.top = top;
      options.metric = static_cast<std::int32_t>(metric);
      options.space = space;
      const SearchOptions of_cpp{.metric = metric, .top = top};
      kindred_record record = KINDRED_RECORD_INIT;
      kindred_search_report report = KINDRED_SEARCH_REPORT_INIT;
      Floats scores(3, top);
      Ids ids(3, top);
      ok(kindred_index_search(index, &queries, &options, &scores, &ids, &report, &record));
      const SearchResults found = inside().search(queries.values, of_cpp);
      EXPECT_EQ(record.space, space);
      EXPECT_STRNE(report.path, "");
      EXPECT_EQ(ids.values, found.ids);
      EXPECT_EQ(scores.values, found.scores);

      Owned<kindred_results> near;
      ok(kindred_index_search_at_least(index, &queries, 0.5F, &options, &near));
      expect_results(near, inside().search_at_least(queries.values, 0.5F, of_cpp).results);
      EXPECT_EQ(view_of(near).matched, nullptr);
      EXPECT_EQ(view_of(near).keys, nullptr);
      Owned<kindred_results> scored;
      ok(kindred_index_score(index, &queries, lists, offsets, &options, &scored));
      expect_results(scored,
                     inside()
                         .score(queries.values, RaggedSpan<std::uint64_t>{offsets, lists}, of_cpp)
                         .results);
      EXPECT_STREQ(view_of(scored).report->path, "candidates");

      Floats expected_scores(3, top);
      Ids expected_ids(3, top);
      const auto array_of = [](auto& of) { return C::output_array_of(&of, "array"); };
      ok(kindred_index_score_arrays(index, &queries, &candidates, &options, &scores, &ids,
                                    &record));
      inside().score(array_of(queries), array_of(candidates), of_cpp,
                     {array_of(expected_scores), array_of(expected_ids)});
      EXPECT_EQ(scores.values, expected_scores.values);
      EXPECT_EQ(ids.values, expected_ids.values);

      Floats all(3, size - 1);
      Floats expected_all(3, size - 1);
      kindred_score_options scoring = KINDRED_SCORE_OPTIONS_INIT;
      scoring.metric = options.metric;
      scoring.space = space;
      ok(kindred_index_score_all(index, &queries, &scoring, &all, &record));
      inside().score_all(queries.values, expected_all.values, {.metric = metric});
      EXPECT_EQ(all.values, expected_all.values);
      EXPECT_EQ(record.space, space);
    }
}

TEST_F(CVectors, SlotsWithoutARowAreFilled) {
  kindred_search_options options = KINDRED_SEARCH_OPTIONS_INIT;
  options.top = size;
  Floats scores(1, size);
  Ids ids(1, size);
  Floats query(std::vector<float>(dimension, 1));  // one, without the dimension of the queries
  scores.tensor.tensor.ndim = ids.tensor.tensor.ndim = 1;
  scores.tensor.shape[0] = ids.tensor.shape[0] = size;
  ok(kindred_index_search(index, &query, &options, &scores, &ids, nullptr, nullptr));
  EXPECT_GE(ids.values[size - 2], 0);
  EXPECT_EQ(ids.values[size - 1], -1);
  EXPECT_EQ(scores.values[size - 1], padding_score(Metric::cosine));
}

TEST_F(CVectors, RowsChangeAndAreReadAsInCpp) {
  std::vector<std::uint64_t> ids(size - 1);
  std::size_t count = 0;
  ok(kindred_index_ids(index, ids.data(), ids.size(), &count));
  EXPECT_EQ(ids, inside().ids());
  EXPECT_EQ(count, ids.size());
  expect_refused(kindred_index_ids(index, ids.data(), size - 2, &count));
  EXPECT_EQ(count, size - 1);
  Floats row({queries.values.begin(), queries.values.begin() + dimension}, dimension);
  ok(kindred_index_replace(index, 7, &row, nullptr));
  const std::uint64_t some[] = {7, 3};
  Floats read(2, dimension);
  std::vector<float> expected(read.values.size());
  ok(kindred_index_rows(index, some, 2, &read));
  inside().rows(some, expected);
  EXPECT_EQ(read.values, expected);
  EXPECT_TRUE(std::equal(row.values.begin(), row.values.end(), read.values.begin()));
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
  Owned<kindred_index> index;
  ok(kindred_index_create(c_context(), &none, nullptr, nullptr, &index));
  ok(kindred_index_add(index, &apart, nullptr, nullptr));
  const std::uint64_t ids[] = {0, 1};
  Floats read(2, 2);
  ok(kindred_index_rows(index, ids, 2, &read));
  EXPECT_EQ(read.values, (std::vector<float>{1, 2, 3, 4}));

  Numbers<std::int8_t> codes({127, 0, 0, 127}, 2);
  Floats scales({0.5F, 1});
  Owned<kindred_index> quantized;
  ok(kindred_index_create(c_context(), &codes, &scales, nullptr, &quantized));
  ok(kindred_index_rows(quantized, ids, 2, &read));
  EXPECT_EQ(read.values, (std::vector<float>{63.5F, 0, 0, 127}));
  kindred_index* refused = nullptr;
  expect_refused(kindred_index_create(c_context(), &read, &scales, nullptr, &refused), "scale");
  expect_refused(kindred_index_create(c_context(), &codes, nullptr, nullptr, &refused), "scale");
}

TEST_F(CVectors, AScorerKeepsItsIndexAlive) {
  kindred_scorer* scorer = nullptr;
  const std::uint64_t candidates[] = {0, 1, 3};
  Floats query({rows.values.begin(), rows.values.begin() + dimension}, dimension);
  const ScoreResults expected = inside().score(
      query.values, RaggedSpan<std::uint64_t>{std::vector<std::uint64_t>{0, 3}, candidates});
  kindred_search_options options = KINDRED_SEARCH_OPTIONS_INIT;
  options.space = KINDRED_SPACE_SERIAL;
  ok(kindred_scorer_create(index, 3, &options, &scorer));
  ok(kindred_destroy(std::exchange(index.handle, nullptr)));
  float scores[3];
  std::int64_t ids[3];
  std::size_t found = 0;
  ok(kindred_scorer_score(scorer, &query, candidates, 3, scores, ids, 3, &found));
  ASSERT_EQ(found, 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(ids[i], expected.results.values[i].id);
    EXPECT_EQ(scores[i], expected.results.values[i].score);
  }
  expect_refused(kindred_scorer_score(scorer, &query, candidates, 3, scores, ids, 2, &found));
  EXPECT_EQ(found, 3U);
  std::int32_t space = -1;
  ok(kindred_scorer_space(scorer, &space));
  EXPECT_EQ(space, KINDRED_SPACE_SERIAL);
  ok(kindred_destroy(scorer));
}

int count_until(void* user, std::uint64_t done) {
  return done >= *static_cast<std::uint64_t*>(user) ? 1 : 0;
}

TEST(CHnsw, IsThatOfCppAndCanBeCancelled) {
  const TempFolder folder;
  const std::string path = folder / "hnsw.bin";
  Floats rows(random_rows("CHnsw rows", 300 * dimension), dimension);
  Floats queries(random_rows("CHnsw queries", 4 * dimension), dimension);
  Owned<kindred_hnsw> hnsw;
  std::uint64_t limit = 1;
  const auto build = [&] {
    return kindred_hnsw_build(c_context(), &rows, nullptr, &count_until, &limit, &hnsw);
  };
  expect_refused(build(), "", KINDRED_CANCELLED);
  EXPECT_EQ(hnsw.handle, nullptr);
  limit = 301;
  ok(build());
  const HnswIndex& inside = C::hnsw_of(hnsw);
  const HnswResults found = inside.search(queries.values, {.top = 7});
  Floats scores(4, 7);
  Ids ids(4, 7);
  kindred_hnsw_search_options options = KINDRED_HNSW_SEARCH_OPTIONS_INIT;
  options.top = 7;
  std::uint64_t visited = 0;
  std::uint64_t scanned = 9;
  kindred_record record = KINDRED_RECORD_INIT;
  ok(kindred_hnsw_search(hnsw, &queries, &options, &scores, &ids, &visited, &scanned, &record));
  EXPECT_EQ(ids.values, found.ids);
  EXPECT_EQ(scores.values, found.scores);
  EXPECT_EQ(numbers(visited, scanned), numbers(found.visited, found.scanned));
  EXPECT_EQ(record.operation, to_string(found.record.operation));
  Ids truth(ids.values, 7);
  truth.values[3] = -1;
  truth.values[9] = 300;
  std::uint64_t hits = 0;
  std::uint64_t all = 0;
  ok(kindred_recall(&ids, &truth, &hits, &all));
  EXPECT_EQ(numbers(hits, all), numbers(26, 27));

  std::uint64_t first = 0;
  const std::uint64_t gone[] = {3, 8};
  ok(kindred_hnsw_add(hnsw, &queries, &first));
  EXPECT_EQ(first, 300U);
  ok(kindred_hnsw_remove(hnsw, gone, 1));
  EXPECT_EQ(inside.statistics().removed, 1U);
  ok(kindred_hnsw_repair(hnsw));
  EXPECT_EQ(inside.statistics().removed, 0U);
  EXPECT_TRUE(has(hnsw, 4));
  EXPECT_FALSE(has(hnsw, 3));
  EXPECT_EQ(size_of(hnsw), 303U);
  const HnswStatistics of_cpp = inside.statistics();
  const auto of = expect_statistics<kindred_hnsw_statistics>(
      hnsw, of_cpp, "traversal metric m ef_construction seed");
  EXPECT_EQ(numbers(of.traversal, of.metric, of.m, of.ef_construction, of.seed),
            numbers(of_cpp.settings.traversal, of_cpp.settings.metric, of_cpp.settings.m,
                    of_cpp.settings.ef_construction, of_cpp.settings.seed));
  Floats two(2, dimension);
  std::vector<float> expected_two(2 * dimension);
  const std::uint64_t wanted[] = {302, 4};
  ok(kindred_hnsw_rows(hnsw, wanted, 2, &two));
  inside.rows(wanted, expected_two);
  EXPECT_EQ(two.values, expected_two);

  kindred_hnsw_settings settings = KINDRED_HNSW_SETTINGS_INIT;
  settings.metric = KINDRED_IP;
  Owned<kindred_hnsw> created;
  ok(kindred_hnsw_create(c_context(), dimension, &settings, &created));
  ok(kindred_hnsw_add(created, &queries, nullptr));
  ok(kindred_hnsw_export_hnswlib(created, path.c_str()));
  Owned<kindred_hnsw> imported;
  ok(kindred_hnsw_import_hnswlib(c_context(), path.c_str(), KINDRED_IP, dimension, &imported));
  const std::uint64_t last[] = {3, 0};
  ok(kindred_hnsw_rows(imported, last, 2, &two));
  EXPECT_TRUE(std::equal(two.values.begin() + dimension, two.values.end(), queries.values.begin()));
  EXPECT_EQ(C::hnsw_of(imported).statistics().settings.metric, Metric::ip);
}

}  // namespace VectorsOfCTest
