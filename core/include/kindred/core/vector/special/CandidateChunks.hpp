// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_VECTOR_SPECIAL_CANDIDATE_CHUNKS_HPP
#define KINDRED_CORE_VECTOR_SPECIAL_CANDIDATE_CHUNKS_HPP

/// \file
/// A special form for hosts: 1.4 × on `peers/score-1024`, 2026-11-29, Zen 3. \see SpecialForms.hpp

#include <kindred/core/arch/simd/Lanes.hpp>
#include <kindred/core/select/impl/LeastKeys.hpp>
#include <kindred/core/select/impl/TeamMerge.hpp>
#include <kindred/core/vector/impl/CandidateRanking.hpp>
#include <kindred/core/vector/impl/VectorTile.hpp>

#include <algorithm>

namespace Kindred::Impl {

/// One chunk of a query's list, processed by one thread.
template <class Element, class Term>
struct CandidateChunk {
  static constexpr int together = VectorTileShape<HostSpace>::candidate_rows;
  static constexpr std::uint32_t table_size = 2 * candidate_chunk_max;

  CandidateRanking<HostSpace, Element, PreparedLists> ranking;

  void operator()(std::uint64_t work_item) const {
    const std::uint64_t query = work_item / ranking.plan.chunks;
    const auto part = static_cast<std::uint32_t>(work_item % ranking.plan.chunks);
    if (part >= ranking.chunks_of(query)) return;
    std::uint32_t chosen[candidate_chunk_max + 2 * together];
    Rank keys[candidate_chunk_max + together];
    const std::uint32_t count = choose(query, part, chosen);
    score(query, chosen, count, keys);
    if (ranking.plan.chunks == 1) {
      write_least(keys, count, ranking.top, true, keys, ranking.lists.best + query * ranking.top);
    } else {
      write_least(keys, count, ranking.plan.keep, false, keys,
                  ranking.partial + (query * ranking.plan.chunks + part) * ranking.plan.keep);
    }
  }

 private:
  /// Lists the rows of a chunk that pass, without duplicates; returns their number.
  std::uint32_t choose(std::uint64_t query, std::uint32_t part, std::uint32_t* chosen) const {
    std::uint32_t table[table_size];
    std::fill(table, table + table_size, empty_slot);
    const std::uint64_t begin = std::uint64_t{part} * ranking.plan.chunk;
    const std::uint64_t end = std::min(ranking.lists.length(query), begin + ranking.plan.chunk);
    std::uint32_t count = 0;
    for (std::uint64_t i = begin; i < end; ++i) {
      const std::uint32_t row = ranking.lists.row(query, i);
      if (!ranking.accepts(query, row)) continue;
      std::uint32_t slot = first_slot(row, table_size - 1);
      while (table[slot] != row && table[slot] != empty_slot) slot = (slot + 1) % table_size;
      if (table[slot] == row) continue;
      table[slot] = row;
      chosen[count++] = row;
    }
    return count;
  }

  /// Beyond the last row, that row is used again.
  void score(std::uint64_t query, std::uint32_t* chosen, std::uint32_t count, Rank* keys) const {
    if (count == 0) return;
    std::fill(chosen + count, chosen + count + 2 * together, chosen[count - 1]);
    const Arch::Lanes<HostSpace> lanes(0);
    const double* const y[1] = {ranking.lists.query(query, ranking.rows.dimension)};
    const double query_norm = ranking.template query_norm<1>(lanes, query, y[0]);
    for (std::uint32_t i = 0; i < count; i += together) {
      ElementRow<Element> x[together];
      for (int r = 0; r < together; ++r) {
        x[r] = ranking.rows[chosen[i + r]];
        ranking.rows[chosen[i + r + together]].prefetch(lanes, ranking.rows.dimension);
      }
      double sums[1][together];
      tile_sums<Term>(lanes, y, x, ranking.rows.dimension, sums);
      for (int r = 0; r < together; ++r)
        keys[i + r] =
            ranking.rank(sums[0][r], query_norm, chosen[i + r], ranking.norm(chosen[i + r]));
    }
  }
};

/// Merges the chunks of a query, by one thread.
template <class Element>
struct CandidateMerge {
  CandidateRanking<HostSpace, Element, PreparedLists> ranking;

  void operator()(std::uint64_t query) const {
    write_least_different(ranking.partial + query * ranking.plan.chunks * ranking.plan.keep,
                          std::size_t{ranking.chunks_of(query)} * ranking.plan.keep, ranking.top,
                          ranking.lists.best + query * ranking.top);
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_VECTOR_SPECIAL_CANDIDATE_CHUNKS_HPP
