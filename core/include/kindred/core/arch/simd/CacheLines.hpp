// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_SIMD_CACHE_LINES_HPP
#define KINDRED_CORE_ARCH_SIMD_CACHE_LINES_HPP

#include <kindred/core/arch/simd/FloatPack16.hpp>
#include <kindred/core/arch/simd/HostExtensions.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace Kindred::Arch {

/// Elements per 64-byte cache line.
template <class Element>
inline constexpr unsigned line_elements = 64 / sizeof(Element);

/// \brief Extremes of cache lines of 16-bit elements, column by column; NaN is ignored. As signed
/// integers, the bits of non-negative elements increase with the value; those of negative elements
/// decrease with it, and as unsigned integers they are greater than all non-negative ones.
template <class Element>
struct alignas(64) CacheLineExtremes {
  static constexpr unsigned rows_max = 0xFFFF;

  std::uint16_t lowest[32];  ///< maximum as unsigned
  std::int16_t most[32];     ///< maximum as signed
  std::int16_t least[32];    ///< minimum as signed
  std::uint16_t dead[32];

  void clear() {
    std::fill_n(lowest, 32, std::uint16_t{0});
    std::fill_n(most, 32, std::numeric_limits<std::int16_t>::min());
    std::fill_n(least, 32, std::numeric_limits<std::int16_t>::max());
    std::fill_n(dead, 32, std::uint16_t{0});
  }
  float min(unsigned i) const {
    if (least[i] == std::numeric_limits<std::int16_t>::max()) return HUGE_VALF;  // no element
    return number(lowest[i] >= 0x8000U ? lowest[i] : static_cast<std::uint16_t>(least[i]));
  }
  float max(unsigned i) const {
    if (least[i] == std::numeric_limits<std::int16_t>::max()) return -HUGE_VALF;
    return number(static_cast<std::uint16_t>(most[i] >= 0 ? most[i] : least[i]));
  }

 private:
  static float number(std::uint16_t bits) { return to_float(Element{bits}); }
};

template <>
struct alignas(64) CacheLineExtremes<float> {
  static constexpr unsigned rows_max = 0xFFFFFFFFU;

  float least[16];
  float most[16];
  std::uint32_t dead[16];

  void clear() {
    std::fill_n(least, 16, HUGE_VALF);
    std::fill_n(most, 16, -HUGE_VALF);
    std::fill_n(dead, 16, 0U);
  }
  float min(unsigned i) const { return least[i]; }
  float max(unsigned i) const { return most[i]; }
};

/// \brief Whether \p count elements of y with \p size bytes each are written past the caches: if
/// they are too many to stay in them and are not written in place over x.
inline bool streams_past_caches(const void* x, const void* y, std::uint64_t count,
                                std::size_t size) {
  constexpr std::uint64_t large = 16ULL << 20U;
  return count * size >= large && x != y;
}
/// Number of elements between the beginning of the cache line that contains \p data and \p data.
template <class Element>
unsigned behind_line(const Element* data) {
  return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(data) % 64 / sizeof(Element));
}

/// The bit pattern of infinity.
template <class Element>
inline constexpr element_bits<Element> infinity_bits =
    std::is_same_v<Element, float> ? 0x7F800000U
                                   : (std::is_same_v<Element, Float16> ? 0x7C00U : 0x7F80U);

/// \brief Operations on 64-byte cache lines, in addition to those on packs of sixteen, as plain
/// loops: the portable form, to which the vector form is bit-identical.
struct ScalarCacheLines : ScalarFloatPack16 {
  /// Calls \p function, compiled for the operations.
  template <class Function>
  static auto call(const Function& function) {
    return function();
  }

  template <class Element>
  struct Line {
    Element value[line_elements<Element>];
  };
  template <class Element>
  using Extremes = CacheLineExtremes<Element>;

