// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_SIMD_CACHE_LINES_HPP
#define KINDRED_CORE_ARCH_SIMD_CACHE_LINES_HPP

#include <kindred/core/arch/simd/FloatPack16.hpp>
#include <kindred/core/arch/simd/HostExtensions.hpp>
#include <kindred/core/arch/simd/StreamStore.hpp>

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

/// \brief Operations on 64-byte cache lines, in addition to those on packs of sixteen.
/// \tparam Bytes \see SimdPack
template <unsigned Bytes>
struct CacheLines : FloatPack16<Bytes> {
  using typename FloatPack16<Bytes>::Floats;
  using FloatPack16<Bytes>::bits_at;
  /// The bits of stored elements.
  template <class Element>
  using Line = SimdPack<element_bits<Element>, line_elements<Element>, Bytes>;

  /// Calls \p function, compiled for the operations.
  template <class Function>
  static auto call(const Function& function) {
    return function();
  }

  template <class Element>
  static Line<Element> load_line(const Element* from) {
    return Line<Element>::load(bits_at(from));
  }
  /// Loads the elements `begin … end − 1` and zeros for the others, which are not accessed.
  template <class Element>
  static Line<Element> load_line(const Element* from, unsigned begin, unsigned end) {
    return Line<Element>::load_between(bits_at(from), begin, end);
  }
  template <class Element>
  static void store_line(Element* to, const Line<Element>& line) {
    line.store(bits_at(to));
  }
  template <class Element>
  static void store_line(Element* to, const Line<Element>& line, unsigned begin, unsigned end) {
    line.store_between(bits_at(to), begin, end);
  }
  /// Stores past the caches. \param to aligned to 64 bytes
  template <class Element>
  static void stream_line(Element* to, const Line<Element>& line) {
    Arch::stream_line(to, &line);
  }
  static void end_streams() { Arch::end_streams(); }
  /// Pack \p pack of the line, widened.
  template <class Element>
  static Floats widen_line(const Line<Element>& line, unsigned pack) {
    constexpr unsigned last = line_elements<Element> - 16;
    return FloatPack16<Bytes>::template widen<Element>(pack == 0 ? line.template piece<0, 16>()
                                                                 : line.template piece<last, 16>());
  }
  /// `round_canonical` of all packs of a line.
  template <class Element>
  static Line<Element> round_line(const Floats* packs) {
    using Pack16 = FloatPack16<Bytes>;
    if constexpr (sizeof(Element) == 4)
      return Pack16::template round<Element>(packs[0]);
    else
      return Line<Element>::join(Pack16::template round<Element>(packs[0]),
                                 Pack16::template round<Element>(packs[1]));
  }
  template <class Element>
  static Line<Element> choose_line(std::uint32_t mask, const Line<Element>& a,
                                   const Line<Element>& b) {
    return FloatPack16<Bytes>::choose(mask, a, b);
  }

