// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEQUENCE_MEASURE_OPERATIONS_HPP
#define KINDRED_MATCHER_SEQUENCE_MEASURE_OPERATIONS_HPP

#include <kindred/core/common/Error.hpp>
#include <kindred/core/sequence/EditDistance.hpp>
#include <kindred/core/sequence/PairScores.hpp>
#include <kindred/core/sequence/Similarity.hpp>
#include <kindred/matcher/Measure.hpp>
#include <kindred/matcher/SequenceOperationInfo.hpp>

#include <array>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

namespace Kindred {
struct MatchOptions;
}

namespace Kindred::Impl {

/// How patterns and queries are compared.
enum class Comparison : std::uint8_t {
  lcs,
  runs,   ///< Ratcliff-Obershelp, bounded by the LCS
  edits,  ///< edit distance
  ends,   ///< common prefix or postfix
  score   ///< a similarity that does not follow from a count, \see PairScore
};

/// What the matcher knows of a measure.
struct MeasureInfo {
  Comparison comparison;
  Operation operation;  ///< that the dispatcher predicts

  constexpr bool has_blocks() const noexcept {
    return comparison == Comparison::lcs || comparison == Comparison::runs;
  }
  constexpr SimilarityScale scale() const noexcept {
    return has_blocks() ? SimilarityScale::total : SimilarityScale::longest;
  }
};

/// In the order of `Measure`. `token_sort` compares other texts, \see WordForms.
inline constexpr std::array<MeasureInfo, all_measures.size()> measure_infos{{
    {Comparison::lcs, Operations::lcs},
    {Comparison::runs, Operations::difflib},
    {Comparison::edits, Operations::edit_distance},
    {Comparison::edits, Operations::edit_distance},
    {Comparison::ends, Operations::common_ends},
    {Comparison::ends, Operations::common_ends},
    {Comparison::score, Operations::jaro_winkler},
    {Comparison::score, Operations::lcs},
    {Comparison::score, Operations::token_set},
}};
constexpr const MeasureInfo& info_of(Measure measure) noexcept {
  return measure_infos[static_cast<std::size_t>(measure)];
}

/// Of a measure that counts edits.
constexpr EditKind edit_kind(Measure measure) noexcept {
  return measure == Measure::osa ? EditKind::osa : EditKind::levenshtein;
}
/// Of a measure whose comparison is a score.
constexpr PairScore pair_score(Measure measure) noexcept {
  return measure == Measure::token_set ? PairScore::token_set : PairScore::jaro_winkler;
}
/// The distance of a pair of these lengths.
constexpr double distance_of(Measure measure, double similarity, std::uint64_t matched,
                             std::uint64_t pattern, std::uint64_t query) noexcept {
  return counts_edits(measure) ? static_cast<double>(distance(measure, matched, pattern, query))
                               : 1.0 - similarity;
}

/// \throws InvalidArgument for a threshold outside [0, 1] or NaN, top = 0, or autojunk or blocks of
/// a measure without them
void check_options(const MatchOptions& options);
inline void check_autojunk(Measure measure, bool autojunk) {
  KINDRED_THROW_IF(
      autojunk && measure != Measure::difflib,
      "autojunk is a heuristic of difflib; the measure is " + std::string(to_string(measure)));
}

/// The operations of all measures, to be registered by engines that match.
inline constexpr std::initializer_list<Operation> measure_operations{
    Operations::lcs,
    Operations::difflib,
    Operations::edit_distance,
    Operations::common_ends,
    Operations::jaro_winkler,
    Operations::token_set,
    Operations::pattern_candidates};

/// \throws InvalidArgument if the measure has no matching blocks
inline void check_blocks(Measure measure) {
  KINDRED_THROW_IF(
      !info_of(measure).has_blocks(),
      "blocks are those of lcs or difflib; the measure is " + std::string(to_string(measure)));
}

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SEQUENCE_MEASURE_OPERATIONS_HPP
