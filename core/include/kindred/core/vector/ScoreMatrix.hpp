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

/// \brief The scores of all rows for all queries, in the order of the rows. Does not fence.
///
/// The scores are the reproducible ones of rankings, with NaN as 0x7FC00000 and a zero as +0; under
/// `ip` they are the pairwise dot products. Complexity O(rows × queries × dimension).
/// \param count number of rows
/// \param out `queries × count`, row-major
template <class ExecutionSpace>
void score_matrix(const ExecutionSpace& exec_space, Metric metric, const ScoreCurve& curve,
                  const VectorRows<ExecutionSpace>& rows, std::uint64_t count,
                  const VectorQueries<ExecutionSpace>& queries,
                  const ArrayView<float, ExecutionSpace>& out);

}  // namespace Kindred

#endif  // KINDRED_CORE_VECTOR_SCORE_MATRIX_HPP
