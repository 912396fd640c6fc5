// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEQUENCE_PAIR_COUNT_HPP
#define KINDRED_MATCHER_SEQUENCE_PAIR_COUNT_HPP

#include "MeasureOperations.hpp"
#include "QueryMasks.hpp"

#include <kindred/core/sequence/Similarity.hpp>
#include <kindred/core/sequence/Symbol.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

namespace Kindred::Impl {

/// Number of symbols of the common prefix or postfix of a pair.
template <class Element>
std::uint32_t common_end(Measure measure, std::span<const Element> a, std::span<const Symbol> b) {
  const auto equal = [](Symbol x, Symbol y) { return x == y && x != unknown_symbol; };
  const auto shorter = static_cast<std::ptrdiff_t>(std::min(a.size(), b.size()));
  const auto count =
      measure == Measure::prefix
          ? std::mismatch(a.begin(), a.begin() + shorter, b.begin(), equal).first - a.begin()
          : std::mismatch(a.rbegin(), a.rbegin() + shorter, b.rbegin(), equal).first - a.rbegin();
  return static_cast<std::uint32_t>(count);
}

/// The number of matched symbols of a pair, for a measure that counts; under `lcs` and `difflib`
/// some smaller number if it is below \p least. \p masks() and \p finder() return what was prepared
/// of the query, if it is needed.
template <class Masks, class Finder>
std::uint32_t count_matched(Measure measure, std::span<const Symbol> pattern,
                            std::span<const Symbol> query, std::uint64_t least, const Masks& masks,
                            const Finder& finder) {
  if (measure == Measure::lcs) return masks().lcs(pattern, least);
  if (measure == Measure::difflib) {
    // The LCS bounds the runs.
    if (least > 0 && masks().lcs(pattern, least) < least) return 0;
    return finder().matched(pattern);
  }
  if (info_of(measure).comparison == Comparison::ends) return common_end(measure, pattern, query);
  return masks().edit_matched(measure == Measure::osa ? EditKind::osa : EditKind::levenshtein,
                              pattern);
}

/// \brief The number of matched symbols of a pair of these lengths, not both 0, if its similarity
/// is at least \p cutoff. \param count `count(least)` as `count_matched`
template <class Count>
std::optional<std::uint32_t> count_from(Measure measure, std::uint64_t pattern, std::uint64_t query,
                                        double cutoff, const Count& count) {
  const SimilarityScale scale = info_of(measure).scale();
  // The lengths bound the count.
  if (similarity(scale, std::min(pattern, query), pattern, query) < cutoff) return {};
  const std::uint64_t least =
      scale == SimilarityScale::total ? least_matched(cutoff, pattern + query) : 0;
  const std::uint32_t matched = count(least);
  return similarity(scale, matched, pattern, query) < cutoff ? std::nullopt
                                                             : std::optional(matched);
}

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SEQUENCE_PAIR_COUNT_HPP
