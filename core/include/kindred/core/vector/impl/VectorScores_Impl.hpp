// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_VECTOR_IMPL_VECTOR_SCORES_IMPL_HPP
#define KINDRED_CORE_VECTOR_IMPL_VECTOR_SCORES_IMPL_HPP

#include <kindred/core/vector/VectorScores.hpp>
#include <kindred/core/vector/impl/VectorTile.hpp>

#include <algorithm>

namespace Kindred::Impl {

/// Units are handed out as threads come free: a core that is busy otherwise delays no one.
template <class ExecutionSpace>
using UnitPolicy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::Schedule<Kokkos::Dynamic>>;
template <class ExecutionSpace>
using UnitMember = typename UnitPolicy<ExecutionSpace>::member_type;

/// Runs `functor(member)` with units 0 … units − 1 as `unit_of` tells them; a functor is given
/// units beyond and skips them.
template <class ExecutionSpace, class Functor>
void for_each_unit(const ExecutionSpace& exec_space, const char* label, std::uint64_t units,
                   const Functor& functor) {
  using shape = Arch::LaunchShape<ExecutionSpace>;
  if (units == 0) return;
  Kokkos::parallel_for(
      label,
      Kokkos::TeamPolicy<ExecutionSpace>(
          exec_space, static_cast<int>((units + shape::team_size - 1) / shape::team_size),
          shape::team_size, shape::vector_length),
      functor);
}

template <class Member>
KOKKOS_INLINE_FUNCTION std::uint64_t unit_of(const Member& member) {
  return static_cast<std::uint64_t>(member.league_rank()) * member.team_size() + member.team_rank();
}

/// A unit: the norm of a row, and the row widened where a target is given.
template <class ExecutionSpace>
struct NormKernel {
  const float* values;
  std::uint64_t count;
  std::uint64_t dimension;
  double* norms;
  double* wide;

  KOKKOS_INLINE_FUNCTION void operator()(const UnitMember<ExecutionSpace>& member) const {
    const std::uint64_t row = unit_of(member);
    if (row >= count) return;
    const Arch::Lanes<ExecutionSpace> lanes(member);
    using F64 = typename Arch::Lanes<ExecutionSpace>::F64;
    const float* x = values + row * dimension;
    const double sum =
        canonical_sum(lanes, dimension, [&](std::uint64_t i, int length, const F64& partial) {
          const F64 term = lanes.widen(lanes.load(x + i, length));
          if (wide != nullptr) lanes.store(wide + row * dimension + i, term, length);
          return lanes.multiply_add(term, term, partial);
        });
    if (lanes.is_leader()) norms[row] = Kokkos::sqrt(sum);
  }
};

/// Asks for the cache lines of a row.
template <class Lanes>
KOKKOS_INLINE_FUNCTION void prefetch_row(const Lanes& lanes, const float* row,
                                         std::uint64_t dimension) {
  for (std::uint64_t i = 0; i < dimension; i += 16) lanes.prefetch(row + i);
}

/// A unit: some rows, for some queries.
template <class ExecutionSpace, class Term>
struct RowKernel {
  using shape = Arch::VectorShape<ExecutionSpace>;
  using lanes_type = Arch::Lanes<ExecutionSpace>;

  Metric metric;
  const float* values;
  const double* norms;
  std::uint64_t dimension;
  std::uint64_t begin;
  std::uint64_t count;
  const std::uint8_t* filter;  // null: all pass
  const double* queries;
  const double* query_norms;
  std::uint64_t query_count;
  Rank* ranks;
  std::uint64_t row_units;
  std::uint64_t query_units;

