// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_SIMD_SIMD_PACK_HPP
#define KINDRED_CORE_ARCH_SIMD_SIMD_PACK_HPP

#include <kindred/core/arch/ElementBits.hpp>
#include <kindred/core/arch/RoundedProduct.hpp>
#include <kindred/core/arch/simd/InstructionSets.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

namespace Kindred::Arch {

/// Bytes of a vector register for floats; 0: packs of floats are plain variables.
inline constexpr unsigned float_register_bytes =
    KINDRED_HAS_AVX512_FLOATS != 0
        ? 64
        : (KINDRED_HAS_AVX2_FMA != 0 ? 32 : (KINDRED_HAS_NEON != 0 ? 16 : 0));

/// A vector register of `Width` numbers, or one number.
template <class T, unsigned Width>
struct RegisterOf {
  // NOLINTNEXTLINE(modernize-use-using): with its attribute
  typedef T type __attribute__((vector_size(Width * sizeof(T))));
};
template <class T>
struct RegisterOf<T, 1> {
  using type = T;
};
template <class T, unsigned Width>
using register_of = typename RegisterOf<T, Width>::type;

/// The signed integer of \p Size bytes.
template <unsigned Size>
using signed_of = std::conditional_t<
    Size == 8, std::int64_t,
    std::conditional_t<Size == 4, std::int32_t,
                       std::conditional_t<Size == 2, std::int16_t, std::int8_t>>>;

/// Elements `First … First + Width − 1` of a vector register.
template <unsigned First, unsigned Width, class T, class Register>
KINDRED_ALWAYS_INLINE inline register_of<T, Width> slice(Register whole) {
  // GCC 12 would permute the whole register, which takes longer.
#if KINDRED_HAS_NEON
  if constexpr (First == Width && sizeof(whole) == 16 && Width > 1)
    return __builtin_bit_cast(register_of<T, Width>,
                              vget_high_f32(__builtin_bit_cast(float32x4_t, whole)));
#endif
#if KINDRED_HAS_AVX2_FMA
  if constexpr (First == Width && sizeof(whole) == 32 && Width > 1)
    return __builtin_bit_cast(register_of<T, Width>,
                              _mm256_extractf128_ps(__builtin_bit_cast(__m256, whole), 1));
#endif
#if KINDRED_HAS_AVX512_FLOATS
  if constexpr (First == Width && sizeof(whole) == 64)
    return __builtin_bit_cast(
        register_of<T, Width>,
        _mm512_maskz_extractf32x8_ps(0xFF, __builtin_bit_cast(__m512, whole), 1));
#endif
  return [&]<unsigned... I>(std::integer_sequence<unsigned, I...>) KINDRED_ALWAYS_INLINE {
    return register_of<T, Width>{whole[First + I]...};
  }
  (std::make_integer_sequence<unsigned, Width>());
}

/// The elements of two registers in one of twice their size.
template <class T, unsigned Width, class Half>
KINDRED_ALWAYS_INLINE inline register_of<T, Width> joined([[maybe_unused]] Half low,
                                                          [[maybe_unused]] Half high) {
#if KINDRED_HAS_AVX512_FLOATS
  if constexpr (sizeof(low) == 32)
    return __builtin_bit_cast(
        register_of<T, Width>,
        _mm512_maskz_inserti64x4(0xFF, _mm512_castsi256_si512(__builtin_bit_cast(__m256i, low)),
                                 __builtin_bit_cast(__m256i, high), 1));
#endif
#if KINDRED_HAS_AVX2_FMA
  if constexpr (sizeof(low) == 16)
    return __builtin_bit_cast(
        register_of<T, Width>,
        _mm256_set_m128i(__builtin_bit_cast(__m128i, high), __builtin_bit_cast(__m128i, low)));
#endif
#if KINDRED_HAS_NEON
  return __builtin_bit_cast(
      register_of<T, Width>,
      vcombine_u8(__builtin_bit_cast(uint8x8_t, low), __builtin_bit_cast(uint8x8_t, high)));
#endif
}

/// The pairwise tree reduction of a vector register.
template <unsigned Width, class T, class Register>
KINDRED_ALWAYS_INLINE inline T tree_sum(Register whole) {
  if constexpr (Width == 2) {
    return whole[0] + whole[1];
  } else {
    constexpr unsigned half = Width / 2;
    return tree_sum<half, T>(slice<0, half, T>(whole) + slice<half, half, T>(whole));
  }
}

/// a·b + c, rounded once.
inline float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }
#if KINDRED_HAS_AVX2_FMA
inline __m256 fused(__m256 a, __m256 b, __m256 c) { return _mm256_fmadd_ps(a, b, c); }
inline __m256d fused(__m256d a, __m256d b, __m256d c) { return _mm256_fmadd_pd(a, b, c); }
#endif
#if KINDRED_HAS_NEON
inline register_of<double, 2> fused(register_of<double, 2> a, register_of<double, 2> b,
                                    register_of<double, 2> c) {
  return vfmaq_f64(c, a, b);
}
#endif
#if KINDRED_HAS_AVX512_FLOATS
inline __m512 fused(__m512 a, __m512 b, __m512 c) { return _mm512_fmadd_ps(a, b, c); }
inline __m512d fused(__m512d a, __m512d b, __m512d c) { return _mm512_fmadd_pd(a, b, c); }

