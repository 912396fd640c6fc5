// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_RANK_FUSION_HPP
#define KINDRED_MATCHER_RANK_FUSION_HPP

#include <kindred/core/common/Public.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace KINDRED_PUBLIC Kindred {

/// \brief One entry of a ranking to fuse. Rankings are ordered best first; the place of an entry is
/// its position.
struct RankedItem {
  std::uint64_t id = 0;
  double score = 0;  ///< original score: reported in the reasons, not used in the fusion
};

/// \brief The contribution of one ranking to a hit.
struct FusionReason {
  std::size_t ranking = 0;  ///< index of the ranking
  std::size_t place = 0;    ///< 1 is the best
  double score = 0;         ///< score in that ranking
  double contribution = 0;  ///< amount added to the fused score
};

/// \brief An item of the fused ranking, with its contributions in the order of the rankings.
struct FusedHit {
  std::uint64_t id = 0;
  double score = 0;
  std::vector<FusionReason> reasons;
};

enum class FusionRule : std::uint8_t {
  reciprocal_rank,  ///< Σ weight / (constant + place)
  borda             ///< Σ weight · (length − place + 1) / length
};

struct FusionOptions {
  FusionRule rule = FusionRule::reciprocal_rank;
  double constant = 60;              ///< of reciprocal rank fusion, ≥ 0
  std::vector<double> weights = {};  ///< one per ranking, ≥ 0; empty: all 1
  std::size_t top = 10;
};

/// \brief Fuses rankings of the same items into one, in total order (fused score, then lower id).
///
/// Reciprocal rank fusion: Cormack, Clarke, Büttcher, SIGIR 2009. Sums are computed in double, in
/// the order of the rankings. Complexity O(n log n) in the number of entries. Thread-safe.
/// \throws InvalidArgument for a wrong number of weights, a negative or non-finite weight or
/// constant, top = 0, or a duplicate id in a ranking
std::vector<FusedHit> fuse_rankings(std::span<const std::vector<RankedItem>> rankings,
                                    const FusionOptions& options = {});

}  // namespace Kindred

#endif  // KINDRED_MATCHER_RANK_FUSION_HPP
