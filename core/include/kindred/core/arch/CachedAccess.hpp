// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_CACHED_ACCESS_HPP
#define KINDRED_CORE_ARCH_CACHED_ACCESS_HPP

#include <kindred/core/arch/Specialized.hpp>
#include <kindred/core/arch/Unroll.hpp>

#include <Kokkos_Macros.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

/// Reads and writes with a statement about caches. Without device instructions they are plain
/// accesses.
namespace Kindred::Arch {

/// Adjacent values that are read or written together.
template <class T, int Count>
struct alignas(Count * sizeof(T) < 16 ? Count * sizeof(T) : 16) Adjacent {
  T value[Count];
};
/// The \p Count values from \p from on, which is aligned as they are together.
template <int Count, class T>
KOKKOS_INLINE_FUNCTION Adjacent<T, Count> load_adjacent(const T* from) {
  return *reinterpret_cast<const Adjacent<T, Count>*>(from);
}

namespace Impl {

#if defined(__CUDACC__)
/// The largest word of which values of \p Bytes bytes consist.
template <std::size_t Bytes>
using cached_word = std::conditional_t<
    Bytes % 16 == 0, uint4,
    std::conditional_t<Bytes % 8 == 0, unsigned long long,
                       std::conditional_t<Bytes % 4 == 0, unsigned int, unsigned char>>>;
#endif

enum class CacheUse { streaming, shared, read_only };

template <CacheUse use, class T>
KOKKOS_INLINE_FUNCTION T load_cached(const T* from) {
#if KINDRED_HAS_DEVICE_INSTRUCTIONS
  using word = cached_word<sizeof(T)>;
  word words[sizeof(T) / sizeof(word)];
  const auto* in = reinterpret_cast<const word*>(from);
  KINDRED_UNROLL
  for (std::size_t i = 0; i < sizeof(T) / sizeof(word); ++i) {
    if constexpr (use == CacheUse::streaming)
      words[i] = __ldcs(in + i);
    else if constexpr (use == CacheUse::shared)
      words[i] = __ldcg(in + i);
    else
      words[i] = __ldg(in + i);
  }
  T value{};
  memcpy(&value, words, sizeof(T));
  return value;
#else
  return *from;
#endif
}

}  // namespace Impl

/// Loads a value that will not be used again soon (evict-first). Aligned to its size, at most 16.
template <class T>
KOKKOS_INLINE_FUNCTION T load_streaming(const T* from) {
  return Impl::load_cached<Impl::CacheUse::streaming>(from);
}
/// Loads a value that other thread blocks may have written: from L2, since an SM's L1 cache does
/// not see their writes. The plain form relies on the fences of the barriers around it.
template <class T>
KOKKOS_INLINE_FUNCTION T load_shared(const T* from) {
  return Impl::load_cached<Impl::CacheUse::shared>(from);
}
/// Loads a value that nothing writes during the kernel.
template <class T>
KOKKOS_INLINE_FUNCTION T load_read_only(const T* from) {
  return Impl::load_cached<Impl::CacheUse::read_only>(from);
}
/// Stores a value that will not be used again soon (evict-first).
template <class T>
KOKKOS_INLINE_FUNCTION void store_streaming(T* to, const T& value) {
#if KINDRED_HAS_DEVICE_INSTRUCTIONS
  using word = Impl::cached_word<sizeof(T)>;
  word words[sizeof(T) / sizeof(word)];
  memcpy(words, &value, sizeof(T));
  KINDRED_UNROLL
  for (std::size_t i = 0; i < sizeof(T) / sizeof(word); ++i)
    __stcs(reinterpret_cast<word*>(to) + i, words[i]);
#else
  *to = value;
#endif
}

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_CACHED_ACCESS_HPP