  template <class Element>
  static Line<Element> load_line(const Element* from) {
    return load_line(from, 0, line_elements<Element>);
  }
  /// Loads the elements `begin … end − 1` and zeros for the others, which are not accessed.
  template <class Element>
  static Line<Element> load_line(const Element* from, unsigned begin, unsigned end) {
    Line<Element> out{};
    std::memcpy(out.value + begin, from + begin, (end - begin) * sizeof(Element));
    return out;
  }
  template <class Element>
  static void store_line(Element* to, const Line<Element>& line) {
    store_line(to, line, 0, line_elements<Element>);
  }
  template <class Element>
  static void store_line(Element* to, const Line<Element>& line, unsigned begin, unsigned end) {
    std::memcpy(to + begin, line.value + begin, (end - begin) * sizeof(Element));
  }
  /// Stores past the caches. \param to aligned to 64 bytes
  template <class Element>
  static void stream_line(Element* to, const Line<Element>& line) {
    store_line(to, line);
  }
  static void end_streams() {}
  /// Pack \p pack of the line, widened.
  template <class Element>
  static Floats widen_line(const Line<Element>& line, unsigned pack) {
    Floats out;
    for (unsigned i = 0; i < 16; ++i) out.value[i] = to_float(line.value[16 * pack + i]);
    return out;
  }
  /// `round_canonical` of all packs of a line.
  template <class Element>
  static Line<Element> round_line(const Floats* packs) {
    Line<Element> out;
    for (unsigned i = 0; i < line_elements<Element>; ++i)
      out.value[i] = round_canonical<Element>(packs[i / 16].value[i % 16]);
    return out;
  }
  template <class Element>
  static Line<Element> choose_line(std::uint32_t mask, const Line<Element>& a,
                                   const Line<Element>& b) {
    Line<Element> out;
    for (unsigned i = 0; i < line_elements<Element>; ++i)
      out.value[i] = select_bits((mask >> i & 1U) != 0, a.value[i], b.value[i]);
    return out;
  }
  template <class Element>
  static Extremes<Element> load_extremes(const CacheLineExtremes<Element>& from) {
    return from;
  }
  template <class Element>
  static void store_extremes(CacheLineExtremes<Element>& to, const Extremes<Element>& extremes) {
    to = extremes;
  }
  template <class Element>
  static void add_extremes(Extremes<Element>& to, const Line<Element>& line) {
    constexpr element_bits<Element> most_dead = dead_max<Element>;
    for (unsigned i = 0; i < line_elements<Element>; ++i) {
      const element_bits<Element> bits = bits_of(line.value[i]);
      constexpr element_bits<Element> sign = sizeof(Element) == 4 ? 0x80000000U : 0x8000U;
      const auto magnitude = static_cast<element_bits<Element>>(bits & ~sign);
      if (magnitude > infinity_bits<Element>) continue;
      if (magnitude <= most_dead) ++to.dead[i];
      if constexpr (std::is_same_v<Element, float>) {
        to.least[i] = line.value[i] < to.least[i] ? line.value[i] : to.least[i];
        to.most[i] = line.value[i] > to.most[i] ? line.value[i] : to.most[i];
      } else {
        const auto number = static_cast<std::int16_t>(bits);
        to.lowest[i] = std::max(to.lowest[i], bits);
        to.most[i] = std::max(to.most[i], number);
        to.least[i] = std::min(to.least[i], number);
      }
    }
  }
};

#if KINDRED_HAS_AVX512_FLOATS
/// The same in vector registers.
struct SimdCacheLines : SimdFloatPack16 {
  template <class Function>
  static auto call(const Function& function) {
    return function();
  }
  template <class Element>
  struct Line {
    __m512i value;
  };
  template <class Element>
  struct Extremes {
    __m512i lowest;
    __m512i most;
    __m512i least;
    __m512i dead;
  };

