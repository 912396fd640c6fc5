// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_SIMD_VEC8_HPP
#define KINDRED_CORE_ARCH_SIMD_VEC8_HPP

#include <kindred/core/arch/Elements.hpp>

namespace Kindred::Arch {

/// Eight adjacent elements, read together.
template <class T>
struct alignas(16) Vec8 {
  T value[8];
};
template <class T>
KOKKOS_INLINE_FUNCTION Vec8<T> load_vec8(const T* data) {
  return *reinterpret_cast<const Vec8<T>*>(data);
}
/// `to_float` of each element; a device widens two at a time.
KOKKOS_INLINE_FUNCTION void to_floats(const Vec8<Float16>& elements, float (&out)[8]) {
#if KINDRED_HAS_DEVICE_INSTRUCTIONS
  const auto* pairs = reinterpret_cast<const __half2*>(&elements);
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float2 two = __half22float2(pairs[i]);
    out[2 * i] = two.x;
    out[2 * i + 1] = two.y;
  }
#else
  for (int i = 0; i < 8; ++i) out[i] = to_float(elements.value[i]);
#endif
}

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_SIMD_VEC8_HPP
