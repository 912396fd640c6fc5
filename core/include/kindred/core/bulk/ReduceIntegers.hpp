// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_BULK_REDUCE_INTEGERS_HPP
#define KINDRED_CORE_BULK_REDUCE_INTEGERS_HPP

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/bulk/ArithmeticKinds.hpp>
#include <kindred/core/bulk/BulkList.hpp>
#include <kindred/core/common/Array.hpp>
#include <kindred/core/common/ArrayView.hpp>
#include <kindred/core/numeric/CanonicalNan.hpp>

#include <Kokkos_BitManipulation.hpp>

#include <cstdint>

namespace Kindred {

/// An integer of 128 bits, in two's complement.
struct WideInteger {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

/// \brief Reduces every array of integers to 64 bits, in two launches. Does not fence, allocates
/// nothing.
///
/// sum: modulo 2⁶⁴; min, max: extended to 64 bits; mean: the bits of the double that is nearest to
/// the exact mean, ties to even. Deviations are not computed.
/// \param items planned; no item is empty, except for sums
/// \param partials one per chunk \param results one per item
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace, class T>
void reduce_integers(const ExecutionSpace& exec_space, const BulkPlan& plan, Reduction reduction,
                     const BulkItems<T>& items,
                     const ArrayView<WideInteger, ExecutionSpace>& partials,
                     const ArrayView<std::uint64_t, ExecutionSpace>& results);

/// \brief Writes \p result as element \p index of \p to, of type \p type and size \p bytes: for
/// float32, a double that is rounded once, with a canonical NaN; otherwise the lower bytes.
KOKKOS_INLINE_FUNCTION void store_result(std::uint64_t result, DataType type, std::size_t bytes,
                                         void* to, std::uint64_t index) {
  if (type == DataType::float32) {
    static_cast<float*>(to)[index] =
        with_canonical_nan(static_cast<float>(Kokkos::bit_cast<double>(result)));
    return;
  }
  switch (bytes) {
    case 1:
      static_cast<std::uint8_t*>(to)[index] = static_cast<std::uint8_t>(result);
      return;
    case 2:
      static_cast<std::uint16_t*>(to)[index] = static_cast<std::uint16_t>(result);
      return;
    case 4:
      static_cast<std::uint32_t*>(to)[index] = static_cast<std::uint32_t>(result);
      return;
    default:
      static_cast<std::uint64_t*>(to)[index] = result;
  }
}

/// \brief `store_result` of all \p results. Does not fence. \param to in memory of the space
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
void store_results(const ExecutionSpace& exec_space,
                   const ArrayView<const std::uint64_t, ExecutionSpace>& results, DataType type,
                   void* to);

}  // namespace Kindred

#endif  // KINDRED_CORE_BULK_REDUCE_INTEGERS_HPP
