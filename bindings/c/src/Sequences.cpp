// SPDX-License-Identifier: Apache-2.0
// Vocabularies, pairs of sequences and matchers.
#include "Sequences.hpp"

#include <kindred/core/common/Error.hpp>
#include <kindred/matcher/Similarity.hpp>
#include <kindred/matcher/Vocabulary.hpp>

#include "Arguments.hpp"
#include "Results.hpp"

namespace Kindred::C {

KINDRED_C_HANDLE(vocabulary, Vocabulary);
KINDRED_C_HANDLE(query, PreparedQuery);
KINDRED_C_HANDLE(matcher, WithContext<SequenceMatcher>);
KINDRED_C_HANDLE(clusters, ClusterResults);

namespace {

Measure measure_of(std::int32_t measure) {
  return enum_of<Measure>(measure, static_cast<std::int32_t>(all_measures.size()), "measure");
}

/// Frees results that a callback borrows.
struct BorrowedResults {
  explicit BorrowedResults(Results object)
      : handle(make_handle_of<kindred_results>(std::move(object))) {}
  BorrowedResults(const BorrowedResults&) = delete;
  BorrowedResults& operator=(const BorrowedResults&) = delete;
  ~BorrowedResults() { destroy_handle(handle, "results"); }
  kindred_results* handle;
};

void write_blocks(const std::vector<Block>& found, kindred_block* blocks, std::size_t capacity,
                  std::size_t* count) {
  const std::vector<kindred_block> out = blocks_of(found);
  *count = out.size();
  write_array(std::span<const kindred_block>(out), blocks, capacity, "blocks");
}

}  // namespace

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
  return out;
}

// Vocabulary

kindred_status kindred_vocabulary_create(kindred_vocabulary** vocabulary) noexcept {
  return guarded([&] {
    require(vocabulary, "vocabulary");
    *vocabulary = make_handle_of<kindred_vocabulary>();
  });
}

kindred_status kindred_vocabulary_load(const char* path, kindred_vocabulary** vocabulary) noexcept {
  return guarded([&] {
    require(vocabulary, "vocabulary");
    *vocabulary = make_handle_of<kindred_vocabulary>(Vocabulary::load(path_of(path)));
  });
}

kindred_status kindred_vocabulary_destroy(kindred_vocabulary* vocabulary) noexcept {
  return destroy_handle(vocabulary, "vocabulary");
}

kindred_status kindred_vocabulary_add(kindred_vocabulary* vocabulary, const char* text,
                                      std::size_t size, std::uint32_t* symbol) noexcept {
  return guarded([&] {
    Vocabulary& object = object_of(vocabulary, "vocabulary");
    require(symbol, "symbol");
    *symbol = object.add(text_of(text, size, "text"));
  });
}

kindred_status kindred_vocabulary_add_all(kindred_vocabulary* vocabulary, const kindred_text* texts,
                                          std::size_t count, std::int32_t sorted) noexcept {
  return guarded([&] {
    Vocabulary& object = object_of(vocabulary, "vocabulary");
    const std::vector<std::string_view> given = texts_of(texts, count, "texts");
    sorted != 0 ? object.add_sorted(given) : object.add_all(given);
  });
}

kindred_status kindred_vocabulary_find(const kindred_vocabulary* vocabulary,
                                       const kindred_text* texts, std::size_t count,
                                       std::uint32_t* symbols) noexcept {
  return guarded([&] {
    const Vocabulary& object = object_of(vocabulary, "vocabulary");
    const std::vector<std::string_view> given = texts_of(texts, count, "texts");
    const std::span<std::uint32_t> out = span_of(symbols, count, "symbols");
    for (std::size_t i = 0; i < count; ++i) out[i] = object.find(given[i]);
  });
}

kindred_status kindred_vocabulary_text(const kindred_vocabulary* vocabulary, std::uint32_t symbol,
                                       kindred_text* text) noexcept {
  return guarded([&] {
    const Vocabulary& object = object_of(vocabulary, "vocabulary");
    require(text, "text");
    const std::string_view found = object.text(symbol);
    *text = {found.data(), found.size()};
  });
}

kindred_status kindred_vocabulary_describe(const kindred_vocabulary* vocabulary,
                                           kindred_vocabulary_statistics* statistics) noexcept {
  return guarded([&] {
    const Vocabulary& object = object_of(vocabulary, "vocabulary");
    check_output(statistics, "statistics");
    const VocabularyStatistics found = object.statistics();
    write_output(statistics,
                 kindred_vocabulary_statistics{sizeof(kindred_vocabulary_statistics), found.symbols,
                                               found.text_bytes, found.held_bytes});
  });
}

