// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_VECTOR_IMPL_VECTOR_SCORES_KERNELS_HPP
#define KINDRED_CORE_VECTOR_IMPL_VECTOR_SCORES_KERNELS_HPP

#include <kindred/core/arch/simd/GroupLanes.hpp>
#include <kindred/core/launch/ForEachTeam.hpp>
#include <kindred/core/vector/VectorScores.hpp>
#include <kindred/core/vector/impl/ElementRow.hpp>
#include <kindred/core/vector/impl/VectorTile.hpp>

#include <algorithm>

namespace Kindred::Impl {

/// A work item: the norm of one row, and the widened row if there is a target.
template <class ExecutionSpace, class Element>
struct NormKernel {
  ElementRows<Element> rows;
  std::uint64_t count;
  double* norms;
  double* wide;

  KOKKOS_INLINE_FUNCTION void operator()(const Launch::Member<ExecutionSpace>& member,
                                         std::uint64_t row) const {
    const Arch::Lanes<ExecutionSpace> lanes(member);
    using F64 = typename Arch::Lanes<ExecutionSpace>::F64;
    const ElementRow<Element> x = rows[row];
    const double sum = reproducible_sum(
        lanes, rows.dimension, [&](std::uint64_t i, int length, const F64& partial) {
          const F64 term = lanes.widen(x.load(lanes, i, length));
          if (wide != nullptr) lanes.store(wide + row * rows.dimension + i, term, length);
          return lanes.multiply_add(term, term, partial);
        });
    if (lanes.is_leader()) norms[row] = Kokkos::sqrt(sum);
  }
};

/// A work item: decodes one row.
template <class ExecutionSpace, class Element>
struct DecodeKernel {
  ElementRows<Element> rows;
  std::uint64_t begin;
  std::uint64_t count;
  float* out;

  KOKKOS_INLINE_FUNCTION void operator()(const Launch::Member<ExecutionSpace>& member,
                                         std::uint64_t row) const {
    const Arch::Lanes<ExecutionSpace> lanes(member);
    const ElementRow<Element> x = rows[begin + row];
    float* to = out + row * rows.dimension;
    for (std::uint64_t i = 0; i < rows.dimension; i += 32) {
      const auto length = static_cast<int>(rows.dimension - i < 32 ? rows.dimension - i : 32);
      lanes.store(to + i, x.load(lanes, i, length), length);
    }
  }
};

/// The members common to the kernels that rank a range of rows.
template <class ExecutionSpace>
struct RowRange {
  Metric metric;
  ElementRows<float> rows;  // row 0 is row `first` of the whole matrix
  std::uint64_t first;
  std::uint64_t count;
  RowFilter<ExecutionSpace> filter;
  const double* queries;
  const double* query_norms;
  std::uint64_t query_count;
  Rank* ranks;

  KOKKOS_INLINE_FUNCTION bool passes(std::uint64_t query, std::uint64_t row) const {
    return filter.passes(query, first + row);
  }
  KOKKOS_INLINE_FUNCTION void write(std::uint64_t query, std::uint64_t row, double sum) const {
    ranks[query * count + row] =
        passes(query, row)
            ? score_rank(metric, sum, query_norms[query],
                         metric == Metric::cosine ? rows.norms[row] : 1.0, rows.id(row, first))
            : rank_none;
  }
};

/// A work item: some rows, for few queries. A separate kernel, because the tiles of a batch take
/// registers that this one needs for loads in flight.
template <class ExecutionSpace, class Term, bool Wide>
struct ScanKernel {
  using shape = VectorTileShape<ExecutionSpace>;
  using lanes_type = Arch::GroupLanes<ExecutionSpace, Wide>;

  RowRange<ExecutionSpace> range;

  KOKKOS_INLINE_FUNCTION void operator()(const Launch::Member<ExecutionSpace>& member,
                                         std::uint64_t work_item) const {
    const std::uint64_t begin = work_item * shape::scan_rows;
    const lanes_type lanes(member);
    const std::uint64_t end =
        begin + shape::scan_rows < range.count ? begin + shape::scan_rows : range.count;
    for (std::uint64_t row = begin; row < end; row += lanes_type::groups) {
      for (std::uint64_t query = 0; query < range.query_count; ++query)
        score(lanes, query, row + lanes.group());
    }
  }

