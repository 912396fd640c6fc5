// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_VECTOR_AVERAGE_ROWS_HPP
#define KINDRED_CORE_VECTOR_AVERAGE_ROWS_HPP

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/common/ArrayView.hpp>
#include <kindred/core/vector/VectorRows.hpp>

#include <cstdint>
#include <span>

namespace Kindred {

/// \brief Weighted mean Σ wᵢ·xᵢ / Σ wᵢ of all rows, elementwise: reproducible sums over the rows,
/// rounded once; 0 if the weights add up to 0. Does not fence. Complexity O(rows × dimension).
/// \param weights one per row; its size is the number of rows \param out `dimension`
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
void average_rows(const ExecutionSpace& exec_space, const VectorRows<ExecutionSpace>& rows,
                  const ArrayView<const float, ExecutionSpace>& weights,
                  const ArrayView<float, ExecutionSpace>& out);

/// Elements of the average that `average_rows_here` computes together.
inline constexpr std::uint64_t average_group = 32;

/// \brief The groups `begin … end` of `average_group` elements of the average, on the calling
/// thread, without a launch. \param rows one pointer per row, to `out.size()` elements
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
void average_rows_here(std::span<const float* const> rows, std::span<const float> weights,
                       std::uint64_t begin, std::uint64_t end, std::span<float> out);
/// The same for rows that are stored together.
void average_rows_here(const VectorRows<HostSpace>& rows, std::span<const float> weights,
                       std::uint64_t begin, std::uint64_t end, std::span<float> out);

}  // namespace Kindred

#endif  // KINDRED_CORE_VECTOR_AVERAGE_ROWS_HPP