kindred_status kindred_vocabulary_save(const kindred_vocabulary* vocabulary,
                                       const char* path) noexcept {
  return guarded([&] { object_of(vocabulary, "vocabulary").save(path_of(path)); });
}

// Pairs

kindred_status kindred_similarity(std::int32_t measure, const std::uint32_t* pattern,
                                  std::size_t pattern_size, const std::uint32_t* query,
                                  std::size_t query_size, double cutoff, std::int32_t autojunk,
                                  double* similarity) noexcept {
  return guarded([&] {
    require(similarity, "similarity");
    *similarity =
        Kindred::similarity(measure_of(measure), span_of(pattern, pattern_size, "pattern"),
                            span_of(query, query_size, "query"), cutoff, autojunk != 0);
  });
}

kindred_status kindred_similarity_text(std::int32_t measure, const char* pattern,
                                       std::size_t pattern_size, const char* query,
                                       std::size_t query_size, double cutoff, std::int32_t autojunk,
                                       double* similarity) noexcept {
  return guarded([&] {
    require(similarity, "similarity");
    *similarity =
        Kindred::similarity(measure_of(measure), text_of(pattern, pattern_size, "pattern"),
                            text_of(query, query_size, "query"), cutoff, autojunk != 0);
  });
}

kindred_status kindred_query_create(std::int32_t measure, const std::uint32_t* symbols,
                                    std::size_t size, std::int32_t autojunk,
                                    kindred_query** query) noexcept {
  return guarded([&] {
    require(query, "query");
    *query = make_handle_of<kindred_query>(
        PreparedQuery(measure_of(measure), span_of(symbols, size, "symbols"), autojunk != 0));
  });
}

kindred_status kindred_query_create_text(std::int32_t measure, const char* text, std::size_t size,
                                         std::int32_t autojunk, kindred_query** query) noexcept {
  return guarded([&] {
    require(query, "query");
    *query = make_handle_of<kindred_query>(
        PreparedQuery(measure_of(measure), text_of(text, size, "text"), autojunk != 0));
  });
}

kindred_status kindred_query_destroy(kindred_query* query) noexcept {
  return destroy_handle(query, "query");
}

kindred_status kindred_query_similarity(const kindred_query* query, const std::uint32_t* pattern,
                                        std::size_t size, double cutoff,
                                        double* similarity) noexcept {
  return guarded([&] {
    const PreparedQuery& object = object_of(query, "query");
    require(similarity, "similarity");
    *similarity = object.similarity(span_of(pattern, size, "pattern"), cutoff);
  });
}

kindred_status kindred_query_similarity_text(const kindred_query* query, const char* pattern,
                                             std::size_t size, double cutoff,
                                             double* similarity) noexcept {
  return guarded([&] {
    const PreparedQuery& object = object_of(query, "query");
    require(similarity, "similarity");
    *similarity = object.similarity(text_of(pattern, size, "pattern"), cutoff);
  });
}

kindred_status kindred_query_matched(const kindred_query* query, const std::uint32_t* pattern,
                                     std::size_t size, std::uint32_t* matched) noexcept {
  return guarded([&] {
    const PreparedQuery& object = object_of(query, "query");
    require(matched, "matched");
    *matched = object.matched(span_of(pattern, size, "pattern"));
  });
}

kindred_status kindred_query_matched_text(const kindred_query* query, const char* pattern,
                                          std::size_t size, std::uint32_t* matched) noexcept {
  return guarded([&] {
    const PreparedQuery& object = object_of(query, "query");
    require(matched, "matched");
    *matched = object.matched(text_of(pattern, size, "pattern"));
  });
}

kindred_status kindred_query_blocks(const kindred_query* query, const std::uint32_t* pattern,
                                    std::size_t size, kindred_block* blocks, std::size_t capacity,
                                    std::size_t* count) noexcept {
  return guarded([&] {
    const PreparedQuery& object = object_of(query, "query");
    require(count, "count");
    span_of(blocks, capacity, "blocks");
    write_blocks(object.blocks(span_of(pattern, size, "pattern")), blocks, capacity, count);
  });
}

kindred_status kindred_query_blocks_text(const kindred_query* query, const char* pattern,
                                         std::size_t size, kindred_block* blocks,
                                         std::size_t capacity, std::size_t* count) noexcept {
  return guarded([&] {
    const PreparedQuery& object = object_of(query, "query");
    require(count, "count");
    span_of(blocks, capacity, "blocks");
    write_blocks(object.blocks(text_of(pattern, size, "pattern")), blocks, capacity, count);
  });
}

// SequenceMatcher

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
        object, SequenceMatcher(*object, std::span<const std::string_view>(given),
                                residency_option(residency)));
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
    *results = make_handle_of<kindred_results>(results_of(
        object.engine.match(std::span<const std::string_view>(queries), given), given.blocks));
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
