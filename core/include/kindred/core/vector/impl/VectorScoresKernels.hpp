// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_VECTOR_IMPL_VECTOR_SCORES_KERNELS_HPP
#define KINDRED_CORE_VECTOR_IMPL_VECTOR_SCORES_KERNELS_HPP

#include <kindred/core/arch/simd/GroupLanes.hpp>
#include <kindred/core/launch/ForEachIndex.hpp>
#include <kindred/core/launch/ForEachTeam.hpp>
#include <kindred/core/vector/VectorScores.hpp>
#include <kindred/core/vector/impl/ElementRow.hpp>
#include <kindred/core/vector/impl/VectorTile.hpp>

#include <cstdint>

namespace Kindred::Impl {

/// \brief A call that scores some columns, each of which stands for a row, for all queries.
///
/// What becomes of a score, a call adds: `row(column)`, `passes(query, column)`,
/// `write(query, column, sum, norm)`, `lacks_norms()`, whether norms are computed where a row is
/// read, and `is_scattered()`, whether the rows of adjacent columns may be anywhere.
template <class Element>
struct ScoreCall {
  using element = Element;

  Metric metric;
  ElementRows<Element> rows;
  std::uint64_t count;  // columns
  const double* queries;
  const double* query_norms;
  std::uint64_t query_count;

  KOKKOS_INLINE_FUNCTION const double* query(std::uint64_t index) const {
    return queries + index * rows.dimension;
  }
  /// The norm of a row, which the call does not lack.
  KOKKOS_INLINE_FUNCTION double norm(std::uint64_t row) const {
    return metric == Metric::cosine ? rows.norms[row] : 1.0;
  }
};

/// On a host, prefetches a row that is read after that of \p column, if the processor does not.
template <class Shape, class Call, class Lanes>
KOKKOS_INLINE_FUNCTION void prefetch_row(const Call& call, const Lanes& lanes,
                                         std::uint64_t column) {
  if constexpr (Shape::prefetch_rows > 0) {
    column += Shape::prefetch_rows;
    if (call.is_scattered() && column < call.count)
      call.rows[call.row(column)].prefetch(lanes, call.rows.dimension);
  }
}

/// A work item: some columns, for few queries. A separate kernel, because the tiles of a batch take
/// registers that this one needs for loads in flight. \tparam Aligned rows are aligned to four
/// elements
template <class ExecutionSpace, class Call, class Term, bool Aligned>
struct ScanKernel {
  using shape = VectorTileShape<ExecutionSpace>;
  using lanes_type = Arch::GroupLanes<ExecutionSpace, Aligned>;

  Call call;

  KOKKOS_INLINE_FUNCTION void operator()(const Launch::Member<ExecutionSpace>& member,
                                         std::uint64_t work_item) const {
    const std::uint64_t begin = work_item * shape::scan_rows;
    score(lanes_type(member), begin,
          begin + shape::scan_rows < call.count ? begin + shape::scan_rows : call.count);
  }

  KINDRED_FLATTEN KOKKOS_FUNCTION void score(const lanes_type& lanes, std::uint64_t begin,
                                             std::uint64_t end) const {
    for (std::uint64_t column = begin; column < end; column += lanes_type::groups)
      score(lanes, column + lanes.group());
  }

 private:
  /// Beyond the last column, the last one is computed again and not written. So are rows that do
  /// not pass, if other groups of the warp may need their sums.
  KOKKOS_INLINE_FUNCTION void score(const lanes_type& lanes, std::uint64_t column) const {
    const bool exists = column < call.count;
    if (!exists) column = call.count - 1;
    prefetch_row<shape>(call, lanes, column);
    const std::uint64_t row = call.row(column);
    const ElementRow<typename Call::element> x[1] = {call.rows[row]};
    const bool lacks_norm = call.lacks_norms();
    double norm = 0.0;
    for (std::uint64_t query = 0; query < call.query_count; ++query) {
      const double* const y[1] = {call.query(query)};
      double sums[1][1] = {};
      if (lacks_norm && query == 0) {
        double squares = 0;
        dot_and_squares<shape::scan_depth>(lanes, y[0], x[0], call.rows.dimension, sums[0][0],
                                           squares);
        norm = Kokkos::sqrt(squares);
      } else if (lanes_type::groups > 1 || call.passes(query, column)) {
        tile_sums<Term, 1, 1, shape::scan_depth>(lanes, y, x, call.rows.dimension, sums);
      }
      if (lanes.is_leader() && exists)
        call.write(query, column, sums[0][0], lacks_norm ? norm : call.norm(row));
    }
  }
};

/// A work item: a block of columns, for `queries_each` queries, a multiple of those of a tile.
template <class ExecutionSpace, class Call, class Term>
struct TileKernel {
  using shape = VectorTileShape<ExecutionSpace>;
  using lanes_type = Arch::Lanes<ExecutionSpace>;
  static constexpr int tile_queries = shape::tile_queries;
  static constexpr int tile_rows = shape::tile_rows;
  static constexpr int block_rows = shape::block_rows;
  static constexpr unsigned threads_max = 256;
  static constexpr unsigned teams_at_once = 2;

  Call call;
  std::uint64_t queries_each;

  KOKKOS_INLINE_FUNCTION std::uint64_t blocks() const {
    return quotient_up(call.count, block_rows);
  }
  std::uint64_t work_items() const {
    return quotient_up(call.query_count, queries_each) * blocks();
  }

