// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_COMMON_ARRAY_VIEW_HPP
#define KINDRED_CORE_COMMON_ARRAY_VIEW_HPP

#include <Kokkos_Core.hpp>

namespace Kindred {

/// A contiguous array in the memory of \p ExecutionSpace that the kernel does not own: the argument
/// type of kernels.
template <class T, class ExecutionSpace>
using ArrayView = Kokkos::View<T*, typename ExecutionSpace::memory_space,
                               Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

}  // namespace Kindred

#endif  // KINDRED_CORE_COMMON_ARRAY_VIEW_HPP
