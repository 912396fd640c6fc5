// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_STREAM_STORE_HPP
#define KINDRED_CORE_ARCH_STREAM_STORE_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>

#if !defined(__CUDA_ARCH__) && (defined(__SSE2__) || defined(__AVX512F__))
#include <immintrin.h>
#endif

namespace Kindred::Arch {

/// \brief memcpy of the host past its caches where it can: a line that is written whole need not be
/// read before. Before others read it the thread calls `end_streams`.
inline void stream_bytes(void* to, const void* from, std::size_t count) {
  auto* out = static_cast<std::byte*>(to);
  const auto* in = static_cast<const std::byte*>(from);
#if !defined(__CUDA_ARCH__) && defined(__SSE2__)
  constexpr std::size_t line = 64;
  const std::size_t head = (line - reinterpret_cast<std::uintptr_t>(out) % line) % line;
  if (count >= head + line) {
    std::memcpy(out, in, head);
    std::size_t i = head;
    for (; i + line <= count; i += line) {
#if defined(__AVX512F__)
      _mm512_stream_si512(reinterpret_cast<__m512i*>(out + i), _mm512_loadu_si512(in + i));
#else
      for (std::size_t part = 0; part < line; part += 16)
        _mm_stream_si128(reinterpret_cast<__m128i*>(out + i + part),
                         _mm_loadu_si128(reinterpret_cast<const __m128i*>(in + i + part)));
#endif
    }
    out += i;
    in += i;
    count -= i;
  }
#endif
  std::memcpy(out, in, count);
}
inline void end_streams() {
#if !defined(__CUDA_ARCH__) && defined(__SSE2__)
  _mm_sfence();
#endif
}

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_STREAM_STORE_HPP
