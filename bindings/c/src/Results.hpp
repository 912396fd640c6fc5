// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_C_RESULTS_HPP
#define KINDRED_C_RESULTS_HPP

#include <kindred/matcher/KeySpan.hpp>
#include <kindred/matcher/RankFusion.hpp>
#include <kindred/matcher/SequenceMatcher.hpp>
#include <kindred/matcher/SpreadingEngine.hpp>
#include <kindred/matcher/VectorIndex.hpp>

#include "Handle.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace Kindred::C {

/// Ragged results of any engine, with one array per column.
struct Results {
  std::vector<std::uint64_t> offsets{0};
  std::vector<std::int64_t> ids;
  std::vector<double> scores;
  kindred_record record = KINDRED_RECORD_INIT;

  struct Sequences {
    std::vector<std::uint32_t> matched;
    std::vector<double> distances;
  };
  std::optional<Sequences> sequences;
  struct Blocks {
    std::vector<std::uint64_t> offsets;
    std::vector<kindred_block> blocks;
  };
  std::optional<Blocks> blocks;
  struct Paths {
    std::vector<std::uint64_t> paths;
    std::vector<float> strengths;
    std::vector<std::uint64_t> step_offsets;
    std::vector<kindred_step> steps;
  };
  std::optional<Paths> paths;
  std::optional<std::vector<kindred_convergence>> convergence;
  struct Reasons {
    std::vector<std::uint64_t> offsets;
    std::vector<kindred_fusion_reason> reasons;
  };
  std::optional<Reasons> reasons;
  std::optional<kindred_search_report> report;
  std::optional<KeyList> keys;
};
KINDRED_C_HANDLE(results, Results);

Results results_of(const MatchResults& results, bool with_blocks);
Results results_of(ScoreResults results);
Results results_of(SpreadResults results, bool with_paths);
Results results_of(const std::vector<FusedHit>& hits);

kindred_search_report report_of(const SearchReport& report);
std::vector<kindred_block> blocks_of(std::span<const Block> blocks);

}  // namespace Kindred::C

#endif  // KINDRED_C_RESULTS_HPP
