// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_VECTOR_DEVICE_TILES_HPP
#define KINDRED_MATCHER_VECTOR_DEVICE_TILES_HPP

#include "GrowBuffer.hpp"
#include "TilePass.hpp"

#include <kindred/backends/impl/Instances.hpp>
#include <kindred/backends/vendor/DeviceGemm.hpp>
#include <kindred/backends/vendor/ThresholdGemm.hpp>
#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/core/vector/TileSelect.hpp>
#include <kindred/memory/Buffer.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace Kindred::Impl {

/// \brief Tiles of rows as float16, multiplied by all queries. Either a GEMM compares the products
/// with the thresholds in its epilogue, or the GEMM of a library writes products that stay in the
/// cache of the device, and a kernel compares them.
/// \tparam Products `run(exec_space, shape, a, b, c)` \tparam ThresholdProducts `is_usable()`, and
/// then `run(exec_space, tile)`: \see ThresholdGemm
template <class ExecutionSpace, class Products, class ThresholdProducts>
class DeviceTiles {
 public:
  using memory_space = typename ExecutionSpace::memory_space;
  using element = Arch::Float16;

  void bind(MemoryResource& memory) {
    m_memory = &memory;
    m_queries = {memory, "Kindred::VectorIndex::tile_queries", 0};
    m_rows = {memory, "Kindred::VectorIndex::tile_rows", 0};
    m_products = {memory, "Kindred::VectorIndex::products", 0};
    m_bounds = {memory, "Kindred::VectorIndex::tile_bounds", 0};
    m_query_data = {memory, "Kindred::VectorIndex::tile_query_data", 0};
  }

  /// Releases what a pass no longer needs once its lists are complete. Fences \p exec_space.
  void release(const ExecutionSpace& exec_space) {
    Arch::fence(exec_space, "Kindred::VectorIndex::release");
    bind(*m_memory);
  }

  /// \brief Number of queries per pass for which \p bytes are sufficient; 0 if rows of this
  /// dimension are too long. \param capacity of a list \param beside additional bytes per query
  static std::size_t queries_max(std::uint64_t dimension, std::uint64_t capacity, std::size_t bytes,
                                 std::size_t beside) {
    const bool fused = is_fused(dimension);
    const std::uint64_t row_bytes = layout_of(dimension, fused).stride * sizeof(element);
    if (row_bytes * rows_least > tile_bytes) return 0;
    const std::size_t each = row_bytes + list_bytes(capacity) + beside;
    std::size_t fixed = tile_bytes + 4 * rows_most * sizeof(float);
    fixed += fused ? threshold_capacity_max + unit * row_bytes : query_capacity_max;
    if (bytes <= fixed) return 1;
    const std::size_t left = bytes - fixed;
    if (fused) return std::max<std::size_t>(1, left / each);
    constexpr std::size_t column = rows_of_gemm * sizeof(element);
    constexpr std::size_t block = queries_block * column;
    const std::size_t few = left / (each + column);
    const std::size_t most = few < queries_block ? few : (left - block) / each;
    return std::max<std::size_t>(1, most);
  }
  /// The layout of a rounded copy of rows of this dimension, and the number of its positions for
  /// \p positions of their order.
  static TileLayout rounded_layout(std::uint64_t dimension) {
    return layout_of(dimension, is_fused(dimension));
  }
  static std::uint64_t rounded_positions(std::uint64_t dimension, std::uint64_t positions) {
    if (is_fused(dimension)) return round_up(positions, rows_least);
    return round_up(positions, tile_rows_of(layout_of(dimension, false), positions));
  }
  /// Memory that is unused between passes and before the first one: for queries that are uploaded
  /// and for data derived from them.
  std::span<std::byte> spare_memory() const {
    return {reinterpret_cast<std::byte*>(m_products.data()), m_products.bytes()};
  }
  std::uint64_t tile_rows() const { return m_tile_rows; }
  ArrayView<const float, ExecutionSpace> slacks() const { return m_tile.slacks; }
  /// Capacity of the list of the best \p top: only a few rows are within the error bounds of
  /// float16.
  static std::uint64_t capacity_for(std::uint64_t top) { return round_up(top * 5 / 2 + 1, 128); }
  static std::uint64_t lists_for(std::uint64_t queries) { return round_up(queries, unit); }
  /// Thresholds are raised whenever the number of rows has grown by one part in this many.
  static constexpr std::uint64_t raise_share = 4;

