// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_GRAPH_OWNED_ROWS_HPP
#define KINDRED_MATCHER_GRAPH_OWNED_ROWS_HPP

#include <kindred/core/graph/Adjacency.hpp>
#include <kindred/core/graph/Hop.hpp>
#include <kindred/core/graph/RowPlan.hpp>
#include <kindred/memory/Buffer.hpp>
#include <kindred/memory/Copies.hpp>

#include <algorithm>
#include <span>
#include <type_traits>

namespace Kindred::Impl {

/// \brief Rows of one direction of a graph in one memory space: owned, or, without their plan,
/// borrowed from a file.
template <class MemorySpace>
struct OwnedRows {
  Buffer<std::uint64_t, MemorySpace> offsets;
  Buffer<std::uint32_t, MemorySpace> sources;
  Buffer<float, MemorySpace> weights;
  Buffer<std::uint16_t, MemorySpace> short_weights;
  Buffer<std::uint8_t, MemorySpace> kinds;
  Buffer<std::uint32_t, MemorySpace> row_nodes;
  Buffer<std::uint32_t, MemorySpace> tiles;
  Buffer<std::uint32_t, MemorySpace> long_rows;
  Buffer<std::uint64_t, MemorySpace> long_first;
  Buffer<std::uint32_t, MemorySpace> block_long_row;

  std::uint64_t edge_bytes() const {
    return sources.bytes() + weights.bytes() + short_weights.bytes() + kinds.bytes();
  }
  std::uint64_t offset_bytes() const {
    return offsets.bytes() + row_nodes.bytes() + tiles.bytes() + long_rows.bytes() +
           long_first.bytes() + block_long_row.bytes();
  }
  std::uint64_t bytes() const { return edge_bytes() + offset_bytes(); }

  GraphRows<MemorySpace> view() const {
    GraphRows<MemorySpace> rows;
    rows.offsets = offsets.const_view();
    rows.sources = sources.const_view();
    rows.weights = weights.const_view();
    rows.short_weights = short_weights.const_view();
    rows.kinds = kinds.const_view();
    rows.row_nodes = row_nodes.const_view();
    rows.tiles = tiles.const_view();
    rows.long_rows = long_rows.const_view();
    rows.long_first = long_first.const_view();
    rows.block_long_row = block_long_row.const_view();
    return rows;
  }
};

using HostRows = OwnedRows<Kokkos::HostSpace>;

/// A host copy of \p values.
template <class T>
Buffer<T, Kokkos::HostSpace> host_copy(MemoryResource& memory, const char* label,
                                       std::span<const T> values) {
  Buffer<T, Kokkos::HostSpace> buffer(memory, label, values.size());
  std::copy(values.begin(), values.end(), buffer.data());
  return buffer;
}

/// Plans \p rows, whose offsets must be set. \throws OutOfMemory
inline void plan_host_rows(MemoryResource& memory, HostRows& rows) {
  const std::span<const std::uint64_t> offsets(rows.offsets.data(), rows.offsets.size());
  const std::uint64_t short_max = short_row_max<HostSpace>();
  const RowPlan plan = plan_rows(offsets, short_max, short_max / 2);
  const auto copy = [&](const char* label, const auto& values) {
    return host_copy(memory, label, std::span(values));
  };
  rows.tiles = copy("Kindred::SpreadingEngine::tiles", plan.tiles);
  rows.long_rows = copy("Kindred::SpreadingEngine::long_rows", plan.long_rows);
  rows.long_first = copy("Kindred::SpreadingEngine::long_first", plan.long_first);
  rows.block_long_row = copy("Kindred::SpreadingEngine::block_long_row", plan.block_long_row);
}

/// A copy of \p from, a buffer or a vector on the host, in memory of \p exec_space. Fences \p
/// exec_space. \throws OutOfMemory
template <class ExecutionSpace, class From>
auto copy_beside(const ExecutionSpace& exec_space, MemoryResource& memory, const char* label,
                 const From& from) {
  using T = std::remove_cvref_t<decltype(*from.data())>;
  Buffer<T, typename ExecutionSpace::memory_space> copy(memory, label, from.size());
  upload(exec_space, copy.view(), from.data(), from.size());
  return copy;
}

/// \brief A copy of the rows in memory of \p exec_space, planned for it. Fences \p exec_space.
/// \throws OutOfMemory
template <class ExecutionSpace>
OwnedRows<typename ExecutionSpace::memory_space> rows_beside(const ExecutionSpace& exec_space,
                                                             MemoryResource& memory,
                                                             const HostRows& host) {
  OwnedRows<typename ExecutionSpace::memory_space> rows;
  const auto copy = [&](const char* label, const auto& from) {
    return copy_beside(exec_space, memory, label, from);
  };
  rows.offsets = copy("Kindred::SpreadingEngine::offsets", host.offsets);
  rows.sources = copy("Kindred::SpreadingEngine::sources", host.sources);
  rows.weights = copy("Kindred::SpreadingEngine::weights", host.weights);
  rows.short_weights = copy("Kindred::SpreadingEngine::short_weights", host.short_weights);
  rows.kinds = copy("Kindred::SpreadingEngine::kinds", host.kinds);
  rows.row_nodes = copy("Kindred::SpreadingEngine::row_nodes", host.row_nodes);
  const std::span<const std::uint64_t> offsets(host.offsets.data(), host.offsets.size());
  const RowPlan plan = plan_rows(offsets, short_row_max<ExecutionSpace>(), host.sources.size() + 1);
  rows.long_rows = copy("Kindred::SpreadingEngine::long_rows", plan.long_rows);
  rows.long_first = copy("Kindred::SpreadingEngine::long_first", plan.long_first);
  rows.block_long_row = copy("Kindred::SpreadingEngine::block_long_row", plan.block_long_row);
  return rows;
}

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_GRAPH_OWNED_ROWS_HPP
