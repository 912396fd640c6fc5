// SPDX-License-Identifier: Apache-2.0
// Indexes of vectors that have keys.
#include <kindred/core/common/Error.hpp>
#include <kindred/matcher/KeyedVectorIndex.hpp>

#include "Arguments.hpp"
#include "Keys.hpp"
#include "Results.hpp"
#include "Strings.hpp"
#include "Vector.hpp"

#include <utility>

namespace Kindred::C {

KINDRED_C_HANDLE(keyed_index, WithContext<KeyedVectorIndex>);

namespace {

KeyedVectorIndex& keyed_of(const kindred_keyed_index* index) {
  return object_of(index, "index").engine;
}

/// The options of a call on arrays of the host.
SearchOptions host_search_options(const kindred_search_options* options) {
  SearchOptions out = search_options(options);
  KINDRED_C_REFUSE_IF(out.stream,
                      "options.has_stream is set, but an index with keys takes arrays "
                      "of the host, which no stream orders");
  return out;
}

Results results_of_keyed(KeyedScoreResults found) {
  Results out = results_of(static_cast<ScoreResults&&>(found));
  out.keys = std::move(found.keys);
  return out;
}

/// The same without the slots that no row has filled.
Results results_of_keyed(const KeyedSearchResults& found, std::uint64_t queries) {
  KeyedScoreResults out;
  out.keys.kind = found.keys.kind;
  out.report = found.report;
  out.record = found.record;
  const KeySpan keys = found.keys.span();
  for (std::size_t query = 0; query < queries; ++query) {
    for (std::size_t i = query * found.top; i < (query + 1) * found.top; ++i) {
      if (found.ids[i] < 0) continue;
      out.results.values.push_back({found.ids[i], found.scores[i]});
      if (out.keys.kind == KeyKind::integer) {
        out.keys.integers.push_back(keys.integer(i));
      } else {
        const std::string_view key = keys.bytes(i);
        out.keys.bytes.push_row({key.data(), key.size()});
      }
    }
    out.results.close_row();
  }
  return results_of_keyed(std::move(out));
}

}  // namespace

kindred_status kindred_keyed_index_create(kindred_context* context, const kindred_key_span* keys,
                                          const DLTensor* rows, const DLTensor* scales,
                                          const kindred_index_options* options,
                                          kindred_keyed_index** index) noexcept {
  return guarded([&] {
    const SharedContext& object = context_of(context);
    require_all({{rows, "rows"}, {index, "index"}});
    const VectorIndexOptions settings = index_options(options);
    const KeyArgument given(keys, "keys");
    *index = make_handle_of<kindred_keyed_index>(
        object, KeyedVectorIndex(*object, given, rows_of(rows, scales, "rows"), settings));
  });
}

kindred_status kindred_keyed_index_load(kindred_context* context, const char* path,
                                        const kindred_index_options* options, std::int32_t threads,
                                        kindred_keyed_index** index) noexcept {
  return guarded([&] {
    const SharedContext& object = context_of(context);
    require(index, "index");
    const VectorIndexOptions settings = index_options(options);
    *index = make_handle_of<kindred_keyed_index>(
        object,
        KeyedVectorIndex::load(*object, path_of(path), settings, threads_argument(threads)));
  });
}

kindred_status kindred_keyed_index_from_bytes(kindred_context* context, const std::uint8_t* bytes,
                                              std::size_t size,
                                              const kindred_index_options* options,
                                              std::int32_t threads,
                                              kindred_keyed_index** index) noexcept {
  return guarded([&] {
    const SharedContext& object = context_of(context);
    require(index, "index");
    const VectorIndexOptions settings = index_options(options);
    *index = make_handle_of<kindred_keyed_index>(
        object, KeyedVectorIndex::load(*object, std::as_bytes(span_of(bytes, size, "bytes")),
                                       settings, threads_argument(threads)));
  });
}

kindred_status kindred_keyed_index_destroy(kindred_keyed_index* index) noexcept {
  return destroy_handle(index, "index");
}

kindred_status kindred_keyed_index_upsert(kindred_keyed_index* index, const kindred_key_span* keys,
                                          const DLTensor* rows, const DLTensor* scales,
                                          std::uint64_t* added, std::uint64_t* replaced) noexcept {
  return guarded([&] {
    KeyedVectorIndex& object = keyed_of(index);
    require(rows, "rows");
    const KeyArgument given(keys, "keys");
    const UpsertCounts counts = object.upsert(given, rows_of(rows, scales, "rows"));
    write_optional(added, counts.added);
    write_optional(replaced, counts.replaced);
  });
}

kindred_status kindred_keyed_index_remove(kindred_keyed_index* index,
                                          const kindred_key_span* keys) noexcept {
  return guarded([&] { keyed_of(index).remove(KeyArgument(keys, "keys")); });
}

kindred_status kindred_keyed_index_find(const kindred_keyed_index* index,
                                        const kindred_key_span* keys, std::int64_t* ids) noexcept {
  return guarded([&] {
    const KeyedVectorIndex& object = keyed_of(index);
    const KeyArgument given(keys, "keys");
    const std::span<std::int64_t> out = span_of(ids, given.size(), "ids");
    const std::vector<std::int64_t> found = object.find(given);
    std::copy(found.begin(), found.end(), out.begin());
  });
}

kindred_status kindred_keyed_index_get_statistics(
    const kindred_keyed_index* index, kindred_keyed_index_statistics* statistics) noexcept {
  return guarded([&] {
    const KeyedVectorIndex& object = keyed_of(index);
    check_output(statistics, "statistics");
    const VectorStatistics rows = object.vectors().statistics();
    kindred_keyed_index_statistics out = KINDRED_KEYED_INDEX_STATISTICS_INIT;
    out.keys = object.size();
    out.key_bytes = object.key_bytes();
    out.end_id = object.vectors().end_id();
    out.dimension = object.dimension();
    out.removed = rows.removed;
    out.segments = rows.segments;
    out.host_bytes = rows.host_bytes;
    out.device_bytes = rows.device_bytes;
    out.quantized_bytes = rows.quantized_bytes;
    out.element = static_cast<std::int32_t>(object.element());
    out.kind = static_cast<std::int32_t>(object.key_kind());
    write_output(statistics, out);
  });
}

kindred_status kindred_keyed_index_bytes(const kindred_keyed_index* index, std::int32_t space,
                                         std::uint64_t* bytes) noexcept {
  return guarded([&] {
    const KeyedVectorIndex& object = keyed_of(index);
    require(bytes, "bytes");
    *bytes = object.vectors().bytes(space_argument(space));
  });
}

kindred_status kindred_keyed_index_save(const kindred_keyed_index* index,
                                        const char* path) noexcept {
  return guarded([&] { keyed_of(index).save(path_of(path)); });
}

kindred_status kindred_keyed_index_to_bytes(const kindred_keyed_index* index,
                                            kindred_string** bytes) noexcept {
  return guarded([&] {
    const KeyedVectorIndex& object = keyed_of(index);
    require(bytes, "bytes");
    *bytes = make_string(object.to_bytes());
  });
}

kindred_status kindred_keyed_index_search(const kindred_keyed_index* index, const DLTensor* queries,
                                          const kindred_search_options* options,
                                          kindred_results** results) noexcept {
  return guarded([&] {
    const KeyedVectorIndex& object = keyed_of(index);
    require_all({{queries, "queries"}, {results, "results"}});
    const SearchOptions given = host_search_options(options);
    std::uint64_t rows = 0;
    const std::span<const float> values =
        matrix_of<float>(queries, "queries", object.dimension(), &rows);
    *results =
        make_handle_of<kindred_results>(results_of_keyed(object.search(values, given), rows));
  });
}

kindred_status kindred_keyed_index_search_at_least(const kindred_keyed_index* index,
                                                   const DLTensor* queries, float score,
                                                   const kindred_search_options* options,
                                                   kindred_results** results) noexcept {
  return guarded([&] {
    const KeyedVectorIndex& object = keyed_of(index);
    require_all({{queries, "queries"}, {results, "results"}});
    const SearchOptions given = host_search_options(options);
    const std::span<const float> values = matrix_of<float>(queries, "queries", object.dimension());
    *results = make_handle_of<kindred_results>(
        results_of_keyed(object.search_at_least(values, score, given)));
  });
}

kindred_status kindred_keyed_index_score(const kindred_keyed_index* index, const DLTensor* queries,
                                         const kindred_key_span* candidates,
                                         const std::uint64_t* offsets,
                                         const kindred_search_options* options,
                                         kindred_results** results) noexcept {
  return guarded([&] {
    const KeyedVectorIndex& object = keyed_of(index);
    require_all({{queries, "queries"}, {offsets, "offsets"}, {results, "results"}});
    const SearchOptions given = host_search_options(options);
    const KeyArgument keys(candidates, "candidates");
    std::uint64_t rows = 0;
    const std::span<const float> values =
        matrix_of<float>(queries, "queries", object.dimension(), &rows);
    const std::uint64_t end = check_row_offsets(offsets, rows);
    KINDRED_C_REFUSE_IF(end != keys.size(), "the offsets end at " + std::to_string(end) +
                                                ", but there are " + std::to_string(keys.size()) +
                                                " candidates");
    std::vector<KeySpan> lists;
    lists.reserve(rows);
    for (std::uint64_t row = 0; row < rows; ++row)
      lists.push_back(keys.part(offsets[row], offsets[row + 1]));
    *results =
        make_handle_of<kindred_results>(results_of_keyed(object.score(values, lists, given)));
  });
}

}  // namespace Kindred::C
