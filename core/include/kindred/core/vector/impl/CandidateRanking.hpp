// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_VECTOR_IMPL_CANDIDATE_RANKING_HPP
#define KINDRED_CORE_VECTOR_IMPL_CANDIDATE_RANKING_HPP

#include <kindred/core/arch/Special.hpp>
#include <kindred/core/numeric/Rank.hpp>
#include <kindred/core/vector/Candidates.hpp>
#include <kindred/core/vector/Metric.hpp>
#include <kindred/core/vector/RowFilter.hpp>
#include <kindred/core/vector/impl/ElementRow.hpp>
#include <kindred/core/vector/impl/VectorChecks.hpp>
#include <kindred/core/vector/impl/VectorTile.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>

namespace Kindred::Impl {

inline constexpr std::uint32_t candidate_chunk_max = 1024;

/// Lists of rows and prepared queries; the results are ranks.
struct PreparedLists {
  const std::uint64_t* offsets;
  const std::uint32_t* candidates;
  const double* queries;
  const double* query_norms;
  Rank* best;
  std::uint32_t top;

  KOKKOS_INLINE_FUNCTION std::uint64_t length(std::uint64_t query) const {
    return offsets[query + 1] - offsets[query];
  }
  /// Candidate \p i of a query.
  KOKKOS_INLINE_FUNCTION std::uint32_t row(std::uint64_t query, std::uint64_t i) const {
    return candidates[offsets[query] + i];
  }
  KOKKOS_INLINE_FUNCTION const double* query(std::uint64_t index, std::uint64_t dimension) const {
    return queries + index * dimension;
  }
  /// Whether a candidate is a row.
  KOKKOS_INLINE_FUNCTION bool exists(std::uint32_t) const { return true; }
  /// The norm of query \p index, which is \p values. \tparam Depth as in `tile_sums`
  template <int Depth, class Lanes>
  KOKKOS_INLINE_FUNCTION double norm(const Lanes&, Metric, std::uint64_t index, const double*,
                                     std::uint64_t) const {
    return query_norms[index];
  }
  /// The sum of query \p index, which is \p values, with row \p x, and the norm of the query.
  template <class Term, int Depth, class Lanes, class Row>
  KOKKOS_INLINE_FUNCTION double sum_and_norm(const Lanes& lanes, Metric, std::uint64_t index,
                                             const double* values, const Row& x,
                                             std::uint64_t dimension, double& norm) const {
    norm = query_norms[index];
    return tile_sum<Term, Depth>(lanes, values, x, dimension);
  }
  /// Results that are written per query.
  KOKKOS_INLINE_FUNCTION std::uint32_t places() const { return top; }
  KOKKOS_INLINE_FUNCTION void write(Metric, std::uint64_t query, std::uint32_t place,
                                    Rank rank) const {
    best[query * top + place] = rank;
  }
};

/// Lists of ids, queries and results as a caller gave them.
struct GivenLists {
  IdLists lists;
  SegmentIds segment;
  const float* queries;
  std::uint64_t stride;  ///< elements from one query to the next
  RankedOutput out;

  KOKKOS_INLINE_FUNCTION std::uint64_t length(std::uint64_t) const { return lists.length; }
  KOKKOS_INLINE_FUNCTION std::uint32_t row(std::uint64_t query, std::uint64_t i) const {
    return segment.row_of(lists.ids[query * lists.stride + i]);
  }
  KOKKOS_INLINE_FUNCTION ElementRow<float> query(std::uint64_t index, std::uint64_t) const {
    return {queries + index * stride, 1.0F};
  }
  KOKKOS_INLINE_FUNCTION bool exists(std::uint32_t row) const { return row != SegmentIds::no_row; }
  /// Computed by every group that needs it, which takes less time than another launch.
  template <int Depth, class Lanes>
  KOKKOS_INLINE_FUNCTION double norm(const Lanes& lanes, Metric metric, std::uint64_t,
                                     const ElementRow<float>& values,
                                     std::uint64_t dimension) const {
    if (metric != Metric::cosine) return 1.0;
    return Kokkos::sqrt(tile_sum<DotTerm, Depth>(lanes, values, values, dimension));
  }
  /// The sum of query \p index, which is \p values, with row \p x, and the norm of the query, with
  /// the loads of both in flight together.
  template <class Term, int Depth, class Lanes, class Row>
  KOKKOS_INLINE_FUNCTION double sum_and_norm(const Lanes& lanes, Metric metric, std::uint64_t,
                                             const ElementRow<float>& values, const Row& x,
                                             std::uint64_t dimension, double& norm) const {
    norm = 1.0;
    if (metric != Metric::cosine) return tile_sum<Term, Depth>(lanes, values, x, dimension);
    double dot = 0.0;
    double squares = 0.0;
    dot_and_squares<Depth>(lanes, x, values, dimension, dot, squares);
    norm = Kokkos::sqrt(squares);
    return dot;
  }
  KOKKOS_INLINE_FUNCTION std::uint32_t places() const {
    return static_cast<std::uint32_t>(out.top);
  }
  KOKKOS_INLINE_FUNCTION void write(Metric metric, std::uint64_t query, std::uint32_t place,
                                    Rank rank) const {
    out.write(metric, query, place, rank);
  }
};

/// A call of `rank_candidates`: the arguments of its kernels, on both kinds of spaces.
/// \tparam Lists `PreparedLists` or `GivenLists`
template <class ExecutionSpace, class Element, class Lists>
struct CandidateRanking {
  Metric metric;
  ElementRows<Element> rows;
  RowFilter<ExecutionSpace> filter;
  Lists lists;
  CandidatePlan plan;
  std::uint32_t chunk_bits;  // log2(plan.chunk)
  std::uint32_t top;
  Rank* partial;           // queries × chunks × keep
  std::uint32_t* arrived;  // completed chunks of a query
  CandidateCheck<ExecutionSpace> check = {};

