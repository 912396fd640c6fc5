// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SRC_SPREADING_GRAPH_HPP
#define KINDRED_MATCHER_SRC_SPREADING_GRAPH_HPP

#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/graph/Adjacency.hpp>
#include <kindred/core/graph/Hop.hpp>
#include <kindred/memory/Buffer.hpp>

namespace Kindred::Impl {

/// The transpose of a graph in one memory space, owned.
template <class ExecutionSpace>
struct SpreadingGraph {
  using memory_space = typename ExecutionSpace::memory_space;

  Buffer<std::uint64_t, memory_space> offsets;
  Buffer<std::uint32_t, memory_space> sources;
  Buffer<float, memory_space> weights;
  Buffer<std::uint32_t, memory_space> tiles;
  Buffer<std::uint32_t, memory_space> long_rows;
  Buffer<std::uint64_t, memory_space> long_first;
  Buffer<std::uint32_t, memory_space> block_long_row;

  SpreadingGraph(MemoryResource& memory, std::size_t nodes, std::size_t edges)
      : offsets(memory, "Kindred::SpreadingEngine::offsets", nodes + 1),
        sources(memory, "Kindred::SpreadingEngine::sources", edges),
        weights(memory, "Kindred::SpreadingEngine::weights", edges) {}

  /// Takes over the plan of rows. Fences \p exec_space.
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

  std::size_t blocks() const { return block_long_row.size(); }
  std::uint64_t bytes() const {
    return offsets.bytes() + sources.bytes() + weights.bytes() + tiles.bytes() + long_rows.bytes() +
           long_first.bytes() + block_long_row.bytes();
  }
  GraphRows<memory_space> view() const {
    GraphRows<memory_space> rows;
    rows.offsets = offsets.const_view();
    rows.sources = sources.const_view();
    rows.weights = weights.const_view();
    rows.tiles = tiles.const_view();
    rows.long_rows = long_rows.const_view();
    rows.long_first = long_first.const_view();
    rows.block_long_row = block_long_row.const_view();
    return rows;
  }
  GraphSide<memory_space> side() const {
    GraphSide<memory_space> side;
    side.built = view();
    side.nodes = side.built.rows();
    return side;
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SRC_SPREADING_GRAPH_HPP
