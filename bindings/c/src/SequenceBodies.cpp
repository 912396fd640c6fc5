// SPDX-License-Identifier: Apache-2.0
// What is special of the functions of sequences.
#include "Arguments.hpp"
#include "Results.hpp"
#include "Sequences.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

namespace Kindred::C {

namespace {

/// \param offsets of one sequence
Sequences sequences_of(const kindred_sequences* sequences, const char* name,
                       std::uint64_t (&offsets)[2]) {
  require(sequences, name);
  const kindred_sequences given =
      options_of(sequences, kindred_sequences KINDRED_SEQUENCES_INIT, name);
  const std::string prefix = std::string(name) + ".";
  const bool has_length = given.length != KINDRED_UNSET;
  KINDRED_C_REFUSE_IF(
      (given.texts != nullptr ? 1 : 0) + (given.offsets != nullptr ? 1 : 0) + (has_length ? 1 : 0) >
          1,
      prefix + "texts, offsets and length are forms of sequences, of which one must be given");
  KINDRED_C_REFUSE_IF(given.texts != nullptr && given.symbols != nullptr,
                      prefix + "texts and symbols are given; sequences have one form");
  if (given.texts != nullptr) return texts_of(given.texts, given.count, (prefix + "texts").c_str());
  const std::string symbols = prefix + "symbols";
  if (has_length) {
    KINDRED_C_REFUSE_IF(given.count != 1, prefix + "length is that of one sequence, but count is " +
                                              std::to_string(given.count));
    offsets[1] = given.length;
    return RaggedSpan<Symbol>{offsets, span_of(given.symbols, given.length, symbols.c_str())};
  }
  KINDRED_C_REFUSE_IF(given.count > 0 && given.offsets == nullptr,
                      prefix + "count is " + std::to_string(given.count) +
                          ", but neither texts nor offsets nor a length are given");
  return ragged_of(given.symbols, given.offsets, given.count, symbols.c_str());
}

/// The rows as texts of symbols of 4 bytes.
std::vector<TextSpan> texts_of_rows(const RaggedSpan<Symbol>& rows) {
  constexpr std::size_t size_max = (std::size_t{1} << 31U) - 1;
  std::vector<TextSpan> texts(rows.rows());
  for (std::size_t row = 0; row < texts.size(); ++row) {
    const std::span<const Symbol> symbols = rows[row];
    KINDRED_C_REFUSE_IF(symbols.size() > size_max, "sequence " + std::to_string(row) + " has " +
                                                       std::to_string(symbols.size()) +
                                                       " symbols; the limit is 2^31 - 1");
    texts[row] = {symbols.data(), static_cast<std::uint32_t>(symbols.size()), 4};
  }
  return texts;
}

}  // namespace

SequencesArgument::SequencesArgument(const kindred_sequences* given, const char* name)
    : m_name(name), m_sequences(sequences_of(given, name, m_offsets)) {}

std::span<const Symbol> SequencesArgument::one() const {
  const RaggedSpan<Symbol> rows = m_sequences.rows();
  KINDRED_C_REFUSE_IF(rows.rows() != 1, std::string(m_name) + " has " +
                                            std::to_string(rows.rows()) +
                                            " sequences; there must be one");
  return rows[0];
}

ClusterArrays::ClusterArrays(ClusterResults results)
    : found(std::move(results)), record(record_of(found.record)) {}

kindred_clusters_view ClusterArrays::view() const {
  return {sizeof(kindred_clusters_view), found.cluster_of.size(),
          found.members.rows(),          found.cluster_of.data(),
          found.representatives.data(),  found.members.offsets.data(),
          found.members.values.data(),   &record};
}

ClusterOptions cluster_options(std::int32_t linkage, const kindred_match_options* options) {
  ClusterOptions out;
  out.linkage = enum_of<Linkage>(linkage, 2, "linkage");
  if (options != nullptr) out.matching = match_options(options);
  return out;
}

std::function<void(std::size_t, const MatchResults&)> answer_of(kindred_match_callback answer,
                                                                void* user, bool with_blocks) {
  require_callback(answer, "answer");
  return [=](std::size_t first, const MatchResults& group) {
    const auto destroy = [](kindred_results* results) { destroy_handle(results, "results"); };
    const std::unique_ptr<kindred_results, decltype(destroy)> results(
        make_handle_of<kindred_results>(results_of(group, with_blocks)), destroy);
    cancel_if(answer(user, first, results.get()), "answer");
  };
}

std::vector<Symbol> code_points_of(std::string_view text, bool keep) {
  std::vector<Symbol> found;
  append_code_points(text, found, keep ? BadBytes::keep : BadBytes::refuse);
  return found;
}

std::uint64_t checked_distance(Measure measure, std::uint64_t matched, std::uint64_t pattern_size,
                               std::uint64_t query_size) {
  KINDRED_C_REFUSE_IF(!counts_edits(measure), "the distances of the measure " +
                                                  std::string(to_string(measure)) +
                                                  " are no numbers of edits: they are 1 - "
                                                  "similarity");
  for (const std::uint64_t size : {pattern_size, query_size}) {
    KINDRED_C_REFUSE_IF(size >= std::uint64_t{1} << 31U, "a sequence has " + std::to_string(size) +
                                                             " symbols; the limit is 2^31 - 1");
  }
  const std::uint64_t limit = measure == Measure::lcs || measure == Measure::difflib
                                  ? std::min(pattern_size, query_size)
                                  : std::max(pattern_size, query_size);
  KINDRED_C_REFUSE_IF(matched > limit, "matched is " + std::to_string(matched) +
                                           "; it must be at most " + std::to_string(limit));
  return distance(measure, matched, pattern_size, query_size);
}

ClusterResults clusters_of_pairs(std::uint64_t items, std::span<const kindred_similar_pair> pairs,
                                 Linkage linkage) {
  KINDRED_C_REFUSE_IF(
      items > static_cast<std::uint64_t>(std::numeric_limits<std::ptrdiff_t>::max()) / 16,
      "items is " + std::to_string(items) + "; that exceeds the memory");
  std::vector<SimilarPair> given;
  for (const kindred_similar_pair& pair : pairs)
    given.push_back({pair.first, pair.second, pair.similarity});
  return {cluster_pairs(items, std::move(given), linkage), {}};
}

kindred_status kindred_query_similarity(const kindred_query* query,
                                        const kindred_sequences* patterns, double cutoff,
                                        double* similarities) noexcept {
  return guarded([&] {
    const PreparedQuery& object = query_of(query);
    require(similarities, "similarities");
    const SequencesArgument given(patterns, "patterns");
    const RaggedSpan<Symbol> rows = given.all().rows();
    if (rows.rows() == 1) {
      *similarities = object.similarity(rows[0], cutoff);
      return;
    }
    KINDRED_C_REFUSE_IF(!(cutoff >= 0 && cutoff <= 1),
                        "cutoff is " + std::to_string(cutoff) + "; it must be in [0, 1]");
    const std::span<double> out(similarities, rows.rows());
    object.similarities(texts_of_rows(rows), out);
    std::replace_if(
        out.begin(), out.end(), [&](double value) { return value < cutoff; }, 0.0);
  });
}

kindred_status kindred_query_matched(const kindred_query* query, const kindred_sequences* patterns,
                                     std::uint32_t* matched) noexcept {
  return guarded([&] {
    const PreparedQuery& object = query_of(query);
    require(matched, "matched");
    const SequencesArgument given(patterns, "patterns");
    const RaggedSpan<Symbol> rows = given.all().rows();
    if (rows.rows() == 1) {
      *matched = object.matched(rows[0]);
    } else {
      object.matched(texts_of_rows(rows), {matched, rows.rows()});
    }
  });
}

}  // namespace Kindred::C
