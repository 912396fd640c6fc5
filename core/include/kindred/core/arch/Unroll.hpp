// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_UNROLL_HPP
#define KINDRED_CORE_ARCH_UNROLL_HPP

/// Marks a loop over registers to be unrolled. The host compiler behind nvcc gets neither form and
/// decides by itself.
#if defined(__CUDA_ARCH__)
#define KINDRED_UNROLL _Pragma("unroll")
#define KINDRED_UNROLL_4 _Pragma("unroll 4")
#define KINDRED_NO_UNROLL _Pragma("unroll 1")
#elif defined(__CUDACC__)
#define KINDRED_UNROLL
#define KINDRED_UNROLL_4
#define KINDRED_NO_UNROLL
#else
#define KINDRED_UNROLL _Pragma("GCC unroll 16")
#define KINDRED_UNROLL_4
#define KINDRED_NO_UNROLL
#endif

/// Marks a loop none of whose iterations reads what another one writes.
#if defined(__CUDA_ARCH__)
#define KINDRED_INDEPENDENT _Pragma("unroll 4")
#elif defined(__clang__)
#define KINDRED_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define KINDRED_INDEPENDENT _Pragma("GCC ivdep")
#endif

#endif  // KINDRED_CORE_ARCH_UNROLL_HPP
