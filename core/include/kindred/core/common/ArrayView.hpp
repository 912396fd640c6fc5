// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_COMMON_ARRAY_VIEW_HPP
#define KINDRED_CORE_COMMON_ARRAY_VIEW_HPP

#include <Kokkos_Core.hpp>

namespace Kindred {

/// A flat array in the memory of \p ExecutionSpace, owned by someone else: what kernels take.
template <class T, class ExecutionSpace>
using ArrayView = Kokkos::View<T*, typename ExecutionSpace::memory_space,
                               Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

}  // namespace Kindred

#endif  // KINDRED_CORE_COMMON_ARRAY_VIEW_HPP
