// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_VECTOR_TILE_PASS_HPP
#define KINDRED_MATCHER_VECTOR_TILE_PASS_HPP

#include "QuerySource.hpp"

#include <kindred/core/vector/TileSelect.hpp>

#include <cstdint>

namespace Kindred::Impl {

/// Parameters of a pass over the rows.
template <class ExecutionSpace>
struct TilePass {
  Metric metric = Metric::cosine;
  VectorRows<ExecutionSpace> rows;
  TileOrder<ExecutionSpace> order;
  RowFilter<ExecutionSpace> filter;
  QuerySource<ExecutionSpace> queries;
  TileLists<ExecutionSpace> lists;
  RoundedRows<ExecutionSpace, Arch::Float16> rounded;  ///< of all rows in this order, or empty
};

/// A part of the rows, up to a position, and whether thresholds are raised after it.
struct TilePart {
  std::uint64_t end = 0;
  bool raise = false;
};

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
  return quotient_up(value, unit) * unit;
}

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_VECTOR_TILE_PASS_HPP