  /// Beyond the last row, the last row is computed again and not written.
  KOKKOS_INLINE_FUNCTION void score(const lanes_type& lanes, std::uint64_t query,
                                    std::uint64_t row) const {
    const bool exists = row < range.count;
    if (!exists) row = range.count - 1;
    const ElementRow<float> x[1] = {range.rows[row]};
    const double* const y[1] = {range.queries + query * range.rows.dimension};
    if constexpr (shape::prefetch_rows > 0) {
      if (query == 0 && row + shape::prefetch_rows < range.count)
        range.rows[row + shape::prefetch_rows].prefetch(lanes, range.rows.dimension);
    }
    double sums[1][1] = {};
    // On a device the other groups of the warp may need the sum.
    if (lanes_type::groups > 1 || range.passes(query, row))
      tile_sums<Term, 1, 1, shape::scan_depth>(lanes, y, x, range.rows.dimension, sums);
    if (lanes.is_leader() && exists) range.write(query, row, sums[0][0]);
  }
};

/// A work item: some rows, for a block of queries.
template <class ExecutionSpace, class Term>
struct BatchKernel {
  using shape = VectorTileShape<ExecutionSpace>;
  using lanes_type = Arch::Lanes<ExecutionSpace>;

  RowRange<ExecutionSpace> range;
  std::uint64_t row_work_items;
  std::uint64_t query_work_items;

  KOKKOS_INLINE_FUNCTION void operator()(const Launch::Member<ExecutionSpace>& member,
                                         std::uint64_t work_item) const {
    const lanes_type lanes(member);
    const std::uint64_t row_first = work_item % row_work_items * shape::work_item_rows;
    const std::uint64_t row_end = row_first + shape::work_item_rows < range.count
                                      ? row_first + shape::work_item_rows
                                      : range.count;
    std::uint64_t query = work_item / row_work_items * shape::work_item_queries;
    const std::uint64_t query_end = query + shape::work_item_queries < range.query_count
                                        ? query + shape::work_item_queries
                                        : range.query_count;
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

  /// Beyond the last row, the last row is computed again and not written.
  template <int Queries, int Rows>
  KOKKOS_INLINE_FUNCTION void tile(const lanes_type& lanes, std::uint64_t query,
                                   std::uint64_t row) const {
    ElementRow<float> x[Rows];
    const double* y[Queries];
    bool passes = range.filter.passes_all();
    for (int r = 0; r < Rows; ++r) {
      const std::uint64_t index = row + r < range.count ? row + r : range.count - 1;
      x[r] = range.rows[index];
      for (int q = 0; q < Queries; ++q) passes = passes || range.passes(query + q, index);
    }
    for (int q = 0; q < Queries; ++q) y[q] = range.queries + (query + q) * range.rows.dimension;
    double sums[Queries][Rows] = {};
    if constexpr (shape::prefetch_rows > 0) {
      const bool first_queries = query % shape::work_item_queries == 0;
      if (first_queries && row + shape::prefetch_rows < range.count)
        range.rows[row + shape::prefetch_rows].prefetch(lanes, range.rows.dimension);
    }
    if (passes) tile_sums<Term>(lanes, y, x, range.rows.dimension, sums);
    if (!lanes.is_leader()) return;
    for (int q = 0; q < Queries; ++q) {
      for (int r = 0; r < Rows; ++r) {
        if (row + r >= range.count) break;
        range.write(query + q, row + r, sums[q][r]);
      }
    }
  }
};

/// A work item: some candidates of one query.
template <class ExecutionSpace, class Element, class Term, bool Wide>
struct CandidateKernel {
  using shape = VectorTileShape<ExecutionSpace>;
  using lanes_type = Arch::GroupLanes<ExecutionSpace, Wide>;
  static constexpr int work_item_rows = shape::candidate_rows;
  static constexpr int group_rows = work_item_rows / lanes_type::groups;

  Metric metric;
  ElementRows<Element> rows;
  const std::uint32_t* ids;
  const std::uint32_t* work_item_queries;
  std::uint64_t work_items;
  const double* queries;
  const double* query_norms;
  Rank* ranks;

  KOKKOS_INLINE_FUNCTION void operator()(const Launch::Member<ExecutionSpace>& member,
                                         std::uint64_t work_item) const {
    const lanes_type lanes(member);
    const std::uint32_t* work_item_ids = ids + work_item * work_item_rows;
    const std::uint64_t query = work_item_queries[work_item];
    const int first = lanes.group() * group_rows;
    double sums[1][group_rows] = {};
    if (work_item_ids[0] != no_candidate) {
      ElementRow<Element> x[group_rows];
      for (int r = 0; r < group_rows; ++r) {
        const std::uint32_t row = work_item_ids[first + r];
        x[r] = rows[row == no_candidate ? work_item_ids[0] : row];
      }
      const double* const y[1] = {queries + query * rows.dimension};
      tile_sums<Term, 1, group_rows, shape::scan_depth>(lanes, y, x, rows.dimension, sums);
    }
    if (!lanes.is_leader()) return;
    for (int r = 0; r < group_rows; ++r) {
      const std::uint32_t row = work_item_ids[first + r];
      ranks[work_item * work_item_rows + first + r] =
          row == no_candidate
              ? rank_none
              : score_rank(metric, sums[0][r], query_norms[query],
                           metric == Metric::cosine ? rows.norms[row] : 1.0, rows.id(row));
    }
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_VECTOR_IMPL_VECTOR_SCORES_KERNELS_HPP
