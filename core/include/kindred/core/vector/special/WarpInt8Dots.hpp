// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_VECTOR_SPECIAL_WARP_INT8_DOTS_HPP
#define KINDRED_CORE_VECTOR_SPECIAL_WARP_INT8_DOTS_HPP

/// \file
/// A special form for CUDA: not yet measured on `search-1`. \see SpecialForms.hpp

#include <kindred/core/arch/CachedAccess.hpp>
#include <kindred/core/arch/Unroll.hpp>
#include <kindred/core/arch/launch/Warp.hpp>
#include <kindred/core/arch/simd/Int8Dot.hpp>
#include <kindred/core/vector/impl/Int8Operands.hpp>

#include <cstdint>

namespace Kindred::Impl {

/// Eight lanes per row, eight rows at a time: in the end every lane has the sums of one row.
template <int Tile>
class WarpInt8Dots {
 public:
  static constexpr int rows_per_thread = 1;
  /// Teams of 256 threads per multiprocessor, limited by their registers.
  static constexpr unsigned teams = Tile == 1 ? 2 : 1;

  template <class Member>
  KOKKOS_FUNCTION explicit WarpInt8Dots(const Member&) {
    m_lane = static_cast<int>(Arch::Warp<DeviceSpace>::lane());
  }

  KOKKOS_INLINE_FUNCTION int first_row() const { return m_lane; }

  template <int Ratio, bool Aligned, int Queries, class Visit>
  KOKKOS_INLINE_FUNCTION void batch(const Int8Operands& o, std::uint64_t first, std::uint32_t mask,
                                    const double*, std::uint64_t, const Visit& visit) const {
    double out[Queries];
    for (int q = 0; q < Queries; ++q) out[q] = 0;
    if (mask != 0) {
      for (std::uint64_t begin = 0; begin < o.dimension; begin += Arch::int8_block)
        block<Ratio, Aligned, Queries>(o, first, mask, begin, out);
    }
    visit(m_lane, out);
  }

  KOKKOS_INLINE_FUNCTION static std::uint32_t batch_max(const std::uint32_t (&keys)[1]) {
    return Arch::Warp<DeviceSpace>::max(keys[0]);
  }
  KOKKOS_INLINE_FUNCTION bool is_leader() const { return m_lane == 0; }

 private:
  static constexpr int octet = 8;
  /// Largest dimension for which the combined sum of both planes fits 32 bits.
  template <int Ratio>
  static constexpr std::uint64_t narrow_dimension = 0x7FFFFFFFU / (128U * 127U * (Ratio + 1U));

  /// Sixteen values.
  struct alignas(16) Piece {
    int word[4];
  };

  /// A streaming load (evict-first) if only one tile of queries reads the row.
  template <bool Aligned, bool Once>
  KOKKOS_INLINE_FUNCTION static Piece load(const std::int8_t* row, std::uint64_t i,
                                           [[maybe_unused]] const Int8Operands& o) {
    Piece piece{{0, 0, 0, 0}};
    if constexpr (Aligned) {
      const auto* data = reinterpret_cast<const Piece*>(row + i);
      piece = Once ? Arch::load_streaming(data) : Arch::load_read_only(data);
    } else {
      for (int w = 0; w < 4; ++w) {
        const std::uint64_t at = i + 4 * static_cast<std::uint64_t>(w);
        if (o.row_alignment == 4) {
          if (at < o.dimension) piece.word[w] = *reinterpret_cast<const int*>(row + at);
        } else {
          std::uint32_t word = 0;
          for (std::uint32_t b = 0; b < 4; ++b) {
            if (at + b < o.dimension)
              word |= static_cast<std::uint32_t>(static_cast<std::uint8_t>(row[at + b])) << (8 * b);
          }
          piece.word[w] = static_cast<int>(word);
        }
      }
    }
    return piece;
  }

  KOKKOS_INLINE_FUNCTION static int add_products(const Piece& x, const Piece& y, int sum) {
    KINDRED_UNROLL
    for (int w = 0; w < 4; ++w) sum = Arch::add_int8_products(x.word[w], y.word[w], sum);
    return sum;
  }

  template <int Ratio, bool Aligned, int Queries>
  KOKKOS_INLINE_FUNCTION void block(const Int8Operands& o, std::uint64_t first, std::uint32_t mask,
                                    std::uint64_t begin, double (&out)[Queries]) const {
    const std::uint64_t end =
        begin + Arch::int8_block < o.dimension ? begin + Arch::int8_block : o.dimension;
    const int group = m_lane & ~(octet - 1);
    const std::uint32_t rows = mask >> group;
    int sums[Queries][2][octet];
    KINDRED_UNROLL
    for (int q = 0; q < Queries; ++q) {
      KINDRED_UNROLL
      for (int r = 0; r < octet; ++r) sums[q][0][r] = sums[q][1][r] = 0;
    }
    // Not unrolled: more loads in flight per warp would cost the registers of another warp.
    KINDRED_NO_UNROLL
    for (std::uint64_t i = begin + 16 * (m_lane % octet); i < end; i += 16 * octet) {
      const std::int8_t* row = o.rows + (first + group) * o.row_stride + (Aligned ? i : 0);
      Piece x[octet];
      KINDRED_UNROLL
      for (int r = 0; r < octet; ++r) {
        x[r] = Piece{{0, 0, 0, 0}};
        if ((rows >> r & 1U) != 0) x[r] = load<Aligned, Tile == 1>(row, Aligned ? 0 : i, o);
        row += o.row_stride;
      }
      KINDRED_UNROLL
      for (int q = 0; q < Queries; ++q) {
        KINDRED_UNROLL
        for (int plane = 0; plane < 2; ++plane) {
          const Piece y = load<true, false>(o.planes + (2 * q + plane) * o.plane_stride, i, o);
          KINDRED_UNROLL
          for (int r = 0; r < octet; ++r)
            sums[q][plane][r] = add_products(x[r], y, sums[q][plane][r]);
        }
      }
    }
    KINDRED_UNROLL
    for (int q = 0; q < Queries; ++q) {
      if (o.dimension <= narrow_dimension<Ratio>) {
        KINDRED_UNROLL
        for (int r = 0; r < octet; ++r) sums[q][1][r] += Ratio * sums[q][0][r];
        out[q] = own_sum(sums[q][1]);
      } else {
        out[q] += static_cast<double>(Ratio) * own_sum(sums[q][0]) + own_sum(sums[q][1]);
      }
    }
  }

  /// Adds sums[r] over the eight lanes; lane r receives it.
  KOKKOS_INLINE_FUNCTION int own_sum(int (&sums)[octet]) const {
    KINDRED_UNROLL
    for (int half = octet / 2; half > 0; half /= 2) {
      const bool upper = (m_lane & half) != 0;
      KINDRED_UNROLL
      for (int r = 0; r < half; ++r) {
        const int sent = upper ? sums[r] : sums[r + half];
        const int kept = upper ? sums[r + half] : sums[r];
        sums[r] = kept + Arch::Warp<DeviceSpace>::exchange(sent, static_cast<unsigned>(half));
      }
    }
    return sums[0];
  }

  int m_lane = 0;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_VECTOR_SPECIAL_WARP_INT8_DOTS_HPP
