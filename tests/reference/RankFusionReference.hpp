// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_REFERENCE_RANK_FUSION_REFERENCE_HPP
#define KINDRED_TESTS_REFERENCE_RANK_FUSION_REFERENCE_HPP

#include <kindred/matcher/RankFusion.hpp>

#include <algorithm>
#include <map>
#include <span>
#include <vector>

namespace Kindred::Reference {

/// The fusion of rankings implemented from its definition: a map from id to hit, filled ranking by
/// ranking.
inline std::vector<FusedHit> fuse_rankings(std::span<const std::vector<RankedItem>> rankings,
                                           const FusionOptions& options) {
  std::map<std::uint64_t, FusedHit> hits;
  for (std::size_t r = 0; r < rankings.size(); ++r) {
    const double weight = options.weights.empty() ? 1.0 : options.weights[r];
    const auto length = static_cast<double>(rankings[r].size());
    for (std::size_t p = 0; p < rankings[r].size(); ++p) {
      const auto place = static_cast<double>(p + 1);
      const double contribution = options.rule == FusionRule::reciprocal_rank
                                      ? weight / (options.constant + place)
                                      : weight * (length - place + 1) / length;
      FusedHit& hit = hits[rankings[r][p].id];
      hit.id = rankings[r][p].id;
      hit.score += contribution;
      hit.reasons.push_back({r, p + 1, rankings[r][p].score, contribution});
    }
  }
  std::vector<FusedHit> ranked;
  for (const auto& [id, hit] : hits) ranked.push_back(hit);
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const FusedHit& a, const FusedHit& b) { return a.score > b.score; });
  if (ranked.size() > options.top) ranked.resize(options.top);
  return ranked;
}

}  // namespace Kindred::Reference

#endif  // KINDRED_TESTS_REFERENCE_RANK_FUSION_REFERENCE_HPP
