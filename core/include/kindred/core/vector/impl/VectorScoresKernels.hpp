// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_VECTOR_IMPL_VECTOR_SCORES_KERNELS_HPP
#define KINDRED_CORE_VECTOR_IMPL_VECTOR_SCORES_KERNELS_HPP

#include <kindred/core/arch/simd/GroupLanes.hpp>
#include <kindred/core/launch/ForEachIndex.hpp>
#include <kindred/core/launch/ForEachTeam.hpp>
#include <kindred/core/vector/VectorScores.hpp>
#include <kindred/core/vector/impl/ElementRow.hpp>
#include <kindred/core/vector/impl/VectorTile.hpp>

#include <algorithm>

namespace Kindred::Impl {

/// \brief A call that scores some columns, each of which stands for a row, for all queries.
///
/// What becomes of a score, a call adds: `row(column)`, `passes(query, column)`,
/// `write(query, column, sum, norm)`, and `lacks_norms()`, whether norms are computed where a row
/// is read.
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

/// A work item: some columns, for few queries. A separate kernel, because the tiles of a batch take
/// registers that this one needs for loads in flight. \tparam Wide rows are aligned to four
/// elements
template <class ExecutionSpace, class Call, class Term, bool Wide>
struct ScanKernel {
  using shape = VectorTileShape<ExecutionSpace>;
  using lanes_type = Arch::GroupLanes<ExecutionSpace, Wide>;

  Call call;

  KOKKOS_INLINE_FUNCTION void operator()(const Launch::Member<ExecutionSpace>& member,
                                         std::uint64_t work_item) const {
    const std::uint64_t begin = work_item * shape::scan_rows;
    const lanes_type lanes(member);
    const std::uint64_t end =
        begin + shape::scan_rows < call.count ? begin + shape::scan_rows : call.count;
    for (std::uint64_t column = begin; column < end; column += lanes_type::groups)
      score(lanes, column + lanes.group());
  }

  /// Beyond the last column, the last one is computed again and not written. So are rows that do
  /// not pass, since the other groups of the warp may need their sums.
  KOKKOS_INLINE_FUNCTION void score(const lanes_type& lanes, std::uint64_t column) const {
    const bool exists = column < call.count;
    if (!exists) column = call.count - 1;
    const std::uint64_t row = call.row(column);
    const ElementRow<typename Call::element> x[1] = {call.rows[row]};
    const bool lacks_norm = call.lacks_norms();
    double norm = 0.0;
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
      if (lanes.is_leader() && exists)
        call.write(query, column, sums[0][0], lacks_norm ? norm : call.norm(row));
    }
  }
};

/// A work item: the columns of a tile, for `queries_each` queries, a multiple of those of a tile.
template <class ExecutionSpace, class Call, class Term>
struct TileKernel {
  using shape = VectorTileShape<ExecutionSpace>;
  using lanes_type = Arch::Lanes<ExecutionSpace>;
  static constexpr int tile_queries = shape::tile_queries;
  static constexpr int tile_rows = shape::tile_rows;
  static constexpr unsigned threads_max = 256;
  static constexpr unsigned teams_at_once = 2;

  Call call;
  std::uint64_t queries_each;

  KOKKOS_INLINE_FUNCTION std::uint64_t row_tiles() const {
    return (call.count + tile_rows - 1) / tile_rows;
  }
  std::uint64_t work_items() const {
    return (call.query_count + queries_each - 1) / queries_each * row_tiles();
  }

  KOKKOS_INLINE_FUNCTION void operator()(const Launch::Member<ExecutionSpace>& member,
                                         std::uint64_t work_item) const {
    const lanes_type lanes(member);
    const std::uint64_t column = work_item % row_tiles() * tile_rows;
    std::uint64_t query = work_item / row_tiles() * queries_each;
    const std::uint64_t end =
        query + queries_each < call.query_count ? query + queries_each : call.query_count;
    for (; query < end; query += tile_queries) tile(lanes, query, column);
  }

