// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_VECTOR_SCORE_MATRIX_HPP
#define KINDRED_CORE_VECTOR_SCORE_MATRIX_HPP

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/common/ArrayView.hpp>
#include <kindred/core/vector/Metric.hpp>
#include <kindred/core/vector/VectorRows.hpp>

#include <cstdint>

namespace Kindred {

/// The transformation of a score before it is written: none, or σ((score − threshold) /
/// max(temperature, 0.05)) of the rounded score, computed in double and rounded once.
struct ScoreCurve {
  bool is_sigmoid = false;
  double threshold = 0;
  double temperature = 1;
};

/// \brief Which rows the columns of a matrix of scores stand for, and where the matrix is stored.
template <class ExecutionSpace>
struct ScoreColumns {
  std::uint64_t stride = 0;  ///< elements from one query to the next; 0: the number of columns
  /// The row of each column; size 0: column c is row c.
  ArrayView<const std::uint32_t, ExecutionSpace> rows = {};
  /// Where each column is stored, below the stride; size 0: at its number.
  ArrayView<const std::uint32_t, ExecutionSpace> places = {};
};

/// Whether `score_matrix` reads the norms of the rows under cosine for so many queries. If not,
/// they may be missing (null): they are computed where the row is read.
template <class ExecutionSpace>
bool score_matrix_reads_norms(std::uint64_t queries);

/// \brief The scores of rows for all queries, in the order of the rows. Does not fence.
///
/// The scores are the reproducible ones of rankings, with NaN as 0x7FC00000 and a zero as +0; under
/// `ip` they are the pairwise dot products. Complexity O(count × queries × dimension).
/// \param rows their norms may be missing, \see score_matrix_reads_norms
/// \param count number of columns
/// \param out row-major, one row of the matrix per query
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
void score_matrix(const ExecutionSpace& exec_space, Metric metric, const ScoreCurve& curve,
                  const VectorRows<ExecutionSpace>& rows, std::uint64_t count,
                  const VectorQueries<ExecutionSpace>& queries,
                  const ArrayView<float, ExecutionSpace>& out,
                  const ScoreColumns<ExecutionSpace>& columns = {});

/// \brief The same for the columns `begin … end` on the calling thread, without a launch.
/// \param out the place of column \p begin of the first query \param columns with a stride, and
/// without places
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
void score_matrix_here(Metric metric, const ScoreCurve& curve, const VectorRows<HostSpace>& rows,
                       std::uint64_t begin, std::uint64_t end,
                       const VectorQueries<HostSpace>& queries, float* out,
                       const ScoreColumns<HostSpace>& columns);

}  // namespace Kindred

#endif  // KINDRED_CORE_VECTOR_SCORE_MATRIX_HPP
