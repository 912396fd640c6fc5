// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_LCS_HPP
#define KINDRED_CORE_SEQUENCE_LCS_HPP

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/common/Rank.hpp>
#include <kindred/core/sequence/PatternTiles.hpp>
#include <kindred/core/sequence/QueryTables.hpp>

#include <cstdint>

namespace Kindred {

/// Words that `lcs_lengths` needs to carry sums from one segment of a query to the next; 0 while no
/// query of the batch has a second one.
template <class ExecutionSpace>
std::uint64_t lcs_carry_words(const PatternTiles<ExecutionSpace>& tiles, std::uint32_t queries,
                              std::uint32_t segments_max);

/// Every \p stride-th of \p tiles: a sample.
KOKKOS_INLINE_FUNCTION std::uint32_t sampled_tiles(std::uint32_t tiles, std::uint32_t stride) {
  return (tiles + stride - 1) / stride;
}

/// \brief Where a scan keeps the patterns that may be among the best of a query.
template <class ExecutionSpace>
struct LcsCandidates {
  /// `queries × bound_stride`: the last key of a row is no better than the last result; what it
  /// precedes is left out. `rank_none` leaves nothing out.
  ArrayView<const Rank, ExecutionSpace> bounds;
  std::uint32_t bound_stride = 1;
  ArrayView<Rank, ExecutionSpace> keys;  ///< `queries × capacity`, in no particular order
  std::uint32_t capacity = 0;
  /// A query: candidates found, also beyond the room, less one; −1, all ones, at first.
  ArrayView<Rank, ExecutionSpace> counters;

  KOKKOS_INLINE_FUNCTION Rank bound(std::uint32_t query) const {
    return bounds(std::uint64_t{query} * bound_stride + bound_stride - 1);
  }
};

/// \brief Length of the longest common subsequence of every query and every pattern, or those of
/// every \p stride-th tile. Does not fence.
///
/// Hyyrö's bit-parallel recurrence (2004), S' = (S + (S & M)) | (S & ~M), the zeros of S counted at
/// the end; 64 query symbols a word, any number of words, one launch a segment.
/// Complexity: O(rows of the tiles · words) word steps a query.
/// \param threshold a count whose similarity is below it may be written as 0, as soon as a bound
/// shows it; 0 keeps every count
/// \param carry of `lcs_carry_words`
/// \param matched `queries × slots` (of the sampled tiles, densely), a row a query
/// \param stride 1 where a query has several segments
template <class ExecutionSpace>
void lcs_lengths(const ExecutionSpace& exec_space, const PatternTiles<ExecutionSpace>& tiles,
                 const QueryTables<ExecutionSpace>& queries, double threshold,
                 const ArrayView<std::uint64_t, ExecutionSpace>& carry,
                 const ArrayView<std::uint32_t, ExecutionSpace>& matched, std::uint32_t stride = 1);

/// \brief The same scan, which keeps the ranks of patterns that reach \p threshold and are not
/// behind the bound, and no counts. Does not fence.
///
/// For queries of one segment, none longer with a pattern than `float_similarity_total_max`.
template <class ExecutionSpace>
void lcs_candidates(const ExecutionSpace& exec_space, const PatternTiles<ExecutionSpace>& tiles,
                    const QueryTables<ExecutionSpace>& queries, double threshold,
                    const LcsCandidates<ExecutionSpace>& candidates);

}  // namespace Kindred

#endif  // KINDRED_CORE_SEQUENCE_LCS_HPP