/// The elements that \p mask selects; the others are not accessed and are 0.
template <class T, class Register>
KINDRED_ALWAYS_INLINE inline Register load_selected(const T* from, std::uint64_t mask) {
  const auto bits = static_cast<std::uint32_t>(mask);
  if constexpr (sizeof(T) == 8) {
    return __builtin_bit_cast(Register, _mm512_maskz_loadu_epi64(bits, from));
  } else if constexpr (sizeof(T) == 4 && sizeof(Register) == 64) {
    return __builtin_bit_cast(Register, _mm512_maskz_loadu_epi32(bits, from));
  } else if constexpr (sizeof(T) == 4) {
    return __builtin_bit_cast(Register, _mm256_maskz_loadu_epi32(bits, from));
  } else if constexpr (sizeof(Register) == 64) {
    return __builtin_bit_cast(Register, _mm512_maskz_loadu_epi16(bits, from));
  } else {
    return __builtin_bit_cast(Register, _mm256_maskz_loadu_epi16(bits, from));
  }
}
template <class T, class Register>
KINDRED_ALWAYS_INLINE inline void store_selected(T* to, std::uint64_t mask, Register value) {
  const auto bits = static_cast<std::uint32_t>(mask);
  if constexpr (sizeof(T) == 8) {
    _mm512_mask_storeu_epi64(to, bits, __builtin_bit_cast(__m512i, value));
  } else if constexpr (sizeof(T) == 4 && sizeof(Register) == 64) {
    _mm512_mask_storeu_epi32(to, bits, __builtin_bit_cast(__m512i, value));
  } else if constexpr (sizeof(T) == 4) {
    _mm256_mask_storeu_epi32(to, bits, __builtin_bit_cast(__m256i, value));
  } else if constexpr (sizeof(Register) == 64) {
    _mm512_mask_storeu_epi16(to, bits, __builtin_bit_cast(__m512i, value));
  } else {
    _mm256_mask_storeu_epi16(to, bits, __builtin_bit_cast(__m256i, value));
  }
}
#elif KINDRED_HAS_AVX2_FMA
/// 32 elements with all bits set, then 32 zeros: masks that are read take less time than masks that
/// are computed.
struct OnesThenZeros {
  alignas(64) long long bits[64] = {};

  constexpr OnesThenZeros() {
    for (int i = 0; i < 32; ++i) bits[i] = -1;
  }
};
inline constexpr OnesThenZeros ones_then_zeros;

/// Selects the elements i with `first + i < end ≤ 32`.
template <class T>
KINDRED_ALWAYS_INLINE inline __m256i mask_below(unsigned first, unsigned end) {
  const auto* middle = reinterpret_cast<const std::byte*>(ones_then_zeros.bits + 32);
  const auto at = (static_cast<std::ptrdiff_t>(first) - static_cast<std::ptrdiff_t>(end)) *
                  static_cast<std::ptrdiff_t>(sizeof(T));
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(middle + at));
}
inline __m256d load_selected(const double* from, __m256i mask) {
  return _mm256_maskload_pd(from, mask);
}
inline __m256 load_selected(const float* from, __m256i mask) {
  return _mm256_maskload_ps(from, mask);
}
inline void store_selected(double* to, __m256i mask, __m256d value) {
  _mm256_maskstore_pd(to, mask, value);
}
inline void store_selected(float* to, __m256i mask, __m256 value) {
  _mm256_maskstore_ps(to, mask, value);
}
#endif

