// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_SPECIALIZED_HPP
#define KINDRED_CORE_ARCH_SPECIALIZED_HPP

/// \file
/// Whether forms for instruction sets and device features are compiled:
/// `Kindred_ENABLE_SPECIALIZED`. Every such form has a twin in plain C++ and Kokkos with the same
/// results.

#if !defined(KINDRED_ENABLE_SPECIALIZED)
#define KINDRED_ENABLE_SPECIALIZED 1
#endif

/// Device code that may use intrinsics, inline assembly and the features of an architecture.
#if KINDRED_ENABLE_SPECIALIZED && defined(__CUDA_ARCH__)
#define KINDRED_HAS_DEVICE_INSTRUCTIONS 1
#else
#define KINDRED_HAS_DEVICE_INSTRUCTIONS 0
#endif

/// Clusters, dependent launches and copies by hardware units, from architecture 90 on.
#if KINDRED_HAS_DEVICE_INSTRUCTIONS && __CUDA_ARCH__ >= 900
#define KINDRED_HAS_CLUSTERS 1
#else
#define KINDRED_HAS_CLUSTERS 0
#endif

#endif  // KINDRED_CORE_ARCH_SPECIALIZED_HPP
