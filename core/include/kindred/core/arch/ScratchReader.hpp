// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_SCRATCH_READER_HPP
#define KINDRED_CORE_ARCH_SCRATCH_READER_HPP

#include <kindred/core/arch/Specialized.hpp>

#include <Kokkos_Macros.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace Kindred::Arch {

/// \brief Reads the team scratch of a device through 32-bit addresses: computing one takes one
/// instruction, a pointer takes three. Device kernels only. With pointers, `lcs-64q` took 1.10
/// times as long, `difflib-none` 1.04 (H200, 2026-11-29).
struct ScratchReader {
  using Address =
      std::conditional_t<KINDRED_ENABLE_SPECIALIZED != 0, std::uint32_t, const std::byte*>;

  KOKKOS_INLINE_FUNCTION static Address address([[maybe_unused]] const void* pointer) {
#if KINDRED_HAS_DEVICE_INSTRUCTIONS
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
#elif KINDRED_ENABLE_SPECIALIZED
    return 0;
#else
    return static_cast<const std::byte*>(pointer);
#endif
  }
  KOKKOS_INLINE_FUNCTION static std::uint32_t word([[maybe_unused]] Address address) {
    std::uint32_t value = 0;
#if KINDRED_HAS_DEVICE_INSTRUCTIONS
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(value) : "r"(address));
#elif !KINDRED_ENABLE_SPECIALIZED
    value = *reinterpret_cast<const std::uint32_t*>(address);
#endif
    return value;
  }
  KOKKOS_INLINE_FUNCTION static std::uint64_t wide([[maybe_unused]] Address address) {
    std::uint64_t value = 0;
#if KINDRED_HAS_DEVICE_INSTRUCTIONS
    asm volatile("ld.shared.u64 %0, [%1];" : "=l"(value) : "r"(address));
#elif !KINDRED_ENABLE_SPECIALIZED
    value = *reinterpret_cast<const std::uint64_t*>(address);
#endif
    return value;
  }
  KOKKOS_INLINE_FUNCTION static void pair([[maybe_unused]] Address address, std::uint64_t& first,
                                          std::uint64_t& second) {
    first = second = 0;
#if KINDRED_HAS_DEVICE_INSTRUCTIONS
    asm volatile("ld.shared.v2.u64 {%0, %1}, [%2];" : "=l"(first), "=l"(second) : "r"(address));
#elif !KINDRED_ENABLE_SPECIALIZED
    first = reinterpret_cast<const std::uint64_t*>(address)[0];
    second = reinterpret_cast<const std::uint64_t*>(address)[1];
#endif
  }
};

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_SCRATCH_READER_HPP