  /// The columns of `CacheLineExtremes`.
  template <class Element>
  struct Extremes {
    using Number = std::conditional_t<sizeof(Element) == 4, float, std::int16_t>;
    using Numbers = SimdPack<Number, line_elements<Element>, Bytes>;
    Line<Element> lowest;  ///< of 16-bit elements only
    Numbers most;
    Numbers least;
    Line<Element> dead;
  };
  template <class Element>
  static Extremes<Element> load_extremes(const CacheLineExtremes<Element>& from) {
    using Numbers = typename Extremes<Element>::Numbers;
    Line<Element> lowest = Line<Element>::all(0);
    if constexpr (sizeof(Element) == 2) lowest = Line<Element>::load(from.lowest);
    return {lowest, Numbers::load(from.most), Numbers::load(from.least),
            Line<Element>::load(from.dead)};
  }
  template <class Element>
  static void store_extremes(CacheLineExtremes<Element>& to, const Extremes<Element>& extremes) {
    if constexpr (sizeof(Element) == 2) extremes.lowest.store(to.lowest);
    extremes.most.store(to.most);
    extremes.least.store(to.least);
    extremes.dead.store(to.dead);
  }
  template <class Element>
  static void add_extremes(Extremes<Element>& to, const Line<Element>& line) {
    using Bits = Line<Element>;
    using Numbers = typename Extremes<Element>::Numbers;
    const auto value = line.template as<typename Extremes<Element>::Number>();
    const auto at_most = [twice = line + line](element_bits<Element> bits) {
      return twice <= Bits::all(static_cast<element_bits<Element>>(2 * bits));
    };
    if constexpr (sizeof(Element) == 4) {
      to.least = Numbers::select(value < to.least, value, to.least);
      to.most = Numbers::select(to.most < value, value, to.most);
    } else if constexpr (Bytes == 64) {
      add_numbers<Element>(to, line);
    } else {
      const auto numbers = at_most(infinity_bits<Element>);
      to.lowest = Bits::select(numbers, Bits::max(to.lowest, line), to.lowest);
      to.most = Numbers::select(numbers, Numbers::max(to.most, value), to.most);
      to.least = Numbers::select(numbers, Numbers::min(to.least, value), to.least);
    }
    to.dead = Bits::select(at_most(dead_max<Element>), to.dead + Bits::all(1), to.dead);
  }

 private:
  /// Adds to all but `dead` in one instruction each; GCC 12 would compare and choose instead.
  template <class Element>
  static void add_numbers([[maybe_unused]] Extremes<Element>& to,
                          [[maybe_unused]] const Line<Element>& line) {
#if KINDRED_HAS_AVX512_FLOATS
    const auto in_register = [](auto& pack) { return __builtin_bit_cast(__m512i, pack.part[0]); };
    const __m512i bits = in_register(line);
    const __mmask32 numbers = _mm512_cmple_epu16_mask(
        _mm512_add_epi16(bits, bits),
        _mm512_set1_epi16(static_cast<std::int16_t>(2 * infinity_bits<Element>)));
    const auto set = [](auto& pack, __m512i value) {
      pack.part[0] = __builtin_bit_cast(std::remove_reference_t<decltype(pack.part[0])>, value);
    };
    set(to.lowest,
        _mm512_mask_max_epu16(in_register(to.lowest), numbers, in_register(to.lowest), bits));
    set(to.most, _mm512_mask_max_epi16(in_register(to.most), numbers, in_register(to.most), bits));
    set(to.least,
        _mm512_mask_min_epi16(in_register(to.least), numbers, in_register(to.least), bits));
#endif
  }
};
using ScalarCacheLines = CacheLines<0>;
using HostCacheLines = CacheLines<pack16_register_bytes>;

#if KINDRED_HAS_AVX512_FLOATS
/// The same, if the processor has `Bfloat16Rounding`.
struct Bfloat16CacheLines : HostCacheLines {
  template <class Function>
  static auto call(const Function& function) {
    return Bfloat16Rounding::call(function);
  }
  template <class Element>
  KINDRED_USES_BFLOAT16 static Line<Element> round_line(const Floats* packs) {
    if constexpr (std::is_same_v<Element, BFloat16>) {
      // The instruction treats denormals as zeros and keeps the payload of a NaN.
      constexpr int nan_or_denormal = 0x01 | 0x80 | 0x20;
      if (_kortestz_mask16_u8(_mm512_fpclass_ps_mask(packs[0].part[0], nan_or_denormal),
                              _mm512_fpclass_ps_mask(packs[1].part[0], nan_or_denormal)) != 0)
          [[likely]] {
        const __m512bh both = _mm512_cvtne2ps_pbh(packs[1].part[0], packs[0].part[0]);
        Line<Element> out;
        std::memcpy(&out, &both, sizeof(out));
        return out;
      }
    }
    return HostCacheLines::round_line<Element>(packs);
  }
};
#else
using Bfloat16CacheLines = HostCacheLines;
#endif

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_SIMD_CACHE_LINES_HPP
