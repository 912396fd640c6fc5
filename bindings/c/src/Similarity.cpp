// SPDX-License-Identifier: Apache-2.0
// Measures, and the similarity of pairs of sequences.
#include <kindred/matcher/Similarity.hpp>

#include "Arguments.hpp"
#include "Results.hpp"
#include "Sequences.hpp"

#include <algorithm>

namespace Kindred::C {

KINDRED_C_HANDLE(query, PreparedQuery);

namespace {

void write_blocks(const std::vector<Block>& found, kindred_block* blocks, std::size_t capacity,
                  std::size_t* count) {
  const std::vector<kindred_block> out = blocks_of(found);
  *count = out.size();
  write_array(std::span<const kindred_block>(out), blocks, capacity, "blocks");
}

/// The rows as texts of symbols of 4 bytes.
std::vector<TextSpan> texts_of_rows(const RaggedSpan<std::uint32_t>& rows) {
  constexpr std::size_t size_max = (std::size_t{1} << 31U) - 1;
  std::vector<TextSpan> texts(rows.rows());
  for (std::size_t row = 0; row < texts.size(); ++row) {
    const std::span<const std::uint32_t> symbols = rows[row];
    KINDRED_C_REFUSE_IF(symbols.size() > size_max, "sequence " + std::to_string(row) + " has " +
                                                       std::to_string(symbols.size()) +
                                                       " symbols; the limit is 2^31 - 1");
    texts[row] = {symbols.data(), static_cast<std::uint32_t>(symbols.size()), 4};
  }
  return texts;
}

}  // namespace

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

kindred_status kindred_measure_describe(std::int32_t measure, kindred_measure_info* info) noexcept {
  return guarded([&] {
    const Measure found = measure_of(measure);
    check_output(info, "info");
    // The names are literals, which end with a zero.
    write_output(info,
                 kindred_measure_info{sizeof(kindred_measure_info), to_string(found).data(),
                                      counts_edits(found) ? 1 : 0, compares_words(found) ? 1 : 0});
  });
}

kindred_status kindred_distance(std::int32_t measure, std::uint64_t matched,
                                std::uint64_t pattern_size, std::uint64_t query_size,
                                std::uint64_t* distance) noexcept {
  return guarded([&] {
    const Measure found = measure_of(measure);
    require(distance, "distance");
    KINDRED_C_REFUSE_IF(!counts_edits(found), "the distances of the measure " +
                                                  std::string(to_string(found)) +
                                                  " are no numbers of edits: they are 1 - "
                                                  "similarity");
    for (const std::uint64_t size : {pattern_size, query_size}) {
      KINDRED_C_REFUSE_IF(
          size >= std::uint64_t{1} << 31U,
          "a sequence has " + std::to_string(size) + " symbols; the limit is 2^31 - 1");
    }
    const std::uint64_t limit = found == Measure::lcs || found == Measure::difflib
                                    ? std::min(pattern_size, query_size)
                                    : std::max(pattern_size, query_size);
    KINDRED_C_REFUSE_IF(matched > limit, "matched is " + std::to_string(matched) +
                                             "; it must be at most " + std::to_string(limit));
    *distance = Kindred::distance(found, matched, pattern_size, query_size);
  });
}

kindred_status kindred_matched(std::int32_t measure, const std::uint32_t* pattern,
                               std::size_t pattern_size, const std::uint32_t* query,
                               std::size_t query_size, std::int32_t autojunk,
                               std::uint32_t* matched) noexcept {
  return guarded([&] {
    require(matched, "matched");
    *matched = Kindred::matched(measure_of(measure), span_of(pattern, pattern_size, "pattern"),
                                span_of(query, query_size, "query"), autojunk != 0);
  });
}

kindred_status kindred_matched_text(std::int32_t measure, const char* pattern,
                                    std::size_t pattern_size, const char* query,
                                    std::size_t query_size, std::int32_t autojunk,
                                    std::uint32_t* matched) noexcept {
  return guarded([&] {
    require(matched, "matched");
    *matched = Kindred::matched(measure_of(measure), text_of(pattern, pattern_size, "pattern"),
                                text_of(query, query_size, "query"), autojunk != 0);
  });
}

kindred_status kindred_blocks(std::int32_t measure, const std::uint32_t* pattern,
                              std::size_t pattern_size, const std::uint32_t* query,
                              std::size_t query_size, std::int32_t autojunk, kindred_block* blocks,
                              std::size_t capacity, std::size_t* count) noexcept {
  return guarded([&] {
    require(count, "count");
    span_of(blocks, capacity, "blocks");
    write_blocks(Kindred::blocks(measure_of(measure), span_of(pattern, pattern_size, "pattern"),
                                 span_of(query, query_size, "query"), autojunk != 0),
                 blocks, capacity, count);
  });
}

kindred_status kindred_blocks_text(std::int32_t measure, const char* pattern,
                                   std::size_t pattern_size, const char* query,
                                   std::size_t query_size, std::int32_t autojunk,
                                   kindred_block* blocks, std::size_t capacity,
                                   std::size_t* count) noexcept {
  return guarded([&] {
    require(count, "count");
    span_of(blocks, capacity, "blocks");
    write_blocks(Kindred::blocks(measure_of(measure), text_of(pattern, pattern_size, "pattern"),
                                 text_of(query, query_size, "query"), autojunk != 0),
                 blocks, capacity, count);
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

kindred_status kindred_query_matched_all(const kindred_query* query, const std::uint32_t* symbols,
                                         const std::uint64_t* offsets, std::size_t rows,
                                         std::uint32_t* matched) noexcept {
  return guarded([&] {
    const PreparedQuery& object = object_of(query, "query");
    const std::vector<TextSpan> texts = texts_of_rows(ragged_of(symbols, offsets, rows, "symbols"));
    object.matched(texts, span_of(matched, rows, "matched"));
  });
}

kindred_status kindred_query_similarities(const kindred_query* query, const std::uint32_t* symbols,
                                          const std::uint64_t* offsets, std::size_t rows,
                                          double* similarities) noexcept {
  return guarded([&] {
    const PreparedQuery& object = object_of(query, "query");
    const std::vector<TextSpan> texts = texts_of_rows(ragged_of(symbols, offsets, rows, "symbols"));
    object.similarities(texts, span_of(similarities, rows, "similarities"));
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

}  // namespace Kindred::C
