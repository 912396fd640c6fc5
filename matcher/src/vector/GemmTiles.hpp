// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SRC_VECTOR_GEMM_TILES_HPP
#define KINDRED_MATCHER_SRC_VECTOR_GEMM_TILES_HPP

#include <kindred/backends/impl/DeviceGemm.hpp>
#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/core/vector/TileSelect.hpp>
#include <kindred/memory/Buffer.hpp>

#include "QuerySource.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace Kindred::Impl {

/// What is searched in a pass over the rows.
template <class ExecutionSpace>
struct TileTask {
  Metric metric = Metric::cosine;
  VectorRows<ExecutionSpace> rows;
  TileOrder<ExecutionSpace> order;
  RowFilter<ExecutionSpace> filter;
  QuerySource<ExecutionSpace> queries;
  TileLists<ExecutionSpace> lists;
};

/// Rows up to a position, and whether thresholds are raised there.
struct TilePart {
  std::uint64_t end = 0;
  bool raise = false;
};

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

/// Makes a buffer at least \p size long; what it held before may still be in use.
template <class ExecutionSpace, class T>
void grow(const ExecutionSpace& exec_space,
          Buffer<T, typename ExecutionSpace::memory_space>& buffer, std::size_t size) {
  if (size * sizeof(T) > buffer.bytes()) exec_space.fence("Kindred::VectorIndex::grow");
  buffer.resize_discarding(size);
}

