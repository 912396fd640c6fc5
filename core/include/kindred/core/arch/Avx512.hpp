// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_AVX512_HPP
#define KINDRED_CORE_ARCH_AVX512_HPP

// The host's sequence kernels are built on byte shuffles of whole registers, which Ice Lake, Zen 4
// and later have. The device pass of nvcc parses host code too but does not support vector types.
#if !defined(__CUDA_ARCH__) && defined(__AVX512F__) && defined(__AVX512BW__) &&  \
    defined(__AVX512DQ__) && defined(__AVX512VL__) && defined(__AVX512VBMI__) && \
    defined(__AVX512BITALG__) && defined(__GFNI__)
// GCC 12 mistakes the undefined operands of its own intrinsics for uninitialised variables.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#include <immintrin.h>
#pragma GCC diagnostic pop
#define KINDRED_HAS_AVX512 1
#else
#define KINDRED_HAS_AVX512 0
#endif

#endif  // KINDRED_CORE_ARCH_AVX512_HPP