  KOKKOS_INLINE_FUNCTION void operator()(const UnitMember<ExecutionSpace>& member) const {
    const std::uint64_t unit = unit_of(member);
    if (unit >= row_units * query_units) return;
    const lanes_type lanes(member);
    const std::uint64_t row_first = unit % row_units * shape::unit_rows;
    const std::uint64_t row_end =
        row_first + shape::unit_rows < count ? row_first + shape::unit_rows : count;
    std::uint64_t query = unit / row_units * shape::unit_queries;
    const std::uint64_t query_end =
        query + shape::unit_queries < query_count ? query + shape::unit_queries : query_count;
    if constexpr (shape::tile_queries > 1) {
      for (; query + shape::tile_queries <= query_end; query += shape::tile_queries) {
        for (std::uint64_t row = row_first; row < row_end; row += shape::tile_rows)
          tile<shape::tile_queries, shape::tile_rows>(lanes, query, row);
      }
    }
    for (; query < query_end; ++query) {
      for (std::uint64_t row = row_first; row < row_end; row += shape::single_rows)
        tile<1, shape::single_rows>(lanes, query, row);
    }
  }

  /// Rows behind the last are computed as the last again and not written.
  template <int Queries, int Rows>
  KOKKOS_INLINE_FUNCTION void tile(const lanes_type& lanes, std::uint64_t query,
                                   std::uint64_t row) const {
    const float* x[Rows];
    const double* y[Queries];
    bool passes = filter == nullptr;
    for (int r = 0; r < Rows; ++r) {
      const std::uint64_t index = begin + (row + r < count ? row + r : count - 1);
      x[r] = values + index * dimension;
      passes = passes || filter[index] != 0;
    }
    for (int q = 0; q < Queries; ++q) y[q] = queries + (query + q) * dimension;
    double sums[Queries][Rows] = {};
    if constexpr (shape::prefetch_rows > 0) {
      const bool first_queries = query % shape::unit_queries == 0;
      if (first_queries && row + shape::prefetch_rows < count)
        prefetch_row(lanes, x[0] + shape::prefetch_rows * dimension, dimension);
    }
    if (passes) tile_sums<Term>(lanes, y, x, dimension, sums);
    if (!lanes.is_leader()) return;
    for (int q = 0; q < Queries; ++q) {
      for (int r = 0; r < Rows; ++r) {
        if (row + r >= count) break;
        const std::uint64_t index = begin + row + r;
        ranks[(query + q) * count + row + r] =
            filter != nullptr && filter[index] == 0
                ? rank_none
                : score_rank(metric, sums[q][r], query_norms[query + q],
                             metric == Metric::cosine ? norms[index] : 1.0,
                             static_cast<std::uint32_t>(index));
      }
    }
  }
};

/// A unit: some candidates of one query.
template <class ExecutionSpace, class Term>
struct CandidateKernel {
  static constexpr int unit_rows = Arch::VectorShape<ExecutionSpace>::candidate_rows;

  Metric metric;
  const float* values;
  const double* norms;
  std::uint64_t dimension;
  const std::uint32_t* ids;
  const std::uint32_t* unit_queries;
  std::uint64_t units;
  const double* queries;
  const double* query_norms;
  Rank* ranks;

  KOKKOS_INLINE_FUNCTION void operator()(const UnitMember<ExecutionSpace>& member) const {
    const std::uint64_t unit = unit_of(member);
    if (unit >= units) return;
    const Arch::Lanes<ExecutionSpace> lanes(member);
    const std::uint32_t* unit_ids = ids + unit * unit_rows;
    const std::uint64_t query = unit_queries[unit];
    double sums[1][unit_rows] = {};
    if (unit_ids[0] != no_candidate) {
      const float* x[unit_rows];
      for (int r = 0; r < unit_rows; ++r) {
        const std::uint32_t id = unit_ids[r] == no_candidate ? unit_ids[0] : unit_ids[r];
        x[r] = values + id * dimension;
      }
      const double* const y[1] = {queries + query * dimension};
      tile_sums<Term>(lanes, y, x, dimension, sums);
    }
    if (!lanes.is_leader()) return;
    for (int r = 0; r < unit_rows; ++r) {
      const std::uint32_t id = unit_ids[r];
      ranks[unit * unit_rows + r] =
          id == no_candidate ? rank_none
                             : score_rank(metric, sums[0][r], query_norms[query],
                                          metric == Metric::cosine ? norms[id] : 1.0, id);
    }
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_VECTOR_IMPL_VECTOR_SCORES_IMPL_HPP
