// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_VECTOR_IMPL_VECTOR_TILE_HPP
#define KINDRED_CORE_VECTOR_IMPL_VECTOR_TILE_HPP

#include <kindred/core/arch/simd/Lanes.hpp>
#include <kindred/core/math/ReproducibleSum.hpp>
#include <kindred/core/numeric/Rank.hpp>
#include <kindred/core/vector/Metric.hpp>

#include <cstdint>

namespace Kindred::Impl {

/// \brief How many rows and queries a work item scores together: as many sums as its registers
/// hold, with enough loads in flight.
template <class ExecutionSpace>
struct VectorTileShape {
  static constexpr int tile_queries = 4;  ///< per batch
  static constexpr int rest_queries = 4;  ///< per tile, where fewer are left: some are repeated
  static constexpr int tile_rows = 4;
  static constexpr int block_rows = 4;  ///< per work item
  /// The same if there are fewer queries than a tile holds.
  static constexpr int scan_rows = 4;
  static constexpr int scan_depth = 8;          ///< steps of 32 elements in flight
  static constexpr int work_item_queries = 64;  ///< scored with a block before the next one is read
  static constexpr int matrix_queries = 4;      ///< the same of a matrix of scores
  static constexpr int candidate_rows = 4;
  static constexpr int candidate_depth = 12;
  static constexpr int prefetch_rows = 0;
};

template <>
struct VectorTileShape<HostSpace> {
  // One row after the other keeps the hardware prefetcher on one stream: 1.4 × as fast as four
  // together.
  static constexpr int tile_queries = Arch::host_has_64_byte_registers ? 6 : 1;
  static constexpr int rest_queries = 1;
  static constexpr int tile_rows = 1;
  static constexpr int block_rows = 16;
  static constexpr int scan_rows = 16;
  static constexpr int scan_depth = 1;
  static constexpr int work_item_queries = 96;
  static constexpr int matrix_queries = 96;
  // Rows far apart: four streams hide the latency of each other.
  static constexpr int candidate_rows = 4;
  static constexpr int candidate_depth = 1;
  static constexpr int prefetch_rows = 4;  ///< prefetch distance ahead of the row that is read
};

/// Terms of q·x.
struct DotTerm {
  template <class Lanes, class F64>
  KOKKOS_INLINE_FUNCTION static F64 add(const Lanes& lanes, const F64& q, const F64& x,
                                        const F64& sum) {
    return lanes.multiply_add(q, x, sum);
  }
};

/// Terms of Σ(q − x)².
struct SquaredDifferenceTerm {
  template <class Lanes, class F64>
  KOKKOS_INLINE_FUNCTION static F64 add(const Lanes& lanes, const F64& q, const F64& x,
                                        const F64& sum) {
    return lanes.add_squared_difference(q, x, sum);
  }
};

/// Calls `function(term)` with the terms of \p metric.
template <class Function>
void with_term(Metric metric, const Function& function) {
  if (metric == Metric::l2) return function(SquaredDifferenceTerm{});
  function(DotTerm{});
}

/// The elements from i on of a query that was already widened, or of a row: 32, or \p count.
template <class Lanes, class... Count>
KOKKOS_INLINE_FUNCTION auto load_wide(const Lanes& lanes, const double* query, std::uint64_t i,
                                      Count... count) {
  return lanes.load(query + i, count...);
}
template <class Lanes, class Row, class... Count>
KOKKOS_INLINE_FUNCTION auto load_wide(const Lanes& lanes, const Row& row, std::uint64_t i,
                                      Count... count) {
  return lanes.widen(row.load(lanes, i, count...));
}

/// The reproducible sums of `Queries` queries with `Rows` rows. Up to one block of 4096 elements
/// they are carried in registers together, beyond that pair by pair. \tparam Depth steps of 32
/// elements that are loaded before the first is used, so that they are in flight together
template <class Term, int Queries, int Rows, int Depth = 1, class Lanes, class Query, class Row>
KOKKOS_INLINE_FUNCTION void tile_sums(const Lanes& lanes, const Query (&queries)[Queries],
                                      const Row (&rows)[Rows], std::uint64_t dimension,
                                      double (&sums)[Queries][Rows]) {
  using F32 = typename Lanes::F32;
  using F64 = typename Lanes::F64;
  if (dimension > reproducible_block) {
    for (int q = 0; q < Queries; ++q) {
      for (int r = 0; r < Rows; ++r) {
        const Query query = queries[q];
        const Row row = rows[r];
        sums[q][r] =
            reproducible_sum(lanes, dimension, [&](std::uint64_t i, int count, const F64& sum) {
              return Term::add(lanes, load_wide(lanes, query, i, count),
                               lanes.widen(row.load(lanes, i, count)), sum);
            });
      }
    }
    return;
  }
  F64 sum[Queries][Rows];
  KINDRED_UNROLL
  for (int q = 0; q < Queries; ++q) {
    KINDRED_UNROLL
    for (int r = 0; r < Rows; ++r) sum[q][r] = lanes.zero();
  }
  const std::uint64_t whole = dimension / 32 * 32;
  std::uint64_t i = 0;
  if constexpr (Depth > 1) {
    for (; i + 32 * Depth <= whole; i += 32 * Depth) {
      F32 x[Depth][Rows];
      KINDRED_UNROLL
      for (int d = 0; d < Depth; ++d) {
        KINDRED_UNROLL
        for (int r = 0; r < Rows; ++r) x[d][r] = rows[r].load(lanes, i + 32 * d);
      }
      KINDRED_UNROLL
      for (int d = 0; d < Depth; ++d) {
        KINDRED_UNROLL
        for (int q = 0; q < Queries; ++q) {
          const F64 y = load_wide(lanes, queries[q], i + 32 * d);
          KINDRED_UNROLL
          for (int r = 0; r < Rows; ++r)
            sum[q][r] = Term::add(lanes, y, lanes.widen(x[d][r]), sum[q][r]);
        }
      }
    }
  }
  KINDRED_UNROLL_4
  for (; i < whole; i += 32) {
    F64 x[Rows];
    KINDRED_UNROLL
    for (int r = 0; r < Rows; ++r) x[r] = lanes.widen(rows[r].load(lanes, i));
    KINDRED_UNROLL
    for (int q = 0; q < Queries; ++q) {
      const F64 y = load_wide(lanes, queries[q], i);
      KINDRED_UNROLL
      for (int r = 0; r < Rows; ++r) sum[q][r] = Term::add(lanes, y, x[r], sum[q][r]);
    }
  }
  if (whole < dimension) {
    const int count = static_cast<int>(dimension - whole);
    KINDRED_UNROLL
    for (int q = 0; q < Queries; ++q) {
      const F64 y = load_wide(lanes, queries[q], whole, count);
      KINDRED_UNROLL
      for (int r = 0; r < Rows; ++r) {
        sum[q][r] = Term::add(lanes, y, lanes.widen(rows[r].load(lanes, whole, count)), sum[q][r]);
      }
    }
  }
  KINDRED_UNROLL
  for (int q = 0; q < Queries; ++q) {
    KINDRED_UNROLL
    for (int r = 0; r < Rows; ++r) sums[q][r] = lanes.tree_sum(sum[q][r]);
  }
}

/// The reproducible sum of a query with a row. \tparam Depth as in `tile_sums`
template <class Term, int Depth, class Lanes, class Query, class Row>
KOKKOS_INLINE_FUNCTION double tile_sum(const Lanes& lanes, const Query& query, const Row& row,
                                       std::uint64_t dimension) {
  const Query queries[1] = {query};
  const Row rows[1] = {row};
  double sums[1][1];
  tile_sums<Term, 1, 1, Depth>(lanes, queries, rows, dimension, sums);
  return sums[0][0];
}

/// The reproducible sums of q·x and of x·x, reading the row once. \tparam Depth as in `tile_sums`
template <int Depth = 1, class Lanes, class Query, class Row>
KOKKOS_INLINE_FUNCTION void dot_and_squares(const Lanes& lanes, const Query& query, const Row& row,
                                            std::uint64_t dimension, double& dot, double& squares) {
  using F32 = typename Lanes::F32;
  using F64 = typename Lanes::F64;
  if (dimension > reproducible_block) {
    dot = reproducible_sum(lanes, dimension, [&](std::uint64_t i, int count, const F64& sum) {
      return lanes.multiply_add(load_wide(lanes, query, i, count),
                                lanes.widen(row.load(lanes, i, count)), sum);
    });
    squares = reproducible_sum(lanes, dimension, [&](std::uint64_t i, int count, const F64& sum) {
      const F64 term = lanes.widen(row.load(lanes, i, count));
      return lanes.multiply_add(term, term, sum);
    });
    return;
  }
  F64 dots = lanes.zero();
  F64 squared = lanes.zero();
  const std::uint64_t whole = dimension / 32 * 32;
  std::uint64_t i = 0;
  if constexpr (Depth > 1) {
    for (; i + 32 * Depth <= whole; i += 32 * Depth) {
      F32 x[Depth];
      KINDRED_UNROLL
      for (int d = 0; d < Depth; ++d) x[d] = row.load(lanes, i + 32 * d);
      KINDRED_UNROLL
      for (int d = 0; d < Depth; ++d) {
        const F64 term = lanes.widen(x[d]);
        dots = lanes.multiply_add(load_wide(lanes, query, i + 32 * d), term, dots);
        squared = lanes.multiply_add(term, term, squared);
      }
    }
  }
  KINDRED_UNROLL_4
  for (; i < whole; i += 32) {
    const F64 term = lanes.widen(row.load(lanes, i));
    dots = lanes.multiply_add(load_wide(lanes, query, i), term, dots);
    squared = lanes.multiply_add(term, term, squared);
  }
  if (whole < dimension) {
    const int count = static_cast<int>(dimension - whole);
    const F64 term = lanes.widen(row.load(lanes, whole, count));
    dots = lanes.multiply_add(load_wide(lanes, query, whole, count), term, dots);
    squared = lanes.multiply_add(term, term, squared);
  }
  dot = lanes.tree_sum(dots);
  squares = lanes.tree_sum(squared);
}

/// The rank of a score computed from unrounded sums and rounded once.
KOKKOS_INLINE_FUNCTION Rank score_rank(Metric metric, double sum, double query_norm,
                                       double row_norm, std::uint32_t index) {
  if (metric == Metric::l2) return rank_ascending(static_cast<float>(Kokkos::sqrt(sum)), index);
  if (metric == Metric::cosine) {
    if (query_norm == 0.0 || row_norm == 0.0) {
      sum = 0.0;
    } else {
      sum = sum / (query_norm * row_norm);
      if (sum > 1.0) sum = 1.0;
      if (sum < -1.0) sum = -1.0;
    }
  }
  return rank_descending(static_cast<float>(sum), index);
}

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_VECTOR_IMPL_VECTOR_TILE_HPP