/// \brief \p N adjacent numbers on the host, in vector registers by the vector types of GCC and
/// Clang: one body for every instruction set.
/// \tparam Bytes per register; with 0 each number is a plain variable: the definition of the
/// operations, to which the forms in registers are bit-identical
template <class T, unsigned N, unsigned Bytes>
struct SimdPack {
  using Element = T;
  static constexpr unsigned size = N;
  static constexpr unsigned width = Bytes == 0 ? 1 : std::min<unsigned>(N, Bytes / sizeof(T));
  static constexpr unsigned count = N / width;
  using Register = register_of<T, width>;
  using Mask = SimdPack<signed_of<sizeof(T)>, N, Bytes>;
  Register part[count];

  static SimdPack all(T value) {
    // A difference, since the sum of −0 and +0 is +0.
    return each([&](auto) KINDRED_ALWAYS_INLINE { return value - Register{}; });
  }
  /// The elements `element(i)`.
  template <class Element>
  static SimdPack of(const Element& element) {
    return each([&](auto r) KINDRED_ALWAYS_INLINE {
      return [&]<unsigned... I>(std::integer_sequence<unsigned, I...>) KINDRED_ALWAYS_INLINE {
        return Register{static_cast<T>(element(r * width + I))...};
      }
      (std::make_integer_sequence<unsigned, width>());
    });
  }
  static SimdPack load(const T* from) {
    return each([&](auto r) KINDRED_ALWAYS_INLINE {
      Register out;
      std::memcpy(&out, from + r * width, sizeof(out));
      return out;
    });
  }
  /// The elements `begin … end − 1`; the others are not accessed and are 0.
  static SimdPack load_between(const T* from, unsigned begin, unsigned end) {
#if KINDRED_HAS_AVX512_FLOATS
    if constexpr (Bytes == 64)
      return each([&](auto r) KINDRED_ALWAYS_INLINE {
        return load_selected<T, Register>(from + r * width, bits_between(begin, end) >> r * width);
      });
#endif
    T out[N] = {};
    std::memcpy(out + begin, from + begin, (end - begin) * sizeof(T));
    return load(out);
  }
  /// The elements i with `first + i < end ≤ 32`; the others are not accessed and are 0.
  static SimdPack load_below(const T* from, unsigned first, unsigned end) {
#if KINDRED_HAS_AVX512_FLOATS
    if constexpr (Bytes == 64)
      return each([&](auto r) KINDRED_ALWAYS_INLINE {
        const unsigned at = r * width;
        return load_selected<T, Register>(from + at, bits_between(0, end) >> (first + at));
      });
#elif KINDRED_HAS_AVX2_FMA
    if constexpr (Bytes == 32)
      return each([&](auto r) KINDRED_ALWAYS_INLINE {
        const unsigned at = r * width;
        return load_selected(from + at, mask_below<T>(first + at, end));
      });
#endif
    return of([&](unsigned i) { return first + i < end ? from[i] : T{}; });
  }
  void store(T* to) const {
    visit([&](auto r)
              KINDRED_ALWAYS_INLINE { std::memcpy(to + r * width, &part[r], sizeof(Register)); });
  }
  /// Writes the elements `begin … end − 1`.
  void store_between(T* to, unsigned begin, unsigned end) const {
#if KINDRED_HAS_AVX512_FLOATS
    if constexpr (Bytes == 64)
      return visit([&](auto r) KINDRED_ALWAYS_INLINE {
        store_selected(to + r * width, bits_between(begin, end) >> r * width, part[r]);
      });
#endif
    T out[N];
    store(out);
    std::memcpy(to + begin, out + begin, (end - begin) * sizeof(T));
  }
  /// Writes the elements i with `first + i < end ≤ 32`.
  void store_below(T* to, unsigned first, unsigned end) const {
#if KINDRED_HAS_AVX2_FMA && !KINDRED_HAS_AVX512_FLOATS
    if constexpr (Bytes == 32)
      return visit([&](auto r) KINDRED_ALWAYS_INLINE {
        const unsigned at = r * width;
        store_selected(to + at, mask_below<T>(first + at, end), part[r]);
      });
#endif
    store_between(to, 0, first < end ? std::min(end - first, N) : 0);
  }

