// SPDX-License-Identifier: Apache-2.0
// Searches in stored sequences, and their clusters.
#include "Sequences.hpp"

#include "Arguments.hpp"
#include "Results.hpp"

#include <limits>
#include <utility>

namespace Kindred::C {

KINDRED_C_HANDLE(matcher, WithContext<SequenceMatcher>);
KINDRED_C_HANDLE(clusters, ClusterResults);

namespace {

/// Frees results that a callback borrows.
struct BorrowedResults {
  explicit BorrowedResults(Results object)
      : handle(make_handle_of<kindred_results>(std::move(object))) {}
  BorrowedResults(const BorrowedResults&) = delete;
  BorrowedResults& operator=(const BorrowedResults&) = delete;
  ~BorrowedResults() { destroy_handle(handle, "results"); }
  kindred_results* handle;
};

}  // namespace

Measure measure_of(std::int32_t measure) {
  return enum_of<Measure>(measure, static_cast<std::int32_t>(all_measures.size()), "measure");
}

MatchOptions match_options(const kindred_match_options* options, double threshold) {
  kindred_match_options defaults = KINDRED_MATCH_OPTIONS_INIT;
  defaults.threshold = threshold;
  const kindred_match_options given = options_of(options, defaults, "options");
  check_reserved(given.reserved, "options");
  MatchOptions out;
  out.measure = measure_of(given.measure);
  out.threshold = given.threshold;
  out.top = given.top;
  out.blocks = given.blocks != 0;
  out.autojunk = given.autojunk != 0;
  out.postings = enum_of<PostingsUse>(given.postings, 3, "postings");
  out.space = space_option(given.space);
  if (given.filter_size != KINDRED_UNSET)
    out.filter = span_of(given.filter, given.filter_size, "filter");
  KINDRED_C_REFUSE_IF(given.filter_size == KINDRED_UNSET && given.filter != nullptr,
                      "filter is given, but filter_size is KINDRED_UNSET; set it to the number of "
                      "indices");
  return out;
}

static PairOptions pair_options(const kindred_pair_options* options) {
  const kindred_pair_options defaults = KINDRED_PAIR_OPTIONS_INIT;
  const kindred_pair_options given = options_of(options, defaults, "options");
  PairOptions out;
  out.measure = measure_of(given.measure);
  out.value = enum_of<PairValue>(given.value, 3, "value");
  // A NaN is passed on, and refused.
  if (!(given.cutoff < 0)) out.cutoff = given.cutoff;
  out.autojunk = given.autojunk != 0;
  out.space = space_option(given.space);
  return out;
}

kindred_status kindred_matcher_create(kindred_context* context, const std::uint32_t* symbols,
                                      const std::uint64_t* offsets, std::size_t rows,
                                      std::int32_t residency, kindred_matcher** matcher) noexcept {
  return guarded([&] {
    const SharedContext& object = context_of(context);
    require(matcher, "matcher");
    *matcher = make_handle_of<kindred_matcher>(
        object, SequenceMatcher(*object, ragged_of(symbols, offsets, rows, "symbols"),
                                residency_option(residency)));
  });
}

kindred_status kindred_matcher_create_texts(kindred_context* context, const kindred_text* texts,
                                            std::size_t count, std::int32_t residency,
                                            kindred_matcher** matcher) noexcept {
  return guarded([&] {
    const SharedContext& object = context_of(context);
    require(matcher, "matcher");
    const std::vector<std::string_view> given = texts_of(texts, count, "texts");
    *matcher = make_handle_of<kindred_matcher>(
        object, SequenceMatcher(*object, given, residency_option(residency)));
  });
}

kindred_status kindred_matcher_destroy(kindred_matcher* matcher) noexcept {
  return destroy_handle(matcher, "matcher");
}

kindred_status kindred_matcher_size(const kindred_matcher* matcher, std::size_t* size) noexcept {
  return guarded([&] {
    const auto& object = object_of(matcher, "matcher");
    require(size, "size");
    *size = object.engine.size();
  });
}

kindred_status kindred_matcher_bytes(const kindred_matcher* matcher, std::int32_t space,
                                     std::uint64_t* bytes) noexcept {
  return guarded([&] {
    const auto& object = object_of(matcher, "matcher");
    require(bytes, "bytes");
    *bytes = object.engine.bytes(space_argument(space));
  });
}

kindred_status kindred_matcher_match(const kindred_matcher* matcher, const std::uint32_t* symbols,
                                     const std::uint64_t* offsets, std::size_t rows,
                                     const kindred_match_options* options,
                                     kindred_results** results) noexcept {
  return guarded([&] {
    const auto& object = object_of(matcher, "matcher");
    require(results, "results");
    const MatchOptions given = match_options(options);
    *results = make_handle_of<kindred_results>(results_of(
        object.engine.match(ragged_of(symbols, offsets, rows, "symbols"), given), given.blocks));
  });
}

kindred_status kindred_matcher_match_texts(const kindred_matcher* matcher,
                                           const kindred_text* texts, std::size_t count,
                                           const kindred_match_options* options,
                                           kindred_results** results) noexcept {
  return guarded([&] {
    const auto& object = object_of(matcher, "matcher");
    require(results, "results");
    const std::vector<std::string_view> queries = texts_of(texts, count, "texts");
    const MatchOptions given = match_options(options);
    *results = make_handle_of<kindred_results>(
        results_of(object.engine.match(queries, given), given.blocks));
  });
}

kindred_status kindred_matcher_score_all(const kindred_matcher* matcher,
                                         const std::uint32_t* symbols, const std::uint64_t* offsets,
                                         std::size_t rows, const kindred_pair_options* options,
                                         DLTensor* out, kindred_record* record) noexcept {
  return guarded([&] {
    const auto& object = object_of(matcher, "matcher");
    check_record(record);
    require(out, "out");
    const PairOptions given = pair_options(options);
    write_record(record, object.engine.score_all(ragged_of(symbols, offsets, rows, "symbols"),
                                                 output_array_of(out, "out"), given));
  });
}

kindred_status kindred_matcher_score_all_texts(const kindred_matcher* matcher,
                                               const kindred_text* texts, std::size_t count,
                                               const kindred_pair_options* options, DLTensor* out,
                                               kindred_record* record) noexcept {
  return guarded([&] {
    const auto& object = object_of(matcher, "matcher");
    check_record(record);
    require(out, "out");
    const PairOptions given = pair_options(options);
    const std::vector<std::string_view> queries = texts_of(texts, count, "texts");
    write_record(record, object.engine.score_all(queries, output_array_of(out, "out"), given));
  });
}

kindred_status kindred_matcher_match_self(const kindred_matcher* matcher,
                                          const kindred_match_options* options,
                                          kindred_match_callback answer, void* user) noexcept {
  return guarded([&] {
    const auto& object = object_of(matcher, "matcher");
    require_callback(answer, "answer");
    const MatchOptions given = match_options(options);
    object.engine.match_self(given, [&](std::size_t first, const MatchResults& group) {
      const BorrowedResults results(results_of(group, given.blocks));
      cancel_if(answer(user, first, results.handle), "answer");
    });
  });
}

kindred_status kindred_matcher_cluster(const kindred_matcher* matcher, std::int32_t linkage,
                                       const kindred_match_options* options,
                                       kindred_clusters** clusters) noexcept {
  return guarded([&] {
    const auto& object = object_of(matcher, "matcher");
    require(clusters, "clusters");
    ClusterOptions given;
    given.linkage = enum_of<Linkage>(linkage, 2, "linkage");
    given.matching = match_options(options, given.matching.threshold);
    *clusters = make_handle_of<kindred_clusters>(object.engine.cluster(given));
  });
}

kindred_status kindred_cluster_pairs(std::uint64_t items, const kindred_similar_pair* pairs,
                                     std::size_t count, std::int32_t linkage,
                                     kindred_clusters** clusters) noexcept {
  return guarded([&] {
    require(clusters, "clusters");
    KINDRED_C_REFUSE_IF(
        items > static_cast<std::uint64_t>(std::numeric_limits<std::ptrdiff_t>::max()) / 16,
        "items is " + std::to_string(items) + "; that exceeds the memory");
    std::vector<SimilarPair> given;
    for (const kindred_similar_pair& pair : span_of(pairs, count, "pairs"))
      given.push_back({pair.first, pair.second, pair.similarity});
    ClusterResults results;
    static_cast<Clusters&>(results) =
        cluster_pairs(items, std::move(given), enum_of<Linkage>(linkage, 2, "linkage"));
    *clusters = make_handle_of<kindred_clusters>(std::move(results));
  });
}

kindred_status kindred_clusters_get(const kindred_clusters* clusters,
                                    kindred_clusters_view* view) noexcept {
  return guarded([&] {
    const ClusterResults& object = object_of(clusters, "clusters");
    check_output(view, "view");
    write_output(view,
                 kindred_clusters_view{sizeof(kindred_clusters_view), object.cluster_of.size(),
                                       object.members.rows(), object.cluster_of.data(),
                                       object.representatives.data(), object.members.offsets.data(),
                                       object.members.values.data()});
  });
}

kindred_status kindred_clusters_record(const kindred_clusters* clusters,
                                       kindred_record* record) noexcept {
  return guarded([&] {
    const ClusterResults& object = object_of(clusters, "clusters");
    check_output(record, "record");
    write_output(record, record_of(object.record));
  });
}

kindred_status kindred_clusters_destroy(kindred_clusters* clusters) noexcept {
  return destroy_handle(clusters, "clusters");
}

}  // namespace Kindred::C