  template <class Element>
  static Line<Element> load_line(const Element* from) {
    return {_mm512_loadu_si512(from)};
  }
  template <class Element>
  static Line<Element> load_line(const Element* from, unsigned begin, unsigned end) {
    if constexpr (sizeof(Element) == 4)
      return {_mm512_maskz_loadu_epi32(between<__mmask16>(begin, end), from)};
    else
      return {_mm512_maskz_loadu_epi16(between<__mmask32>(begin, end), from)};
  }
  template <class Element>
  static void store_line(Element* to, const Line<Element>& line) {
    _mm512_storeu_si512(to, line.value);
  }
  template <class Element>
  static void store_line(Element* to, const Line<Element>& line, unsigned begin, unsigned end) {
    if constexpr (sizeof(Element) == 4)
      _mm512_mask_storeu_epi32(to, between<__mmask16>(begin, end), line.value);
    else
      _mm512_mask_storeu_epi16(to, between<__mmask32>(begin, end), line.value);
  }
  template <class Element>
  static void stream_line(Element* to, const Line<Element>& line) {
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to), line.value);
  }
  static void end_streams() { _mm_sfence(); }
  template <class Element>
  static Floats widen_line(const Line<Element>& line, unsigned pack) {
    if constexpr (sizeof(Element) == 4) {
      return _mm512_castsi512_ps(line.value);
    } else {
      return widen(Raw<Element>{pack == 0 ? _mm512_maskz_extracti64x4_epi64(eight, line.value, 0)
                                          : _mm512_maskz_extracti64x4_epi64(eight, line.value, 1)});
    }
  }
  template <class Element>
  static Line<Element> round_line(const Floats* packs) {
    if constexpr (sizeof(Element) == 4) {
      return {round<Element>(packs[0]).value};
    } else {
      const __m512i low = _mm512_maskz_inserti64x4(eight, _mm512_setzero_si512(),
                                                   round<Element>(packs[0]).value, 0);
      return {_mm512_maskz_inserti64x4(eight, low, round<Element>(packs[1]).value, 1)};
    }
  }
  template <class Element>
  static Line<Element> choose_line(std::uint32_t mask, const Line<Element>& a,
                                   const Line<Element>& b) {
    if constexpr (sizeof(Element) == 4)
      return {_mm512_mask_blend_epi32(static_cast<__mmask16>(mask), b.value, a.value)};
    else
      return {_mm512_mask_blend_epi16(mask, b.value, a.value)};
  }
  template <class Element>
  static Extremes<Element> load_extremes(const CacheLineExtremes<Element>& from) {
    if constexpr (sizeof(Element) == 4)
      return {_mm512_setzero_si512(), _mm512_load_si512(from.most), _mm512_load_si512(from.least),
              _mm512_load_si512(from.dead)};
    else
      return {_mm512_load_si512(from.lowest), _mm512_load_si512(from.most),
              _mm512_load_si512(from.least), _mm512_load_si512(from.dead)};
  }
  template <class Element>
  static void store_extremes(CacheLineExtremes<Element>& to, const Extremes<Element>& extremes) {
    if constexpr (sizeof(Element) == 2) _mm512_store_si512(to.lowest, extremes.lowest);
    _mm512_store_si512(to.most, extremes.most);
    _mm512_store_si512(to.least, extremes.least);
    _mm512_store_si512(to.dead, extremes.dead);
  }
  template <class Element>
  static void add_extremes(Extremes<Element>& to, const Line<Element>& line) {
    constexpr element_bits<Element> most_dead = dead_max<Element>;
    if constexpr (sizeof(Element) == 4) {
      // If one operand is NaN, a minimum returns the second operand.
      const __m512 value = _mm512_castsi512_ps(line.value);
      to.least =
          _mm512_castps_si512(_mm512_maskz_min_ps(sixteen, value, _mm512_castsi512_ps(to.least)));
      to.most =
          _mm512_castps_si512(_mm512_maskz_max_ps(sixteen, value, _mm512_castsi512_ps(to.most)));
      const __m512i twice = _mm512_add_epi32(line.value, line.value);
      const __mmask16 dead = _mm512_cmple_epu32_mask(twice, _mm512_set1_epi32(2 * most_dead));
      to.dead = _mm512_mask_sub_epi32(to.dead, dead, to.dead, _mm512_set1_epi32(-1));
    } else {
      const __m512i twice = _mm512_add_epi16(line.value, line.value);
      const __mmask32 numbers = _mm512_cmple_epu16_mask(
          twice, _mm512_set1_epi16(static_cast<std::int16_t>(2 * infinity_bits<Element>)));
      const __mmask32 dead = _mm512_cmple_epu16_mask(
          twice, _mm512_set1_epi16(static_cast<std::int16_t>(2 * most_dead)));
      to.lowest = _mm512_mask_max_epu16(to.lowest, numbers, to.lowest, line.value);
      to.most = _mm512_mask_max_epi16(to.most, numbers, to.most, line.value);
      to.least = _mm512_mask_min_epi16(to.least, numbers, to.least, line.value);
      to.dead = _mm512_mask_sub_epi16(to.dead, dead, to.dead, _mm512_set1_epi16(-1));
    }
  }

 private:
  template <class Mask>
  static Mask between(unsigned begin, unsigned end) {
    return static_cast<Mask>((std::uint64_t{1} << end) - (std::uint64_t{1} << begin));
  }
};

/// The same, if the processor has `Bfloat16Rounding`.
struct Bfloat16CacheLines : SimdCacheLines {
  template <class Function>
  static auto call(const Function& function) {
    return Bfloat16Rounding::call(function);
  }
  template <class Element>
  KINDRED_USES_BFLOAT16 static Line<Element> round_line(const Floats* packs) {
    if constexpr (std::is_same_v<Element, BFloat16>) {
      // The instruction treats denormals as zeros and keeps the payload of a NaN.
      constexpr int nan_or_denormal = 0x01 | 0x80 | 0x20;
      if (_kortestz_mask16_u8(_mm512_fpclass_ps_mask(packs[0], nan_or_denormal),
                              _mm512_fpclass_ps_mask(packs[1], nan_or_denormal)) != 0) [[likely]] {
        const __m512bh both = _mm512_cvtne2ps_pbh(packs[1], packs[0]);
        Line<Element> out;
        std::memcpy(&out, &both, sizeof(out));
        return out;
      }
    }
    return SimdCacheLines::round_line<Element>(packs);
  }
};
using HostCacheLines = SimdCacheLines;
#else
using HostCacheLines = ScalarCacheLines;
using Bfloat16CacheLines = ScalarCacheLines;
#endif

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_SIMD_CACHE_LINES_HPP