  SimdPack operator+(const SimdPack& b) const {
    return each([&](auto r) KINDRED_ALWAYS_INLINE { return part[r] + b.part[r]; });
  }
  SimdPack operator-(const SimdPack& b) const {
    return each([&](auto r) KINDRED_ALWAYS_INLINE { return part[r] - b.part[r]; });
  }
  SimdPack operator<<(int bits) const {
    return each([&](auto r) KINDRED_ALWAYS_INLINE { return part[r] << bits; });
  }
  SimdPack operator&(const SimdPack& b) const {
    return each([&](auto r) KINDRED_ALWAYS_INLINE { return part[r] & b.part[r]; });
  }
  SimdPack operator|(const SimdPack& b) const {
    return each([&](auto r) KINDRED_ALWAYS_INLINE { return part[r] | b.part[r]; });
  }
  SimdPack operator^(const SimdPack& b) const {
    return each([&](auto r) KINDRED_ALWAYS_INLINE { return part[r] ^ b.part[r]; });
  }
  SimdPack operator~() const {
    return each([&](auto r) KINDRED_ALWAYS_INLINE { return ~part[r]; });
  }
  /// a & ~b
  static SimdPack and_not(const SimdPack& a, const SimdPack& b) {
    return each([&](auto r) KINDRED_ALWAYS_INLINE { return a.part[r] & ~b.part[r]; });
  }
  /// Ones in the elements that are 0, else 0.
  SimdPack zeros() const {
    return mask([&](auto r) KINDRED_ALWAYS_INLINE { return part[r] == Register{}; })
        .template as<T>();
  }
  /// Ones in the elements whose highest bit is set, else 0.
  SimdPack top_set() const {
    const auto numbers = this->template as<typename Mask::Element>();
    return (numbers < Mask::all(0)).template as<T>();
  }
  /// Bit i is set if element i is not 0.
  unsigned nonzero() const {
#if KINDRED_HAS_AVX512_FLOATS
    if constexpr (Bytes == 64 && sizeof(T) == 8 && N == 8) {
      const auto bits = __builtin_bit_cast(__m512i, part[0]);
      return _mm512_test_epi64_mask(bits, bits);
    }
#endif
    T elements[N];
    store(elements);
    unsigned bits = 0;
    for (unsigned i = 0; i < N; ++i) bits |= (elements[i] != 0 ? 1U : 0U) << i;
    return bits;
  }
  SimdPack operator>>(int bits) const {
    return each([&](auto r) KINDRED_ALWAYS_INLINE { return part[r] >> bits; });
  }
  /// \name Comparisons: all bits set in the elements for which they hold, else 0
  ///@{
  Mask operator<(const SimdPack& b) const {
    return mask([&](auto r) KINDRED_ALWAYS_INLINE { return part[r] < b.part[r]; });
  }
  Mask operator<=(const SimdPack& b) const {
    return mask([&](auto r) KINDRED_ALWAYS_INLINE { return part[r] <= b.part[r]; });
  }
  Mask operator!=(const SimdPack& b) const {
    return mask([&](auto r) KINDRED_ALWAYS_INLINE { return part[r] != b.part[r]; });
  }
  ///@}
  /// \p a where the mask is set, else \p b.
  static SimdPack select(const Mask& mask, const SimdPack& a, const SimdPack& b) {
    return each([&](auto r) KINDRED_ALWAYS_INLINE -> Register {
      if constexpr (width == 1) {
        // Without a load that depends on the mask: behind nvcc, GCC 13 vectorises such loads with
        // AVX-512 so that they return memory that was never written.
        using Bits = std::remove_cvref_t<decltype(mask.part[r])>;
        return __builtin_bit_cast(
            T, static_cast<Bits>((__builtin_bit_cast(Bits, a.part[r]) & mask.part[r]) |
                                 (__builtin_bit_cast(Bits, b.part[r]) & ~mask.part[r])));
      } else {
        return mask.part[r] ? a.part[r] : b.part[r];
      }
    });
  }
  /// The mask of the elements whose bit is 1.
  static Mask mask_of(std::uint32_t bits) {
    using Bit = typename Mask::Element;
    const auto bit = Mask::of([](unsigned i) { return 1U << i % 16; });
    if constexpr (N == 16)
      return (Mask::all(static_cast<Bit>(bits)) & bit) != Mask::all(0);
    else
      return (Mask::of([&](unsigned i) { return bits >> i / 16 * 16; }) & bit) != Mask::all(0);
  }
  static SimdPack min(const SimdPack& a, const SimdPack& b) { return select(b < a, b, a); }
  static SimdPack max(const SimdPack& a, const SimdPack& b) { return select(a < b, b, a); }
  /// Rounded: never fused with an addition.
  SimdPack operator*(const SimdPack& b) const {
    return each([&](auto r) KINDRED_ALWAYS_INLINE { return uncontracted(part[r] * b.part[r]); });
  }
  /// a·b + c, rounded once.
  static SimdPack fused(const SimdPack& a, const SimdPack& b, const SimdPack& c) {
    return each([&](auto r)
                    KINDRED_ALWAYS_INLINE { return Arch::fused(a.part[r], b.part[r], c.part[r]); });
  }
  /// Elements `First … First + Size − 1`, a half or all.
  template <unsigned First, unsigned Size>
  SimdPack<T, Size, Bytes> piece() const {
    using Out = SimdPack<T, Size, Bytes>;
    return Out::each([&](auto r) KINDRED_ALWAYS_INLINE {
      if constexpr (Out::width == width) {
        return part[First / width + r];
      } else {
        return slice<First % width, Out::width, T>(part[First / width]);
      }
    });
  }
  /// The bits as numbers of the same size.
  template <class To>
  SimdPack<To, N, Bytes> as() const {
    using Out = SimdPack<To, N, Bytes>;
    return Out::each([&](auto r) KINDRED_ALWAYS_INLINE {
      return __builtin_bit_cast(typename Out::Register, part[r]);
    });
  }
  /// The numbers as another type.
  template <class To>
  SimdPack<To, N, Bytes> to() const {
    using Out = SimdPack<To, N, Bytes>;
    return Out::each([&](auto r) KINDRED_ALWAYS_INLINE {
      if constexpr (width == 1) {
        return static_cast<To>(part[r]);
      } else if constexpr (Out::width > width) {
        return Out::join(piece<0, N / 2>().template to<To>(),
                         piece<N / 2, N / 2>().template to<To>())
            .part[r];
      } else {
        constexpr unsigned at = decltype(r)::value * Out::width;
#if KINDRED_HAS_NEON
        // GCC 12 would convert one float at a time.
        if constexpr (std::is_same_v<T, float> && std::is_same_v<To, double>) {
          const float32x4_t four = part[at / width];
          const auto two =
              at % width == 0 ? vcvt_f64_f32(vget_low_f32(four)) : vcvt_high_f64_f32(four);
          return static_cast<typename Out::Register>(two);
        }
#endif
        const auto from = slice<at % width, Out::width, T>(part[at / width]);
        // Of these conversions GCC 12 makes one instruction, of __builtin_convertvector several.
        return [&]<unsigned... I>(std::integer_sequence<unsigned, I...>) KINDRED_ALWAYS_INLINE {
          return typename Out::Register{static_cast<To>(from[I])...};
        }
        (std::make_integer_sequence<unsigned, Out::width>());
      }
    });
  }
  /// The pairwise tree reduction.
  T tree_sum() const {
    SimdPack sums = *this;
    for (unsigned half = count / 2; half > 0; half /= 2) {
      for (unsigned r = 0; r < half; ++r) sums.part[r] += sums.part[r + half];
    }
    if constexpr (width == 1)
      return sums.part[0];
    else
      return Arch::tree_sum<width, T>(sums.part[0]);
  }

