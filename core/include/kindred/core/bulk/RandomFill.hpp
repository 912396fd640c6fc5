// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_BULK_RANDOM_FILL_HPP
#define KINDRED_CORE_BULK_RANDOM_FILL_HPP

#include <kindred/core/bulk/BulkList.hpp>
#include <kindred/core/common/ArrayView.hpp>

#include <cstdint>

namespace Kindred {

/// \brief Fills a list with uniform random numbers that depend only on their position in the list,
/// so that they are the same on every space, however a list is divided. Does not fence, allocates
/// nothing.
///
/// Philox4x32-10 (Salmon et al., SC 2011): the words 4c … 4c + 3 of a stream are those of counter c
/// with the key \p seed. For uint8, element i is byte i of the stream, low bytes first; for float,
/// the upper 24 bits of word i times 2⁻²⁴; for double, the upper 53 bits of the words 2i (low) and
/// 2i + 1 times 2⁻⁵³: in [0, 1).
/// \param offsets the position of every item's first element
/// \param items from `plan_bulk`; only `output` is used
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace, class T>
void random_fill(const ExecutionSpace& exec_space, const BulkPlan& plan, std::uint64_t seed,
                 const ArrayView<const std::uint64_t, ExecutionSpace>& offsets,
                 const BulkItems<T>& items);

}  // namespace Kindred

#endif  // KINDRED_CORE_BULK_RANDOM_FILL_HPP
