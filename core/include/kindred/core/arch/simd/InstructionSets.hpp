// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_SIMD_INSTRUCTION_SETS_HPP
#define KINDRED_CORE_ARCH_SIMD_INSTRUCTION_SETS_HPP

/// \file
/// Which instruction sets of the host the specialised forms may use: the only place where this is
/// decided. Every form has a portable twin. The device pass of nvcc parses host code too but does
/// not support vector types.
///
/// `Kokkos::simd` is not used: the forms need lookups and shuffles of bytes, gathers with unsigned
/// indices, conversions from 16-bit elements and additions in a fixed order across lanes, which it
/// does not have.

#include <kindred/core/arch/Specialized.hpp>

#if KINDRED_ENABLE_SPECIALIZED && !defined(__CUDA_ARCH__) && defined(__SSE2__)
// GCC 12 mistakes the undefined operands of its own intrinsics for uninitialised variables.
#pragma GCC diagnostic push
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#pragma GCC diagnostic ignored "-Wuninitialized"
#include <immintrin.h>
#pragma GCC diagnostic pop
#define KINDRED_HAS_SSE2 1
#else
#define KINDRED_HAS_SSE2 0
#endif

#if KINDRED_HAS_SSE2 && defined(__AVX__)
#define KINDRED_HAS_AVX 1
#else
#define KINDRED_HAS_AVX 0
#endif

/// Conversions of binary16.
#if KINDRED_HAS_SSE2 && defined(__F16C__)
#define KINDRED_HAS_F16C 1
#else
#define KINDRED_HAS_F16C 0
#endif

#if KINDRED_HAS_SSE2 && defined(__AVX2__) && defined(__FMA__)
#define KINDRED_HAS_AVX2_FMA 1
#else
#define KINDRED_HAS_AVX2_FMA 0
#endif

/// Packs of floats and doubles, from Skylake-SP and Zen 4 on.
#if KINDRED_HAS_SSE2 && defined(__AVX512F__) && defined(__AVX512VL__) && defined(__AVX512BW__) && \
    defined(__AVX512DQ__)
#define KINDRED_HAS_AVX512_FLOATS 1
#else
#define KINDRED_HAS_AVX512_FLOATS 0
#endif

namespace Kindred::Arch {

/// The same for shapes of kernels, which must not differ between the passes of nvcc.
#if KINDRED_ENABLE_SPECIALIZED && defined(__AVX512F__) && defined(__AVX512VL__)
inline constexpr bool host_has_wide_registers = true;
#else
inline constexpr bool host_has_wide_registers = false;
#endif

}  // namespace Kindred::Arch

/// Lookups in tables of bytes, from Ice Lake and Zen 4 on.
#if KINDRED_HAS_AVX512_FLOATS && defined(__AVX512VBMI__) && defined(__AVX512BITALG__) && \
    defined(__GFNI__)
#define KINDRED_HAS_AVX512 1
#else
#define KINDRED_HAS_AVX512 0
#endif

/// Products of bytes.
#if KINDRED_HAS_AVX512_FLOATS && defined(__AVX512VNNI__)
#define KINDRED_HAS_AVX512_VNNI 1
#else
#define KINDRED_HAS_AVX512_VNNI 0
#endif

/// Conversions to bfloat16.
#if KINDRED_HAS_AVX512_FLOATS && defined(__AVX512BF16__)
#define KINDRED_HAS_AVX512_BF16 1
#else
#define KINDRED_HAS_AVX512_BF16 0
#endif

#endif  // KINDRED_CORE_ARCH_SIMD_INSTRUCTION_SETS_HPP
