// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_VECTOR_KERNELS_WORST_PRODUCTS_HPP
#define KINDRED_TESTS_VECTOR_KERNELS_WORST_PRODUCTS_HPP

#include <gtest/gtest.h>
#include <kindred/backends/vendor/Gemm.hpp>
#include <kindred/backends/vendor/ThresholdGemm.hpp>
#include <kindred/core/vector/impl/TileSelectKernels.hpp>

#include <cmath>
#include <cstdint>
#include <limits>

#include "vector/TilePass.hpp"

namespace Kindred::Testing {

/// \brief The worst product that the error model allows, of vector \p i with elements `a(d)` and \p
/// j with elements `b(d)`: it has the largest allowed error, in its own direction.
template <class A, class B>
double worst_product(std::uint64_t length, std::uint64_t i, const A& a, std::uint64_t j,
                     const B& b) {
  double sum = 0, a_square = 0, b_square = 0;
  for (std::uint64_t d = 0; d < length; ++d) {
    const double x{Arch::to_float(a(d))};
    const double y{Arch::to_float(b(d))};
    sum += x * y;
    a_square += x * x;
    b_square += y * y;
  }
  const double error = 0.999 * Impl::gemm_error(length) * std::sqrt(a_square) * std::sqrt(b_square);
  return (i * 2654435761U + j * 40503U) / 8 % 2 == 0 ? sum + error : sum - error;
}

/// The worst products, rounded to float16.
struct WorstProducts {
  void run(const HostSpace&, const Impl::GemmShape& shape, const Arch::Float16* a,
           const Arch::Float16* b, Arch::Float16* c) const {
    for (std::uint64_t i = 0; i < shape.m; ++i) {
      for (std::uint64_t j = 0; j < shape.n; ++j) {
        const double product = worst_product(
            shape.k, i, [&](std::uint64_t d) { return a[i * shape.lda + d]; }, j,
            [&](std::uint64_t d) { return b[j * shape.ldb + d]; });
        c[i * shape.ldc + j] =
            Arch::round_to<Arch::Float16>(static_cast<float>(product * shape.alpha));
      }
    }
  }
};

/// \brief The worst products again, compared with the threshold in the epilogue: the counterpart of
/// `ThresholdGemm`.
struct WorstThresholdGemm {
  static constexpr std::uint64_t query_multiple = Impl::ThresholdGemm::query_multiple;
  static constexpr std::uint64_t rows_best = 5 * TileLayout::block_vectors;
  static bool is_usable() { return true; }

  void run(const HostSpace&, const Impl::ThresholdTile<HostSpace>& tile) const {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const TileLayout layout{tile.stride, true};
    const std::uint64_t block = TileLayout::block_vectors;
    ASSERT_EQ(tile.first % block, 0U);
    for (std::uint64_t r = tile.first; r < Impl::round_up(tile.last, block); ++r) {
      const TileRow row = tile.bounds[r];
      if (row.error == -infinity) continue;
      for (std::uint64_t q = 0; q < tile.lists.counts.size(); ++q) {
        const auto product = static_cast<float>(worst_product(
            tile.stride, q, [&](std::uint64_t d) { return tile.queries[layout.at(q, d)]; }, r,
            [&](std::uint64_t d) { return tile.rows[layout.at(r, d)]; }));
        const float weight = tile.weights == nullptr ? 0.0F : tile.weights[q];
        const float upper = tile_upper(product, row, 0.0F, weight);
        const float threshold = tile.lists.thresholds(q);
        if (upper < threshold || threshold == infinity) continue;
        const std::uint32_t index = tile.bounds.rows[r];
        if (tile.filter.passes(q, index))
          Impl::append_survivor(tile.lists, q, index, upper,
                                tile_width(product, row, 0.0F, weight));
      }
    }
  }
};

/// For searches without a threshold epilogue.
struct NoThresholdGemm {
  static constexpr std::uint64_t query_multiple = WorstThresholdGemm::query_multiple;
  static constexpr std::uint64_t rows_best = WorstThresholdGemm::rows_best;
  static bool is_usable() { return false; }
  template <class ExecutionSpace>
  void run(const ExecutionSpace&, const Impl::ThresholdTile<ExecutionSpace>&) const {}
};

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_VECTOR_KERNELS_WORST_PRODUCTS_HPP
