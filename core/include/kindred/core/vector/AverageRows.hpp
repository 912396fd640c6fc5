// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_VECTOR_AVERAGE_ROWS_HPP
#define KINDRED_CORE_VECTOR_AVERAGE_ROWS_HPP

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/common/ArrayView.hpp>
#include <kindred/core/vector/VectorRows.hpp>

namespace Kindred {

/// \brief Weighted mean Σ wᵢ·xᵢ / Σ wᵢ of all rows, elementwise: reproducible sums over the rows,
/// rounded once; 0 if the weights add up to 0. Does not fence. Complexity O(rows × dimension).
/// \param weights one per row; its size is the number of rows \param out `dimension`
template <class ExecutionSpace>
void average_rows(const ExecutionSpace& exec_space, const VectorRows<ExecutionSpace>& rows,
                  const ArrayView<const float, ExecutionSpace>& weights,
                  const ArrayView<float, ExecutionSpace>& out);

}  // namespace Kindred

#endif  // KINDRED_CORE_VECTOR_AVERAGE_ROWS_HPP
