// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_ELEMENTS_HPP
#define KINDRED_CORE_ARCH_ELEMENTS_HPP

#include <kindred/core/arch/Specialized.hpp>

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Macros.hpp>

#include <cstdint>

#if defined(__CUDACC__)
#include <cuda_fp16.h>
#endif

namespace Kindred::Arch {

/// An IEEE binary16 number in its stored form.
struct Float16 {
  std::uint16_t bits;
};
/// The upper half of a float32 (bfloat16).
struct BFloat16 {
  std::uint16_t bits;
};

/// \brief Converts a stored element to float32, exactly (an int8 without its scale). The payload of
/// a NaN is unspecified.
KOKKOS_INLINE_FUNCTION float to_float(float element) { return element; }
KOKKOS_INLINE_FUNCTION float to_float(BFloat16 element) {
  return Kokkos::bit_cast<float>(std::uint32_t{element.bits} << 16U);
}
KOKKOS_INLINE_FUNCTION float to_float(std::int8_t element) { return static_cast<float>(element); }

/// In integer arithmetic; equivalent to the machine instructions.
KOKKOS_INLINE_FUNCTION float to_float_portable(Float16 element) {
  const std::uint32_t sign = (element.bits & 0x8000U) << 16U;
  const std::uint32_t magnitude = element.bits & 0x7FFFU;
  if (magnitude >= 0x7C00U) {
    const std::uint32_t quiet = magnitude > 0x7C00U ? 0x00400000U : 0U;
    return Kokkos::bit_cast<float>(sign | 0x7F800000U | quiet | (magnitude & 0x3FFU) << 13U);
  }
  if (magnitude >= 0x400U) {
    return Kokkos::bit_cast<float>(sign | ((magnitude << 13U) + (112U << 23U)));
  }
  // A denormal is a multiple of 2⁻²⁴, which is a normal float32.
  const float value = static_cast<float>(magnitude) * 5.9604644775390625e-8F;
  return Kokkos::bit_cast<float>(sign | Kokkos::bit_cast<std::uint32_t>(value));
}
KOKKOS_INLINE_FUNCTION float to_float(Float16 element) {
#if KINDRED_HAS_DEVICE_INSTRUCTIONS
  return __half2float(__ushort_as_half(element.bits));
#else
  return to_float_portable(element);
#endif
}

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_ELEMENTS_HPP