  /// Rounds the queries and empties the lists.
  void begin(const ExecutionSpace& exec_space, const TilePass<ExecutionSpace>& task,
             const ArrayView<const float, ExecutionSpace>& initial) {
    const std::uint64_t dimension = task.rows.dimension;
    const std::uint64_t count = task.queries.count();
    m_fused = is_fused(dimension);
    if (!m_fused && !m_gemm) m_gemm.emplace();
    const TileLayout layout = layout_of(dimension, m_fused);
    const std::uint64_t padded = m_fused ? round_up(count, unit) : count;
    m_tile_rows = m_fused && is_rounded(task)
                      ? std::min(rows_most, round_up(task.order.positions(), rows_least))
                      : tile_rows_of(layout, task.order.positions());
    m_block = std::min(queries_block, count);
    grow(exec_space, m_queries, padded * layout.stride);
    if (!is_rounded(task)) grow(exec_space, m_rows, m_tile_rows * layout.stride);
    grow(exec_space, m_bounds, 4 * m_tile_rows);
    const std::size_t query_capacity =
        std::max(task.queries.bytes_needed(1),
                 std::min(task.queries.bytes_needed(count),
                          m_fused ? threshold_capacity_max : query_capacity_max));
    grow(exec_space, m_products,
         std::max<std::size_t>(m_fused ? 0 : m_tile_rows * m_block,
                               query_capacity / sizeof(element) + 1));
    grow(exec_space, m_query_data, 2 * padded + 1);
    const auto data = m_query_data.view();
    m_tile = {m_queries.view(), Kokkos::subview(data, std::pair(std::size_t{0}, padded)),
              Kokkos::subview(data, std::pair(padded, 2 * padded)),
              Kokkos::subview(data, std::pair(2 * padded, 2 * padded + 1)), layout};
    m_model = m_fused ? TileModel{gemm_error(layout.stride), 0.0F, 0.0, 1.0F}
                      : TileModel{gemm_error(layout.stride), 0x1p-11F * (1 + 0x1p-9F),
                                  0x1p-25 / product_scale, product_scale};
    begin_tile_queries(exec_space, m_tile, task.lists);
    const std::uint64_t each = task.queries.bytes_needed(1);
    const std::uint64_t step =
        each == 0 ? count : std::max<std::uint64_t>(1, spare_memory().size() / each);
    for (std::uint64_t first = 0; first < count; first += step)
      prepare_part(exec_space, task, initial, first, std::min(step, count - first));
  }

  /// \brief Compares the positions from \p begin to the end of the last of \p parts, at most
  /// `tile_rows()`, with the thresholds. Calls `raise(first, count)` after a part, for some queries
  /// at a time.
  template <class Raise>
  void prefilter(const ExecutionSpace& exec_space, const TilePass<ExecutionSpace>& task,
                 std::uint64_t begin, std::span<const TilePart> parts, const Raise& raise) {
    const TileBounds bounds = TileBounds::of(m_bounds.data(), m_tile_rows);
    const std::uint64_t stride = m_tile.layout.stride;
    const ArrayView<const float, ExecutionSpace> residuals(m_tile.residuals);
    const element* rows = m_rows.data();
    if (is_rounded(task)) {
      rows = task.rounded.values.data() + begin * stride;
      const std::uint64_t count = std::min(m_tile_rows, task.rounded.squares.size() - begin);
      bound_tile_rows(
          exec_space, task.metric, m_model, task.rows, task.order, begin,
          ArrayView<const float, ExecutionSpace>(task.rounded.squares.data() + begin, count),
          residuals, bounds, task.lists.not_numbers);
    } else {
      prepare_tile_rows(
          exec_space, task.metric, m_model, task.rows, task.order, begin, residuals,
          TileRows<ExecutionSpace, element>{m_rows.view(), bounds, m_tile_rows, m_tile.layout},
          task.lists.not_numbers);
    }
    if (m_fused) return filter_products(exec_space, task, rows, begin, parts, bounds, raise);
    // The next part of a block needs the thresholds of the previous part.
    const bool together = parts.size() == 1;
    for (std::uint64_t query = 0; query < task.queries.count(); query += m_block) {
      const std::uint64_t count = std::min(m_block, task.queries.count() - query);
      const GemmShape shape{count,
                            m_tile_rows,
                            stride,
                            stride,
                            stride,
                            m_tile_rows,
                            GemmType::float16,
                            GemmType::float16,
                            product_scale};
      m_gemm->run(exec_space, shape, m_queries.data() + query * stride, rows, m_products.data());
      TileProducts<ExecutionSpace, element> products{
          m_products.data(), m_tile_rows, 0, 0, query, count};
      for (const TilePart& part : parts) {
        products.first = products.last;
        products.last = part.end - begin;
        select_tile(exec_space, task.metric, m_model, products, bounds,
                    ArrayView<const float, ExecutionSpace>(m_tile.weights), task.filter,
                    task.lists);
        if (part.raise && !together) raise(query, count);
      }
    }
    if (parts.back().raise && together) raise(std::uint64_t{0}, task.queries.count());
  }

