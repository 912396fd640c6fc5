// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_VECTOR_IMPL_SCORE_MATRIX_KERNELS_HPP
#define KINDRED_CORE_VECTOR_IMPL_SCORE_MATRIX_KERNELS_HPP

#include <kindred/core/launch/ForEachTeam.hpp>
#include <kindred/core/math/Exp.hpp>
#include <kindred/core/numeric/CanonicalNan.hpp>
#include <kindred/core/vector/ScoreMatrix.hpp>
#include <kindred/core/vector/ScoreOfRank.hpp>
#include <kindred/core/vector/impl/VectorScoresKernels.hpp>

#include <algorithm>

namespace Kindred::Impl {

/// \p score transformed by \p curve.
KOKKOS_INLINE_FUNCTION float on_curve(const ScoreCurve& curve, float score) {
  if (!curve.is_sigmoid) return score;
  const double width = curve.temperature > 0.05 ? curve.temperature : 0.05;
  return with_canonical_nan(
      static_cast<float>(portable_sigmoid((static_cast<double>(score) - curve.threshold) / width)));
}

/// A call of `score_matrix`: the arguments of its kernels.
template <class Element>
struct MatrixCall {
  Metric metric;
  ScoreCurve curve;
  ElementRows<Element> rows;
  const std::uint32_t* row_of;  // of a column; null: column c is row c
  std::uint64_t count;
  const double* queries;
  const double* query_norms;
  std::uint64_t query_count;
  float* out;
  std::uint64_t stride;

  KOKKOS_INLINE_FUNCTION std::uint64_t row(std::uint64_t column) const {
    return row_of == nullptr ? column : row_of[column];
  }
  KOKKOS_INLINE_FUNCTION const double* query(std::uint64_t index) const {
    return queries + index * rows.dimension;
  }
  /// Whether norms are computed where a row is read.
  KOKKOS_INLINE_FUNCTION bool lacks_norms() const {
    return metric == Metric::cosine && rows.norms == nullptr;
  }
  /// The norm of a row, which the call does not lack.
  KOKKOS_INLINE_FUNCTION double norm(std::uint64_t row) const {
    return metric == Metric::cosine ? rows.norms[row] : 1.0;
  }
  KOKKOS_INLINE_FUNCTION void write(std::uint64_t query, std::uint64_t column, double sum,
                                    double norm) const {
    const Rank rank = score_rank(metric, sum, query_norms[query], norm, 0);
    out[query * stride + column] = on_curve(curve, score_of(metric, rank));
  }
};

/// A work item: some columns, for few queries. \tparam Wide rows are aligned to four elements
template <class ExecutionSpace, class Element, class Term, bool Wide>
struct MatrixScanKernel {
  using shape = VectorTileShape<ExecutionSpace>;
  using lanes_type = Arch::GroupLanes<ExecutionSpace, Wide>;

  MatrixCall<Element> call;

  KOKKOS_INLINE_FUNCTION void operator()(const Launch::Member<ExecutionSpace>& member,
                                         std::uint64_t work_item) const {
    const std::uint64_t begin = work_item * shape::scan_rows;
    const lanes_type lanes(member);
    const std::uint64_t end =
        begin + shape::scan_rows < call.count ? begin + shape::scan_rows : call.count;
    for (std::uint64_t column = begin; column < end; column += lanes_type::groups)
      score(lanes, column + lanes.group());
  }

  /// Beyond the last column, the last one is computed again and not written.
  KOKKOS_INLINE_FUNCTION void score(const lanes_type& lanes, std::uint64_t column) const {
    const bool exists = column < call.count;
    if (!exists) column = call.count - 1;
    const std::uint64_t row = call.row(column);
    const ElementRow<Element> x[1] = {call.rows[row]};
    const bool lacks_norm = call.lacks_norms();
    double norm = lacks_norm ? 0.0 : call.norm(row);
    for (std::uint64_t query = 0; query < call.query_count; ++query) {
      const double* const y[1] = {call.query(query)};
      double sums[1][1];
      if (lacks_norm && query == 0) {
        double squares = 0;
        dot_and_squares<shape::scan_depth>(lanes, y[0], x[0], call.rows.dimension, sums[0][0],
                                           squares);
        norm = Kokkos::sqrt(squares);
      } else {
        tile_sums<Term, 1, 1, shape::scan_depth>(lanes, y, x, call.rows.dimension, sums);
      }
      if (lanes.is_leader() && exists) call.write(query, column, sums[0][0], norm);
    }
  }
};

/// A work item: a tile of some queries and some columns.
template <class ExecutionSpace, class Element, class Term>
struct MatrixTileKernel {
  using shape = VectorTileShape<ExecutionSpace>;
  static constexpr int tile_queries = shape::tile_queries;
  static constexpr int tile_rows = shape::tile_rows;

  MatrixCall<Element> call;

  std::uint64_t work_items() const {
    return (call.query_count + tile_queries - 1) / tile_queries *
           ((call.count + tile_rows - 1) / tile_rows);
  }

