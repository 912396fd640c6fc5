// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SIMILARITY_HPP
#define KINDRED_MATCHER_SIMILARITY_HPP

#include <kindred/core/sequence/Symbol.hpp>
#include <kindred/matcher/Measure.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace Kindred {

/// \brief One query against any number of patterns, whose tables are made once. On the calling
/// thread, without a `Context`; to the bit what `SequenceMatcher` answers.
///
/// Calls may run at once. A symbol is any number; `unknown_symbol` matches nothing, itself
/// included, and counts in the length. For many patterns at a time `SequenceMatcher::match` is the
/// batch.
class PreparedQuery {
 public:
  /// \param query copied
  /// \param autojunk with Python's default heuristic, \see MatchOptions::autojunk
  /// \throws InvalidArgument for autojunk under `lcs`, or 2^31 symbols
  PreparedQuery(Measure measure, std::span<const Symbol> query, bool autojunk = false);
  ~PreparedQuery();
  PreparedQuery(PreparedQuery&&) noexcept;
  PreparedQuery& operator=(PreparedQuery&&) noexcept;

  /// \brief The similarity where it is at least \p score_cutoff, else exactly 0.
  ///
  /// A higher cutoff is faster: what a bound shows to be below it is not counted. Two empty
  /// sequences: 0 by `lcs`, 1 by `difflib`.
  /// Complexity: O(pattern · ⌈query / 64⌉) for `lcs`; for `difflib` also O(pattern · occurrences in
  /// the query) a block of the pairs whose bounds reach the cutoff.
  /// \throws InvalidArgument for a cutoff outside [0, 1] or NaN, or 2^31 symbols
  double similarity(std::span<const Symbol> pattern, double score_cutoff = 0) const;
  /// Symbols that match.
  std::uint32_t matched(std::span<const Symbol> pattern) const;
  /// difflib's matching blocks without the final empty one, under either measure.
  std::vector<Block> blocks(std::span<const Symbol> pattern) const;

 private:
  struct State;
  std::unique_ptr<const State> m_state;
};

/// \brief The similarity of one pair where it is at least \p score_cutoff, else exactly 0.
/// \see PreparedQuery
double similarity(Measure measure, std::span<const Symbol> pattern, std::span<const Symbol> query,
                  double score_cutoff = 0, bool autojunk = false);
/// Symbols of one pair that match. \see PreparedQuery
std::uint32_t matched(Measure measure, std::span<const Symbol> pattern,
                      std::span<const Symbol> query, bool autojunk = false);
/// difflib's matching blocks of one pair without the final empty one. \throws InvalidArgument
std::vector<Block> blocks(std::span<const Symbol> pattern, std::span<const Symbol> query,
                          bool autojunk = false);

}  // namespace Kindred

#endif  // KINDRED_MATCHER_SIMILARITY_HPP