/// \brief Tiles of rows as float16, multiplied by a library's GEMM and judged by a kernel: the
/// products of a tile and a block of queries stay in a device's cache.
/// \tparam Products `run(exec_space, shape, a, b, c)`
template <class ExecutionSpace, class Products>
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

  /// Gives back the products, the largest part, for what needs room. Fences \p exec_space.
  void release(const ExecutionSpace& exec_space) {
    exec_space.fence("Kindred::VectorIndex::release");
    m_products = {*m_memory, "Kindred::VectorIndex::products", 0};
  }

  /// \brief Queries of a pass for which \p bytes are enough, 0 where rows of this dimension are too
  /// long. \param room of a list \param beside bytes that each takes beside
  static std::size_t queries_max(std::uint64_t dimension, std::uint64_t room, std::size_t bytes,
                                 std::size_t beside) {
    const std::uint64_t row_bytes = stride_of(dimension) * sizeof(element);
    if (row_bytes * rows_least > tile_bytes) return 0;
    const std::size_t fixed = tile_bytes + query_room_most + 4 * rows_most * sizeof(float);
    if (bytes <= fixed) return 1;
    const std::size_t left = bytes - fixed;
    const std::size_t each = row_bytes + list_bytes(room) + beside;
    constexpr std::size_t column = rows_most * sizeof(element);
    constexpr std::size_t block = queries_block * column;
    const std::size_t few = left / (each + column);
    const std::size_t most = few < queries_block ? few : (left - block) / each;
    return std::max<std::size_t>(1, most);
  }
  /// The products of a pass, between them: for queries that are taken, and what is made of them.
  std::span<std::byte> room() const {
    return {reinterpret_cast<std::byte*>(m_products.data()), m_products.bytes()};
  }
  std::uint64_t tile_rows() const { return m_tile_rows; }
  ArrayView<const float, ExecutionSpace> slacks() const { return m_tile.slacks; }
  /// Room of a list of the best \p top: few rows are within the bounds of float16.
  static std::uint64_t room_for(std::uint64_t top) { return round_up(top * 5 / 2 + 1, 128); }
  static std::uint64_t lists_for(std::uint64_t queries) { return queries; }
  /// Thresholds are raised as rows grow by one of so many parts.
  static constexpr std::uint64_t raise_share = 4;

  /// Rounds the queries and empties the lists.
  void begin(const ExecutionSpace& exec_space, const TileTask<ExecutionSpace>& task,
             const ArrayView<const float, ExecutionSpace>& initial) {
    if (!m_gemm) m_gemm.emplace();
    const std::uint64_t dimension = task.rows.dimension;
    const std::uint64_t stride = stride_of(dimension);
    const std::uint64_t count = task.queries.count();
    m_tile_rows =
        std::min({rows_most, tile_bytes / (stride * sizeof(element)) / rows_least * rows_least,
                  round_up(task.order.positions(), rows_least)});
    m_block = std::min(queries_block, count);
    grow(exec_space, m_queries, count * stride);
    grow(exec_space, m_rows, m_tile_rows * stride);
    grow(exec_space, m_bounds, 4 * m_tile_rows);
    const std::size_t query_room =
        std::max(task.queries.room(1), std::min(task.queries.room(count), query_room_most));
    grow(exec_space, m_products,
         std::max<std::size_t>(m_tile_rows * m_block, query_room / sizeof(element) + 1));
    grow(exec_space, m_query_data, 2 * count + 1);
    const auto data = m_query_data.view();
    m_tile = {m_queries.view(), Kokkos::subview(data, std::pair(std::size_t{0}, count)),
              Kokkos::subview(data, std::pair(count, 2 * count)),
              Kokkos::subview(data, std::pair(2 * count, 2 * count + 1)), stride};
    m_model = {gemm_error(stride), 0x1p-11F * (1 + 0x1p-9F), 0x1p-25 / product_scale,
               product_scale};
    begin_tile_queries(exec_space, m_tile, task.lists);
    const std::uint64_t each = task.queries.room(1);
    const std::uint64_t step = each == 0 ? count : std::max<std::uint64_t>(1, room().size() / each);
    for (std::uint64_t first = 0; first < count; first += step)
      prepare_part(exec_space, task, initial, first, std::min(step, count - first));
  }

  /// \brief Judges the positions from \p begin to the end of the last of \p parts, at most
  /// `tile_rows()`; `raise(first, count)` after a part, for some queries at a time.
  template <class Raise>
  void screen(const ExecutionSpace& exec_space, const TileTask<ExecutionSpace>& task,
              std::uint64_t begin, std::span<const TilePart> parts, const Raise& raise) {
    const TileRows<ExecutionSpace, element> tile{
        m_rows.view(), TileBounds::of(m_bounds.data(), m_tile_rows), m_tile_rows, m_tile.stride};
    prepare_tile_rows(exec_space, task.metric, m_model, task.rows, task.order, begin,
                      ArrayView<const float, ExecutionSpace>(m_tile.residuals), tile,
                      task.lists.not_numbers);
    // A block's next part needs the thresholds of the one before.
    const bool together = parts.size() == 1;
    for (std::uint64_t query = 0; query < task.queries.count(); query += m_block) {
      const std::uint64_t count = std::min(m_block, task.queries.count() - query);
      const GemmShape shape{count,         m_tile_rows, m_tile.stride,     m_tile.stride,
                            m_tile.stride, m_tile_rows, GemmType::float16, GemmType::float16,
                            product_scale};
      m_gemm->run(exec_space, shape, m_queries.data() + query * m_tile.stride, m_rows.data(),
                  m_products.data());
      TileProducts<ExecutionSpace, element> products{
          m_products.data(), m_tile_rows, 0, 0, query, count};
      for (const TilePart& part : parts) {
        products.first = products.last;
        products.last = part.end - begin;
        select_tile(exec_space, task.metric, m_model, products, tile.bounds,
                    ArrayView<const float, ExecutionSpace>(m_tile.weights), task.filter,
                    task.lists);
        if (part.raise && !together) raise(query, count);
      }
    }
    if (parts.back().raise && together) raise(std::uint64_t{0}, task.queries.count());
  }

 private:
  /// Prepares the queries `first … first + count` of the pass.
  void prepare_part(const ExecutionSpace& exec_space, const TileTask<ExecutionSpace>& task,
                    const ArrayView<const float, ExecutionSpace>& initial, std::uint64_t first,
                    std::uint64_t count) {
    RoomCutter<ExecutionSpace> cutter(room().data());
    const auto queries = task.queries.take(exec_space, first, count, cutter);
    const auto part = [&](const auto& view, std::uint64_t each) {
      return Kokkos::subview(view, std::pair(first * each, (first + count) * each));
    };
    TileQueries<ExecutionSpace, element> tile = m_tile;
    tile.values = part(m_tile.values, m_tile.stride);
    tile.weights = part(m_tile.weights, 1);
    tile.slacks = part(m_tile.slacks, 1);
    TileLists<ExecutionSpace> lists = task.lists;
    lists.counts = part(task.lists.counts, 1);
    lists.widths = part(task.lists.widths, 1);
    lists.thresholds = part(task.lists.thresholds, 1);
    prepare_tile_queries(
        exec_space, task.metric, queries, task.rows.dimension,
        initial.size() == 0 ? initial : ArrayView<const float, ExecutionSpace>(part(initial, 1)),
        tile, lists);
  }

  /// 8192 × 2048 × 768: 512 blocks of 128 × 256 on 132 processors, four rounds.
  static constexpr std::uint64_t rows_most = 8192;
  static constexpr std::uint64_t rows_least = 128;
  static constexpr std::uint64_t queries_block = 2048;
  static constexpr std::uint64_t tile_bytes = 12U << 20U;
  /// Keeps the greatest product, 2¹⁶, in float16's range.
  static constexpr float product_scale = 0x1p-8F;

  static constexpr std::size_t query_room_most = 1U << 20U;

  static std::uint64_t stride_of(std::uint64_t dimension) { return round_up(dimension, 16); }
  /// Of a query: its list, and what is kept of it.
  static std::size_t list_bytes(std::uint64_t room) {
    return 2 * sizeof(std::uint32_t) * room + 6 * sizeof(float);
  }

  MemoryResource* m_memory = nullptr;
  std::optional<Products> m_gemm;
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

#endif  // KINDRED_MATCHER_SRC_VECTOR_GEMM_TILES_HPP
