// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_ROUNDED_PRODUCT_HPP
#define KINDRED_CORE_ARCH_ROUNDED_PRODUCT_HPP

#include <kindred/core/arch/Specialized.hpp>

#include <Kokkos_Macros.hpp>

#include <cfloat>

// With these options no source code can guarantee its bits.
#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) || \
    (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ > 0)
#error "Kindred's kernels promise the same bits everywhere: compile them without -ffast-math"
#endif
#if FLT_EVAL_METHOD < 0 || FLT_EVAL_METHOD == 1 || FLT_EVAL_METHOD == 2
#error "Kindred's kernels need float and double arithmetic in their own precision: -mfpmath=sse"
#endif

namespace Kindred::Arch {

/// \brief Returns \p product and prevents compilers from fusing it with a following addition.
///
/// GCC by default, and others on request, contract a·b + c into a fused multiply-add if the
/// instruction set has one, even if the product is a named variable or an intrinsic. Kindred's own
/// targets and those that link `Kindred::core` are compiled without contraction
/// (KINDRED_NO_CONTRACTION). For all others, this statement, which emits no instruction, hides the
/// origin of the value.
/// \tparam Value float, double, or a vector register of them
template <class Value>
KOKKOS_INLINE_FUNCTION Value uncontracted(Value product) {
#if defined(KINDRED_NO_CONTRACTION) || defined(__CUDA_ARCH__)
#elif defined(__AVX512F__)
  asm("" : "+v"(product));
#elif defined(__SSE2__)
  asm("" : "+x"(product));
#elif defined(__aarch64__)
  asm("" : "+w"(product));
#else
  asm("" : "+m"(product));
#endif
  return product;
}

/// \brief a·b rounded to double, however it is used: bit-identical on every space and with every
/// compiler at its default options.
KOKKOS_INLINE_FUNCTION double rounded_product(double a, double b) {
#if KINDRED_HAS_DEVICE_INSTRUCTIONS
  return __dmul_rn(a, b);
#else
  return uncontracted(a * b);
#endif
}
/// The same for float.
KOKKOS_INLINE_FUNCTION float rounded_product(float a, float b) {
#if KINDRED_HAS_DEVICE_INSTRUCTIONS
  return __fmul_rn(a, b);
#else
  return uncontracted(a * b);
#endif
}

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_ROUNDED_PRODUCT_HPP