  /// Places of a tile beyond the last query or column repeat the last one; their scores are not
  /// written.
  KOKKOS_INLINE_FUNCTION void tile(const lanes_type& lanes, std::uint64_t query,
                                   std::uint64_t column) const {
    ElementRow<typename Call::element> x[tile_rows];
    const double* y[tile_queries];
    bool passes = false;
    for (int q = 0; q < tile_queries; ++q)
      y[q] = call.query(query + q < call.query_count ? query + q : call.query_count - 1);
    for (int r = 0; r < tile_rows; ++r) {
      const std::uint64_t own = column + r < call.count ? column + r : call.count - 1;
      x[r] = call.rows[call.row(own)];
      for (int q = 0; q < tile_queries && query + q < call.query_count; ++q)
        passes = passes || call.passes(query + q, own);
    }
    double sums[tile_queries][tile_rows] = {};
    if (passes) tile_sums<Term>(lanes, y, x, call.rows.dimension, sums);
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
template <class Call, class Term>
class ScoreBlock {
  using shape = VectorTileShape<HostSpace>;

 public:
  /// Columns and queries that are scored before the next ones are read.
  static constexpr std::uint64_t columns = shape::work_item_rows;
  static constexpr std::uint64_t queries = shape::work_item_queries;

  explicit ScoreBlock(const Call& call) : m_call(call), m_lanes(0) {}

  void score(std::uint64_t begin, std::uint64_t end, std::uint64_t first,
             std::uint64_t last) const {
    for (; begin < end; begin += columns)
      score_some(begin, std::min(end, begin + columns), first, last);
  }

 private:
  // Flattened: the compiler does not inline all operations of the lanes in a translation unit of
  // this size, and each one would pass its packs through memory.
  [[gnu::noinline, gnu::flatten]] void score_some(std::uint64_t begin, std::uint64_t end,
                                                  std::uint64_t first, std::uint64_t last) const {
    constexpr std::uint64_t tile_queries = shape::tile_queries;
    double norms[columns];
    const bool lacks_norms = m_call.lacks_norms();
    // One query with its norms: both sums fit in the registers, and the row is widened once.
    const bool fused = Arch::host_has_wide_registers && lacks_norms && last - first == 1;
    for (std::uint64_t query = first; query < last;) {
      const bool is_tile = last - query >= tile_queries;
      for (std::uint64_t column = begin; column < end; ++column) {
        double& norm = norms[column - begin];
        if (query == first) {
          prefetch(column);
          if (fused) {
            tile_with_norm(query, column);
            continue;
          }
          norm = lacks_norms ? norm_of(column) : m_call.norm(m_call.row(column));
        }
        // The row is in the cache now.
        if (is_tile) {
          tile<shape::tile_queries>(query, column, norm);
        } else {
          tile<1>(query, column, norm);
        }
      }
      query += is_tile ? tile_queries : 1;
    }
  }

  void prefetch(std::uint64_t column) const {
    constexpr int ahead = shape::prefetch_rows;
    if (column + ahead < m_call.count)
      m_call.rows[m_call.row(column + ahead)].prefetch(m_lanes, m_call.rows.dimension);
  }

  double norm_of(std::uint64_t column) const {
    const auto x = m_call.rows[m_call.row(column)];
    return Kokkos::sqrt(tile_sum<DotTerm, 1>(m_lanes, x, x, m_call.rows.dimension));
  }

  void tile_with_norm(std::uint64_t query, std::uint64_t column) const {
    double sum = 0;
    double squares = 0;
    dot_and_squares(m_lanes, m_call.query(query), m_call.rows[m_call.row(column)],
                    m_call.rows.dimension, sum, squares);
    m_call.write(query, column, sum, Kokkos::sqrt(squares));
  }

  template <int Queries>
  void tile(std::uint64_t query, std::uint64_t column, double norm) const {
    const ElementRow<typename Call::element> x[1] = {m_call.rows[m_call.row(column)]};
    const double* y[Queries];
    bool passes = false;
    for (int q = 0; q < Queries; ++q) {
      y[q] = m_call.query(query + q);
      passes = passes || m_call.passes(query + q, column);
    }
    double sums[Queries][1] = {};
    if (passes) tile_sums<Term>(m_lanes, y, x, m_call.rows.dimension, sums);
    for (int q = 0; q < Queries; ++q) m_call.write(query + q, column, sums[q][0], norm);
  }

  const Call& m_call;
  const Arch::Lanes<HostSpace> m_lanes;
};

/// A work item: a block of columns and queries, by one thread of the host.
template <class Call, class Term>
struct ScoreBlocks {
  using block = ScoreBlock<Call, Term>;

  Call call;

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

/// \brief Scores the columns of \p call for all queries. \tparam Form how threads of a host share
/// them \param scan,batch the labels for few and for many queries
/// \param queries_each queries that a warp scores with a tile of rows
template <class Form, class ExecutionSpace, class Call>
void score_all(const ExecutionSpace& exec_space, const char* scan, const char* batch,
               const Call& call, std::uint64_t queries_each) {
  with_term(call.metric, [&]<class Term>(Term) {
    if constexpr (!Arch::is_device<ExecutionSpace>) {
      const ScoreBlocks<Call, Term> kernel{call};
      Launch::for_each_index<Form>(exec_space, batch, kernel.work_items(), kernel);
    } else {
      using shape = VectorTileShape<ExecutionSpace>;
      if (call.query_count < shape::tile_queries) {
        const std::uint64_t items = (call.count + shape::scan_rows - 1) / shape::scan_rows;
        with_width<ExecutionSpace>(call.rows, [&](auto wide) {
          Launch::for_each_warp(exec_space, scan, items,
                                ScanKernel<ExecutionSpace, Call, Term, wide()>{call});
        });
      } else {
        const TileKernel<ExecutionSpace, Call, Term> kernel{call, queries_each};
        Launch::for_each_warp(exec_space, batch, kernel.work_items(), kernel);
      }
    }
  });
}

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_VECTOR_IMPL_VECTOR_SCORES_KERNELS_HPP
