// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SRC_GRAPH_OWNED_ROWS_HPP
#define KINDRED_MATCHER_SRC_GRAPH_OWNED_ROWS_HPP

#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/graph/Adjacency.hpp>
#include <kindred/core/graph/GraphRows.hpp>
#include <kindred/memory/Buffer.hpp>

#include <span>

namespace Kindred::Impl {

/// The rows of one direction of a graph in one memory space, owned.
template <class MemorySpace>
struct OwnedRows {
  Buffer<std::uint64_t, MemorySpace> offsets;
  Buffer<std::uint32_t, MemorySpace> sources;
  Buffer<float, MemorySpace> weights;
  Buffer<std::uint32_t, MemorySpace> tiles;
  Buffer<std::uint32_t, MemorySpace> long_rows;
  Buffer<std::uint64_t, MemorySpace> long_first;
  Buffer<std::uint32_t, MemorySpace> block_long_row;

  OwnedRows() = default;
  OwnedRows(MemoryResource& memory, std::size_t rows, std::size_t edges)
      : offsets(memory, "Kindred::SpreadingEngine::offsets", rows + 1),
        sources(memory, "Kindred::SpreadingEngine::sources", edges),
        weights(memory, "Kindred::SpreadingEngine::weights", edges) {}

  AdjacencySpan span() const {
    return {{offsets.data(), offsets.size()},
            {sources.data(), sources.size()},
            {weights.data(), weights.size()}};
  }

  /// Takes over the plan of rows. Fences \p exec_space.
  template <class ExecutionSpace>
  void set_plan(const ExecutionSpace& exec_space, MemoryResource& memory, const RowPlan& plan) {
    const auto copy = [&](auto& buffer, const auto& values, const char* label) {
      buffer = std::remove_reference_t<decltype(buffer)>(memory, label, values.size());
      upload(exec_space, buffer.view(), values.data(), values.size());
    };
    copy(tiles, plan.tiles, "Kindred::SpreadingEngine::tiles");
    copy(long_rows, plan.long_rows, "Kindred::SpreadingEngine::long_rows");
    copy(long_first, plan.long_first, "Kindred::SpreadingEngine::long_first");
    copy(block_long_row, plan.block_long_row, "Kindred::SpreadingEngine::block_long_row");
  }

  std::uint64_t bytes() const {
    return offsets.bytes() + sources.bytes() + weights.bytes() + tiles.bytes() + long_rows.bytes() +
           long_first.bytes() + block_long_row.bytes();
  }
  GraphRows<MemorySpace> view() const {
    GraphRows<MemorySpace> rows;
    rows.offsets = offsets.const_view();
    rows.sources = sources.const_view();
    rows.weights = weights.const_view();
    rows.tiles = tiles.const_view();
    rows.long_rows = long_rows.const_view();
    rows.long_first = long_first.const_view();
    rows.block_long_row = block_long_row.const_view();
    return rows;
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SRC_GRAPH_OWNED_ROWS_HPP
