// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_VENDOR_THRESHOLD_GEMM_HPP
#define KINDRED_BACKENDS_VENDOR_THRESHOLD_GEMM_HPP

#include <kindred/backends/vendor/Gemm.hpp>
#include <kindred/core/arch/Elements.hpp>
#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/arch/TileLayout.hpp>
#include <kindred/core/vector/TileSelect.hpp>

#include <cstdint>

namespace Kindred::Impl {

/// \brief Rows and queries of which every product is judged.
template <class ExecutionSpace>
struct ThresholdTile {
  const Arch::Float16* rows = nullptr;     ///< in blocks, aligned to 128 bytes
  const Arch::Float16* queries = nullptr;  ///< in blocks, up to a multiple of `query_multiple`
  std::uint64_t stride = 0;                ///< of both: a multiple of `TileLayout::block_length`
  std::uint64_t first = 0;  ///< rows `first … last` are judged: multiples of a block
  std::uint64_t last = 0;
  TileBounds bounds;                 ///< of the rows
  const float* weights = nullptr;    ///< a query; null unless under l2
  RowFilter<ExecutionSpace> filter;  ///< of the queries, as the lists
  TileLists<ExecutionSpace> lists;
};

/// \brief Products that never reach memory: what `select_tile` does, where they are made.
///
/// A kernel of our own for Hopper's warpgroup products of float16, summed in float32 within
/// `gemm_error`. Two blocks of a cluster share the queries that they read; one warp brings tiles by
/// bulk copies, eight multiply and judge, and three append what survived.
class ThresholdGemm {
 public:
  /// Queries come in whole units.
  static constexpr std::uint64_t query_multiple = 256;
  /// Rows of a tile that keep 132 processors busy to the end of a launch.
  static constexpr std::uint64_t rows_best = 66 * Arch::TileLayout::block_vectors;

  /// Whether the current device and this build can.
  static bool is_usable();

#if KINDRED_HAS_DEVICE
  /// \brief Appends the rows whose `tile_upper` is not below their query's threshold. Does not
  /// fence. Complexity O(rows × queries × stride). \throws SpaceUnavailable unless `is_usable()`
  void run(const DeviceSpace& exec_space, const ThresholdTile<DeviceSpace>& tile) const;
#endif
};

}  // namespace Kindred::Impl

#endif  // KINDRED_BACKENDS_VENDOR_THRESHOLD_GEMM_HPP
