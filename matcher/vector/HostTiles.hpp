// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_VECTOR_HOST_TILES_HPP
#define KINDRED_MATCHER_VECTOR_HOST_TILES_HPP

#include "GrowBuffer.hpp"
#include "TilePass.hpp"

#include <kindred/backends/vendor/HostGemm.hpp>
#include <kindred/core/arch/Concurrency.hpp>
#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/common/Cancellation.hpp>
#include <kindred/core/launch/ForEachIndex.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace Kindred::Impl {

/// \brief Tiles of 128 rows; one thread rounds and multiplies a tile and applies the thresholds, so
/// its data stays in the cache of the core.
class HostTiles {
 public:
  explicit HostTiles(const HostGemmChoice& choice = fastest_host_gemm()) : m_choice(choice) {}

  void bind(MemoryResource& memory) {
    m_queries = {memory, "Kindred::VectorIndex::tile_queries", 0};
    m_packed = {memory, "Kindred::VectorIndex::packed_queries", 0};
    m_query_data = {memory, "Kindred::VectorIndex::tile_query_data", 0};
    m_local = {memory, "Kindred::VectorIndex::tiles", 0};
  }

  /// No-op: the tiles of threads are small.
  void release(const HostSpace&) {}

  /// Number of queries per pass; 0 if rows of this dimension are too long.
  static std::size_t queries_max(std::uint64_t dimension, std::uint64_t capacity, std::size_t,
                                 std::size_t) {
    constexpr std::size_t list_entries = 5U << 18U;  // of all lists of a pass
    const std::uint64_t row_bytes = stride_of(dimension) * sizeof(float);
    if (row_bytes * rows_each > (2U << 20U)) return 0;
    return std::max<std::size_t>(1, std::min((12U << 20U) / row_bytes, list_entries / capacity));
  }
  /// Host tiles have no memory to share.
  static std::span<std::byte> spare_memory() { return {}; }
  /// Number of rows per call of `prefilter`; any number is possible.
  static std::uint64_t tile_rows() { return 1U << 20U; }
  ArrayView<const float, HostSpace> slacks() const { return m_slacks; }
  /// Capacity of the list of the best \p top: twice as many rows are within the error bounds of
  /// bfloat16.
  static std::uint64_t capacity_for(std::uint64_t top) { return round_up(5 * top, 128); }
  static constexpr std::uint64_t raise_share = 2;
  /// Thresholds are padded to whole blocks.
  static std::uint64_t lists_for(std::uint64_t queries) {
    return round_up(queries, block_of(queries));
  }

  void begin(const HostSpace& exec_space, const TilePass<HostSpace>& task,
             const ArrayView<const float, HostSpace>& initial) {
    if (m_choice.input == GemmType::bfloat16) {
      begin_as<Arch::BFloat16>(exec_space, task, initial);
    } else {
      begin_as<float>(exec_space, task, initial);
    }
  }

  template <class Raise>
  void prefilter(const HostSpace& exec_space, const TilePass<HostSpace>& task, std::uint64_t begin,
                 std::span<const TilePart> parts, const Raise& raise) {
    for (const TilePart& part : parts) {
      if (m_choice.input == GemmType::bfloat16) {
        prefilter_as<Arch::BFloat16>(exec_space, task, begin, part.end);
      } else {
        prefilter_as<float>(exec_space, task, begin, part.end);
      }
      if (part.raise) raise(std::uint64_t{0}, task.queries.count());
      begin = part.end;
    }
  }

 private:
  static constexpr std::uint64_t rows_each = 128;
  static constexpr std::uint64_t block_most = 256;

  static std::uint64_t stride_of(std::uint64_t dimension) { return round_up(dimension, 16); }
  static std::uint64_t block_of(std::uint64_t queries) {
    return std::min(block_most, round_up(queries, 16));
  }

