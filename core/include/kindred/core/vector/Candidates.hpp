// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_VECTOR_CANDIDATES_HPP
#define KINDRED_CORE_VECTOR_CANDIDATES_HPP

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/common/ArrayView.hpp>
#include <kindred/core/common/Rank.hpp>
#include <kindred/core/vector/Metric.hpp>
#include <kindred/core/vector/RowFilter.hpp>
#include <kindred/core/vector/VectorRows.hpp>

#include <cstddef>
#include <cstdint>

namespace Kindred {

/// \brief What a call of `rank_candidates` covers.
struct CandidateShape {
  std::size_t queries = 0;
  std::size_t longest = 0;  ///< rows that the longest list names
  std::size_t top = 0;      ///< may exceed a list
};

/// \brief How the lists of a call are cut: a team of a device or a thread of the host takes
/// `chunk` candidates of a list.
struct CandidatePlan {
  std::uint32_t chunk = 0;
  std::uint32_t chunks = 0;  ///< of the longest list
  std::uint32_t keep = 0;    ///< ranks that a chunk passes on
  /// Ranks that the workspace holds.
  std::size_t workspace(std::size_t queries) const {
    return chunks == 1 ? 0 : queries * std::size_t{chunks} * keep;
  }
};

/// \brief Whether one launch answers \p shape over \p rows: any list on the host; on a device, rows
/// aligned to four elements, top ≤ 1024, and lists as long as the ranks that their chunks keep can
/// be sorted in scratch (208,896 candidates for a top of 10, 2048 for 1024).
template <class ExecutionSpace>
bool fits_one_launch(const ExecutionSpace& exec_space, const VectorRows<ExecutionSpace>& rows,
                     const CandidateShape& shape);

/// \brief What `rank_candidates` checks as it reads a list: a candidate that is no row is left out,
/// and the first query that names one is noted.
template <class ExecutionSpace>
struct CandidateCheck {
  std::uint64_t rows = 0;              ///< candidates are below it
  std::uint32_t* bad_query = nullptr;  ///< lowered to the number of a query that names another; the
                                       ///< space reaches it; null: candidates are not checked
};

/// The cut for \p shape, which `fits_one_launch`.
template <class ExecutionSpace>
CandidatePlan candidate_plan(const ExecutionSpace& exec_space, const CandidateShape& shape);

/// \brief The best `top` rows of every query's list: gathered, scored, each once, ranked. One
/// launch on a device. Does not fence.
///
/// Rows named twice are scored once within a chunk and ranked once. Complexity O(candidates ×
/// dimension). \param offsets query q's list is `candidates[offsets[q] … offsets[q + 1])`
/// \param candidates rows below the number of \p rows, unless \p check finds the others \param
/// filter of rows \param best `queries × top`, ascending, padded with `rank_none` \param workspace
/// of `plan.workspace(queries)` words, 0 in its last \p queries before the first call; a call
/// leaves them so
template <class ExecutionSpace>
void rank_candidates(const ExecutionSpace& exec_space, Metric metric,
                     const VectorRows<ExecutionSpace>& rows,
                     const ArrayView<const std::uint64_t, ExecutionSpace>& offsets,
                     const ArrayView<const std::uint32_t, ExecutionSpace>& candidates,
                     const RowFilter<ExecutionSpace>& filter,
                     const VectorQueries<ExecutionSpace>& queries, const CandidatePlan& plan,
                     std::size_t top, const ArrayView<Rank, ExecutionSpace>& best,
                     const ArrayView<Rank, ExecutionSpace>& workspace,
                     const ArrayView<std::uint32_t, ExecutionSpace>& arrived,
                     const CandidateCheck<ExecutionSpace>& check = {});

}  // namespace Kindred

#endif  // KINDRED_CORE_VECTOR_CANDIDATES_HPP
