// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/common/Error.hpp>
#include <kindred/matcher/RankFusion.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>

namespace KINDRED_PUBLIC Kindred {

namespace {

void check(std::span<const std::vector<RankedItem>> rankings, const FusionOptions& options) {
  KINDRED_THROW_IF(options.top == 0, "top is 0; it must be at least 1");
  KINDRED_THROW_IF(!std::isfinite(options.constant) || options.constant < 0.0,
                   "the constant of reciprocal rank fusion is " + std::to_string(options.constant) +
                       "; it must be finite and ≥ 0");
  KINDRED_THROW_IF(!options.weights.empty() && options.weights.size() != rankings.size(),
                   std::to_string(options.weights.size()) + " weights for " +
                       std::to_string(rankings.size()) +
                       " rankings; there must be one per ranking, or none");
  for (std::size_t i = 0; i < options.weights.size(); ++i) {
    KINDRED_THROW_IF(!std::isfinite(options.weights[i]) || options.weights[i] < 0.0,
                     "weight " + std::to_string(i) + " is " + std::to_string(options.weights[i]) +
                         "; it must be finite and ≥ 0");
  }
}

double contribution(const FusionOptions& options, double weight, std::size_t place,
                    std::size_t length) {
  if (options.rule == FusionRule::reciprocal_rank)
    return weight / (options.constant + static_cast<double>(place));
  return weight * static_cast<double>(length - place + 1) / static_cast<double>(length);
}

}  // namespace

std::vector<FusedHit> fuse_rankings(std::span<const std::vector<RankedItem>> rankings,
                                    const FusionOptions& options) try {
  check(rankings, options);
  std::vector<FusedHit> hits;
  std::unordered_map<std::uint64_t, std::size_t> hit_of;
  for (std::size_t ranking = 0; ranking < rankings.size(); ++ranking) {
    const std::vector<RankedItem>& items = rankings[ranking];
    const double weight = options.weights.empty() ? 1.0 : options.weights[ranking];
    for (std::size_t i = 0; i < items.size(); ++i) {
      const auto [entry, is_new] = hit_of.try_emplace(items[i].id, hits.size());
      if (is_new) hits.push_back({items[i].id, 0.0, {}});
      FusedHit& hit = hits[entry->second];
      KINDRED_THROW_IF(!hit.reasons.empty() && hit.reasons.back().ranking == ranking,
                       "id " + std::to_string(hit.id) + " occurs twice in ranking " +
                           std::to_string(ranking) + ", at places " +
                           std::to_string(hit.reasons.back().place) + " and " +
                           std::to_string(i + 1));
      const double added = contribution(options, weight, i + 1, items.size());
      hit.score += added;
      hit.reasons.push_back({ranking, i + 1, items[i].score, added});
    }
  }
  const auto precedes = [](const FusedHit& a, const FusedHit& b) {
    return a.score != b.score ? a.score > b.score : a.id < b.id;
  };
  const std::size_t top = std::min(options.top, hits.size());
  std::partial_sort(hits.begin(), hits.begin() + static_cast<std::ptrdiff_t>(top), hits.end(),
                    precedes);
  hits.resize(top);
  return hits;
} catch (...) {
  Impl::rethrow_translated("Kindred::fuse_rankings");
}

}  // namespace Kindred
