// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_VECTOR_IMPL_CANDIDATE_RANKING_HPP
#define KINDRED_CORE_VECTOR_IMPL_CANDIDATE_RANKING_HPP

#include <kindred/core/common/Rank.hpp>
#include <kindred/core/vector/Candidates.hpp>
#include <kindred/core/vector/Metric.hpp>
#include <kindred/core/vector/RowFilter.hpp>
#include <kindred/core/vector/impl/ElementRow.hpp>
#include <kindred/core/vector/impl/VectorTile.hpp>

#include <cstdint>

namespace Kindred::Impl {

inline constexpr std::uint32_t candidate_chunk_max = 1024;
inline constexpr std::uint32_t empty_slot = 0xFFFFFFFFU;  // neither row nor id

/// A call of `rank_candidates`: the arguments of its kernels, on both kinds of spaces.
template <class ExecutionSpace, class Element>
struct CandidateRanking {
  Metric metric;
  ElementRows<Element> rows;
  RowFilter<ExecutionSpace> filter;
  const std::uint64_t* offsets;
  const std::uint32_t* candidates;
  const double* queries;
  const double* query_norms;
  std::uint32_t chunk;
  std::uint32_t chunks;
  std::uint32_t keep;
  std::uint32_t top;
  Rank* best;
  Rank* partial;           // queries × chunks × keep
  std::uint32_t* arrived;  // completed chunks of a query
  CandidateCheck<ExecutionSpace> check = {};

  KOKKOS_INLINE_FUNCTION std::uint64_t length(std::uint64_t query) const {
    return offsets[query + 1] - offsets[query];
  }
  /// Chunks of a list, at least one.
  KOKKOS_INLINE_FUNCTION std::uint32_t chunks_of(std::uint64_t query) const {
    const std::uint64_t all = length(query);
    return all == 0 ? 1U : static_cast<std::uint32_t>((all + chunk - 1) / chunk);
  }
  /// Whether a candidate of a query is scored.
  KOKKOS_INLINE_FUNCTION bool accepts(std::uint64_t query, std::uint32_t row) const {
    if (check.bad_query != nullptr && row >= check.rows) {
      Kokkos::atomic_min(check.bad_query, static_cast<std::uint32_t>(query));
      return false;
    }
    return filter.passes(query, row);
  }
  KOKKOS_INLINE_FUNCTION const double* query(std::uint64_t index) const {
    return queries + index * rows.dimension;
  }
  /// Read before the sum is complete, so that the two latencies overlap.
  KOKKOS_INLINE_FUNCTION double norm(std::uint32_t row) const {
    return metric == Metric::cosine ? rows.norms[row] : 1.0;
  }
  KOKKOS_INLINE_FUNCTION Rank rank(double sum, std::uint64_t query, std::uint32_t row,
                                   double norm) const {
    return score_rank(metric, sum, query_norms[query], norm, rows.id(row));
  }
};

/// The slot in a table of size `mask + 1`, a power of two, where the search for \p number begins.
KOKKOS_INLINE_FUNCTION std::uint32_t first_slot(std::uint32_t number, std::uint32_t mask) {
  return (number * 0x9E3779B1U) >> 15U & mask;
}

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_VECTOR_IMPL_CANDIDATE_RANKING_HPP
