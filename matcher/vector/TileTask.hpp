// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_VECTOR_TILE_TASK_HPP
#define KINDRED_MATCHER_VECTOR_TILE_TASK_HPP

#include "QuerySource.hpp"

#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/vector/TileSelect.hpp>
#include <kindred/memory/Buffer.hpp>

#include <cstddef>
#include <cstdint>

namespace Kindred::Impl {

/// Parameters of a pass over the rows.
template <class ExecutionSpace>
struct TileTask {
  Metric metric = Metric::cosine;
  VectorRows<ExecutionSpace> rows;
  TileOrder<ExecutionSpace> order;
  RowFilter<ExecutionSpace> filter;
  QuerySource<ExecutionSpace> queries;
  TileLists<ExecutionSpace> lists;
};

/// A part of the rows, up to a position, and whether thresholds are raised after it.
struct TilePart {
  std::uint64_t end = 0;
  bool raise = false;
};

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

/// Ensures that a buffer has at least \p size elements; earlier kernels may still be using its old
/// contents.
template <class ExecutionSpace, class T>
void grow(const ExecutionSpace& exec_space,
          Buffer<T, typename ExecutionSpace::memory_space>& buffer, std::size_t size) {
  if (size * sizeof(T) > buffer.bytes()) Arch::fence(exec_space, "Kindred::VectorIndex::grow");
  buffer.resize_discarding(size);
}

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_VECTOR_TILE_TASK_HPP
