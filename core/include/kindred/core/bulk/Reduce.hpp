// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_BULK_REDUCE_HPP
#define KINDRED_CORE_BULK_REDUCE_HPP

#include <kindred/core/bulk/ArithmeticKinds.hpp>
#include <kindred/core/bulk/BulkList.hpp>
#include <kindred/core/common/ArrayView.hpp>

#include <cstdint>

namespace Kindred {

/// \brief Reduces every array of a list to one number, in double and not yet rounded to T, in two
/// launches; bit-identical on every space. Does not fence, allocates nothing.
/// \param means one per item, for `deviation` only \param partials one per chunk
/// \param results one per item; NaN is canonical
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace, class T>
void reduce(const ExecutionSpace& exec_space, const BulkPlan& plan, Reduction reduction,
            const BulkItems<T>& items, const ArrayView<const double, ExecutionSpace>& means,
            const ArrayView<double, ExecutionSpace>& partials,
            const ArrayView<double, ExecutionSpace>& results);

}  // namespace Kindred

#endif  // KINDRED_CORE_BULK_REDUCE_HPP
