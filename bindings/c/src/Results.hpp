// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_C_RESULTS_HPP
#define KINDRED_C_RESULTS_HPP

#include <kindred/core/common/Ragged.hpp>
#include <kindred/matcher/KeySpan.hpp>
#include <kindred/matcher/RankFusion.hpp>
#include <kindred/matcher/SequenceMatcher.hpp>
#include <kindred/matcher/SpreadingEngine.hpp>
#include <kindred/matcher/VectorIndex.hpp>

#include "Handle.hpp"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace Kindred::C {

/// A view of \p keys for C.
kindred_key_span key_span_of(const KeyList& keys);
/// Keys with their view for C.
struct ResultKeys {
  ResultKeys(KeyList keys)  // NOLINT(google-explicit-constructor): the same with a view
      : list(std::move(keys)), span(key_span_of(list)) {}
  KeyList list;
  kindred_key_span span;
};

/// Ragged results of any engine, with one array per column.
struct Results {
  std::vector<std::uint64_t> offsets{0};
  std::vector<std::int64_t> ids;
  std::vector<double> scores;
  kindred_record record = KINDRED_RECORD_INIT;
  std::optional<std::vector<std::uint32_t>> matched;
  std::optional<std::vector<double>> distances;
  std::optional<Ragged<Block>> blocks;
  std::optional<SpreadPaths> paths;
  std::optional<std::vector<kindred_convergence>> convergence;
  std::optional<Ragged<FusionReason>> reasons;
  std::optional<kindred_search_report> report;
  std::optional<ResultKeys> keys;

  kindred_results_view view() const;
};
KINDRED_C_HANDLE(results, Results);

inline const Results& results_of(const kindred_results* results) {
  return object_of(results, "results");
}
Results results_of(MatchResults results, bool with_blocks);
Results results_of(ScoreResults results);
Results results_of(SpreadResults results, bool with_paths);
Results results_of(const std::vector<FusedHit>& hits);

kindred_search_report report_of(const SearchReport& report);
std::vector<kindred_block> blocks_of(std::span<const Block> blocks);

}  // namespace Kindred::C

#endif  // KINDRED_C_RESULTS_HPP