  /// Two packs as one.
  template <class Half = SimdPack<T, N / 2, Bytes>>
  static SimdPack join(const Half& low, const Half& high) {
    return each([&](auto r) KINDRED_ALWAYS_INLINE {
      if constexpr (width == Half::width)
        return r < Half::count ? low.part[r % Half::count] : high.part[r % Half::count];
      else
        return joined<T, width>(low.part[0], high.part[0]);
    });
  }

  /// The pack whose register r is `value(r)`.
  template <class Value>
  KINDRED_ALWAYS_INLINE static SimdPack each(const Value& value) {
    if constexpr (width == 1) {
      SimdPack out;
      for (unsigned r = 0; r < count; ++r) out.part[r] = static_cast<Register>(value(r));
      return out;
    } else {
      // In one expression, so that registers do not pass through memory.
      return [&]<unsigned... R>(std::integer_sequence<unsigned, R...>) KINDRED_ALWAYS_INLINE {
        return SimdPack{{static_cast<Register>(value(std::integral_constant<unsigned, R>()))...}};
      }
      (std::make_integer_sequence<unsigned, count>());
    }
  }

 private:
  /// Calls `function(r)` for each register.
  template <class Function>
  KINDRED_ALWAYS_INLINE static void visit(const Function& function) {
    if constexpr (width == 1) {
      for (unsigned r = 0; r < count; ++r) function(r);
    } else {
      [&]<unsigned... R>(std::integer_sequence<unsigned, R...>) KINDRED_ALWAYS_INLINE {
        (function(std::integral_constant<unsigned, R>()), ...);
      }
      (std::make_integer_sequence<unsigned, count>());
    }
  }
  template <class Value>
  KINDRED_ALWAYS_INLINE static Mask mask(const Value& value) {
    return Mask::each([&](auto r) KINDRED_ALWAYS_INLINE {
      if constexpr (width == 1)
        return value(r) ? -1 : 0;
      else
        return value(r);
    });
  }
  static std::uint64_t bits_between(unsigned begin, unsigned end) {
    return (std::uint64_t{1} << end) - (std::uint64_t{1} << begin);
  }
};

