// SPDX-License-Identifier: Apache-2.0
#include "Results.hpp"

#include "Arguments.hpp"

#include <type_traits>

namespace Kindred::C {

namespace {

/// The members of many values as one column.
template <class T, class Value, class Member>
std::vector<T> column_of(const std::vector<Value>& values, Member Value::*member) {
  std::vector<T> column;
  column.reserve(values.size());
  for (const Value& value : values) column.push_back(static_cast<T>(value.*member));
  return column;
}

/// Sets a pointer to elements, which have the layout of those of C. Not null for an empty array.
template <class To, class T>
void set(const To*& to, const std::vector<T>& values) {
  static_assert(sizeof(To) == sizeof(T) && std::is_standard_layout_v<T> &&
                std::is_arithmetic_v<To> == std::is_arithmetic_v<T>);
  static const T none{};
  to = reinterpret_cast<const To*>(values.empty() ? &none : values.data());
}
template <class To, class T>
void set(const To*& to, const std::optional<std::vector<T>>& values) {
  if (values) set(to, *values);
}
template <class To, class T>
void set(const std::uint64_t*& offsets, const To*& to, const Ragged<T>& rows) {
  offsets = rows.offsets.data();
  set(to, rows.values);
}

}  // namespace

kindred_results_view Results::view() const {
  kindred_results_view out = KINDRED_RESULTS_VIEW_INIT;
  out.rows = offsets.size() - 1;
  out.offsets = offsets.data();
  set(out.ids, ids);
  set(out.scores, scores);
  set(out.matched, matched);
  set(out.distances, distances);
  set(out.convergence, convergence);
  if (blocks) set(out.block_offsets, out.blocks, *blocks);
  if (paths) {
    set(out.path_offsets, out.strengths, paths->strengths);
    set(out.step_offsets, out.steps, paths->steps);
  }
  if (reasons) set(out.reason_offsets, out.reasons, *reasons);
  if (keys) out.keys = &keys->span;
  out.record = &record;
  if (report) out.report = &*report;
  return out;
}

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

Results results_of(MatchResults results, bool with_blocks) {
  Results out;
  out.offsets = std::move(results.matches.offsets);
  const std::vector<Match>& matches = results.matches.values;
  out.ids = column_of<std::int64_t>(matches, &Match::index);
  out.scores = column_of<double>(matches, &Match::similarity);
  out.matched = column_of<std::uint32_t>(matches, &Match::matched);
  out.distances = column_of<double>(matches, &Match::distance);
  if (with_blocks) out.blocks = std::move(results.blocks);
  out.record = record_of(results.record);
  return out;
}

Results results_of(ScoreResults results) {
  Results out;
  out.offsets = std::move(results.results.offsets);
  out.ids = column_of<std::int64_t>(results.results.values, &ScoredId::id);
  out.scores = column_of<double>(results.results.values, &ScoredId::score);
  out.report = report_of(results.report);
  out.record = record_of(results.record);
  return out;
}

Results results_of(SpreadResults results, bool with_paths) {
  Results out;
  out.offsets = std::move(results.activations.offsets);
  out.ids = column_of<std::int64_t>(results.activations.values, &Activation::node);
  out.scores = column_of<double>(results.activations.values, &Activation::value);
  if (!results.convergence.empty()) {
    auto& convergence = out.convergence.emplace();
    for (const Convergence& query : results.convergence)
      convergence.push_back({query.residual, query.iterations, 0});
  }
  if (with_paths) out.paths = std::move(results.paths);
  out.record = record_of(results.record);
  return out;
}

Results results_of(const std::vector<FusedHit>& hits) {
  Results out;
  auto& reasons = out.reasons.emplace();
  out.ids = column_of<std::int64_t>(hits, &FusedHit::id);
  out.scores = column_of<double>(hits, &FusedHit::score);
  for (const FusedHit& hit : hits) reasons.push_row(hit.reasons);
  out.offsets.push_back(out.ids.size());
  return out;
}

}  // namespace Kindred::C
