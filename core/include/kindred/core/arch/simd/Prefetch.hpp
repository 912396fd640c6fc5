// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_SIMD_PREFETCH_HPP
#define KINDRED_CORE_ARCH_SIMD_PREFETCH_HPP

#include <cstddef>

namespace Kindred::Arch {

/// Host: prefetches the cache line of \p data for reading.
inline void prefetch([[maybe_unused]] const void* data) {
#if defined(__GNUC__)
  __builtin_prefetch(data);
#endif
}
/// Host: prefetches the cache lines of the \p bytes from \p data on for reading.
inline void prefetch_bytes(const void* data, std::size_t bytes) {
  const char* const begin = static_cast<const char*>(data);
  for (std::size_t i = 0; i < bytes; i += 64) prefetch(begin + i);
}
/// Host: prefetches the cache line of \p data for writing.
inline void prefetch_to_write([[maybe_unused]] const void* data) {
#if defined(__GNUC__)
  __builtin_prefetch(data, 1);
#endif
}

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_SIMD_PREFETCH_HPP
