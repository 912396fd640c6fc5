// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/common/Error.hpp>
#include <kindred/matcher/PreparedScore.hpp>
#include <kindred/matcher/VectorIndex.hpp>

#include "Arguments.hpp"
#include "Results.hpp"
#include "Strings.hpp"
#include "Vectors.hpp"

namespace Kindred::C {

namespace {

/// A scorer keeps its index alive.
using SharedIndex = std::shared_ptr<WithContext<VectorIndex>>;
struct Scorer {
  SharedIndex index;
  PreparedScore prepared;
  std::size_t dimension;
};

}  // namespace

KINDRED_C_HANDLE(index, SharedIndex);
KINDRED_C_HANDLE(scorer, Scorer);

namespace {

VectorIndex& index_of(const kindred_index* index) { return object_of(index, "index")->engine; }

/// Checks that rows have the dimension and type of an index.
VectorSpan rows_for(const VectorIndex& index, const DLTensor* rows, const DLTensor* scales,
                    const char* name) {
  const VectorSpan out = rows_of(rows, scales, name);
  KINDRED_C_REFUSE_IF(out.dimension != index.dimension(),
                      std::string(name) + " has rows of " + std::to_string(out.dimension) +
                          " elements; those of the index have " +
                          std::to_string(index.dimension()));
  return out;
}

ScoreOptions score_options(const kindred_score_options* options) {
  const kindred_score_options given =
      options_of(options, kindred_score_options KINDRED_SCORE_OPTIONS_INIT, "options");
  check_reserved(given.reserved, "options");
  ScoreOptions out;
  out.metric = enum_of<Metric>(given.metric, 3, "metric");
  out.space = space_option(given.space);
  out.stream = stream_option(given.has_stream, given.stream);
  return out;
}

/// The rows of \p scores have one element per result.
void check_top(const Array& scores, std::size_t top) {
  KINDRED_C_REFUSE_IF(static_cast<std::uint64_t>(scores.extent(scores.rank() - 1)) != top,
                      "scores is " + to_string(ConstArray(scores)) +
                          "; a row must have `top` elements, " + std::to_string(top));
}

}  // namespace

VectorIndexOptions index_options(const kindred_index_options* options) {
  const kindred_index_options given =
      options_of(options, kindred_index_options KINDRED_INDEX_OPTIONS_INIT, "options");
  VectorIndexOptions out;
  out.residency = residency_option(given.residency);
  out.quantized_copy = given.quantized_copy != 0 ? QuantizedCopy::automatic : QuantizedCopy::never;
  return out;
}

SearchOptions search_options(const kindred_search_options* options) {
  const kindred_search_options given =
      options_of(options, kindred_search_options KINDRED_SEARCH_OPTIONS_INIT, "options");
  SearchOptions out;
  out.metric = enum_of<Metric>(given.metric, 3, "metric");
  out.top = given.top;
  out.filter = span_of(given.filter, given.filter_size, "filter");
  out.filter_bits = span_of(given.filter_bits, given.filter_bits_size, "filter_bits");
  out.space = space_option(given.space);
  out.stream = stream_option(given.has_stream, given.stream);
  if (given.path != KINDRED_PATH_ANY) out.path = enum_of<SearchPath>(given.path, 3, "path");
  return out;
}

RowArray row_array_of(const DLTensor* rows, const DLTensor* scales) {
  const ConstArray array = array_of(rows, "rows");
  if (scales == nullptr && array.type() != DataType::int8) return array;
  return rows_of(rows, scales, "rows");
}

SearchArrays::SearchArrays(const DLTensor* scores, const DLTensor* ids, std::uint64_t rows,
                           std::size_t top)
    : m_rows(rows),
      m_top(top),
      m_scores(output_matrix_of<float>(scores, "scores", rows, top)),
      m_ids(output_matrix_of<std::int64_t>(ids, "ids", rows, top)) {}

void SearchArrays::fill(std::span<const float> scores, std::span<const std::int64_t> ids,
                        std::size_t found_top, Metric metric) const {
  for (std::size_t row = 0; row < m_rows; ++row)
    for (std::size_t place = 0; place < m_top; ++place) {
      const std::size_t to = row * m_top + place;
      const std::size_t from = row * found_top + place;
      m_scores[to] = place < found_top ? scores[from] : padding_score(metric);
      m_ids[to] = place < found_top ? ids[from] : -1;
    }
}

// VectorIndex

kindred_status kindred_index_create(kindred_context* context, const DLTensor* rows,
                                    const DLTensor* scales, const kindred_index_options* options,
                                    kindred_index** index) noexcept {
  return guarded([&] {
    const SharedContext& object = context_of(context);
    require(index, "index");
    const VectorIndexOptions settings = index_options(options);
    *index = make_handle_of<kindred_index>(
        std::make_shared<WithContext<VectorIndex>>(WithContext<VectorIndex>{
            object, VectorIndex(*object, rows_of(rows, scales, "rows"), settings)}));
  });
}

kindred_status kindred_index_load(kindred_context* context, const char* path,
                                  const kindred_index_options* options, std::int32_t threads,
                                  kindred_index** index) noexcept {
  return guarded([&] {
    const SharedContext& object = context_of(context);
    require(index, "index");
    const VectorIndexOptions settings = index_options(options);
    *index = make_handle_of<kindred_index>(std::make_shared<WithContext<VectorIndex>>(
        WithContext<VectorIndex>{object, VectorIndex::load(*object, path_of(path), settings,
                                                           threads_argument(threads))}));
  });
}

kindred_status kindred_index_from_bytes(kindred_context* context, const std::uint8_t* bytes,
                                        std::size_t size, const kindred_index_options* options,
                                        std::int32_t threads, kindred_index** index) noexcept {
  return guarded([&] {
    const SharedContext& object = context_of(context);
    require(index, "index");
    const VectorIndexOptions settings = index_options(options);
    *index = make_handle_of<kindred_index>(
        std::make_shared<WithContext<VectorIndex>>(WithContext<VectorIndex>{
            object, VectorIndex::load(*object, std::as_bytes(span_of(bytes, size, "bytes")),
                                      settings, threads_argument(threads))}));
  });
}

kindred_status kindred_index_destroy(kindred_index* index) noexcept {
  return destroy_handle(index, "index");
}

kindred_status kindred_index_add(kindred_index* index, const DLTensor* rows, const DLTensor* scales,
                                 std::uint64_t* first_id) noexcept {
  return guarded([&] {
    VectorIndex& object = index_of(index);
    write_optional(first_id, object.add(row_array_of(rows, scales)));
  });
}

kindred_status kindred_index_remove(kindred_index* index, const std::uint64_t* ids,
                                    std::size_t count) noexcept {
  return guarded([&] { index_of(index).remove(span_of(ids, count, "ids")); });
}

kindred_status kindred_index_replace(kindred_index* index, std::uint64_t id, const DLTensor* row,
                                     const DLTensor* scale) noexcept {
  return guarded([&] {
    VectorIndex& object = index_of(index);
    object.replace(id, rows_for(object, row, scale, "row"));
  });
}

kindred_status kindred_index_size(const kindred_index* index, std::size_t* size) noexcept {
  return guarded([&] {
    const VectorIndex& object = index_of(index);
    require(size, "size");
    *size = object.size();
  });
}

kindred_status kindred_index_ids(const kindred_index* index, std::uint64_t* ids,
                                 std::size_t capacity, std::size_t* count) noexcept {
  return guarded([&] {
    const VectorIndex& object = index_of(index);
    require(count, "count");
    span_of(ids, capacity, "ids");
    const std::vector<std::uint64_t> found = object.ids();
    *count = found.size();
    write_array(std::span<const std::uint64_t>(found), ids, capacity, "ids");
  });
}

kindred_status kindred_index_rows(const kindred_index* index, const std::uint64_t* ids,
                                  std::size_t count, DLTensor* rows) noexcept {
  return guarded([&] {
    const VectorIndex& object = index_of(index);
    const std::span<const std::uint64_t> given = span_of(ids, count, "ids");
    object.rows(given, output_matrix_of<float>(rows, "rows", count, object.dimension()));
  });
}

kindred_status kindred_index_get_statistics(const kindred_index* index,
                                            kindred_index_statistics* statistics) noexcept {
  return guarded([&] {
    const VectorIndex& object = index_of(index);
    check_output(statistics, "statistics");
    const VectorStatistics found = object.statistics();
    write_output(statistics, kindred_index_statistics{
                                 sizeof(kindred_index_statistics), found.rows, object.end_id(),
                                 object.dimension(), found.removed, found.segments,
                                 found.host_bytes, found.device_bytes, found.quantized_bytes,
                                 static_cast<std::int32_t>(object.element()), 0});
  });
}

kindred_status kindred_index_bytes(const kindred_index* index, std::int32_t space,
                                   std::uint64_t* bytes) noexcept {
  return guarded([&] {
    const VectorIndex& object = index_of(index);
    require(bytes, "bytes");
    *bytes = object.bytes(space_argument(space));
  });
}

kindred_status kindred_index_save(const kindred_index* index, const char* path) noexcept {
  return guarded([&] { index_of(index).save(path_of(path)); });
}

kindred_status kindred_index_to_bytes(const kindred_index* index, kindred_string** bytes) noexcept {
  return guarded([&] {
    const VectorIndex& object = index_of(index);
    require(bytes, "bytes");
    *bytes = make_string(object.to_bytes());
  });
}

kindred_status kindred_index_search(const kindred_index* index, const DLTensor* queries,
                                    const kindred_search_options* options, DLTensor* scores,
                                    DLTensor* ids, kindred_search_report* report,
                                    kindred_record* record) noexcept {
  return guarded([&] {
    const VectorIndex& object = index_of(index);
    check_output(report, "report", true);
    check_record(record);
    require_all({{queries, "queries"}, {scores, "scores"}, {ids, "ids"}});
    const SearchOptions given = search_options(options);
    const Array to = output_array_of(scores, "scores");
    check_top(to, given.top);
    const SearchResults found =
        object.search(array_of(queries, "queries"), given, {to, output_array_of(ids, "ids")});
    write_output(report, report_of(found.report));
    write_record(record, found.record);
  });
}

kindred_status kindred_index_score_all(const kindred_index* index, const DLTensor* queries,
                                       const kindred_score_options* options, DLTensor* out,
                                       kindred_record* record) noexcept {
  return guarded([&] {
    const VectorIndex& object = index_of(index);
    check_record(record);
    require_all({{queries, "queries"}, {out, "out"}});
    const ScoreOptions given = score_options(options);
    write_record(
        record, object.score_all(array_of(queries, "queries"), output_array_of(out, "out"), given));
  });
}

kindred_status kindred_index_search_at_least(const kindred_index* index, const DLTensor* queries,
                                             float score, const kindred_search_options* options,
                                             kindred_results** results) noexcept {
  return guarded([&] {
    const VectorIndex& object = index_of(index);
    require(results, "results");
    const SearchOptions given = search_options(options);
    const std::span<const float> values = matrix_of<float>(queries, "queries", object.dimension());
    *results =
        make_handle_of<kindred_results>(results_of(object.search_at_least(values, score, given)));
  });
}

kindred_status kindred_index_score(const kindred_index* index, const DLTensor* queries,
                                   const std::uint64_t* ids, const std::uint64_t* offsets,
                                   const kindred_search_options* options,
                                   kindred_results** results) noexcept {
  return guarded([&] {
    const VectorIndex& object = index_of(index);
    require(results, "results");
    const SearchOptions given = search_options(options);
    std::uint64_t rows = 0;
    const std::span<const float> values =
        matrix_of<float>(queries, "queries", object.dimension(), &rows);
    *results = make_handle_of<kindred_results>(
        results_of(object.score(values, ragged_of(ids, offsets, rows, "ids"), given)));
  });
}

kindred_status kindred_index_score_arrays(const kindred_index* index, const DLTensor* queries,
                                          const DLTensor* candidates,
                                          const kindred_search_options* options, DLTensor* scores,
                                          DLTensor* ids, kindred_record* record) noexcept {
  return guarded([&] {
    const VectorIndex& object = index_of(index);
    check_record(record);
    require_all(
        {{queries, "queries"}, {candidates, "candidates"}, {scores, "scores"}, {ids, "ids"}});
    const SearchOptions given = search_options(options);
    const Array to = output_array_of(scores, "scores");
    check_top(to, given.top);
    write_record(record,
                 object
                     .score(array_of(queries, "queries"), array_of(candidates, "candidates"), given,
                            {to, output_array_of(ids, "ids")})
                     .record);
  });
}

// PreparedScore

kindred_status kindred_scorer_create(const kindred_index* index, std::size_t longest,
                                     const kindred_search_options* options,
                                     kindred_scorer** scorer) noexcept {
  return guarded([&] {
    const SharedIndex& object = object_of(index, "index");
    require(scorer, "scorer");
    const SearchOptions given = search_options(options);
    KINDRED_C_REFUSE_IF(given.stream.has_value(),
                        "a stream is given; a scorer takes queries on the host, which a stream "
                        "does not order");
    *scorer = make_handle_of<kindred_scorer>(object, PreparedScore(object->engine, longest, given),
                                             object->engine.dimension());
  });
}

kindred_status kindred_scorer_destroy(kindred_scorer* scorer) noexcept {
  return destroy_handle(scorer, "scorer");
}

kindred_status kindred_scorer_score(kindred_scorer* scorer, const DLTensor* query,
                                    const std::uint64_t* candidates, std::size_t count,
                                    float* scores, std::int64_t* ids, std::size_t capacity,
                                    std::size_t* found) noexcept {
  return guarded([&] {
    Scorer& object = object_of(scorer, "scorer");
    require(found, "found");
    span_of(scores, capacity, "scores");
    span_of(ids, capacity, "ids");
    const std::span<const float> values = row_of<float>(query, "query", object.dimension);
    const std::span<const ScoredId> results =
        object.prepared.score(values, span_of(candidates, count, "candidates"));
    *found = results.size();
    KINDRED_C_REFUSE_IF(results.size() > capacity,
                        "scores and ids have a capacity of " + std::to_string(capacity) +
                            " elements; " + std::to_string(results.size()) + " are needed");
    for (std::size_t i = 0; i < results.size(); ++i) {
      scores[i] = results[i].score;
      ids[i] = results[i].id;
    }
  });
}

kindred_status kindred_scorer_space(const kindred_scorer* scorer, std::int32_t* space) noexcept {
  return guarded([&] {
    const Scorer& object = object_of(scorer, "scorer");
    require(space, "space");
    *space = static_cast<std::int32_t>(object.prepared.space());
  });
}

}  // namespace Kindred::C
