// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_RELAXED_ACCESS_HPP
#define KINDRED_CORE_ARCH_RELAXED_ACCESS_HPP

#include <kindred/core/arch/Specialized.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace Kindred::Arch {

/// \brief Reads and writes of a number that many threads set to the same value, without ordering.
///
/// Plain loads and stores on a device, relaxed atomics on the host: Kokkos' portable atomic load is
/// a compare-and-swap on a device, so that contention on one address would limit the kernel.
KOKKOS_INLINE_FUNCTION std::uint32_t relaxed_load(const std::uint32_t* number) {
  KOKKOS_IF_ON_DEVICE((return *static_cast<const volatile std::uint32_t*>(number);))
  KOKKOS_IF_ON_HOST((return __atomic_load_n(number, __ATOMIC_RELAXED);))
}

/// As `relaxed_load`, for values that earlier kernels wrote: a device may read them from a cache.
KOKKOS_INLINE_FUNCTION std::uint32_t cached_load(const std::uint32_t* number) {
  KOKKOS_IF_ON_DEVICE((return *number;))
  KOKKOS_IF_ON_HOST((return __atomic_load_n(number, __ATOMIC_RELAXED);))
}

KOKKOS_INLINE_FUNCTION void relaxed_store(std::uint32_t* number, std::uint32_t value) {
  KOKKOS_IF_ON_DEVICE((*static_cast<volatile std::uint32_t*>(number) = value;))
  KOKKOS_IF_ON_HOST((__atomic_store_n(number, value, __ATOMIC_RELAXED);))
}

/// Atomic maximum of the stored number and \p value; a device does not wait for it to complete.
KOKKOS_INLINE_FUNCTION void relaxed_max(std::uint32_t* number, std::uint32_t value) {
#if KINDRED_HAS_DEVICE_INSTRUCTIONS
  atomicMax(number, value);
#else
  Kokkos::atomic_max(number, value);
#endif
}

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_RELAXED_ACCESS_HPP
