// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_LENGTH_BOUND_HPP
#define KINDRED_CORE_SEQUENCE_LENGTH_BOUND_HPP

#include <kindred/core/sequence/Similarity.hpp>

#include <cstdint>

namespace Kindred {

/// \brief The lengths of patterns that can reach a similarity with a query.
///
/// A measure matches at most the symbols of the shorter of two sequences, so that a similarity
/// bounds the ratio of their lengths.
struct LengthBound {
  std::uint32_t least = 0;
  std::uint32_t most = 0xFFFFFFFFU;

  KOKKOS_INLINE_FUNCTION bool contains(std::uint32_t length) const {
    return length >= least && length <= most;
  }
};

/// \brief A lower bound on shorter length / longer length of all pairs whose similarity is at least
/// \p threshold, which may have been rounded to float32; 0 if there is none.
KOKKOS_INLINE_FUNCTION double length_ratio(SimilarityScale scale, double threshold) {
  // Less than exact by more than the rounding of float32 and of the similarities.
  constexpr double slack = 1.0 - 0x1p-20;
  const double ratio =
      scale == SimilarityScale::longest ? threshold : threshold / (2.0 - threshold);
  return ratio * slack;
}

/// The similarity that pairs reach at most if the ratio of their lengths is \p ratio.
KOKKOS_INLINE_FUNCTION double most_similarity(SimilarityScale scale, double ratio) {
  return scale == SimilarityScale::longest ? ratio : 2.0 * ratio / (1.0 + ratio);
}

/// \brief `length_ratio` of Jaro-Winkler.
///
/// Jaro's similarity is at most (2 + ratio) / 3, and a prefix of four symbols raises s to at most
/// 0.4 + 0.6 · s.
KOKKOS_INLINE_FUNCTION double jaro_winkler_length_ratio(double threshold) {
  return 5.0 * threshold - 4.0 - 0x1p-20;
}

/// The lengths whose ratio to \p length is at least \p ratio.
KOKKOS_INLINE_FUNCTION LengthBound lengths_within(double ratio, std::uint32_t length) {
  LengthBound bound;
  if (ratio <= 0.0) return bound;
  const double most = static_cast<double>(length) / ratio;
  if (most < static_cast<double>(bound.most)) bound.most = static_cast<std::uint32_t>(most);
  const double least = static_cast<double>(length) * ratio;
  bound.least = static_cast<std::uint32_t>(least);
  if (least > static_cast<double>(bound.least)) ++bound.least;
  return bound;
}

}  // namespace Kindred

#endif  // KINDRED_CORE_SEQUENCE_LENGTH_BOUND_HPP
