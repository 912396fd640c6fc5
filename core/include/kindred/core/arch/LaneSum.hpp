// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_LANE_SUM_HPP
#define KINDRED_CORE_ARCH_LANE_SUM_HPP

#include <kindred/core/arch/Spaces.hpp>

#include <cstdint>
#include <type_traits>

namespace Kindred::Arch {

/// \brief The sum of \p part(lane) over the lanes of a work item (\see LaunchShape), returned in
/// every lane; one instruction on devices that have it. All lanes must call it.
template <class ExecutionSpace, class Part>
KOKKOS_INLINE_FUNCTION std::uint32_t sum_over_lanes(const Part& part) {
#if defined(__CUDA_ARCH__)
  if constexpr (is_device<ExecutionSpace>) {
    std::uint32_t sum = part(threadIdx.x % 32);
#if __CUDA_ARCH__ >= 800
    return __reduce_add_sync(0xFFFFFFFFU, sum);
#else
    for (int half = 16; half > 0; half /= 2) sum += __shfl_xor_sync(0xFFFFFFFFU, sum, half);
    return sum;
#endif
  }
#endif
  std::uint32_t sum = 0;
  for (std::uint32_t lane = 0; lane < LaunchShape<ExecutionSpace>::vector_length; ++lane)
    sum += part(lane);
  return sum;
}

/// The maximum of \p value over the lanes of a work item, returned in every lane. All lanes must
/// call it.
template <class ExecutionSpace, class Integer>
KOKKOS_INLINE_FUNCTION Integer greatest_of_lanes(Integer value) {
#if defined(__CUDA_ARCH__)
  if constexpr (is_device<ExecutionSpace>) {
#if __CUDA_ARCH__ >= 800
    if constexpr (std::is_same_v<Integer, std::uint32_t>)
      return __reduce_max_sync(0xFFFFFFFFU, value);
#endif
    for (int half = 16; half > 0; half /= 2) {
      const Integer other = __shfl_xor_sync(0xFFFFFFFFU, value, half);
      value = other > value ? other : value;
    }
  }
#endif
  return value;
}

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_LANE_SUM_HPP