  KOKKOS_INLINE_FUNCTION void operator()(const Launch::Member<ExecutionSpace>& member,
                                         std::uint64_t work_item) const {
    score(lanes_type(member), work_item % blocks() * block_rows,
          work_item / blocks() * queries_each);
  }

  /// The block from \p column and from \p query on. A tile of queries is scored with all of its
  /// columns before the next queries are read.
  KOKKOS_INLINE_FUNCTION void score(const lanes_type& lanes, std::uint64_t column,
                                    std::uint64_t query) const {
    const std::uint64_t end =
        query + queries_each < call.query_count ? query + queries_each : call.query_count;
    // A block of several tiles computes norms that are missing once.
    double norms[block_rows] = {};
    if constexpr (block_rows > tile_rows) {
      for (int r = 0; r < block_rows && column + r < call.count; ++r) {
        prefetch_row<shape>(call, lanes, column + r);
        norms[r] = norm(lanes, call.row(column + r));
      }
    }
    while (query < end) {
      const bool is_whole = shape::rest_queries == tile_queries || query + tile_queries <= end;
      for (int r = 0; r == 0 || (r < block_rows && column + r < call.count); r += tile_rows) {
        if (is_whole) {
          tile<tile_queries>(lanes, query, column + r, norms + r);
        } else {
          tile<shape::rest_queries>(lanes, query, column + r, norms + r);
        }
      }
      query += is_whole ? tile_queries : shape::rest_queries;
    }
  }

 private:
  KINDRED_FLATTEN KOKKOS_FUNCTION double norm(const lanes_type& lanes, std::uint64_t row) const {
    if (!call.lacks_norms()) return call.norm(row);
    const auto x = call.rows[row];
    return Kokkos::sqrt(tile_sum<DotTerm, 1>(lanes, x, x, call.rows.dimension));
  }

  /// Places of a tile beyond the last query or column repeat the last one; their scores are not
  /// written.
  template <int Queries>
  KINDRED_FLATTEN KOKKOS_FUNCTION void tile(const lanes_type& lanes, std::uint64_t query,
                                            std::uint64_t column, const double* norms) const {
    ElementRow<typename Call::element> x[tile_rows];
    const double* y[Queries];
    bool passes = false;
    for (int q = 0; q < Queries; ++q)
      y[q] = call.query(query + q < call.query_count ? query + q : call.query_count - 1);
    for (int r = 0; r < tile_rows; ++r) {
      const std::uint64_t own = column + r < call.count ? column + r : call.count - 1;
      x[r] = call.rows[call.row(own)];
      for (int q = 0; q < Queries && query + q < call.query_count; ++q)
        passes = passes || call.passes(query + q, own);
    }
    double sums[Queries][tile_rows] = {};
    if (passes) tile_sums<Term>(lanes, y, x, call.rows.dimension, sums);
    if (!lanes.is_leader()) return;
    for (int q = 0; q < Queries; ++q) {
      for (int r = 0; r < tile_rows; ++r) {
        if (query + q >= call.query_count || column + r >= call.count) break;
        call.write(query + q, column + r, sums[q][r],
                   block_rows > tile_rows ? norms[r] : call.norm(call.row(column + r)));
      }
    }
  }
};

/// \brief Scores the columns of \p call for all queries. \tparam Form how threads of a host share
/// them \param scan,batch the labels for few and for many queries
/// \param queries_each queries that are scored with a block of columns
template <class Form, class ExecutionSpace, class Call>
void score_all(const ExecutionSpace& exec_space, const char* scan, const char* batch,
               const Call& call, std::uint64_t queries_each) {
  using shape = VectorTileShape<ExecutionSpace>;
  with_term(call.metric, [&]<class Term>(Term) {
    if (call.query_count < shape::tile_queries) {
      const std::uint64_t items = quotient_up(call.count, shape::scan_rows);
      with_alignment<ExecutionSpace>(call.rows, [&](auto aligned) {
        Launch::for_each_warp<Form>(exec_space, scan, items,
                                    ScanKernel<ExecutionSpace, Call, Term, aligned()>{call});
      });
    } else {
      const TileKernel<ExecutionSpace, Call, Term> kernel{call, queries_each};
      Launch::for_each_warp<Form>(exec_space, batch, kernel.work_items(), kernel);
    }
  });
}

/// The same from column \p begin on, by the calling thread of the host.
template <class Call>
void score_here(const Call& call, std::uint64_t begin) {
  using shape = VectorTileShape<HostSpace>;
  with_term(call.metric, [&]<class Term>(Term) {
    if (call.query_count < shape::tile_queries) {
      const ScanKernel<HostSpace, Call, Term, false> kernel{call};
      kernel.score(Arch::GroupLanes<HostSpace, false>(0), begin, call.count);
    } else {
      const TileKernel<HostSpace, Call, Term> kernel{call, shape::work_item_queries};
      for (; begin < call.count; begin += shape::block_rows) {
        for (std::uint64_t query = 0; query < call.query_count; query += kernel.queries_each)
          kernel.score(Arch::Lanes<HostSpace>(0), begin, query);
      }
    }
  });
}

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_VECTOR_IMPL_VECTOR_SCORES_KERNELS_HPP
