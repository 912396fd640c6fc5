// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_VECTOR_VECTOR_SCORES_HPP
#define KINDRED_CORE_VECTOR_VECTOR_SCORES_HPP

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/common/ArrayView.hpp>
#include <kindred/core/numeric/Rank.hpp>
#include <kindred/core/vector/Metric.hpp>
#include <kindred/core/vector/RowFilter.hpp>
#include <kindred/core/vector/VectorRows.hpp>

#include <cstdint>

namespace Kindred {

/// \brief √Σx² of the rows 0 … `norms.size()`, from the reproducible sum before it is rounded. Does
/// not fence.
/// \param rows their norms are not read \param norms one per row
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
void vector_norms(const ExecutionSpace& exec_space, const VectorRows<ExecutionSpace>& rows,
                  const ArrayView<double, ExecutionSpace>& norms);

/// \brief Decodes the rows `begin … begin + count` to float32. Does not fence.
/// \param out `count × dimension`, row-major
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
void decode_rows(const ExecutionSpace& exec_space, const VectorRows<ExecutionSpace>& rows,
                 std::uint64_t begin, std::uint64_t count,
                 const ArrayView<float, ExecutionSpace>& out);

/// \brief Widens queries to double, exactly, and computes their norms. Does not fence.
/// \param values `count × dimension` \param wide of the same size \param norms `count`
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
void prepare_queries(const ExecutionSpace& exec_space,
                     const ArrayView<const float, ExecutionSpace>& values, std::uint64_t dimension,
                     const ArrayView<double, ExecutionSpace>& wide,
                     const ArrayView<double, ExecutionSpace>& norms);

/// The same on the calling thread, without a launch.
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
void prepare_queries_here(const ArrayView<const float, HostSpace>& values, std::uint64_t dimension,
                          const ArrayView<double, HostSpace>& wide,
                          const ArrayView<double, HostSpace>& norms);

/// \brief The ranks of the rows `begin … begin + count` for every query: the rounded scores in
/// total order. Does not fence.
///
/// Reads every row from memory once per 64 or more queries. Complexity O(count × queries ×
/// dimension).
/// \param tile buffer into which rows that are not float32 are decoded, `count × dimension`
/// \param filter of the whole matrix; a row that does not pass gets `rank_none`
/// \param ranks `queries × count`, row-major; without ids, the index in a rank is that of the row
/// in the whole matrix
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
void score_rows(const ExecutionSpace& exec_space, Metric metric,
                const VectorRows<ExecutionSpace>& rows, std::uint64_t begin, std::uint64_t count,
                const ArrayView<float, ExecutionSpace>& tile,
                const RowFilter<ExecutionSpace>& filter,
                const VectorQueries<ExecutionSpace>& queries,
                const ArrayView<Rank, ExecutionSpace>& ranks);

/// Candidates of one query that a work item scores together.
template <class ExecutionSpace>
int candidate_tile();

/// Pads a work item where it has no row.
inline constexpr std::uint32_t no_candidate = 0xFFFFFFFFU;

/// \brief The ranks of selected rows of any element type. Does not fence. Complexity O(candidates ×
/// dimension).
///
/// \param ids rows, `work_items × candidate_tile`; after a `no_candidate` a work item has no rows
/// \param work_item_queries the query of each work item; size 0: every query has as many of them
/// \param ranks as many as \p ids; `rank_none` for `no_candidate`
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
void score_candidates(const ExecutionSpace& exec_space, Metric metric,
                      const VectorRows<ExecutionSpace>& rows,
                      const ArrayView<const std::uint32_t, ExecutionSpace>& ids,
                      const ArrayView<const std::uint32_t, ExecutionSpace>& work_item_queries,
                      const VectorQueries<ExecutionSpace>& queries,
                      const ArrayView<Rank, ExecutionSpace>& ranks);

}  // namespace Kindred

#endif  // KINDRED_CORE_VECTOR_VECTOR_SCORES_HPP
