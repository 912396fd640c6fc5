// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_BULK_ELEMENT_WISE_HPP
#define KINDRED_CORE_BULK_ELEMENT_WISE_HPP

#include <kindred/core/bulk/ArithmeticKinds.hpp>
#include <kindred/core/bulk/BulkList.hpp>
#include <kindred/core/common/ArrayView.hpp>

#include <cstdint>

namespace Kindred {

/// \brief Applies `op` to every element of a list in one launch, bit-identical on every space;
/// every NaN is quiet, without payload or sign. Does not fence, allocates nothing.
/// \param number the second operand if an item has no `other` \param items from `plan_bulk`
template <class ExecutionSpace, class T>
void element_wise(const ExecutionSpace& exec_space, const BulkPlan& plan, ElementWise op, T number,
                  const ArrayView<const BulkItem<T>, ExecutionSpace>& items);

/// \brief output = input ^ other, byte by byte, in one launch. Does not fence, allocates nothing.
template <class ExecutionSpace>
void xor_bytes(const ExecutionSpace& exec_space, const BulkPlan& plan,
               const ArrayView<const BulkItem<std::uint8_t>, ExecutionSpace>& items);

/// \brief output = (input − mean) · 1 / (deviation + 1e-8) in double, rounded once; NaN is
/// canonical. Does not fence, allocates nothing. \param means, deviations one per item
template <class ExecutionSpace, class T>
void normalise(const ExecutionSpace& exec_space, const BulkPlan& plan,
               const ArrayView<const double, ExecutionSpace>& means,
               const ArrayView<const double, ExecutionSpace>& deviations,
               const ArrayView<const BulkItem<T>, ExecutionSpace>& items);

}  // namespace Kindred

#endif  // KINDRED_CORE_BULK_ELEMENT_WISE_HPP
