// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_LAUNCH_WARP_HPP
#define KINDRED_CORE_ARCH_LAUNCH_WARP_HPP

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/arch/Specialized.hpp>
#include <kindred/core/arch/Unroll.hpp>

#include <cstdint>
#include <type_traits>

namespace Kindred::Arch {

/// \brief Threads that run in lockstep and exchange registers: the 32 lanes of a warp on a device,
/// one thread on the host. Every lane of a warp must make the same calls.
template <class ExecutionSpace>
struct Warp {
  static constexpr unsigned lanes = 1;

  KOKKOS_INLINE_FUNCTION static unsigned lane() { return 0; }
  KOKKOS_INLINE_FUNCTION static void barrier() {}
  /// The value of the lane whose index differs in the bits of the mask.
  template <class T>
  KOKKOS_INLINE_FUNCTION static T exchange(T value, unsigned /*mask*/) {
    return value;
  }
  /// The value of \p lane.
  template <class T>
  KOKKOS_INLINE_FUNCTION static T of_lane(T value, unsigned /*lane*/) {
    return value;
  }
  /// The value of the next lane; the last lane keeps its own.
  template <class T>
  KOKKOS_INLINE_FUNCTION static T of_next_lane(T value) {
    return value;
  }
  /// Bit l is set if \p is_set holds in lane l.
  KOKKOS_INLINE_FUNCTION static std::uint32_t ballot(bool is_set) { return is_set ? 1 : 0; }
  KOKKOS_INLINE_FUNCTION static bool any(bool is_set) { return is_set; }
  /// The sum of all lanes, by a pairwise tree reduction; every lane receives it.
  template <class T>
  KOKKOS_INLINE_FUNCTION static T sum(T value) {
    return value;
  }
  /// The same for each aligned group of \p Count lanes.
  template <unsigned Count, class T>
  KOKKOS_INLINE_FUNCTION static T sum_of_group(T value) {
    return value;
  }
  template <class T>
  KOKKOS_INLINE_FUNCTION static T max(T value) {
    return value;
  }
  /// The minimum of each aligned group of \p Count lanes.
  template <unsigned Count>
  KOKKOS_INLINE_FUNCTION static std::uint64_t least_of_group(std::uint64_t value) {
    return value;
  }
  /// The number of lanes before this one for which \p is_set holds; \p count is the total.
  KOKKOS_INLINE_FUNCTION static unsigned place_of(bool is_set, unsigned& count) {
    count = is_set ? 1 : 0;
    return 0;
  }
};

#if defined(__CUDACC__)
/// The index of the calling thread in its team, however Kokkos or `launch` arranged the team.
__device__ inline unsigned device_thread() {
#if KINDRED_ENABLE_SPECIALIZED
  return threadIdx.x;
#else
  return threadIdx.y * blockDim.x + threadIdx.x;
#endif
}
#endif

/// Without device instructions, values are exchanged by the functions of Kokkos.
template <>
struct Warp<DeviceSpace> {
  static constexpr unsigned lanes = 32;

  KOKKOS_INLINE_FUNCTION static unsigned lane() {
    KOKKOS_IF_ON_DEVICE((return device_thread() % lanes;))
    KOKKOS_IF_ON_HOST((return 0;))
  }
  KOKKOS_INLINE_FUNCTION static void barrier() { KOKKOS_IF_ON_DEVICE((__syncwarp();)) }
  template <class T>
  KOKKOS_INLINE_FUNCTION static T exchange(T value, [[maybe_unused]] unsigned mask) {
#if KINDRED_HAS_DEVICE_INSTRUCTIONS
    return __shfl_xor_sync(whole, value, static_cast<int>(mask));
#else
    return of_lane(value, lane() ^ mask);
#endif
  }
  template <class T>
  KOKKOS_INLINE_FUNCTION static T of_lane(T value, [[maybe_unused]] unsigned lane) {
#if KINDRED_HAS_DEVICE_INSTRUCTIONS
    value = __shfl_sync(whole, value, static_cast<int>(lane));
#else
    KOKKOS_IF_ON_DEVICE((value = Kokkos::shfl(value, static_cast<int>(lane), int{lanes});))
#endif
    return value;
  }
  template <class T>
  KOKKOS_INLINE_FUNCTION static T of_next_lane(T value) {
#if KINDRED_HAS_DEVICE_INSTRUCTIONS
    value = __shfl_down_sync(whole, value, 1);
#else
    KOKKOS_IF_ON_DEVICE((value = Kokkos::shfl_down(value, 1, int{lanes});))
#endif
    return value;
  }
  KOKKOS_INLINE_FUNCTION static std::uint32_t ballot(bool is_set) {
#if KINDRED_HAS_DEVICE_INSTRUCTIONS
    return __ballot_sync(whole, is_set);
#else
    std::uint32_t bits = is_set ? 1U << lane() : 0U;
    for (unsigned half = lanes / 2; half > 0; half /= 2) bits |= exchange(bits, half);
    return bits;
#endif
  }
  KOKKOS_INLINE_FUNCTION static bool any(bool is_set) {
#if KINDRED_HAS_DEVICE_INSTRUCTIONS
    return __any_sync(whole, is_set) != 0;
#else
    return ballot(is_set) != 0;
#endif
  }
  template <class T>
  KOKKOS_INLINE_FUNCTION static T sum(T value) {
    return sum_of_group<lanes>(value);
  }
  template <unsigned Count, class T>
  KOKKOS_INLINE_FUNCTION static T sum_of_group(T value) {
#if KINDRED_HAS_DEVICE_INSTRUCTIONS && __CUDA_ARCH__ >= 800
    if constexpr (Count == lanes && std::is_same_v<T, std::uint32_t>)
      return __reduce_add_sync(whole, value);
#endif
    KINDRED_UNROLL
    for (unsigned half = Count / 2; half > 0; half /= 2) value += exchange(value, half);
    return value;
  }
  template <class T>
  KOKKOS_INLINE_FUNCTION static T max(T value) {
#if KINDRED_HAS_DEVICE_INSTRUCTIONS && __CUDA_ARCH__ >= 800
    if constexpr (std::is_same_v<T, std::uint32_t>) return __reduce_max_sync(whole, value);
#endif
    KINDRED_UNROLL
    for (unsigned half = lanes / 2; half > 0; half /= 2) {
      const T other = exchange(value, half);
      value = other > value ? other : value;
    }
    return value;
  }
  template <unsigned Count>
  KOKKOS_INLINE_FUNCTION static std::uint64_t least_of_group(std::uint64_t value) {
    KINDRED_UNROLL
    for (unsigned half = Count / 2; half > 0; half /= 2) {
      const std::uint64_t other = exchange(value, half);
      value = other < value ? other : value;
    }
    return value;
  }
  KOKKOS_INLINE_FUNCTION static unsigned place_of(bool is_set, unsigned& count) {
    const std::uint32_t all = ballot(is_set);
    count = static_cast<unsigned>(Kokkos::popcount(all));
    return static_cast<unsigned>(Kokkos::popcount(all & ((1U << lane()) - 1U)));
  }

 private:
  static constexpr unsigned whole = 0xFFFFFFFFU;
};

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_LAUNCH_WARP_HPP
