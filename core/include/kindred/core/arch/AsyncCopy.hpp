// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_ASYNC_COPY_HPP
#define KINDRED_CORE_ARCH_ASYNC_COPY_HPP

#include <kindred/core/arch/Specialized.hpp>

#include <Kokkos_Macros.hpp>

#include <cstring>

#if defined(__CUDACC__)
#include <cuda_pipeline.h>
#endif

namespace Kindred::Arch {

/// \brief Copies a T of 4, 8 or 16 bytes to a team's scratch, asynchronously on a device and
/// synchronously on the host.
template <class T>
KOKKOS_INLINE_FUNCTION void copy_async(T* to, const void* from) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16);
#if KINDRED_HAS_DEVICE_INSTRUCTIONS
  __pipeline_memcpy_async(to, from, sizeof(T));
#else
  memcpy(to, from, sizeof(T));
#endif
}
/// Makes a batch of the copies that this thread has started since the last call.
KOKKOS_INLINE_FUNCTION void end_copy_batch() {
#if KINDRED_HAS_DEVICE_INSTRUCTIONS
  __pipeline_commit();
#endif
}
/// Waits until all but the last \p later batches of this thread have completed; other threads' are
/// not covered.
template <unsigned later>
KOKKOS_INLINE_FUNCTION void await_copies() {
#if KINDRED_HAS_DEVICE_INSTRUCTIONS
  __pipeline_wait_prior(later);
#endif
}

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_ASYNC_COPY_HPP
