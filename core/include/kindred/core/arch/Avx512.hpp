// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_AVX512_HPP
#define KINDRED_CORE_ARCH_AVX512_HPP

// Byte shuffles of whole registers are what the host's sequence kernels live on: Ice Lake, Zen 4
// and later. The device pass of nvcc reads host code too, and knows no vector types.
#if !defined(__CUDA_ARCH__) && defined(__AVX512F__) && defined(__AVX512BW__) &&  \
    defined(__AVX512DQ__) && defined(__AVX512VL__) && defined(__AVX512VBMI__) && \
    defined(__AVX512BITALG__) && defined(__GFNI__)
// GCC 12 takes the undefined operands of its own intrinsics for uninitialised variables.
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