 private:
  /// Compares parts of a tile's rows with the thresholds of all queries.
  template <class Raise>
  void filter_products(const ExecutionSpace& exec_space, const TilePass<ExecutionSpace>& task,
                       const element* rows, std::uint64_t begin, std::span<const TilePart> parts,
                       const TileBounds& bounds, const Raise& raise) {
    ThresholdTile<ExecutionSpace> tile;
    tile.rows = rows;
    tile.queries = m_queries.data();
    tile.stride = m_tile.layout.stride;
    tile.bounds = bounds;
    tile.weights = task.metric == Metric::l2 ? m_tile.weights.data() : nullptr;
    tile.filter = task.filter;
    tile.lists = task.lists;
    for (const TilePart& part : parts) {
      tile.first = tile.last;
      tile.last = part.end - begin;
      m_threshold_products.run(exec_space, tile);
      if (part.raise) raise(std::uint64_t{0}, task.queries.count());
    }
  }

  /// Prepares queries `first … first + count` of the pass.
  void prepare_part(const ExecutionSpace& exec_space, const TilePass<ExecutionSpace>& task,
                    const ArrayView<const float, ExecutionSpace>& initial, std::uint64_t first,
                    std::uint64_t count) {
    BumpAllocator<ExecutionSpace> allocator(spare_memory().data());
    const auto queries = task.queries.take(exec_space, first, count, allocator);
    const auto part = [&](const auto& view, std::uint64_t length) {
      return Kokkos::subview(view, std::pair(first, first + length));
    };
    // The padding of the last unit is prepared with the last part.
    const std::uint64_t padded =
        first + count == task.queries.count() ? m_tile.weights.size() - first : count;
    TileQueries<ExecutionSpace, element> tile = m_tile;
    tile.weights = part(m_tile.weights, padded);
    tile.slacks = part(m_tile.slacks, padded);
    TileLists<ExecutionSpace> lists = task.lists;
    lists.counts = part(task.lists.counts, count);
    lists.widths = part(task.lists.widths, count);
    lists.thresholds = part(task.lists.thresholds, padded);
    prepare_tile_queries(exec_space, task.metric, queries, task.rows.dimension, first,
                         initial.size() == 0
                             ? initial
                             : ArrayView<const float, ExecutionSpace>(part(initial, count)),
                         tile, lists);
  }

  static constexpr std::uint64_t unit = ThresholdProducts::query_multiple;
  /// 8192 × 2048 × 768: 512 blocks of 128 × 256 on 132 SMs, in four waves.
  static constexpr std::uint64_t rows_of_gemm = 8192;
  /// Rows that were rounded before need no space: their tiles are limited by that of their bounds.
  static constexpr std::uint64_t rows_most =
      std::max<std::uint64_t>(rows_of_gemm, 4 * ThresholdProducts::rows_best);
  static constexpr std::uint64_t rows_least = TileLayout::block_vectors;
  static constexpr std::uint64_t queries_block = 2048;
  static constexpr std::uint64_t tile_bytes = 13U << 20U;
  /// Keeps the largest product, 2¹⁶, in the range of float16.
  static constexpr float product_scale = 0x1p-8F;

  static constexpr std::size_t query_capacity_max = 1U << 20U;
  static constexpr std::size_t threshold_capacity_max = 8U << 20U;
  /// For longer vectors, padding the queries to whole units takes too much memory.
  static constexpr std::uint64_t threshold_length_max = 4096;

  static bool is_rounded(const TilePass<ExecutionSpace>& task) {
    return task.rounded.values.size() > 0;
  }
  static std::uint64_t tile_rows_of(const TileLayout& layout, std::uint64_t positions) {
    return std::min({layout.in_blocks ? ThresholdProducts::rows_best : rows_of_gemm,
                     tile_bytes / (layout.stride * sizeof(element)) / rows_least * rows_least,
                     round_up(positions, rows_least)});
  }
  static bool is_fused(std::uint64_t dimension) {
    return dimension <= threshold_length_max && ThresholdProducts::is_usable();
  }
  static TileLayout layout_of(std::uint64_t dimension, bool fused) {
    return {round_up(dimension, fused ? TileLayout::block_length : 16), fused};
  }
  /// Bytes per query: its list and related data.
  static std::size_t list_bytes(std::uint64_t capacity) {
    return 2 * sizeof(std::uint32_t) * capacity + 6 * sizeof(float);
  }

  MemoryResource* m_memory = nullptr;
  std::optional<Products> m_gemm;
  ThresholdProducts m_threshold_products;
  bool m_fused = false;
  Buffer<element, memory_space> m_queries;
  Buffer<element, memory_space> m_rows;
  Buffer<element, memory_space> m_products;
  Buffer<float, memory_space> m_bounds;
  Buffer<float, memory_space> m_query_data;
  TileQueries<ExecutionSpace, element> m_tile;
  TileModel m_model;
  std::uint64_t m_tile_rows = 0;
  std::uint64_t m_block = 0;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_VECTOR_DEVICE_TILES_HPP
