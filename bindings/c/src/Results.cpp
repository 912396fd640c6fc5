// SPDX-License-Identifier: Apache-2.0
#include "Results.hpp"

#include <kindred/core/common/Error.hpp>

#include "Arguments.hpp"
#include "Keys.hpp"

#include <utility>

namespace Kindred::C {

namespace {

/// Not null for an empty array.
template <class T>
const T* data_of(const std::vector<T>& values) {
  static const T none{};
  return values.empty() ? &none : values.data();
}

/// The array of a member, or null with an error.
template <class T, class Get>
const T* array_or_null(const kindred_results* results, const Get& get) noexcept {
  const T* data = nullptr;
  guarded([&] { data = get(object_of(results, "results")); });
  return data;
}

/// A part that these results must have.
template <class T>
const T& part_of(const std::optional<T>& part, const char* what) {
  if (!part) throw NotFound(std::string("these results have no ") + what);
  return *part;
}

}  // namespace

std::vector<kindred_block> blocks_of(std::span<const Block> blocks) {
  std::vector<kindred_block> out;
  out.reserve(blocks.size());
  for (const Block& block : blocks)
    out.push_back({block.pattern_begin, block.query_begin, block.length});
  return out;
}

kindred_search_report report_of(const SearchReport& report) {
  kindred_search_report out = KINDRED_SEARCH_REPORT_INIT;
  copy_text(out.path, report.path);
  out.prefiltered = report.prefiltered;
  out.survivors = report.survivors;
  return out;
}

Results results_of(const MatchResults& results, bool with_blocks) {
  Results out;
  out.offsets = results.matches.offsets;
  auto& sequences = out.sequences.emplace();
  const std::size_t size = results.matches.values.size();
  out.ids.reserve(size);
  out.scores.reserve(size);
  sequences.matched.reserve(size);
  sequences.distances.reserve(size);
  for (const Match& match : results.matches.values) {
    out.ids.push_back(static_cast<std::int64_t>(match.index));
    out.scores.push_back(match.similarity);
    sequences.matched.push_back(match.matched);
    sequences.distances.push_back(match.distance);
  }
  if (with_blocks) {
    auto& blocks = out.blocks.emplace();
    blocks.offsets = results.blocks.offsets;
    blocks.blocks = blocks_of(results.blocks.values);
  }
  out.record = record_of(results.record);
  return out;
}

Results results_of(ScoreResults results) {
  Results out;
  out.offsets = std::move(results.results.offsets);
  out.ids.reserve(results.results.values.size());
  out.scores.reserve(results.results.values.size());
  for (const ScoredId& result : results.results.values) {
    out.ids.push_back(result.id);
    out.scores.push_back(static_cast<double>(result.score));
  }
  out.report = report_of(results.report);
  out.record = record_of(results.record);
  return out;
}

Results results_of(SpreadResults results, bool with_paths) {
  Results out;
  out.offsets = std::move(results.activations.offsets);
  out.ids.reserve(results.activations.values.size());
  out.scores.reserve(results.activations.values.size());
  for (const Activation& activation : results.activations.values) {
    out.ids.push_back(activation.node);
    out.scores.push_back(static_cast<double>(activation.value));
  }
  if (!results.convergence.empty()) {
    auto& convergence = out.convergence.emplace();
    for (const Convergence& query : results.convergence)
      convergence.push_back({query.residual, query.iterations, 0});
  }
  if (with_paths) {
    auto& paths = out.paths.emplace();
    paths.paths = std::move(results.paths.strengths.offsets);
    paths.strengths = std::move(results.paths.strengths.values);
    paths.step_offsets = std::move(results.paths.steps.offsets);
    paths.steps.reserve(results.paths.steps.values.size());
    for (const SpreadStep& step : results.paths.steps.values)
      paths.steps.push_back({step.from, step.to, step.weight, step.carried});
  }
  out.record = record_of(results.record);
  return out;
}

Results results_of(const std::vector<FusedHit>& hits) {
  Results out;
  auto& reasons = out.reasons.emplace();
  reasons.offsets.push_back(0);
  for (const FusedHit& hit : hits) {
    out.ids.push_back(static_cast<std::int64_t>(hit.id));
    out.scores.push_back(hit.score);
    for (const FusionReason& reason : hit.reasons)
      reasons.reasons.push_back({reason.ranking, reason.place, reason.score, reason.contribution});
    reasons.offsets.push_back(reasons.reasons.size());
  }
  out.offsets.push_back(out.ids.size());
  return out;
}

kindred_status kindred_results_rows(const kindred_results* results, std::size_t* rows) noexcept {
  return guarded([&] {
    const Results& object = object_of(results, "results");
    require(rows, "rows");
    *rows = object.offsets.size() - 1;
  });
}

const std::uint64_t* kindred_results_offsets(const kindred_results* results) noexcept {
  return array_or_null<std::uint64_t>(results, [](const Results& r) { return data_of(r.offsets); });
}
const std::int64_t* kindred_results_ids(const kindred_results* results) noexcept {
  return array_or_null<std::int64_t>(results, [](const Results& r) { return data_of(r.ids); });
}
const double* kindred_results_scores(const kindred_results* results) noexcept {
  return array_or_null<double>(results, [](const Results& r) { return data_of(r.scores); });
}
const std::uint32_t* kindred_results_matched(const kindred_results* results) noexcept {
  return array_or_null<std::uint32_t>(results, [](const Results& r) {
    return data_of(
        part_of(r.sequences, "numbers of matched symbols: they are not of sequences").matched);
  });
}
const double* kindred_results_distances(const kindred_results* results) noexcept {
  return array_or_null<double>(results, [](const Results& r) {
    return data_of(part_of(r.sequences, "distances: they are not of sequences").distances);
  });
}

kindred_status kindred_results_blocks(const kindred_results* results, const std::uint64_t** offsets,
                                      const kindred_block** blocks) noexcept {
  return guarded([&] {
    const Results& object = object_of(results, "results");
    require(offsets, "offsets");
    require(blocks, "blocks");
    const auto& part = part_of(object.blocks, "blocks: the option `blocks` asks for them");
    *offsets = data_of(part.offsets);
    *blocks = data_of(part.blocks);
  });
}

kindred_status kindred_results_paths(const kindred_results* results, const std::uint64_t** paths,
                                     const float** strengths, const std::uint64_t** step_offsets,
                                     const kindred_step** steps) noexcept {
  return guarded([&] {
    const Results& object = object_of(results, "results");
    require(paths, "paths");
    require(strengths, "strengths");
    require(step_offsets, "step_offsets");
    require(steps, "steps");
    const auto& part = part_of(object.paths, "paths: the option `trace_paths` asks for them");
    *paths = data_of(part.paths);
    *strengths = data_of(part.strengths);
    *step_offsets = data_of(part.step_offsets);
    *steps = data_of(part.steps);
  });
}

kindred_status kindred_results_convergence(const kindred_results* results,
                                           const kindred_convergence** convergence) noexcept {
  return guarded([&] {
    const Results& object = object_of(results, "results");
    require(convergence, "convergence");
    *convergence = data_of(part_of(object.convergence, "convergence: they are not of PageRank"));
  });
}

kindred_status kindred_results_reasons(const kindred_results* results,
                                       const std::uint64_t** offsets,
                                       const kindred_fusion_reason** reasons) noexcept {
  return guarded([&] {
    const Results& object = object_of(results, "results");
    require(offsets, "offsets");
    require(reasons, "reasons");
    const auto& part = part_of(object.reasons, "reasons: they are not of a fusion");
    *offsets = data_of(part.offsets);
    *reasons = data_of(part.reasons);
  });
}

kindred_status kindred_results_keys(const kindred_results* results,
                                    kindred_key_span* keys) noexcept {
  return guarded([&] {
    const Results& object = object_of(results, "results");
    check_output(keys, "keys");
    write_output(keys,
                 key_span_of(part_of(object.keys, "keys: they are not of an index with keys")));
  });
}

kindred_status kindred_results_record(const kindred_results* results,
                                      kindred_record* record) noexcept {
  return guarded([&] {
    const Results& object = object_of(results, "results");
    check_output(record, "record");
    write_output(record, object.record);
  });
}

kindred_status kindred_results_report(const kindred_results* results,
                                      kindred_search_report* report) noexcept {
  return guarded([&] {
    const Results& object = object_of(results, "results");
    check_output(report, "report");
    write_output(report, part_of(object.report, "report: they are not of a search in vectors"));
  });
}

kindred_status kindred_results_destroy(kindred_results* results) noexcept {
  return destroy_handle(results, "results");
}

}  // namespace Kindred::C