/// Stored binary16 numbers as floats.
template <unsigned N, unsigned Bytes>
KINDRED_ALWAYS_INLINE inline SimdPack<float, N, Bytes> floats_of_halves(
    const SimdPack<std::uint16_t, N, Bytes>& halves) {
  using Floats = SimdPack<float, N, Bytes>;
  return Floats::each([&](auto r) KINDRED_ALWAYS_INLINE -> typename Floats::Register {
    if constexpr (Bytes == 0) {
      return to_float(Float16{halves.part[r]});
    } else {
      constexpr unsigned width = Floats::width;
      const auto part = halves.template piece<decltype(r)::value * width, width>().part[0];
#if KINDRED_HAS_AVX512_FLOATS
      if constexpr (width == 16)
        return _mm512_maskz_cvtph_ps(0xFFFF, __builtin_bit_cast(__m256i, part));
#endif
#if KINDRED_HAS_AVX2_FMA
      if constexpr (width == 8) return _mm256_cvtph_ps(__builtin_bit_cast(__m128i, part));
#endif
#if KINDRED_HAS_NEON
      if constexpr (width == 4) return vcvt_f32_f16(__builtin_bit_cast(float16x4_t, part));
#endif
    }
  });
}
/// Floats rounded to binary16. \param floats no NaN but the canonical one
template <unsigned N, unsigned Bytes>
KINDRED_ALWAYS_INLINE inline SimdPack<std::uint16_t, N, Bytes> halves_of_floats(
    const SimdPack<float, N, Bytes>& floats) {
  using Halves = SimdPack<std::uint16_t, N, Bytes>;
  using Register = typename Halves::Register;
  constexpr unsigned width = SimdPack<float, N, Bytes>::width;
  if constexpr (Bytes == 0) {
    return Halves::of([&](unsigned i) { return round_canonical<Float16>(floats.part[i]).bits; });
  } else if constexpr (Halves::width > width) {
    return Halves::join(halves_of_floats(floats.template piece<0, N / 2>()),
                        halves_of_floats(floats.template piece<N / 2, N / 2>()));
  } else {
    return Halves::each([&]([[maybe_unused]] auto r) KINDRED_ALWAYS_INLINE -> Register {
#if KINDRED_HAS_AVX512_FLOATS
      if constexpr (width == 16)
        return __builtin_bit_cast(
            Register, _mm512_maskz_cvtps_ph(0xFFFF, floats.part[r], _MM_FROUND_TO_NEAREST_INT));
#endif
#if KINDRED_HAS_AVX2_FMA
      if constexpr (width == 8)
        return __builtin_bit_cast(Register,
                                  _mm256_cvtps_ph(floats.part[r], _MM_FROUND_TO_NEAREST_INT));
#endif
#if KINDRED_HAS_NEON
      if constexpr (width == 4) return __builtin_bit_cast(Register, vcvt_f16_f32(floats.part[r]));
#endif
    });
  }
}

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_SIMD_SIMD_PACK_HPP
