// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_VENDOR_THRESHOLD_GEMM_HPP
#define KINDRED_BACKENDS_VENDOR_THRESHOLD_GEMM_HPP

#include <kindred/backends/vendor/Gemm.hpp>
#include <kindred/core/arch/Elements.hpp>
#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/vector/TileLayout.hpp>
#include <kindred/core/vector/TileSelect.hpp>

#include <cstdint>

namespace Kindred::Impl {

/// \brief Rows and queries whose products are compared with the thresholds.
template <class ExecutionSpace>
struct ThresholdTile {
  const Arch::Float16* rows = nullptr;     ///< in blocks, aligned to 128 bytes
  const Arch::Float16* queries = nullptr;  ///< in blocks, padded to a multiple of `query_multiple`
  std::uint64_t stride = 0;  ///< of rows and queries: a multiple of `TileLayout::block_length`
  std::uint64_t first = 0;   ///< range `first … last` of the rows: multiples of a block
  std::uint64_t last = 0;
  TileBounds bounds;                 ///< error bounds of the rows
  const float* weights = nullptr;    ///< one per query; null unless the metric is l2
  RowFilter<ExecutionSpace> filter;  ///< of the queries, like `lists`
  TileLists<ExecutionSpace> lists;
};

/// \brief GEMM with a threshold epilogue: computes what `select_tile` does without writing the
/// products to memory.
///
/// A kernel of our own that uses Hopper's warpgroup products of float16, summed in float32 within
/// `gemm_error`. The two blocks of a cluster share the queries that they read; one warp loads tiles
/// by bulk copies, eight warps multiply and compare, and three append the rows that pass.
class ThresholdGemm {
 public:
  /// The number of queries is padded to a multiple of this.
  static constexpr std::uint64_t query_multiple = 256;
  /// Rows per tile that keep 132 SMs busy until the end of a launch.
  static constexpr std::uint64_t rows_best = 66 * TileLayout::block_vectors;

  /// Whether this build and the current device support it.
  static bool is_usable();

#if KINDRED_HAS_DEVICE
  /// \brief Appends the rows whose `tile_upper` is not below their query's threshold. Does not
  /// fence. Complexity O(rows × queries × stride). \throws SpaceUnavailable unless `is_usable()`
  void run(const DeviceSpace& exec_space, const ThresholdTile<DeviceSpace>& tile) const;
#endif
};

}  // namespace Kindred::Impl

#endif  // KINDRED_BACKENDS_VENDOR_THRESHOLD_GEMM_HPP
