// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_VECTOR_RANK_UNFINISHED_HPP
#define KINDRED_CORE_VECTOR_RANK_UNFINISHED_HPP

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/common/ArrayView.hpp>
#include <kindred/core/numeric/Rank.hpp>
#include <kindred/core/vector/Metric.hpp>
#include <kindred/core/vector/RowFilter.hpp>
#include <kindred/core/vector/TileSelect.hpp>
#include <kindred/core/vector/VectorRows.hpp>

#include <cstddef>
#include <cstdint>

namespace Kindred {

/// The most results per query that `rank_unfinished` can keep in the scratch of a team.
inline constexpr std::size_t unfinished_top_max = 1024;

/// Number of teams of `rank_unfinished`, for its workspace.
template <class ExecutionSpace>
std::size_t unfinished_teams(const ExecutionSpace& exec_space);

/// The workspace of `rank_unfinished`.
template <class ExecutionSpace>
struct UnfinishedWorkspace {
  ArrayView<std::uint32_t, ExecutionSpace> queries;  ///< 1 + number of queries; write-only
  ArrayView<Rank, ExecutionSpace> partial;           ///< teams × top; write-only
  ArrayView<std::uint32_t, ExecutionSpace> arrived;  ///< one per team; 0, as each call leaves it
};

/// \brief Scores all rows for those queries whose list does not contain their best rows: it lost
/// rows, or it is shorter than \p top and a row had a NaN.
///
/// For callers that cannot wait to learn which queries these are. If there are none, the launch
/// ends at once; few queries are divided among all teams. Two launches. Does not fence. Complexity
/// O(unfinished queries × rows × dimension).
/// \param best `queries × top`, ascending, padded with `rank_none`; those of other queries are left
/// unchanged \param top at most `unfinished_top_max`
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
void rank_unfinished(const ExecutionSpace& exec_space, Metric metric,
                     const VectorRows<ExecutionSpace>& rows,
                     const RowFilter<ExecutionSpace>& filter,
                     const VectorQueries<ExecutionSpace>& queries,
                     const TileLists<ExecutionSpace>& lists, std::size_t top,
                     const ArrayView<Rank, ExecutionSpace>& best,
                     const UnfinishedWorkspace<ExecutionSpace>& workspace);

}  // namespace Kindred

#endif  // KINDRED_CORE_VECTOR_RANK_UNFINISHED_HPP
