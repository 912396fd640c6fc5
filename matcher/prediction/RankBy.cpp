// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/common/Error.hpp>
#include <kindred/matcher/Prediction.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <array>

namespace KINDRED_PUBLIC Kindred {

namespace {

constexpr std::array<std::string_view, 20> rank_names{"potential",
                                                      "similarity",
                                                      "evidence",
                                                      "confidence",
                                                      "snr",
                                                      "fragmentation",
                                                      "frequency",
                                                      "normalized_entropy",
                                                      "global_normalized_entropy",
                                                      "itfdf_similarity",
                                                      "confluence",
                                                      "predictive_information",
                                                      "bayesian_posterior",
                                                      "bayesian_prior",
                                                      "bayesian_likelihood",
                                                      "tfidf_score",
                                                      "weighted_similarity",
                                                      "weighted_evidence",
                                                      "weighted_confidence",
                                                      "weighted_snr"};
static_assert(rank_names.size() == static_cast<std::size_t>(RankBy::weighted_snr) + 1);

}  // namespace

std::string_view to_string(RankBy rank_by) noexcept {
  return rank_names[static_cast<std::size_t>(rank_by)];
}

std::span<const std::string_view> rank_by_names() noexcept { return rank_names; }

RankBy parse_rank_by(std::string_view name) try {
  std::string names;
  for (std::size_t i = 0; i < rank_names.size(); ++i) {
    if (rank_names[i] == name) return static_cast<RankBy>(i);
    names += (names.empty() ? "" : ", ") + std::string(rank_names[i]);
  }
  throw InvalidArgument("cannot rank by '" + std::string(name) + "'; it must be one of " + names);
} catch (...) {
  Impl::rethrow_translated("Kindred::parse_rank_by");
}

bool is_weighted(RankBy rank_by) noexcept { return rank_by >= RankBy::weighted_similarity; }

}  // namespace Kindred
