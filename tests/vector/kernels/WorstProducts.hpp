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
#include <vector>

#include "vector/TilePass.hpp"

namespace Kindred::Testing {

/// \brief The worst products that the error model allows: each has the largest allowed error, in
/// its own direction, and is then rounded to float16.
struct WorstProducts {
  void run(const HostSpace&, const Impl::GemmShape& shape, const Arch::Float16* a,
           const Arch::Float16* b, Arch::Float16* c) const {
    const auto norm = [&](const Arch::Float16* x) {
      double sum = 0;
      for (std::uint64_t d = 0; d < shape.k; ++d) sum += std::pow(Arch::to_float(x[d]), 2);
      return std::sqrt(sum);
    };
    std::vector<double> norms;
    for (std::uint64_t j = 0; j < shape.n; ++j) norms.push_back(norm(b + j * shape.ldb));
    for (std::uint64_t i = 0; i < shape.m; ++i) {
      const double own = norm(a + i * shape.lda);
      for (std::uint64_t j = 0; j < shape.n; ++j) {
        double sum = 0;
        for (std::uint64_t d = 0; d < shape.k; ++d) {
          sum += static_cast<double>(Arch::to_float(a[i * shape.lda + d])) *
                 Arch::to_float(b[j * shape.ldb + d]);
        }
        const double error = 0.999 * Impl::gemm_error(shape.k) * own * norms[j];
        const double off = (i * 2654435761U + j * 40503U) / 8 % 2 == 0 ? error : -error;
        c[i * shape.ldc + j] =
            Arch::round_to<Arch::Float16>(static_cast<float>((sum + off) * shape.alpha));
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
    const TileLayout layout{tile.stride, true};
    const auto norm = [&](const Arch::Float16* x, std::uint64_t vector) {
      double sum = 0;
      for (std::uint64_t d = 0; d < tile.stride; ++d)
        sum += std::pow(Arch::to_float(x[layout.at(vector, d)]), 2);
      return std::sqrt(sum);
    };
    ASSERT_EQ(tile.first % TileLayout::block_vectors, 0U);
    const std::uint64_t block = TileLayout::block_vectors;
    std::vector<double> norms;
    for (std::uint64_t q = 0; q < tile.lists.counts.size(); ++q)
      norms.push_back(norm(tile.queries, q));
    for (std::uint64_t r = tile.first; r < Impl::round_up(tile.last, block); ++r) {
      const TileRow row = tile.bounds[r];
      if (row.error == -std::numeric_limits<float>::infinity()) continue;
      const double own = norm(tile.rows, r);
      for (std::uint64_t q = 0; q < tile.lists.counts.size(); ++q) {
        double sum = 0;
        for (std::uint64_t d = 0; d < tile.stride; ++d) {
          sum += static_cast<double>(Arch::to_float(tile.queries[layout.at(q, d)])) *
                 Arch::to_float(tile.rows[layout.at(r, d)]);
        }
        const double error = 0.999 * Impl::gemm_error(tile.stride) * own * norms[q];
        const bool above = (q * 2654435761U + r * 40503U) / 8 % 2 == 0;
        const auto product = static_cast<float>(above ? sum + error : sum - error);
        const float weight = tile.weights == nullptr ? 0.0F : tile.weights[q];
        const float upper = tile_upper(product, row, 0.0F, weight);
        const float threshold = tile.lists.thresholds(q);
        if (upper < threshold || threshold == std::numeric_limits<float>::infinity()) continue;
        const std::uint32_t index = tile.bounds.rows[r];
        if (tile.filter.passes(q, index)) {
          Impl::append_survivor(tile.lists, q, index, upper,
                                tile_width(product, row, 0.0F, weight));
        }
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