  /// Places of a tile beyond the last query or column repeat the last one; their scores are not
  /// written.
  KOKKOS_INLINE_FUNCTION void operator()(const Launch::Member<ExecutionSpace>& member,
                                         std::uint64_t work_item) const {
    const std::uint64_t tiles = (call.count + tile_rows - 1) / tile_rows;
    const std::uint64_t query = work_item / tiles * tile_queries;
    const std::uint64_t column = work_item % tiles * tile_rows;
    const Arch::Lanes<ExecutionSpace> lanes(member);
    ElementRow<Element> x[tile_rows];
    const double* y[tile_queries];
    for (int r = 0; r < tile_rows; ++r)
      x[r] = call.rows[call.row(column + r < call.count ? column + r : call.count - 1)];
    for (int q = 0; q < tile_queries; ++q)
      y[q] = call.query(query + q < call.query_count ? query + q : call.query_count - 1);
    double sums[tile_queries][tile_rows];
    tile_sums<Term>(lanes, y, x, call.rows.dimension, sums);
    if (!lanes.is_leader()) return;
    for (int q = 0; q < tile_queries; ++q) {
      for (int r = 0; r < tile_rows; ++r) {
        if (query + q >= call.query_count || column + r >= call.count) break;
        call.write(query + q, column + r, sums[q][r], call.norm(call.row(column + r)));
      }
    }
  }
};

/// The columns `begin … end` for the queries `first … last`, by one thread of the host.
template <class Element, class Term>
class MatrixBlock {
  using shape = VectorTileShape<HostSpace>;

 public:
  /// Columns and queries that are scored before the next ones are read.
  static constexpr std::uint64_t columns = shape::work_item_rows;
  static constexpr std::uint64_t queries = shape::work_item_queries;

  explicit MatrixBlock(const MatrixCall<Element>& call) : m_call(call), m_lanes(0) {}

  void score(std::uint64_t begin, std::uint64_t end, std::uint64_t first,
             std::uint64_t last) const {
    for (; begin < end; begin += columns)
      score_some(begin, std::min(end, begin + columns), first, last);
  }

 private:
  void score_some(std::uint64_t begin, std::uint64_t end, std::uint64_t first,
                  std::uint64_t last) const {
    double norms[columns];
    const bool lacks_norms = m_call.lacks_norms();
    // One query with its norms: both sums fit in the registers, and the row is widened once.
    const bool one_query = last - first == 1;
    const bool fused = Arch::host_has_wide_registers && lacks_norms && one_query;
    for (std::uint64_t column = begin; column < end; ++column) {
      prefetch(column);
      if (fused) {
        tile_with_norm(first, column);
        continue;
      }
      double& norm = norms[column - begin];
      norm = lacks_norms ? norm_of(column) : m_call.norm(m_call.row(column));
      // The row is in the cache now.
      if (one_query) tile<1>(first, column, norm);
    }
    if (one_query) return;
    std::uint64_t query = first;
    if constexpr (shape::tile_queries > 1) {
      for (; query + shape::tile_queries <= last; query += shape::tile_queries) {
        for (std::uint64_t column = begin; column < end; ++column)
          tile<shape::tile_queries>(query, column, norms[column - begin]);
      }
    }
    for (; query < last; ++query) {
      for (std::uint64_t column = begin; column < end; ++column)
        tile<1>(query, column, norms[column - begin]);
    }
  }

  void prefetch(std::uint64_t column) const {
    constexpr int ahead = shape::prefetch_rows;
    if (ahead > 0 && column + ahead < m_call.count)
      m_call.rows[m_call.row(column + ahead)].prefetch(m_lanes, m_call.rows.dimension);
  }

  // Flattened: the compiler does not inline all operations of the lanes in a translation unit of
  // this size, and each one would pass its packs through memory.

  [[gnu::noinline, gnu::flatten]] double norm_of(std::uint64_t column) const {
    const ElementRow<Element> x = m_call.rows[m_call.row(column)];
    const double squares = reproducible_sum(
        m_lanes, m_call.rows.dimension, [&](std::uint64_t i, int length, const auto& sum) {
          const auto term = m_lanes.widen(x.load(m_lanes, i, length));
          return m_lanes.multiply_add(term, term, sum);
        });
    return Kokkos::sqrt(squares);
  }

  [[gnu::noinline, gnu::flatten]] void tile_with_norm(std::uint64_t query,
                                                      std::uint64_t column) const {
    double sum = 0;
    double squares = 0;
    dot_and_squares(m_lanes, m_call.query(query), m_call.rows[m_call.row(column)],
                    m_call.rows.dimension, sum, squares);
    m_call.write(query, column, sum, Kokkos::sqrt(squares));
  }

  template <int Queries>
  [[gnu::noinline, gnu::flatten]] void tile(std::uint64_t query, std::uint64_t column,
                                            double norm) const {
    const ElementRow<Element> x[1] = {m_call.rows[m_call.row(column)]};
    const double* y[Queries];
    for (int q = 0; q < Queries; ++q) y[q] = m_call.query(query + q);
    double sums[Queries][1];
    tile_sums<Term>(m_lanes, y, x, m_call.rows.dimension, sums);
    for (int q = 0; q < Queries; ++q) m_call.write(query + q, column, sums[q][0], norm);
  }

  const MatrixCall<Element>& m_call;
  const Arch::Lanes<HostSpace> m_lanes;
};

/// A work item: a block of columns and queries, by one thread of the host.
template <class Element, class Term>
struct MatrixBlocks {
  using block = MatrixBlock<Element, Term>;

  MatrixCall<Element> call;

  std::uint64_t column_blocks() const { return (call.count + block::columns - 1) / block::columns; }
  std::uint64_t work_items() const {
    return column_blocks() * ((call.query_count + block::queries - 1) / block::queries);
  }
  void operator()(std::uint64_t work_item) const {
    const std::uint64_t column = work_item % column_blocks() * block::columns;
    const std::uint64_t query = work_item / column_blocks() * block::queries;
    block(call).score(column, std::min(call.count, column + block::columns), query,
                      std::min(call.query_count, query + block::queries));
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_VECTOR_IMPL_SCORE_MATRIX_KERNELS_HPP
