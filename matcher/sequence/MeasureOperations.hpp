// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEQUENCE_MEASURE_OPERATIONS_HPP
#define KINDRED_MATCHER_SEQUENCE_MEASURE_OPERATIONS_HPP

#include <kindred/core/common/Error.hpp>
#include <kindred/core/sequence/Similarity.hpp>
#include <kindred/matcher/Measure.hpp>
#include <kindred/matcher/SequenceOperationInfo.hpp>

#include <string>

namespace Kindred::Impl {

constexpr bool is_edit_distance(Measure measure) noexcept {
  return measure == Measure::levenshtein || measure == Measure::osa;
}
constexpr bool is_common_end(Measure measure) noexcept {
  return measure == Measure::prefix || measure == Measure::postfix;
}

constexpr SimilarityScale scale_of(Measure measure) noexcept {
  return is_edit_distance(measure) || is_common_end(measure) ? SimilarityScale::longest
                                                             : SimilarityScale::total;
}

/// \throws InvalidArgument if the measure has no matching blocks
inline void check_blocks(Measure measure) {
  KINDRED_THROW_IF(
      scale_of(measure) != SimilarityScale::total,
      "blocks are those of lcs or difflib; the measure is " + std::string(to_string(measure)));
}

/// The operation that the dispatcher predicts for a measure.
constexpr Operation operation_of(Measure measure) noexcept {
  if (is_edit_distance(measure)) return Operations::edit_distance;
  if (is_common_end(measure)) return Operations::common_ends;
  return measure == Measure::lcs ? Operations::lcs : Operations::difflib;
}

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SEQUENCE_MEASURE_OPERATIONS_HPP