  /// Chunks of a list, at least one.
  KOKKOS_INLINE_FUNCTION std::uint32_t chunks_of(std::uint64_t query) const {
    const std::uint64_t all = lists.length(query);
    return all == 0 ? 1U : static_cast<std::uint32_t>((all - 1) >> chunk_bits) + 1;
  }
  /// Whether a candidate of a query is scored.
  KOKKOS_INLINE_FUNCTION bool accepts(std::uint64_t query, std::uint32_t row) const {
    if (!lists.exists(row)) return false;
    if (check.bad_query != nullptr && row >= check.rows) {
      Kokkos::atomic_min(check.bad_query, static_cast<std::uint32_t>(query));
      return false;
    }
    return filter.passes(query, row);
  }
  /// The norm of query \p index, which is \p values. \tparam Depth as in `tile_sums`
  template <int Depth, class Lanes, class Query>
  KOKKOS_INLINE_FUNCTION double query_norm(const Lanes& lanes, std::uint64_t index,
                                           const Query& values) const {
    return lists.template norm<Depth>(lanes, metric, index, values, rows.dimension);
  }
  /// Read before the sum is complete, so that the two latencies overlap.
  KOKKOS_INLINE_FUNCTION double norm(std::uint32_t row) const {
    return metric == Metric::cosine ? rows.norms[row] : 1.0;
  }
  KOKKOS_INLINE_FUNCTION Rank rank(double sum, double query_norm, std::uint32_t row,
                                   double norm) const {
    return score_rank(metric, sum, query_norm, norm, rows.id(row));
  }
  /// The rank of \p row for a query with values and a norm. \tparam Depth as in `tile_sums`
  template <class Term, int Depth, class Lanes, class Query>
  KOKKOS_INLINE_FUNCTION Rank rank_of(const Lanes& lanes, const Query& query, double query_norm,
                                      std::uint32_t row) const {
    const double row_norm = norm(row);
    const double sum = tile_sum<Term, Depth>(lanes, query, rows[row], rows.dimension);
    return rank(sum, query_norm, row, row_norm);
  }
  /// The same for query \p index, whose norm is computed with it.
  template <class Term, int Depth, class Lanes, class Query>
  KOKKOS_INLINE_FUNCTION Rank rank_with_norm(const Lanes& lanes, std::uint64_t index,
                                             const Query& query, std::uint32_t row,
                                             double& query_norm) const {
    const double row_norm = norm(row);
    const double sum = lists.template sum_and_norm<Term, Depth>(
        lanes, metric, index, query, rows[row], rows.dimension, query_norm);
    return rank(sum, query_norm, row, row_norm);
  }
};

/// Whether chunks are ranked by teams, of which the last one merges, rather than by threads.
template <class ExecutionSpace>
bool uses_candidate_teams() {
  return !Special::is_used<Special::Form::candidate_chunks, ExecutionSpace>();
}

/// \p plan is one of `candidate_plan`, and the workspace is large enough for it.
template <class ExecutionSpace>
void check_plan(const ArgumentCheck& check, const CandidatePlan& plan, std::size_t queries,
                std::size_t top, const ArrayView<Rank, ExecutionSpace>& workspace,
                const ArrayView<std::uint32_t, ExecutionSpace>& arrived) {
  if (queries == 0 || top == 0) return;
  check.is_at_least("plan.chunk", plan.chunk, 1);
  check.is_at_most("plan.chunk", plan.chunk, candidate_chunk_max);
  check.is_multiple("plan.chunk", plan.chunk, std::bit_floor(plan.chunk));
  check.is_at_least("plan.chunks", plan.chunks, 1);
  check.is_at_least("plan.keep", plan.keep, std::min<std::size_t>(plan.chunk, top));
  if (uses_candidate_teams<ExecutionSpace>()) check.is_at_most("top", top, candidate_chunk_max);
  if (plan.chunks == 1) return;
  check.has("workspace", workspace, extent_of(queries, plan.chunks, plan.keep));
  check.has("arrived", arrived, queries);
}

/// \p rows has \p count rows, which a device can read, and \p filter their bits.
template <class ExecutionSpace>
void check_ranked_rows(const ArgumentCheck& check, Metric metric,
                       const VectorRows<ExecutionSpace>& rows, std::uint64_t count,
                       const RowFilter<ExecutionSpace>& filter, std::uint64_t queries) {
  if (uses_candidate_teams<ExecutionSpace>()) {
    check.is_multiple("rows.dimension", rows.dimension, 4);
    check.is_multiple("rows.stride", rows.stride, 4);
    check.is_aligned("rows.values", rows.values.data(), 4 * size_of(rows.element));
  }
  check_rows(check, rows, count);
  check_norms(check, metric, rows, count);
  check_filter(check, filter, queries, count);
}

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_VECTOR_IMPL_CANDIDATE_RANKING_HPP
