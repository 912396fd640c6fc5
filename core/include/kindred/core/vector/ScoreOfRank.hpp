// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_VECTOR_SCORE_OF_RANK_HPP
#define KINDRED_CORE_VECTOR_SCORE_OF_RANK_HPP

#include <kindred/core/numeric/Rank.hpp>
#include <kindred/core/vector/Metric.hpp>

namespace Kindred {

/// The score encoded in a rank of \p metric.
KOKKOS_INLINE_FUNCTION float score_of(Metric metric, Rank rank) {
  return metric == Metric::l2 ? score_ascending(rank) : score_descending(rank);
}

}  // namespace Kindred

#endif  // KINDRED_CORE_VECTOR_SCORE_OF_RANK_HPP
