// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_SIMD_INT8_DOT_HPP
#define KINDRED_CORE_ARCH_SIMD_INT8_DOT_HPP

#include <kindred/core/arch/Unroll.hpp>
#include <kindred/core/arch/simd/HostExtensions.hpp>

#include <Kokkos_Macros.hpp>

#include <cstdint>
#include <cstring>

namespace Kindred::Arch {

/// \p sum plus the products of four signed bytes in each of two words; on a device, one
/// instruction.
KOKKOS_INLINE_FUNCTION std::int32_t add_int8_products(std::int32_t a, std::int32_t b,
                                                      std::int32_t sum) {
#if KINDRED_HAS_DEVICE_INSTRUCTIONS
  return __dp4a(a, b, sum);
#else
  for (int byte = 0; byte < 4; ++byte)
    sum += std::int32_t{static_cast<std::int8_t>(a >> 8 * byte)} *
           static_cast<std::int8_t>(b >> 8 * byte);
  return sum;
#endif
}

/// Number of elements whose products are added in 32 bits.
inline constexpr std::uint64_t int8_block = 65536;

/// `ratio · high + low` in plain loops, exact: the result of every form.
template <int Ratio>
class ScalarInt8Dots {
 public:
  /// \param offsets 128 · Σw of each query, for forms that shift the rows' values by 128
  template <int Queries>
  static void dots(const std::int8_t* row, const std::int8_t* planes, std::uint64_t plane_stride,
                   std::uint64_t dimension, [[maybe_unused]] const double* offsets,
                   [[maybe_unused]] std::uint64_t offset_stride, double (&out)[Queries]) {
    for (int q = 0; q < Queries; ++q) {
      const std::int8_t* plane = planes + static_cast<std::uint64_t>(2 * q) * plane_stride;
      out[q] = 0;
      for (std::uint64_t begin = 0; begin < dimension; begin += int8_block) {
        const std::uint64_t end = begin + int8_block < dimension ? begin + int8_block : dimension;
        std::int32_t high = 0;
        std::int32_t low = 0;
        for (std::uint64_t i = begin; i < end; ++i) {
          high += std::int32_t{row[i]} * plane[i];
          low += std::int32_t{row[i]} * plane[plane_stride + i];
        }
        out[q] += static_cast<double>(Ratio) * high + low;
      }
    }
  }
};

#if KINDRED_HAS_NEON
/// Sixteen bytes of a row per step. \tparam Add adds the products of two registers of bytes
template <int Ratio, class Add>
class NeonInt8Dots {
 public:
  template <int Queries>
  static void dots(const std::int8_t* row, const std::int8_t* planes, std::uint64_t plane_stride,
                   std::uint64_t dimension, [[maybe_unused]] const double* offsets,
                   [[maybe_unused]] std::uint64_t offset_stride, double (&out)[Queries]) {
    for (int q = 0; q < Queries; ++q) out[q] = 0;
    for (std::uint64_t begin = 0; begin < dimension; begin += int8_block) {
      const std::uint64_t end = begin + int8_block < dimension ? begin + int8_block : dimension;
      int32x4_t high[Queries];
      int32x4_t low[Queries];
      KINDRED_UNROLL
      for (int q = 0; q < Queries; ++q) high[q] = low[q] = vdupq_n_s32(0);
      const auto add = [&](int8x16_t x, std::uint64_t i) {
        KINDRED_UNROLL
        for (int q = 0; q < Queries; ++q) {
          const std::int8_t* plane = planes + 2 * q * plane_stride + i;
          high[q] = Add::products(high[q], x, vld1q_s8(plane));
          low[q] = Add::products(low[q], x, vld1q_s8(plane + plane_stride));
        }
      };
      std::uint64_t i = begin;
      for (; i + 16 <= end; i += 16) add(vld1q_s8(row + i), i);
      if (i < end) {
        std::int8_t rest[16] = {};
        std::memcpy(rest, row + i, end - i);
        add(vld1q_s8(rest), i);
      }
      KINDRED_UNROLL
      for (int q = 0; q < Queries; ++q) {
        out[q] += static_cast<double>(Ratio) * vaddvq_s32(high[q]) +
                  static_cast<double>(vaddvq_s32(low[q]));
      }
    }
  }
};
/// By products of 16 bits, of which two fit 16 bits: a plane has no −128.
struct NeonWideProducts {
  static int32x4_t products(int32x4_t sum, int8x16_t row, int8x16_t plane) {
    const int16x8_t low = vmull_s8(vget_low_s8(row), vget_low_s8(plane));
    return vpadalq_s16(sum, vmlal_high_s8(low, row, plane));
  }
};
/// The form for processors without `ByteProducts`.
template <int Ratio>
using BaselineInt8Dots = NeonInt8Dots<Ratio, NeonWideProducts>;
#else
template <int Ratio>
using BaselineInt8Dots = ScalarInt8Dots<Ratio>;
#endif

#if KINDRED_HAS_NEON_DOT
struct NeonDotProducts {
  static int32x4_t products(int32x4_t sum, int8x16_t row, int8x16_t plane) {
    return vdotq_s32(sum, row, plane);
  }
};
template <int Ratio>
using HostInt8Dots = NeonInt8Dots<Ratio, NeonDotProducts>;
#elif KINDRED_USE_BYTE_PRODUCTS
/// Unsigned times signed bytes, four products per instruction and lane, if the processor has
/// `ByteProducts`: the values of a row are shifted by 128, which adds 128 · Σw to the dot product.
template <int Ratio>
class VnniInt8Dots {
 public:
  template <int Queries>
  KINDRED_USES_BYTE_PRODUCTS static void dots(const std::int8_t* row, const std::int8_t* planes,
                                              std::uint64_t plane_stride, std::uint64_t dimension,
                                              const double* offsets, std::uint64_t offset_stride,
                                              double (&out)[Queries]) {
    const __m512i shift = _mm512_set1_epi8(static_cast<char>(0x80));
    for (int q = 0; q < Queries; ++q) out[q] = -offsets[q * offset_stride];
    for (std::uint64_t begin = 0; begin < dimension; begin += int8_block) {
      const std::uint64_t end = begin + int8_block < dimension ? begin + int8_block : dimension;
      __m512i high[Queries];
      __m512i low[Queries];
      KINDRED_UNROLL
      for (int q = 0; q < Queries; ++q) high[q] = low[q] = _mm512_setzero_si512();
      for (std::uint64_t i = begin; i < end; i += 64) {
        const __mmask64 mask = end - i >= 64 ? ~__mmask64{0} : (__mmask64{1} << (end - i)) - 1;
        const __m512i x = _mm512_xor_si512(_mm512_maskz_loadu_epi8(mask, row + i), shift);
        KINDRED_UNROLL
        for (int q = 0; q < Queries; ++q) {
          const std::int8_t* plane = planes + 2 * q * plane_stride + i;
          high[q] = _mm512_dpbusd_epi32(high[q], x, _mm512_loadu_si512(plane));
          low[q] = _mm512_dpbusd_epi32(low[q], x, _mm512_loadu_si512(plane + plane_stride));
        }
      }
      KINDRED_UNROLL
      for (int q = 0; q < Queries; ++q) {
        out[q] += static_cast<double>(Ratio) * _mm512_reduce_add_epi32(high[q]) +
                  static_cast<double>(_mm512_reduce_add_epi32(low[q]));
      }
    }
  }
};
template <int Ratio>
using HostInt8Dots = VnniInt8Dots<Ratio>;
#else
template <int Ratio>
using HostInt8Dots = BaselineInt8Dots<Ratio>;
#endif

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_SIMD_INT8_DOT_HPP
