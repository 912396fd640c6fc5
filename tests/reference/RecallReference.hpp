// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_REFERENCE_RECALL_REFERENCE_HPP
#define KINDRED_TESTS_REFERENCE_RECALL_REFERENCE_HPP

#include <kindred/matcher/Recall.hpp>

#include <algorithm>
#include <map>
#include <span>
#include <vector>

namespace Kindred::Reference {

/// The fusion of rankings written from its definition: a map from id to hit, filled ranking by
/// ranking.
inline std::vector<RecallHit> recall(std::span<const std::vector<RankedItem>> rankings,
                                     const RecallOptions& options) {
  std::map<std::uint64_t, RecallHit> hits;
  for (std::size_t r = 0; r < rankings.size(); ++r) {
    const double weight = options.weights.empty() ? 1.0 : options.weights[r];
    const auto length = static_cast<double>(rankings[r].size());
    for (std::size_t p = 0; p < rankings[r].size(); ++p) {
      const auto place = static_cast<double>(p + 1);
      const double contribution = options.rule == FusionRule::reciprocal_rank
                                      ? weight / (options.constant + place)
                                      : weight * (length - place + 1) / length;
      RecallHit& hit = hits[rankings[r][p].id];
      hit.id = rankings[r][p].id;
      hit.score += contribution;
      hit.reasons.push_back({r, p + 1, rankings[r][p].score, contribution});
    }
  }
  std::vector<RecallHit> ranked;
  for (const auto& [id, hit] : hits) ranked.push_back(hit);
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const RecallHit& a, const RecallHit& b) { return a.score > b.score; });
  if (ranked.size() > options.top) ranked.resize(options.top);
  return ranked;
}

}  // namespace Kindred::Reference

#endif  // KINDRED_TESTS_REFERENCE_RECALL_REFERENCE_HPP
