// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_VECTOR_IMPL_ROW_INT8_DOTS_HPP
#define KINDRED_CORE_VECTOR_IMPL_ROW_INT8_DOTS_HPP

#include <kindred/core/arch/Special.hpp>
#include <kindred/core/arch/simd/Int8Dot.hpp>
#include <kindred/core/arch/simd/Prefetch.hpp>
#include <kindred/core/vector/impl/Int8Operands.hpp>

#include <cstdint>

namespace Kindred::Impl {

/// A row at a time, by one thread. \see Int8Dots
template <int Tile>
class RowInt8Dots {
 public:
  static constexpr int rows_per_thread = prefilter_batch;
  /// Bytes between the row that is read and the one that is prefetched: the hardware prefetcher
  /// alone leaves two thirds of the bandwidth unused.
  static constexpr std::uint64_t prefetch_distance = 8192;
  static constexpr unsigned teams = 1;

  template <class Member>
  KOKKOS_FUNCTION explicit RowInt8Dots(const Member&) {}

  KOKKOS_INLINE_FUNCTION static int first_row() { return 0; }

  template <int Ratio, bool Aligned, int Queries, class Visit>
  KOKKOS_INLINE_FUNCTION void batch(const Int8Operands& o, std::uint64_t first, std::uint32_t mask,
                                    const double* offsets, std::uint64_t offset_stride,
                                    const Visit& visit) const {
    KOKKOS_IF_ON_HOST(
        (Special::choose<Special::Form::byte_products, HostSpace>([&](auto is_special) {
           if constexpr (decltype(is_special)::value) {
             Arch::ByteProducts::call([&] {
               batch_of<Arch::HostInt8Dots<Ratio>, Queries>(o, first, mask, offsets, offset_stride,
                                                            visit);
             });
           } else {
             batch_of<Arch::BaselineInt8Dots<Ratio>, Queries>(o, first, mask, offsets,
                                                              offset_stride, visit);
           }
         });))
  }

  /// The maximum of a batch.
  KOKKOS_INLINE_FUNCTION static std::uint32_t batch_max(
      const std::uint32_t (&keys)[prefilter_batch]) {
    std::uint32_t most = 0;
    for (const std::uint32_t key : keys) most = key > most ? key : most;
    return most;
  }
  KOKKOS_INLINE_FUNCTION static bool is_leader() { return true; }

 private:
  template <class Dots, int Queries, class Visit>
  static void batch_of(const Int8Operands& o, std::uint64_t first, std::uint32_t mask,
                       const double* offsets, std::uint64_t offset_stride, const Visit& visit) {
    const bool is_dense = Kokkos::popcount(mask) >= prefilter_batch / 4;
    for (int r = 0; r < prefilter_batch; ++r) {
      double out[Queries] = {};
      const std::int8_t* row = o.rows + (first + static_cast<std::uint64_t>(r)) * o.row_stride;
      if ((mask >> r & 1U) != 0) {
        Arch::prefetch_bytes(row + prefetch_distance, o.row_stride);
        Dots::dots(row, o.planes, o.plane_stride, o.dimension, offsets, offset_stride, out);
      } else if (is_dense) {
        // Which of those rows will be read is unknown, but a good share of them will.
        Arch::prefetch_bytes(row + prefetch_distance, o.row_stride);
      }
      visit(r, out);
    }
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_VECTOR_IMPL_ROW_INT8_DOTS_HPP
