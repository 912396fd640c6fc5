// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SIMILARITY_HPP
#define KINDRED_MATCHER_SIMILARITY_HPP

#include <kindred/core/common/OwnedState.hpp>
#include <kindred/core/common/Public.hpp>
#include <kindred/core/sequence/MatchingBlock.hpp>
#include <kindred/core/sequence/Symbol.hpp>
#include <kindred/matcher/Measure.hpp>
#include <kindred/matcher/Sequences.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace KINDRED_PUBLIC Kindred {

/// \brief Compares one query with any number of patterns; the tables of the query are built once.
/// Runs on the calling thread without a `Context`. Results are bitwise identical to those of
/// `SequenceMatcher`.
///
/// Thread-safe. A symbol is any number; `unknown_symbol` matches nothing, not even itself, but
/// counts in the length. A text is compared at character level: its symbols are its Unicode code
/// points, of which blocks count, not bytes; if it is not valid UTF-8, the call throws
/// InvalidArgument. `SequenceMatcher::match` is the batched form for many patterns.
class PreparedQuery {
 public:
  /// \param query copied
  /// \param autojunk use Python's default heuristic, \see MatchOptions::autojunk
  /// \throws InvalidArgument for autojunk under a measure other than `difflib`, or 2^31
  /// symbols
  PreparedQuery(Measure measure, const Sequence& query, bool autojunk = false);

  /// \brief The similarity if it is at least \p score_cutoff, otherwise exactly 0.
  ///
  /// A higher cutoff is faster: pairs that an upper bound places below it (under the distances,
  /// that of the lengths) are skipped. Two empty sequences have similarity 0 under `lcs`, 1 under
  /// the others. Complexity: O(pattern · ⌈query / 64⌉) for `lcs`, `levenshtein` and `osa`,
  /// O(result) for `prefix` and `postfix`; for `difflib` also O(pattern · occurrences in the query)
  /// per block, for pairs whose bound reaches the cutoff. \throws InvalidArgument for a cutoff
  /// outside [0, 1] or NaN, or 2^31 symbols
  double similarity(const Sequence& pattern, double score_cutoff = 0) const;
  /// Number of matched symbols.
  std::uint32_t matched(const Sequence& pattern) const;
  /// \brief `matched` for every text. Several texts are compared together, which takes less time
  /// than a call per text, least if their lengths are similar and the query has at most 64 symbols.
  ///
  /// Does not allocate for queries of up to 512 symbols under `lcs`, `levenshtein`, `osa`, and
  /// `jaro_winkler`; the first call builds tables. \param counts one per text
  /// \throws InvalidArgument for another number of counts, a null pointer, a width that is not 1, 2
  /// or 4 bytes, or 2^31 symbols; then nothing is written
  void matched(std::span<const TextSpan> texts, std::span<std::uint32_t> counts) const;
  /// The similarity of every text, without a cutoff. \see matched
  void similarities(std::span<const TextSpan> texts, std::span<double> values) const;
  /// The matching blocks, whose lengths sum to `matched`: under `lcs`, the runs of an LCS (\see
  /// LcsAligner), whose tables the first call builds; under `difflib`, difflib's blocks without the
  /// final empty one.
  std::vector<Block> blocks(const Sequence& pattern) const;

 private:
  struct State;
  Impl::HostState<const State> m_state;
};

/// \brief The similarity of one pair if it is at least \p score_cutoff, otherwise exactly 0.
/// \see PreparedQuery
double similarity(Measure measure, const Sequence& pattern, const Sequence& query,
                  double score_cutoff = 0, bool autojunk = false);
/// Number of matched symbols of one pair. \see PreparedQuery
std::uint32_t matched(Measure measure, const Sequence& pattern, const Sequence& query,
                      bool autojunk = false);
/// The matching blocks of one pair. \see PreparedQuery
std::vector<Block> blocks(Measure measure, const Sequence& pattern, const Sequence& query,
                          bool autojunk = false);

}  // namespace Kindred

#endif  // KINDRED_MATCHER_SIMILARITY_HPP
