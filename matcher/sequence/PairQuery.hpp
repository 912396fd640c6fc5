// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEQUENCE_PAIR_QUERY_HPP
#define KINDRED_MATCHER_SEQUENCE_PAIR_QUERY_HPP

#include "MeasureOperations.hpp"
#include "QueryMasks.hpp"
#include "WordForms.hpp"

#include <kindred/core/sequence/MatchingBlocks.hpp>
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

/// The similarity of a pair of these lengths, by a measure that counts matched symbols.
inline double similarity_of(Measure measure, std::uint64_t matched, std::uint64_t pattern,
                            std::uint64_t query) {
  if (pattern + query == 0) return measure == Measure::lcs ? 0.0 : 1.0;
  return similarity(info_of(measure).scale(), matched, pattern, query);
}

/// \brief A query that is compared with single patterns, by any measure; for those of words, in
/// their form. Thread-safe.
class PairQuery {
 public:
  /// \param query must outlive this object
  /// \param is_cut whether `compare` is called with cutoffs above 0 \param separator of words
  PairQuery(Measure measure, std::span<const Symbol> query, bool autojunk, bool is_cut = true,
            Symbol separator = word_separator)
      : m_measure(measure), m_separator(separator), m_query(query) {
    const Comparison comparison = info_of(measure).comparison;
    if (comparison == Comparison::runs ? is_cut : comparison != Comparison::ends)
      m_masks.emplace(query);
    if (comparison == Comparison::runs) m_finder.emplace(query, autojunk);
  }

  /// Of `difflib`.
  const BlockFinder& finder() const noexcept { return *m_finder; }

  /// The matched symbols; under `lcs` and `difflib` some smaller number if it is below \p least.
  std::uint32_t matched(std::span<const Symbol> pattern, std::uint64_t least = 0) const {
    switch (info_of(m_measure).comparison) {
      case Comparison::lcs:
        return m_masks->lcs(pattern, least);
      case Comparison::runs:
        // The LCS bounds the runs.
        if (least > 0 && m_masks->lcs(pattern, least) < least) return 0;
        return m_finder->matched(pattern);
      case Comparison::ends:
        return common_end(m_measure, pattern, m_query);
      case Comparison::edits:
        return m_masks->edit_matched(edit_kind(m_measure), pattern);
      default:
        return m_masks->score(pair_score(m_measure), pattern, m_separator).matched;
    }
  }

  /// Similarity and matched symbols, if the similarity is at least \p cutoff.
  std::optional<PairResult> compare(std::span<const Symbol> pattern, double cutoff) const {
    const MeasureInfo& info = info_of(m_measure);
    const std::size_t a = pattern.size();
    const std::size_t b = m_query.size();
    PairResult found{};
    if (info.comparison == Comparison::score) {
      found = m_masks->score(pair_score(m_measure), pattern, m_separator);
    } else {
      std::uint64_t least = 0;
      if (cutoff > 0.0) {
        // The lengths bound the count.
        if (similarity_of(m_measure, std::min(a, b), a, b) < cutoff) return {};
        if (info.has_blocks() && a + b > 0) least = least_matched(cutoff, a + b);
      }
      found.matched = matched(pattern, least);
      found.similarity = similarity_of(m_measure, found.matched, a, b);
    }
    if (found.similarity < cutoff) return {};
    return found;
  }

 private:
  Measure m_measure;
  Symbol m_separator;
  std::span<const Symbol> m_query;
  std::optional<QueryMasks> m_masks;    ///< if they are needed
  std::optional<BlockFinder> m_finder;  ///< under `difflib`
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SEQUENCE_PAIR_QUERY_HPP
