// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_BULK_ELEMENT_WISE_HPP
#define KINDRED_CORE_BULK_ELEMENT_WISE_HPP

#include <kindred/core/bulk/ArithmeticKinds.hpp>
#include <kindred/core/bulk/BulkList.hpp>
#include <kindred/core/common/ArrayView.hpp>

#include <cstdint>

namespace Kindred {

/// \brief Applies `op` to every element of a list in one launch, bit-identical on every space;
/// every NaN is quiet, without payload or sign. Integers wrap around; for them, square roots and
/// exponentials do nothing. Does not fence, allocates nothing.
/// \tparam T float, double or an unsigned integer, which also stands for the signed one
/// \param number the second operand if an item has no `other` \param items planned
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace, class T>
void element_wise(const ExecutionSpace& exec_space, const BulkPlan& plan, ElementWise op, T number,
                  const BulkItems<T>& items);

/// How two bytes are combined, bit by bit.
enum class BytesOperation : std::uint8_t { exclusive_or, inclusive_or, conjunction };

/// \brief output = input ∘ other, byte by byte, in one launch. Does not fence, allocates nothing.
/// \param number the second operand if an item has no `other`
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
void combine_bytes(const ExecutionSpace& exec_space, const BulkPlan& plan, BytesOperation op,
                   std::uint8_t number, const BulkItems<std::uint8_t>& items);

/// \brief output = (input − mean) · 1 / (deviation + 1e-8) in double, rounded once; NaN is
/// canonical. Does not fence, allocates nothing. \param means, deviations one per item
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace, class T>
void normalise(const ExecutionSpace& exec_space, const BulkPlan& plan,
               const ArrayView<const double, ExecutionSpace>& means,
               const ArrayView<const double, ExecutionSpace>& deviations,
               const BulkItems<T>& items);

}  // namespace Kindred

#endif  // KINDRED_CORE_BULK_ELEMENT_WISE_HPP
