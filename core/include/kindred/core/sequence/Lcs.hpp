// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_LCS_HPP
#define KINDRED_CORE_SEQUENCE_LCS_HPP

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/numeric/Rank.hpp>
#include <kindred/core/sequence/PatternTiles.hpp>
#include <kindred/core/sequence/QueryTables.hpp>

#include <cstdint>

namespace Kindred {

/// Words that `lcs_lengths` needs to carry sums from one segment of a query to the next; 0 if no
/// query of the batch has more than one segment.
template <class ExecutionSpace>
std::uint64_t lcs_carry_words(const PatternTiles<ExecutionSpace>& tiles, std::uint32_t queries,
                              std::uint32_t segments_max);

/// The number of tiles in a sample of every \p stride-th of \p tiles tiles.
KOKKOS_INLINE_FUNCTION std::uint32_t sampled_tiles(std::uint32_t tiles, std::uint32_t stride) {
  return quotient_up(tiles, stride);
}

/// \brief Where a scan stores the patterns that may be among the best of a query.
template <class ExecutionSpace>
struct LcsCandidates {
  /// `queries × bound_stride`: a pattern that ranks after the last key of a row cannot be a result
  /// and is left out. `rank_none` leaves nothing out.
  ArrayView<const Rank, ExecutionSpace> bounds;
  std::uint32_t bound_stride = 1;
  ArrayView<Rank, ExecutionSpace> keys;  ///< `queries × capacity`, in no particular order
  std::uint32_t capacity = 0;
  /// One per query: the number of candidates found, including those beyond the capacity, minus one.
  /// Starts at −1 (all bits set).
  ArrayView<Rank, ExecutionSpace> counters;

  KOKKOS_INLINE_FUNCTION Rank bound(std::uint32_t query) const {
    return bounds(std::uint64_t{query} * bound_stride + bound_stride - 1);
  }
};

/// \brief Length of the longest common subsequence (LCS) of every query with every pattern, or with
/// the patterns of every \p stride-th tile. Does not fence.
///
/// Hyyrö's bit-parallel recurrence (2004), S' = (S + (S & M)) | (S & ~M); the zeros of S are
/// counted at the end. 64 query symbols per word, any number of words, one launch per segment.
/// Complexity: O(rows of the tiles · words) word steps per query.
/// \param threshold a count whose similarity is below it may be written smaller than it is, as soon
/// as a bound shows it: the rows after the longest pattern that can reach it are not scanned. 0
/// keeps every count
/// \param carry `lcs_carry_words` words
/// \param matched `queries × slots` (densely packed slots of the sampled tiles), one row per query
/// \param stride must be 1 if a query has several segments
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
void lcs_lengths(const ExecutionSpace& exec_space, const PatternTiles<ExecutionSpace>& tiles,
                 const QueryTables<ExecutionSpace>& queries, double threshold,
                 const ArrayView<std::uint64_t, ExecutionSpace>& carry,
                 const ArrayView<std::uint32_t, ExecutionSpace>& matched, std::uint32_t stride = 1);

/// \brief The same scan, but it stores the ranks of the patterns that reach \p threshold and do not
/// rank after the bound, and no counts. Does not fence.
///
/// For queries of one segment whose length plus that of any pattern is at most
/// `float_similarity_total_max`.
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
void lcs_candidates(const ExecutionSpace& exec_space, const PatternTiles<ExecutionSpace>& tiles,
                    const QueryTables<ExecutionSpace>& queries, double threshold,
                    const LcsCandidates<ExecutionSpace>& candidates);

}  // namespace Kindred

#endif  // KINDRED_CORE_SEQUENCE_LCS_HPP
