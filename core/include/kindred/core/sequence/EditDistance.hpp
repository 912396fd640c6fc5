// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_EDIT_DISTANCE_HPP
#define KINDRED_CORE_SEQUENCE_EDIT_DISTANCE_HPP

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/sequence/PatternTiles.hpp>
#include <kindred/core/sequence/QueryTables.hpp>

#include <cstdint>

namespace Kindred {

/// The edits that a distance counts, one each.
enum class EditKind : std::uint8_t {
  levenshtein,  ///< insertion, deletion, substitution
  osa  ///< and the transposition of two adjacent symbols that are not edited again: optimal string
       ///< alignment
};

/// Words that `edit_matched` needs to carry differences from one segment of a query to the next; 0
/// if no query of the batch has more than one segment.
template <class ExecutionSpace>
std::uint64_t edit_carry_words(const PatternTiles<ExecutionSpace>& tiles, std::uint32_t queries,
                               std::uint32_t segments_max, EditKind kind);

/// \brief The edit distance of every query and every pattern, as the number of symbols that remain:
/// the larger length minus the distance. Does not fence.
///
/// Hyyrö's bit-parallel recurrences: Levenshtein (2003), with transpositions (2003, section 4).
/// The vertical differences of the last column are counted at the end. 64 query symbols per word,
/// any number of words, one launch per segment. Complexity: O(rows of the tiles · words) word steps
/// per query.
/// \param threshold pairs whose lengths show that their similarity, by the larger length, is below
/// it are written as 0; 0 computes every pair
/// \param carry `edit_carry_words` words
/// \param matched `queries × slots`, one row per query
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
void edit_matched(const ExecutionSpace& exec_space, const PatternTiles<ExecutionSpace>& tiles,
                  const QueryTables<ExecutionSpace>& queries, EditKind kind, double threshold,
                  const ArrayView<std::uint64_t, ExecutionSpace>& carry,
                  const ArrayView<std::uint32_t, ExecutionSpace>& matched);

}  // namespace Kindred

#endif  // KINDRED_CORE_SEQUENCE_EDIT_DISTANCE_HPP
