// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_POSTINGS_HPP
#define KINDRED_CORE_SEQUENCE_POSTINGS_HPP

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/common/ArrayView.hpp>
#include <kindred/core/sequence/PatternTiles.hpp>

#include <cstdint>

namespace Kindred {

/// Maximum number of lists that one query may read, so that a count fits its counter.
inline constexpr std::uint32_t postings_lists_max = 0xFFFF;

/// Maximum number of words of a query for which `lcs_of_list` counts longest common subsequences.
inline constexpr std::uint32_t listed_words_max = 4;

/// The slots that contain a symbol at least a given number of times: `slots[begin … end)`,
/// ascending.
struct PostingList {
  std::uint64_t begin;
  std::uint64_t end;
};

/// \brief The conditions under which `count_postings` lists a pattern for a query.
struct PostingsBound {
  double threshold = 0;  ///< in (0, 1]
  std::uint32_t query_length = 0;
  std::uint32_t skipped = 0;  ///< lists of the query that are not read; each may add one match
  std::uint32_t least = 1;    ///< minimum number of matches, without `skipped`; ≥ 1
  std::uint32_t index_limit = no_pattern;  ///< patterns from this index on are left out
};

/// \brief Lists, in no particular order, the slots that share enough symbols (as multisets) with a
/// query for their similarity to reach the threshold. Does not fence.
///
/// The LCS of two sequences is no longer than the intersection of their multisets, and
/// Ratcliff-Obershelp counts no more than the LCS. Complexity: O(slots + postings of the lists).
/// \param slots the slots of all lists \param lists the lists that the query reads: for occurrence
/// n of a symbol in the query, the slots that contain the symbol at least n times
/// \param list has capacity for every slot
/// \param counters the first one receives the number of listed slots
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
void count_postings(const ExecutionSpace& exec_space, const PatternTiles<ExecutionSpace>& tiles,
                    const ArrayView<const std::uint32_t, ExecutionSpace>& slots,
                    const ArrayView<const PostingList, ExecutionSpace>& lists,
                    const PostingsBound& bound,
                    const ArrayView<std::uint32_t, ExecutionSpace>& list,
                    const ArrayView<std::uint32_t, ExecutionSpace>& counters);

/// \brief A query by its distinct symbols, for patterns that are far apart in memory.
template <class ExecutionSpace>
struct ListedQuery {
  ArrayView<const std::uint32_t, ExecutionSpace> symbols;  ///< dense, ascending
  /// `symbols × words`: bit j of word w is set if symbol 64·w + j of the query is this symbol.
  ArrayView<const std::uint64_t, ExecutionSpace> masks;
  std::uint32_t words = 0;  ///< ≤ `listed_words_max`
};

/// \brief Length of the longest common subsequence of a query and each pattern of a list. Does not
/// fence.
///
/// The recurrence of `lcs_lengths`, one lane per pattern. Complexity: O(symbols · log(distinct
/// symbols of the query)).
/// \param list from `count_postings` \param count length of the list
/// \param matched one per slot
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
void lcs_of_list(const ExecutionSpace& exec_space, const PatternTiles<ExecutionSpace>& tiles,
                 const ListedQuery<ExecutionSpace>& query,
                 const ArrayView<const std::uint32_t, ExecutionSpace>& list, std::uint32_t count,
                 const ArrayView<std::uint32_t, ExecutionSpace>& matched);

}  // namespace Kindred

#endif  // KINDRED_CORE_SEQUENCE_POSTINGS_HPP
