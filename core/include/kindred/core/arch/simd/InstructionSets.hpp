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

/// With conversions of binary16, which a processor with AVX2 and FMA has.
#if KINDRED_HAS_SSE2 && defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
#define KINDRED_HAS_AVX2_FMA 1
#else
#define KINDRED_HAS_AVX2_FMA 0
#endif

/// Packs of floats and doubles, from Skylake-SP and Zen 4 on.
#if KINDRED_HAS_AVX2_FMA && defined(__AVX512F__) && defined(__AVX512VL__) && \
    defined(__AVX512BW__) && defined(__AVX512DQ__)
#define KINDRED_HAS_AVX512_FLOATS 1
#else
#define KINDRED_HAS_AVX512_FLOATS 0
#endif

/// Registers of 16 bytes: every 64-bit ARM processor.
#if KINDRED_ENABLE_SPECIALIZED && !defined(__CUDA_ARCH__) && defined(__aarch64__) && \
    defined(__ARM_NEON)
#include <arm_neon.h>
#define KINDRED_HAS_NEON 1
#else
#define KINDRED_HAS_NEON 0
#endif

/// Products of bytes, from Neoverse N1 on (Graviton 2, Ampere Altra, Grace).
#if KINDRED_HAS_NEON && defined(__ARM_FEATURE_DOTPROD)
#define KINDRED_HAS_NEON_DOT 1
#else
#define KINDRED_HAS_NEON_DOT 0
#endif

namespace Kindred::Arch {

/// The level of x86-64 that this code is compiled for; 0 for another architecture.
#if !defined(__x86_64__)
inline constexpr int compiled_level = 0;
#elif KINDRED_HAS_AVX512_FLOATS
inline constexpr int compiled_level = 4;
#elif KINDRED_HAS_AVX2_FMA
inline constexpr int compiled_level = 3;
#elif defined(__SSE4_2__) && defined(__POPCNT__)
inline constexpr int compiled_level = 2;
#else
inline constexpr int compiled_level = 1;
#endif

/// The same for shapes of kernels, which must not differ between the passes of nvcc.
#if KINDRED_ENABLE_SPECIALIZED && defined(__AVX512F__) && defined(__AVX512VL__)
inline constexpr bool host_has_64_byte_registers = true;
#else
inline constexpr bool host_has_64_byte_registers = false;
#endif

}  // namespace Kindred::Arch

/// What some processors of level x86-64-v4 add, \see HostExtensions.hpp: 2, the compiler may use it
/// everywhere; 1, in functions with the attribute, which are called after a check; 0, nowhere. What
/// corresponds to it on aarch64 is never checked.
#if KINDRED_HAS_NEON
#define KINDRED_USE_BYTE_LOOKUPS 2
#elif !KINDRED_HAS_AVX512_FLOATS
#define KINDRED_USE_BYTE_LOOKUPS 0
#elif defined(__AVX512VBMI__) && defined(__AVX512BITALG__) && defined(__GFNI__)
#define KINDRED_USE_BYTE_LOOKUPS 2
#else
#define KINDRED_USE_BYTE_LOOKUPS 1
#endif

#if KINDRED_HAS_NEON_DOT
#define KINDRED_USE_BYTE_PRODUCTS 2
#elif !KINDRED_HAS_AVX512_FLOATS
#define KINDRED_USE_BYTE_PRODUCTS 0
#elif defined(__AVX512VNNI__)
#define KINDRED_USE_BYTE_PRODUCTS 2
#else
#define KINDRED_USE_BYTE_PRODUCTS 1
#endif

#if !KINDRED_HAS_AVX512_FLOATS
#define KINDRED_USE_BFLOAT16 0
#elif defined(__AVX512BF16__)
#define KINDRED_USE_BFLOAT16 2
#else
#define KINDRED_USE_BFLOAT16 1
#endif

/// Attributes of functions that use an extension, and of those into which everything that they call
/// is inlined. An inlined function may use fewer instructions than its caller, never more.
#if KINDRED_USE_BYTE_LOOKUPS == 1
#define KINDRED_USES_BYTE_LOOKUPS [[gnu::target("avx512vbmi,avx512bitalg,gfni")]]
#define KINDRED_WITH_BYTE_LOOKUPS [[gnu::target("avx512vbmi,avx512bitalg,gfni"), gnu::flatten]]
#else
#define KINDRED_USES_BYTE_LOOKUPS
#define KINDRED_WITH_BYTE_LOOKUPS
#endif

#if KINDRED_USE_BYTE_PRODUCTS == 1
#define KINDRED_USES_BYTE_PRODUCTS [[gnu::target("avx512vnni")]]
#define KINDRED_WITH_BYTE_PRODUCTS [[gnu::target("avx512vnni"), gnu::flatten]]
#else
#define KINDRED_USES_BYTE_PRODUCTS
#define KINDRED_WITH_BYTE_PRODUCTS
#endif

#if KINDRED_USE_BFLOAT16 == 1
#define KINDRED_USES_BFLOAT16 [[gnu::target("avx512bf16")]]
#define KINDRED_WITH_BFLOAT16 [[gnu::target("avx512bf16"), gnu::flatten]]
#else
#define KINDRED_USES_BFLOAT16
#define KINDRED_WITH_BFLOAT16
#endif

/// For operations on registers, and lambdas within them, which GCC would otherwise call in the hot
/// loops of large kernels: the call passes the registers through memory.
#define KINDRED_ALWAYS_INLINE __attribute__((always_inline))
/// On a host, what the function calls is inlined into it, and the function nowhere: in a large
/// translation unit the compiler does not inline all operations of lanes by itself, and each one
/// would pass its packs through memory.
#if defined(__CUDA_ARCH__)
#define KINDRED_FLATTEN
#else
#define KINDRED_FLATTEN __attribute__((noinline, flatten))
#endif

/// What a loop calls at its end, where its registers would otherwise not suffice for the loop.
#if defined(__CUDA_ARCH__)
#define KINDRED_NOINLINE_ON_HOST
#else
#define KINDRED_NOINLINE_ON_HOST __attribute__((noinline))
#endif

/// For hot loops that a function with such attributes calls through a lambda: Clang flattens one
/// level of calls, GCC all, and GCC would assign registers worse if it had to inline earlier.
#if defined(__clang__)
#define KINDRED_FLATTENED [[gnu::always_inline]]
#else
#define KINDRED_FLATTENED
#endif

#endif  // KINDRED_CORE_ARCH_SIMD_INSTRUCTION_SETS_HPP
