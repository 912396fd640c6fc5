// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_SCRATCH_READER_HPP
#define KINDRED_CORE_ARCH_SCRATCH_READER_HPP

#include <Kokkos_Macros.hpp>

#include <cstddef>
#include <cstdint>

namespace Kindred::Arch {

/// \brief Reads the team scratch of a device through 32-bit addresses: computing one takes one
/// instruction, a pointer takes three. Device kernels only.
struct ScratchReader {
  KOKKOS_INLINE_FUNCTION static std::uint32_t address([[maybe_unused]] const void* pointer) {
#if defined(__CUDA_ARCH__)
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
#else
    return 0;
#endif
  }
  KOKKOS_INLINE_FUNCTION static std::uint32_t word([[maybe_unused]] std::uint32_t address) {
    std::uint32_t value = 0;
#if defined(__CUDA_ARCH__)
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(value) : "r"(address));
#endif
    return value;
  }
  KOKKOS_INLINE_FUNCTION static std::uint64_t wide([[maybe_unused]] std::uint32_t address) {
    std::uint64_t value = 0;
#if defined(__CUDA_ARCH__)
    asm volatile("ld.shared.u64 %0, [%1];" : "=l"(value) : "r"(address));
#endif
    return value;
  }
  KOKKOS_INLINE_FUNCTION static void pair([[maybe_unused]] std::uint32_t address,
                                          std::uint64_t& first, std::uint64_t& second) {
    first = second = 0;
#if defined(__CUDA_ARCH__)
    asm volatile("ld.shared.v2.u64 {%0, %1}, [%2];" : "=l"(first), "=l"(second) : "r"(address));
#endif
  }
};

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_SCRATCH_READER_HPP
