// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_LCS_HPP
#define KINDRED_CORE_SEQUENCE_LCS_HPP

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/sequence/PatternTiles.hpp>
#include <kindred/core/sequence/QueryTables.hpp>

#include <cstdint>

namespace Kindred {

/// Words that `lcs_lengths` needs to carry sums from one segment of a query to the next; 0 while no
/// query of the batch has a second one.
template <class ExecutionSpace>
std::uint64_t lcs_carry_words(const PatternTiles<ExecutionSpace>& tiles, std::uint32_t queries,
                              std::uint32_t segments_max);

/// \brief Length of the longest common subsequence of every query and every pattern. Does not
/// fence.
///
/// Hyyrö's bit-parallel recurrence (2004), S' = (S + (S & M)) | (S & ~M), the zeros of S counted at
/// the end; 64 query symbols a word, any number of words, one launch a segment.
/// Complexity: O(rows of the tiles · words) word steps a query.
/// \param threshold a count whose similarity is below it may be written as 0, as soon as a bound
/// shows it; 0 keeps every count
/// \param carry of `lcs_carry_words`
/// \param matched `queries × slots`, a row a query
template <class ExecutionSpace>
void lcs_lengths(const ExecutionSpace& exec_space, const PatternTiles<ExecutionSpace>& tiles,
                 const QueryTables<ExecutionSpace>& queries, double threshold,
                 const ArrayView<std::uint64_t, ExecutionSpace>& carry,
                 const ArrayView<std::uint32_t, ExecutionSpace>& matched);

}  // namespace Kindred

#endif  // KINDRED_CORE_SEQUENCE_LCS_HPP