  template <class Element>
  void begin_as(const HostSpace& exec_space, const TilePass<HostSpace>& task,
                const ArrayView<const float, HostSpace>& initial) {
    const std::uint64_t dimension = task.rows.dimension;
    m_stride = stride_of(dimension);
    m_block = block_of(task.queries.count());
    const std::uint64_t count = round_up(task.queries.count(), m_block);
    const GemmShape shape{rows_each, m_block,        m_stride,          m_stride, m_stride,
                          m_block,   m_choice.input, GemmType::float32, 1};
    if (!m_gemm || m_gemm->shape() != shape) m_gemm.emplace(m_choice.library, shape);
    const std::size_t packed = round_up(m_gemm->packed_bytes(), 64);
    grow(exec_space, m_queries, count * m_stride * sizeof(Element));
    grow(exec_space, m_packed, count / m_block * packed + 64);
    grow(exec_space, m_query_data, 2 * count + 1);
    m_workers = static_cast<std::uint64_t>(std::max(1, Arch::concurrency(exec_space)));
    m_local_bytes = rows_each * m_stride * sizeof(Element) + rows_each * m_block * sizeof(float) +
                    rows_each * 4 * sizeof(float) + round_up(m_gemm->scratch_bytes(), 64);
    grow(exec_space, m_local, m_workers * m_local_bytes + 64);
    const auto data = m_query_data.view();
    m_weights = Kokkos::subview(data, std::pair(std::size_t{0}, count));
    m_slacks = Kokkos::subview(data, std::pair(count, 2 * count));
    m_residual = Kokkos::subview(data, std::pair(2 * count, 2 * count + 1));
    auto* values = reinterpret_cast<Element*>(m_queries.data());
    const TileQueries<HostSpace, Element> tile{
        ArrayView<Element, HostSpace>(values, count * m_stride),
        m_weights,
        m_slacks,
        m_residual,
        {m_stride, false}};
    m_model = {gemm_error(m_stride), 0.0F, 0.0, 1.0F};
    begin_tile_queries(exec_space, tile, task.lists);
    prepare_tile_queries(exec_space, task.metric, task.queries.take(0, task.queries.count()),
                         dimension, 0, initial, tile, task.lists);
    Arch::fence(exec_space, "Kindred::VectorIndex::tile_queries");
    for (std::uint64_t block = 0; block < count / m_block; ++block)
      m_gemm->pack(values + block * m_block * m_stride, packed_block(block));
  }

  std::byte* packed_block(std::uint64_t block) const {
    return aligned(m_packed.data()) + block * round_up(m_gemm->packed_bytes(), 64);
  }
  static std::byte* aligned(std::byte* data) {
    return data + (64 - reinterpret_cast<std::uintptr_t>(data) % 64) % 64;
  }

  template <class Element>
  void prefilter_as(const HostSpace& exec_space, const TilePass<HostSpace>& task,
                    std::uint64_t begin, std::uint64_t end) {
    const std::uint64_t tiles = quotient_up(end - begin, rows_each);
    const std::uint64_t blocks = quotient_up(task.queries.count(), m_block);
    // With few rows, the work is divided by queries as well.
    const std::uint64_t shares = tiles < 4 * m_workers ? blocks : 1;
    std::atomic<std::uint64_t> next{0};
    const auto work = [&](const std::uint64_t worker, const Launch::SharedWork& shared) {
      std::byte* local = aligned(m_local.data()) + worker * m_local_bytes;
      auto* products = reinterpret_cast<float*>(local);
      auto* scratch = local + rows_each * m_block * sizeof(float);
      auto* values = reinterpret_cast<Element*>(scratch + round_up(m_gemm->scratch_bytes(), 64));
      const TileBounds bounds =
          TileBounds::of(reinterpret_cast<float*>(values + rows_each * m_stride), rows_each);
      for (std::uint64_t item = next++; item < tiles * shares; item = next++) {
        if (shared.is_over()) return;
        const std::uint64_t first = begin + item / shares * rows_each;
        const std::uint64_t count = std::min(rows_each, end - first);
        const TileRows<HostSpace, Element> tile{
            ArrayView<Element, HostSpace>(values, rows_each * m_stride),
            bounds,
            rows_each,
            {m_stride, false}};
        prepare_tile_rows_here(task.metric, m_model, task.rows, task.order, first, m_residual(0),
                               tile, task.lists.not_numbers.data());
        const std::uint64_t block_begin = item % shares * blocks / shares;
        const std::uint64_t block_end = (item % shares + 1) * blocks / shares;
        for (std::uint64_t block = block_begin; block < block_end; ++block) {
          m_gemm->run(values, packed_block(block), products, scratch);
          select_tile_here(task.metric, m_model,
                           {products, rows_each, 0, count, block * m_block, m_block}, bounds,
                           m_weights, task.filter, task.lists);
        }
      }
    };
    Launch::for_each_worker(exec_space, "Kindred::VectorIndex::search::host_tiles", m_workers,
                            work);
    Arch::fence(exec_space, "Kindred::VectorIndex::host_tiles");
  }

  HostGemmChoice m_choice;
  std::optional<HostGemm> m_gemm;
  Buffer<std::byte, Kokkos::HostSpace> m_queries;
  Buffer<std::byte, Kokkos::HostSpace> m_packed;
  Buffer<std::byte, Kokkos::HostSpace> m_local;
  Buffer<float, Kokkos::HostSpace> m_query_data;
  ArrayView<float, HostSpace> m_weights;
  ArrayView<float, HostSpace> m_slacks;
  ArrayView<float, HostSpace> m_residual;
  TileModel m_model;
  std::uint64_t m_stride = 0;
  std::uint64_t m_block = 0;
  std::uint64_t m_workers = 1;
  std::size_t m_local_bytes = 0;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_VECTOR_HOST_TILES_HPP
