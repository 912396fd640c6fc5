// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_SIMD_PREFETCH_HPP
#define KINDRED_CORE_ARCH_SIMD_PREFETCH_HPP

namespace Kindred::Arch {

/// Host: prefetches the cache line of \p data for reading.
inline void prefetch([[maybe_unused]] const void* data) {
#if defined(__GNUC__)
  __builtin_prefetch(data);
#endif
}
/// Host: prefetches the cache line of \p data for writing.
inline void prefetch_to_write([[maybe_unused]] const void* data) {
#if defined(__GNUC__)
  __builtin_prefetch(data, 1);
#endif
}

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_SIMD_PREFETCH_HPP
