// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/common/Error.hpp>
#include <kindred/matcher/HnswIndex.hpp>
#include <kindred/matcher/Recall.hpp>

#include "Arguments.hpp"
#include "Handle.hpp"
#include "Strings.hpp"
#include "Vectors.hpp"

namespace Kindred::C {

KINDRED_C_HANDLE(hnsw, WithContext<HnswIndex>);

namespace {

const HnswIndex& hnsw_of(const kindred_hnsw* hnsw) { return object_of(hnsw, "hnsw").engine; }

HnswSettings hnsw_settings(const kindred_hnsw_settings* settings) {
  const kindred_hnsw_settings given =
      options_of(settings, kindred_hnsw_settings KINDRED_HNSW_SETTINGS_INIT, "settings");
  HnswSettings out;
  out.metric = enum_of<Metric>(given.metric, 3, "metric");
  out.m = given.m;
  out.ef_construction = given.ef_construction;
  out.seed = given.seed;
  out.traversal = enum_of<HnswTraversal>(given.traversal, 3, "traversal");
  return out;
}

}  // namespace

kindred_status kindred_hnsw_create(kindred_context* context, std::size_t dimension,
                                   const kindred_hnsw_settings* settings,
                                   kindred_hnsw** hnsw) noexcept {
  return guarded([&] {
    const SharedContext& object = context_of(context);
    require(hnsw, "hnsw");
    *hnsw = make_handle_of<kindred_hnsw>(object,
                                         HnswIndex(*object, dimension, hnsw_settings(settings)));
  });
}

kindred_status kindred_hnsw_build(kindred_context* context, const DLTensor* rows,
                                  const kindred_hnsw_settings* settings,
                                  kindred_progress_callback progress, void* user,
                                  kindred_hnsw** hnsw) noexcept {
  return guarded([&] {
    const SharedContext& object = context_of(context);
    require(hnsw, "hnsw");
    const ConstArray array = array_of(rows, "rows");
    const auto dimension = static_cast<std::size_t>(array.extent(array.rank() - 1));
    const HnswSettings given = hnsw_settings(settings);
    const std::span<const float> values = matrix_of<float>(rows, "rows", dimension);
    std::function<void(std::uint64_t)> call;
    if (progress != nullptr)
      call = [&](std::uint64_t done) { cancel_if(progress(user, done), "progress"); };
    *hnsw = make_handle_of<kindred_hnsw>(object,
                                         HnswIndex::build(*object, values, dimension, given, call));
  });
}

kindred_status kindred_hnsw_load(kindred_context* context, const char* path,
                                 kindred_hnsw** hnsw) noexcept {
  return guarded([&] {
    const SharedContext& object = context_of(context);
    require(hnsw, "hnsw");
    *hnsw = make_handle_of<kindred_hnsw>(object, HnswIndex::load(*object, path_of(path)));
  });
}

kindred_status kindred_hnsw_from_bytes(kindred_context* context, const std::uint8_t* bytes,
                                       std::size_t size, kindred_hnsw** hnsw) noexcept {
  return guarded([&] {
    const SharedContext& object = context_of(context);
    require(hnsw, "hnsw");
    *hnsw = make_handle_of<kindred_hnsw>(
        object, HnswIndex::load(*object, std::as_bytes(span_of(bytes, size, "bytes"))));
  });
}

kindred_status kindred_hnsw_import_hnswlib(kindred_context* context, const char* path,
                                           std::int32_t metric, std::size_t dimension,
                                           kindred_hnsw** hnsw) noexcept {
  return guarded([&] {
    const SharedContext& object = context_of(context);
    require(hnsw, "hnsw");
    *hnsw = make_handle_of<kindred_hnsw>(
        object, HnswIndex::import_hnswlib(*object, path_of(path),
                                          enum_of<Metric>(metric, 3, "metric"), dimension));
  });
}

kindred_status kindred_hnsw_destroy(kindred_hnsw* hnsw) noexcept {
  return destroy_handle(hnsw, "hnsw");
}

kindred_status kindred_hnsw_add(kindred_hnsw* hnsw, const DLTensor* rows,
                                std::uint64_t* first_id) noexcept {
  return guarded([&] {
    HnswIndex& object = object_of(hnsw, "hnsw").engine;
    write_optional(first_id, object.add(matrix_of<float>(rows, "rows", object.dimension())));
  });
}

kindred_status kindred_hnsw_remove(kindred_hnsw* hnsw, const std::uint64_t* ids,
                                   std::size_t count) noexcept {
  return guarded([&] { object_of(hnsw, "hnsw").engine.remove(span_of(ids, count, "ids")); });
}

kindred_status kindred_hnsw_repair(kindred_hnsw* hnsw) noexcept {
  return guarded([&] { object_of(hnsw, "hnsw").engine.repair(); });
}

kindred_status kindred_hnsw_size(const kindred_hnsw* hnsw, std::size_t* size) noexcept {
  return guarded([&] {
    const auto& object = object_of(hnsw, "hnsw");
    require(size, "size");
    *size = object.engine.size();
  });
}

kindred_status kindred_hnsw_end_id(const kindred_hnsw* hnsw, std::uint64_t* end_id) noexcept {
  return guarded([&] {
    const auto& object = object_of(hnsw, "hnsw");
    require(end_id, "end_id");
    *end_id = object.engine.end_id();
  });
}

kindred_status kindred_hnsw_dimension(const kindred_hnsw* hnsw, std::size_t* dimension) noexcept {
  return guarded([&] {
    const auto& object = object_of(hnsw, "hnsw");
    require(dimension, "dimension");
    *dimension = object.engine.dimension();
  });
}

kindred_status kindred_hnsw_settings_of(const kindred_hnsw* hnsw,
                                        kindred_hnsw_settings* settings) noexcept {
  return guarded([&] {
    const auto& object = object_of(hnsw, "hnsw");
    check_output(settings, "settings");
    const HnswSettings& found = object.engine.settings();
    write_output(settings, kindred_hnsw_settings{sizeof(kindred_hnsw_settings), found.m,
                                                 found.ef_construction, found.seed,
                                                 static_cast<std::int32_t>(found.metric),
                                                 static_cast<std::int32_t>(found.traversal)});
  });
}

kindred_status kindred_hnsw_row(const kindred_hnsw* hnsw, std::uint64_t id,
                                DLTensor* row) noexcept {
  return guarded([&] {
    const HnswIndex& object = hnsw_of(hnsw);
    const std::span<float> out = output_matrix_of<float>(row, "row", 1, object.dimension());
    const std::vector<float> found = object.row(id);
    std::copy(found.begin(), found.end(), out.begin());
  });
}

kindred_status kindred_hnsw_contains(const kindred_hnsw* hnsw, std::uint64_t id,
                                     std::int32_t* contains) noexcept {
  return guarded([&] {
    const auto& object = object_of(hnsw, "hnsw");
    require(contains, "contains");
    *contains = object.engine.contains(id) ? 1 : 0;
  });
}

kindred_status kindred_hnsw_get_statistics(const kindred_hnsw* hnsw,
                                           kindred_hnsw_statistics* statistics) noexcept {
  return guarded([&] {
    const auto& object = object_of(hnsw, "hnsw");
    check_output(statistics, "statistics");
    const HnswStatistics found = object.engine.statistics();
    write_output(statistics,
                 kindred_hnsw_statistics{
                     sizeof(kindred_hnsw_statistics), found.rows, found.removed, found.end_id,
                     found.dimension, found.levels, found.links, found.unreachable, found.bytes,
                     static_cast<std::int32_t>(object.engine.settings().traversal), 0});
  });
}

kindred_status kindred_hnsw_search(const kindred_hnsw* hnsw, const DLTensor* queries,
                                   const kindred_hnsw_search_options* options, DLTensor* scores,
                                   DLTensor* ids, std::uint64_t* visited, std::uint64_t* scanned,
                                   kindred_record* record) noexcept {
  return guarded([&] {
    const HnswIndex& object = hnsw_of(hnsw);
    check_record(record);
    require_all({{queries, "queries"}, {scores, "scores"}, {ids, "ids"}});
    const kindred_hnsw_search_options given = options_of(
        options, kindred_hnsw_search_options KINDRED_HNSW_SEARCH_OPTIONS_INIT, "options");
    check_reserved(given.reserved, "options");
    HnswSearchOptions search;
    search.top = given.top;
    search.ef = given.ef;
    search.filter = span_of(given.filter, given.filter_size, "filter");
    search.filter_bits = span_of(given.filter_bits, given.filter_bits_size, "filter_bits");
    search.space = space_option(given.space);
    std::uint64_t rows = 0;
    const std::span<const float> values =
        matrix_of<float>(queries, "queries", object.dimension(), &rows);
    const SearchArrays out(scores, ids, rows, search.top);
    const HnswResults found = object.search(values, search);
    out.fill(found.scores, found.ids, found.top, object.settings().metric);
    write_optional(visited, found.visited);
    write_optional(scanned, found.scanned);
    write_record(record, found.record);
  });
}

kindred_status kindred_hnsw_save(const kindred_hnsw* hnsw, const char* path) noexcept {
  return guarded([&] { object_of(hnsw, "hnsw").engine.save(path_of(path)); });
}

kindred_status kindred_hnsw_to_bytes(const kindred_hnsw* hnsw, kindred_string** bytes) noexcept {
  return guarded([&] {
    const HnswIndex& object = hnsw_of(hnsw);
    require(bytes, "bytes");
    *bytes = make_string(object.to_bytes());
  });
}

kindred_status kindred_hnsw_export_hnswlib(const kindred_hnsw* hnsw, const char* path) noexcept {
  return guarded([&] { object_of(hnsw, "hnsw").engine.export_hnswlib(path_of(path)); });
}

kindred_status kindred_recall(const DLTensor* found, const DLTensor* truth, std::uint64_t* hits,
                              std::uint64_t* all) noexcept {
  return guarded([&] {
    require_all({{found, "found"}, {truth, "truth"}, {hits, "hits"}, {all, "all"}});
    const ConstArray array = array_of(found, "found");
    const auto top = static_cast<std::uint64_t>(array.extent(array.rank() - 1));
    std::uint64_t rows = 0;
    std::uint64_t true_rows = 0;
    const std::span<const std::int64_t> ids = matrix_of<std::int64_t>(found, "found", top, &rows);
    const std::span<const std::int64_t> true_ids =
        matrix_of<std::int64_t>(truth, "truth", top, &true_rows);
    KINDRED_C_REFUSE_IF(rows != true_rows, "found has " + std::to_string(rows) +
                                               " rows and truth has " + std::to_string(true_rows) +
                                               "; they must have as many");
    const Recall recall = recall_of(ids, true_ids, top);
    *hits = recall.found;
    *all = recall.all;
  });
}

}  // namespace Kindred::C
