// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_SIMD_STREAM_STORE_HPP
#define KINDRED_CORE_ARCH_SIMD_STREAM_STORE_HPP

#include <kindred/core/arch/simd/InstructionSets.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace Kindred::Arch {

/// Bytes of one non-temporal write on the host.
inline constexpr std::size_t stream_line_bytes = 64;

/// Bytes from \p to to the next cache line.
inline std::size_t bytes_to_line(const void* to) {
  return (stream_line_bytes - reinterpret_cast<std::uintptr_t>(to) % stream_line_bytes) %
         stream_line_bytes;
}

/// \brief Copies a cache line, past the caches where the host supports it: a line that is
/// overwritten completely need not be read first. The thread must call `end_streams` before others
/// read it.
/// \param to the beginning of a line
inline void stream_line(void* to, const void* from) {
#if KINDRED_HAS_AVX512_FLOATS
  _mm512_stream_si512(static_cast<__m512i*>(to), _mm512_loadu_si512(from));
#elif KINDRED_HAS_AVX2_FMA
  const auto* in = static_cast<const __m256i*>(from);
  auto* out = static_cast<__m256i*>(to);
  for (int part = 0; part < 2; ++part)
    _mm256_stream_si256(out + part, _mm256_loadu_si256(in + part));
#elif KINDRED_HAS_SSE2
  const auto* in = static_cast<const __m128i*>(from);
  auto* out = static_cast<__m128i*>(to);
  for (int part = 0; part < 4; ++part) _mm_stream_si128(out + part, _mm_loadu_si128(in + part));
#else
  std::memcpy(to, from, stream_line_bytes);
#endif
}

/// `memcpy` by means of `stream_line`.
inline void stream_bytes(void* to, const void* from, std::size_t count) {
  auto* out = static_cast<std::byte*>(to);
  const auto* in = static_cast<const std::byte*>(from);
  std::size_t i = std::min(bytes_to_line(out), count);
  std::memcpy(out, in, i);
  for (; i + stream_line_bytes <= count; i += stream_line_bytes) stream_line(out + i, in + i);
  std::memcpy(out + i, in + i, count - i);
}
inline void end_streams() {
#if KINDRED_HAS_SSE2
  _mm_sfence();
#endif
}

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_SIMD_STREAM_STORE_HPP
