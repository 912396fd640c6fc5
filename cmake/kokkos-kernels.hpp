// SPDX-License-Identifier: Apache-2.0
// Kokkos Kernels 4.4 uses a header and a function that Kokkos 4.7 has only with
// KOKKOS_ENABLE_DEPRECATED_CODE_4. This header is force-included where Kokkos Kernels is used. It
// provides both, so that the rest of Kokkos is as it was compiled.
#ifndef KINDRED_KOKKOS_KERNELS_HPP
#define KINDRED_KOKKOS_KERNELS_HPP

#include <Kokkos_Core.hpp>

#include <type_traits>

#if !defined(KOKKOS_ENABLE_DEPRECATED_CODE_4) && KOKKOS_VERSION >= 40700
#define KOKKOS_IMPL_DO_NOT_WARN_INCLUDE_STATIC_CRS_GRAPH
#define KOKKOS_ENABLE_DEPRECATED_CODE_4
#include <Kokkos_StaticCrsGraph.hpp>
#undef KOKKOS_ENABLE_DEPRECATED_CODE_4

namespace Kokkos {

template <class T>
KOKKOS_INLINE_FUNCTION void atomic_assign(T* to, const std::type_identity_t<T>& value) {
  atomic_store(to, value);
}

}  // namespace Kokkos
#endif

#endif  // KINDRED_KOKKOS_KERNELS_HPP
