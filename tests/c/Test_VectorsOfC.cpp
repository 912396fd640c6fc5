// SPDX-License-Identifier: Apache-2.0
// The results of the C interface are those of the C++ interface.
#include "CSupport.hpp"

#include <kindred/matcher/HnswIndex.hpp>
#include <kindred/matcher/RowFunctions.hpp>
#include <kindred/matcher/VectorFunctions.hpp>
#include <kindred/matcher/VectorIndex.hpp>

#include <Generator.hpp>
#include <Support.hpp>
#include <TempFolder.hpp>

#include <string>
#include <vector>

namespace Kindred::Testing {
namespace {

TEST(CVectors, SearchesAreThoseOfCpp) {
  constexpr std::size_t dimension = 24;
  const TempFolder folder;
  for (const std::size_t size : edge_sizes) {
    const std::vector<float> rows = random_rows("CVectors rows", size * dimension);
    const std::vector<float> queries = random_rows("CVectors queries", 3 * dimension);
    const VectorIndex expected(context(), rows, dimension, Residency::host);
    Owned<kindred_index> index;
    Tensor row_tensor(rows.data(), KINDRED_FLOAT32, static_cast<std::int64_t>(size), dimension);
    Tensor query_tensor(queries.data(), KINDRED_FLOAT32, 3, dimension);
    KINDRED_ASSERT_OK(kindred_index_create(c_context(), &row_tensor, nullptr, nullptr, &index));
    constexpr std::size_t top = 5;
    std::vector<float> scores(3 * top);
    std::vector<std::int64_t> ids(3 * top);
    Tensor score_tensor(scores.data(), KINDRED_FLOAT32, 3, top);
    Tensor id_tensor(ids.data(), KINDRED_INT64, 3, top);
    for (const std::int32_t space : c_spaces())
      for (const Metric metric : {Metric::cosine, Metric::ip, Metric::l2}) {
        kindred_search_options options = KINDRED_SEARCH_OPTIONS_INIT;
        options.top = top;
        options.metric = static_cast<std::int32_t>(metric);
        options.space = space;
        kindred_record record = KINDRED_RECORD_INIT;
        kindred_search_report report = KINDRED_SEARCH_REPORT_INIT;
        KINDRED_ASSERT_OK(kindred_index_search(index, &query_tensor, &options, &score_tensor,
                                               &id_tensor, &report, &record));
        if (size > 0) {
          EXPECT_EQ(record.space, space);
          EXPECT_STRNE(report.path, "");
        }
        const SearchResults found = expected.search(queries, {.metric = metric, .top = top});
        for (std::size_t row = 0; row < 3; ++row)
          for (std::size_t place = 0; place < top; ++place) {
            const bool is_found = place < found.top;
            EXPECT_EQ(ids[row * top + place], is_found ? found.ids[row * found.top + place] : -1);
            EXPECT_EQ(scores[row * top + place],
                      is_found ? found.scores[row * found.top + place] : padding_score(metric));
          }
        Owned<kindred_results> within;
        KINDRED_ASSERT_OK(
            kindred_index_search_at_least(index, &query_tensor, 0.5F, &options, &within));
        const ScoreResults expected_within =
            expected.search_at_least(queries, 0.5F, {.metric = metric});
        for (std::size_t i = 0; i < 4; ++i)
          ASSERT_EQ(view_of(within).offsets[i], expected_within.results.offsets[i]);
        for (std::size_t i = 0; i < expected_within.results.values.size(); ++i) {
          EXPECT_EQ(view_of(within).ids[i], expected_within.results.values[i].id);
          EXPECT_EQ(view_of(within).scores[i],
                    static_cast<double>(expected_within.results.values[i].score));
        }
        EXPECT_EQ(view_of(within).matched, nullptr);
      }
    if (size < 3) continue;
    const std::uint64_t candidates[] = {0, 2, 1, 1};
    const std::uint64_t offsets[] = {0, 2, 4, 4};
    Owned<kindred_results> scored;
    KINDRED_ASSERT_OK(
        kindred_index_score(index, &query_tensor, candidates, offsets, nullptr, &scored));
    const ScoreResults expected_scored =
        expected.score(queries, RaggedSpan<std::uint64_t>{offsets, candidates});
    for (std::size_t i = 0; i < expected_scored.results.values.size(); ++i)
      EXPECT_EQ(view_of(scored).ids[i], expected_scored.results.values[i].id);
    EXPECT_EQ(view_of(scored).offsets[3], 3U);
    EXPECT_STREQ(view_of(scored).report->path, "candidates");
  }
}

TEST(CVectors, RowsChangeAndFilesKeepThem) {
  const TempFolder folder;
  const std::vector<float> rows{1, 0, 0, 1, 1, 1};
  Owned<kindred_index> index;
  Tensor tensor(rows.data(), KINDRED_FLOAT32, 3, 2);
  KINDRED_ASSERT_OK(kindred_index_create(c_context(), &tensor, nullptr, nullptr, &index));
  std::uint64_t first = 0;
  KINDRED_ASSERT_OK(kindred_index_add(index, &tensor, nullptr, &first));
  EXPECT_EQ(first, 3U);
  const std::uint64_t gone[] = {0, 4};
  KINDRED_ASSERT_OK(kindred_index_remove(index, gone, 2));
  EXPECT_EQ(kindred_index_remove(index, gone, 1), KINDRED_NOT_FOUND);
  Tensor row(rows.data(), KINDRED_FLOAT32, 1, 2);
  KINDRED_ASSERT_OK(kindred_index_replace(index, 2, &row, nullptr));
  const std::uint64_t some[] = {5, 2};
  std::vector<float> read(4);
  Tensor read_tensor(read.data(), KINDRED_FLOAT32, 2, 2);
  KINDRED_ASSERT_OK(kindred_index_rows(index, some, 2, &read_tensor));
  EXPECT_EQ(read, (std::vector<float>{1, 1, 1, 0}));
  EXPECT_EQ(kindred_index_rows(index, gone, 2, &read_tensor), KINDRED_NOT_FOUND);
  EXPECT_EQ(kindred_index_rows(index, some, 1, &read_tensor), KINDRED_INVALID);
  EXPECT_EQ(kindred_index_rows(index, nullptr, 2, &read_tensor), KINDRED_INVALID);
  const std::string path = folder / "vectors.knd";
  KINDRED_ASSERT_OK(kindred_save(index, path.c_str()));
  Owned<kindred_index> loaded;
  KINDRED_ASSERT_OK(kindred_index_load(c_context(), path.c_str(), nullptr, 1, &loaded));
  EXPECT_EQ(kindred_index_load(c_context(), path.c_str(), nullptr, -1, &loaded), KINDRED_INVALID);
  kindred_index_statistics statistics = KINDRED_INDEX_STATISTICS_INIT;
  KINDRED_ASSERT_OK(kindred_get_statistics(loaded, &statistics));
  EXPECT_EQ(statistics.rows, 4U);
  EXPECT_EQ(statistics.end_id, 6U);
  EXPECT_EQ(statistics.dimension, 2U);
  EXPECT_EQ(statistics.element, KINDRED_ELEMENT_FLOAT32);
  std::size_t size = 0;
  KINDRED_ASSERT_OK(kindred_size(loaded, &size));
  EXPECT_EQ(size, 4U);
  EXPECT_GT(statistics.host_bytes, 0U);

  // A scorer keeps the index alive.
  kindred_scorer* scorer = nullptr;
  kindred_index* other = nullptr;
  KINDRED_ASSERT_OK(kindred_index_create(c_context(), &tensor, nullptr, nullptr, &other));
  KINDRED_ASSERT_OK(kindred_scorer_create(other, 3, nullptr, &scorer));
  KINDRED_ASSERT_OK(kindred_destroy(other));
  const std::uint64_t candidates[] = {0, 1, 2};
  float scores[3];
  std::int64_t ids[3];
  std::size_t found = 0;
  KINDRED_ASSERT_OK(kindred_scorer_score(scorer, &row, candidates, 3, scores, ids, 3, &found));
  ASSERT_EQ(found, 3U);
  EXPECT_EQ(ids[0], 0);
  EXPECT_EQ(scores[0], 1);
  EXPECT_EQ(kindred_scorer_score(scorer, &row, candidates, 3, scores, ids, 2, &found),
            KINDRED_INVALID);
  EXPECT_EQ(found, 3U);
  std::int32_t space = -1;
  KINDRED_ASSERT_OK(kindred_scorer_space(scorer, &space));
  EXPECT_GE(space, 0);
  KINDRED_ASSERT_OK(kindred_destroy(scorer));

  // Rows of one byte have scales.
  const std::int8_t codes[] = {127, 0, 0, 127};
  const float scales[] = {0.5F, 1};
  Tensor code_tensor(codes, KINDRED_INT8, 2, 2);
  Tensor scale_tensor(scales, KINDRED_FLOAT32, 1, 2);
  Owned<kindred_index> quantized;
  KINDRED_ASSERT_OK(
      kindred_index_create(c_context(), &code_tensor, &scale_tensor, nullptr, &quantized));
  kindred_index* refused = nullptr;
  EXPECT_EQ(kindred_index_create(c_context(), &tensor, &scale_tensor, nullptr, &refused),
            KINDRED_INVALID);
  EXPECT_EQ(kindred_index_create(c_context(), &code_tensor, nullptr, nullptr, &refused),
            KINDRED_INVALID);
}

TEST(CVectors, FunctionsAreThoseOfCpp) {
  constexpr std::size_t dimension = 19;
  for (const std::size_t size : edge_sizes) {
    const std::vector<float> rows = random_rows("CVectors rows", size * dimension);
    const std::vector<float> queries = random_rows("CVectors queries", 2 * dimension);
    const std::vector<float> weights = random_rows("CVectors weights", size);
    const VectorSpan span(rows, dimension);
    const auto first = std::span<const float>(queries).first(dimension);
    std::vector<float> out(size);
    std::vector<float> average(dimension);
    std::vector<float> dots(2 * size);
    const auto count = static_cast<std::int64_t>(size);
    Tensor row_tensor(rows.data(), KINDRED_FLOAT32, count, dimension);
    Tensor query_tensor(queries.data(), KINDRED_FLOAT32, 1, dimension);
    Tensor pair_tensor(queries.data(), KINDRED_FLOAT32, 2, dimension);
    Tensor weight_tensor(weights.data(), KINDRED_FLOAT32, 1, count);
    Tensor out_tensor(out.data(), KINDRED_FLOAT32, 1, count);
    Tensor average_tensor(average.data(), KINDRED_FLOAT32, 1, dimension);
    Tensor dot_tensor(dots.data(), KINDRED_FLOAT32, 2, count);
    for (const std::int32_t space : c_spaces()) {
      KINDRED_ASSERT_OK(kindred_cosine_sigmoids(c_context(), &query_tensor, &row_tensor, nullptr,
                                                0.01, 0.1, space, &out_tensor));
      EXPECT_EQ(out, cosine_sigmoids(context(), first, span, 0.01, 0.1));
      KINDRED_ASSERT_OK(kindred_weighted_average(c_context(), &row_tensor, nullptr, &weight_tensor,
                                                 space, &average_tensor));
      EXPECT_EQ(average, weighted_average(context(), span, weights));
      KINDRED_ASSERT_OK(kindred_row_scores(c_context(), &pair_tensor, &row_tensor, nullptr,
                                           KINDRED_IP, space, &dot_tensor));
      std::vector<float> expected_dots(dots.size());
      row_scores(context(), queries, span, expected_dots, {.metric = Metric::ip});
      EXPECT_EQ(dots, expected_dots);
    }
    EXPECT_EQ(kindred_cosine_sigmoids(c_context(), &pair_tensor, &row_tensor, nullptr, 0.01, 0.1,
                                      KINDRED_SPACE_ANY, &out_tensor),
              KINDRED_INVALID);
    Tensor wrong(dots.data(), KINDRED_FLOAT32, 1, count + 1);
    EXPECT_EQ(kindred_weighted_average(c_context(), &row_tensor, nullptr, &wrong, KINDRED_SPACE_ANY,
                                       &average_tensor),
              KINDRED_INVALID);
  }
  std::vector<float> shared(100, 1.0F);
  Tensor left(shared.data(), KINDRED_FLOAT32, 2, 4);
  Tensor right(shared.data() + 8, KINDRED_FLOAT32, 3, 4);
  for (const std::ptrdiff_t begin : {7, 19, 20}) {
    Tensor dots(shared.data() + begin, KINDRED_FLOAT32, 2, 3);
    EXPECT_EQ(kindred_row_scores(c_context(), &left, &right, nullptr, KINDRED_IP, KINDRED_SPACE_ANY,
                                 &dots),
              begin < 20 ? KINDRED_INVALID : KINDRED_OK);
  }
}

int count_until(void* user, std::uint64_t done) {
  auto& limit = *static_cast<std::uint64_t*>(user);
  return done >= limit ? 1 : 0;
}

TEST(CHnsw, SearchesAreThoseOfCppAndCanBeCancelled) {
  constexpr std::size_t dimension = 16;
  constexpr std::size_t size = 300;
  const TempFolder folder;
  const std::vector<float> rows = random_rows("CHnsw rows", size * dimension);
  const std::vector<float> queries = random_rows("CHnsw queries", 4 * dimension);
  Tensor row_tensor(rows.data(), KINDRED_FLOAT32, size, dimension);
  Tensor query_tensor(queries.data(), KINDRED_FLOAT32, 4, dimension);
  Owned<kindred_hnsw> hnsw;
  std::uint64_t limit = 1;
  EXPECT_EQ(kindred_hnsw_build(c_context(), &row_tensor, nullptr, &count_until, &limit, &hnsw),
            KINDRED_CANCELLED);
  EXPECT_EQ(hnsw.handle, nullptr);
  limit = size + 1;
  KINDRED_ASSERT_OK(
      kindred_hnsw_build(c_context(), &row_tensor, nullptr, &count_until, &limit, &hnsw));
  const HnswIndex expected = HnswIndex::build(context(), rows, dimension);
  const HnswResults found = expected.search(queries, {.top = 7});
  std::vector<float> scores(4 * 7);
  std::vector<std::int64_t> ids(4 * 7);
  Tensor score_tensor(scores.data(), KINDRED_FLOAT32, 4, 7);
  Tensor id_tensor(ids.data(), KINDRED_INT64, 4, 7);
  kindred_hnsw_search_options options = KINDRED_HNSW_SEARCH_OPTIONS_INIT;
  options.top = 7;
  std::uint64_t visited = 0;
  std::uint64_t scanned = 9;
  kindred_record record = KINDRED_RECORD_INIT;
  KINDRED_ASSERT_OK(kindred_hnsw_search(hnsw, &query_tensor, &options, &score_tensor, &id_tensor,
                                        &visited, &scanned, &record));
  EXPECT_EQ(ids, found.ids);
  EXPECT_EQ(scores, found.scores);
  EXPECT_EQ(visited, found.visited);
  EXPECT_EQ(scanned, found.scanned);
  std::vector<std::int64_t> truth = ids;
  truth[3] = -1;
  truth[9] = size;
  Tensor truth_tensor(truth.data(), KINDRED_INT64, 4, 7);
  std::uint64_t hits = 0;
  std::uint64_t all = 0;
  KINDRED_ASSERT_OK(kindred_recall(&id_tensor, &truth_tensor, &hits, &all));
  EXPECT_EQ(hits, 26U);
  EXPECT_EQ(all, 27U);
  Tensor fewer(truth.data(), KINDRED_INT64, 3, 7);
  EXPECT_EQ(kindred_recall(&id_tensor, &fewer, &hits, &all), KINDRED_INVALID);
  kindred_hnsw_statistics statistics = KINDRED_HNSW_STATISTICS_INIT;
  KINDRED_ASSERT_OK(kindred_get_statistics(hnsw, &statistics));
  EXPECT_EQ(statistics.end_id, size);
  EXPECT_EQ(statistics.dimension, dimension);
  EXPECT_EQ(statistics.m, expected.settings().m);
  EXPECT_EQ(statistics.ef_construction, expected.settings().ef_construction);
  EXPECT_EQ(statistics.seed, expected.settings().seed);
  EXPECT_EQ(statistics.metric, KINDRED_COSINE);
  EXPECT_EQ(statistics.metric, KINDRED_COSINE);
  std::uint64_t first = 0;
  KINDRED_ASSERT_OK(kindred_hnsw_add(hnsw, &query_tensor, &first));
  EXPECT_EQ(first, size);
  const std::uint64_t gone[] = {3};
  KINDRED_ASSERT_OK(kindred_hnsw_remove(hnsw, gone, 1));
  KINDRED_ASSERT_OK(kindred_hnsw_repair(hnsw));
  std::int32_t contains = 1;
  KINDRED_ASSERT_OK(kindred_has(hnsw, 3, &contains));
  EXPECT_EQ(contains, 0);
  std::vector<float> some(2 * dimension);
  Tensor two(some.data(), KINDRED_FLOAT32, 2, dimension);
  const std::uint64_t wanted[] = {5, 4};
  KINDRED_ASSERT_OK(kindred_hnsw_rows(hnsw, wanted, 2, &two));
  EXPECT_TRUE(std::equal(some.begin(), some.begin() + dimension, rows.begin() + 5 * dimension));
  EXPECT_TRUE(std::equal(some.begin() + dimension, some.end(), rows.begin() + 4 * dimension));
  const std::uint64_t absent[] = {4, 3};
  EXPECT_EQ(kindred_hnsw_rows(hnsw, absent, 2, &two), KINDRED_NOT_FOUND);
  const std::string path = folder / "hnsw.knd";
  KINDRED_ASSERT_OK(kindred_save(hnsw, path.c_str()));
  Owned<kindred_hnsw> loaded;
  KINDRED_ASSERT_OK(kindred_hnsw_load(c_context(), path.c_str(), &loaded));
  KINDRED_ASSERT_OK(kindred_get_statistics(loaded, &statistics));
  EXPECT_EQ(statistics.rows, size + 3);
  const std::string exported = folder / "hnsw.bin";
  KINDRED_ASSERT_OK(kindred_hnsw_export_hnswlib(loaded, exported.c_str()));
  Owned<kindred_hnsw> imported;
  KINDRED_ASSERT_OK(kindred_hnsw_import_hnswlib(c_context(), exported.c_str(), KINDRED_COSINE,
                                                dimension, &imported));
  std::size_t stored = 0;
  KINDRED_ASSERT_OK(kindred_size(imported, &stored));
  EXPECT_EQ(stored, size + 3);
  kindred_hnsw_settings settings = KINDRED_HNSW_SETTINGS_INIT;
  settings.m = 1;
  kindred_hnsw* refused = nullptr;
  EXPECT_EQ(kindred_hnsw_create(c_context(), dimension, &settings, &refused), KINDRED_INVALID);
}

}  // namespace
}  // namespace Kindred::Testing
