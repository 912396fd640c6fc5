// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_VECTOR_FILTERED_ROWS_HPP
#define KINDRED_CORE_VECTOR_FILTERED_ROWS_HPP

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/common/ArrayView.hpp>
#include <kindred/core/vector/RowFilter.hpp>

#include <cstdint>

namespace Kindred {

/// \brief Counts the rows that pass a filter shared by all queries before each of its words. Does
/// not fence.
/// \param offsets `filter_words(rows) + 1`; the last one is the total
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
void count_filtered_rows(const ExecutionSpace& exec_space, const RowFilter<ExecutionSpace>& filter,
                         std::uint64_t rows,
                         const ArrayView<std::uint32_t, ExecutionSpace>& offsets);

/// \brief The rows that pass a filter shared by all queries, ascending. Does not fence.
/// \param offsets from `count_filtered_rows` \param chosen its size is the total
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
void list_filtered_rows(const ExecutionSpace& exec_space, const RowFilter<ExecutionSpace>& filter,
                        std::uint64_t rows, const ArrayView<std::uint32_t, ExecutionSpace>& offsets,
                        const ArrayView<std::uint32_t, ExecutionSpace>& chosen);

}  // namespace Kindred

#endif  // KINDRED_CORE_VECTOR_FILTERED_ROWS_HPP
