// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_POSTINGS_HPP
#define KINDRED_CORE_SEQUENCE_POSTINGS_HPP

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/common/ArrayView.hpp>
#include <kindred/core/sequence/PatternTiles.hpp>

#include <cstdint>

namespace Kindred {

/// Lists that one query may ask for, so that a count fits its counter.
inline constexpr std::uint32_t postings_lists_max = 0xFFFF;

/// Words of a query whose longest common subsequences `lcs_of_list` counts.
inline constexpr std::uint32_t listed_words_max = 4;

/// Slots that hold a symbol so often: `slots[begin … end)`, ascending.
struct PostingList {
  std::uint64_t begin;
  std::uint64_t end;
};

/// \brief What a pattern must have for a query to be listed by `count_postings`.
struct PostingsBound {
  double threshold = 0;  ///< in (0, 1]
  std::uint32_t query_length = 0;
  std::uint32_t skipped = 0;  ///< lists of the query that are not read: each could be a match more
  std::uint32_t least = 1;  ///< matches that no pattern can do without, `skipped` not counted; ≥ 1
  std::uint32_t index_limit = no_pattern;  ///< patterns from here on are left out
};

/// \brief Lists the slots whose symbols, as multisets, share so many with a query that their
/// similarity may reach the threshold, in no particular order. Does not fence.
///
/// The LCS of two sequences is no longer than what their multisets share, and Ratcliff-Obershelp no
/// greater than the LCS. Complexity: O(slots + postings of the lists).
/// \param slots of all lists \param lists that the query asks for: occurrence n of a symbol in the
/// query is the list of the slots that hold it n times at least
/// \param list room for every slot \param counters of which the first tells how many there are
template <class ExecutionSpace>
void count_postings(const ExecutionSpace& exec_space, const PatternTiles<ExecutionSpace>& tiles,
                    const ArrayView<const std::uint32_t, ExecutionSpace>& slots,
                    const ArrayView<const PostingList, ExecutionSpace>& lists,
                    const PostingsBound& bound,
                    const ArrayView<std::uint32_t, ExecutionSpace>& list,
                    const ArrayView<std::uint32_t, ExecutionSpace>& counters);

/// \brief A query by its different symbols, for patterns that are far between.
template <class ExecutionSpace>
struct ListedQuery {
  ArrayView<const std::uint32_t, ExecutionSpace> symbols;  ///< dense, ascending
  /// `symbols × words`: bit j of word w: symbol 64·w + j of the query is this one.
  ArrayView<const std::uint64_t, ExecutionSpace> masks;
  std::uint32_t words = 0;  ///< ≤ `listed_words_max`
};

/// \brief Length of the longest common subsequence of a query and the patterns of a list. Does not
/// fence.
///
/// The recurrence of `lcs_lengths`, a lane a pattern. Complexity: O(symbols · log of the query's)
/// \param list,counters of `count_postings` \param count of the list \param matched a slot
template <class ExecutionSpace>
void lcs_of_list(const ExecutionSpace& exec_space, const PatternTiles<ExecutionSpace>& tiles,
                 const ListedQuery<ExecutionSpace>& query,
                 const ArrayView<const std::uint32_t, ExecutionSpace>& list, std::uint32_t count,
                 const ArrayView<std::uint32_t, ExecutionSpace>& matched);

}  // namespace Kindred

#endif  // KINDRED_CORE_SEQUENCE_POSTINGS_HPP
