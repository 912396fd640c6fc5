// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_VECTOR_IMPL_CANDIDATES_CUDA_HPP
#define KINDRED_CORE_VECTOR_IMPL_CANDIDATES_CUDA_HPP

#include <kindred/core/arch/launch/LastTeam.hpp>
#include <kindred/core/arch/simd/GroupLanes.hpp>
#include <kindred/core/select/impl/ScratchSort.hpp>
#include <kindred/core/vector/Candidates.hpp>
#include <kindred/core/vector/impl/CandidateRanking.hpp>
#include <kindred/core/vector/impl/VectorTile.hpp>

#include <algorithm>
#include <bit>

namespace Kindred::Impl {

/// Maximum number of ranks that the last team of a query sorts in scratch.
inline constexpr std::uint32_t candidate_merge_max = 2048;
/// Number of teams that keep a device busy.
inline constexpr std::size_t candidate_teams = 512;

/// \brief A team: a chunk of a query's list, or all of it. The team that finishes the last chunk of
/// a query merges the chunks, so that one launch does everything.
/// \tparam is_cut whether lists have several chunks: the merging code takes registers, and with
/// them rows in flight, which lists of one chunk can use
template <class ExecutionSpace, class Element, class Lists, class Term, bool is_cut>
class CandidateTeam {
  using sort = ScratchSort<ExecutionSpace, Rank>;
  using member_type = typename sort::member_type;
  using lanes_type = Arch::GroupLanes<ExecutionSpace, true>;
  using ranking_type = CandidateRanking<ExecutionSpace, Element, Lists>;
  static constexpr int depth = VectorTileShape<ExecutionSpace>::candidate_depth;
  static constexpr int norm_depth = Arch::is_device<ExecutionSpace> ? 8 : 1;

 public:
  explicit CandidateTeam(const ranking_type& of)
      : m_ranking(of),
        m_sort_size(std::bit_ceil(std::max({8U, of.plan.chunk, merged(of.plan)}))),
        m_table_size(2 * m_sort_size) {}

  std::size_t scratch_bytes() const {
    constexpr std::size_t alignment = 3 * 16;
    return sort::places(m_sort_size) * sizeof(Rank) +
           (m_table_size + m_ranking.plan.chunk + 1) * sizeof(std::uint32_t) + alignment;
  }

  KOKKOS_INLINE_FUNCTION void operator()(const member_type& team) const {
    const auto rank = static_cast<std::uint32_t>(team.league_rank());
    // A division takes as long as a load.
    const std::uint32_t query = rank < m_ranking.plan.chunks ? 0 : rank / m_ranking.plan.chunks;
    const std::uint32_t part = rank - query * m_ranking.plan.chunks;
    const std::uint32_t parts = m_ranking.chunks_of(query);
    if (part >= parts) return;
    const Scratch scratch = scratch_of(team);
    const std::uint32_t count = choose(team, query, part, scratch);
    score(team, query, count, scratch);
    if constexpr (is_cut) {
      if (parts > 1) {
        pass_on(team, count, scratch.keys, partial(query, part));
        if (Arch::is_last_team(team, &m_ranking.arrived[query], parts, scratch.counter))
          merge(team, query, parts, scratch);
        return;
      }
    }
    write_best(team, query, count, scratch.keys);
  }

 private:
  static std::uint32_t merged(const CandidatePlan& plan) {
    return plan.chunks > 1 ? plan.chunks * plan.keep : 0;
  }

  struct Scratch {
    Rank* keys;
    std::uint32_t* table;
    std::uint32_t* chosen;
    std::uint32_t* counter;
  };
  KOKKOS_INLINE_FUNCTION Scratch scratch_of(const member_type& team) const {
    const auto take = [&](std::size_t bytes) {
      return team.team_scratch(0).get_shmem_aligned(bytes, 16);
    };
    auto* keys = static_cast<Rank*>(take(sort::places(m_sort_size) * sizeof(Rank)));
    auto* table = static_cast<std::uint32_t*>(take(m_table_size * sizeof(std::uint32_t)));
    auto* chosen =
        static_cast<std::uint32_t*>(take((m_ranking.plan.chunk + 1) * sizeof(std::uint32_t)));
    return {keys, table, chosen, chosen + m_ranking.plan.chunk};
  }
  /// What a chunk passes on.
  KOKKOS_INLINE_FUNCTION Rank* partial(std::uint64_t query, std::uint32_t part) const {
    return m_ranking.partial + (query * m_ranking.plan.chunks + part) * m_ranking.plan.keep;
  }

  KOKKOS_INLINE_FUNCTION void clear(const member_type& team, std::uint32_t* table) const {
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, m_table_size),
                         [&](std::uint32_t i) { table[i] = empty_slot; });
    team.team_barrier();
  }
  /// Returns true for exactly one of the threads that insert \p number.
  KOKKOS_INLINE_FUNCTION bool insert(std::uint32_t* table, std::uint32_t number) const {
    const std::uint32_t mask = m_table_size - 1;
    for (std::uint32_t slot = first_slot(number, mask);; slot = (slot + 1) & mask) {
      const std::uint32_t found = Kokkos::atomic_compare_exchange(&table[slot], empty_slot, number);
      if (found == empty_slot) return true;
      if (found == number) return false;
    }
  }

  /// Lists the rows of a chunk that pass, without duplicates; returns their number.
  KOKKOS_INLINE_FUNCTION std::uint32_t choose(const member_type& team, std::uint64_t query,
                                              std::uint32_t part, const Scratch& scratch) const {
    const std::uint64_t begin = std::uint64_t{part} * m_ranking.plan.chunk;
    const std::uint64_t rest = m_ranking.lists.length(query) - begin;
    const std::uint32_t count =
        rest < m_ranking.plan.chunk ? static_cast<std::uint32_t>(rest) : m_ranking.plan.chunk;
    Kokkos::single(Kokkos::PerTeam(team), [&] { *scratch.counter = 0; });
    clear(team, scratch.table);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, count), [&](std::uint32_t i) {
      const std::uint32_t row = m_ranking.lists.row(query, begin + i);
      if (m_ranking.accepts(query, row) && insert(scratch.table, row))
        scratch.chosen[Kokkos::atomic_fetch_add(scratch.counter, 1U)] = row;
    });
    team.team_barrier();
    return *scratch.counter;
  }

  /// Writes the ranks of \p count rows to `keys[place(i)]`. Ends with a barrier.
  KOKKOS_INLINE_FUNCTION void score(const member_type& team, std::uint64_t query,
                                    std::uint32_t count, const Scratch& scratch) const {
    const lanes_type lanes(team);
    const auto own =
        static_cast<std::uint32_t>(team.team_rank() * lanes_type::groups + lanes.group());
    // Prefetched where teams are few; many teams hide the latency of the rows.
    if (is_cut && own < count)
      m_ranking.rows[scratch.chosen[own]].prefetch(lanes, m_ranking.rows.dimension);
    const auto values = m_ranking.lists.query(query, m_ranking.rows.dimension);
    const double query_norm = m_ranking.template query_norm<norm_depth>(lanes, query, values);
    const std::uint32_t step = static_cast<std::uint32_t>(team.team_size()) * lanes_type::groups;
    for (std::uint32_t first = static_cast<std::uint32_t>(team.team_rank()) * lanes_type::groups;
         first < count; first += step) {
      const std::uint32_t i = first + static_cast<std::uint32_t>(lanes.group());
      const std::uint32_t row = scratch.chosen[i < count ? i : count - 1];
      const Rank rank = m_ranking.template rank_of<Term, depth>(lanes, values, query_norm, row);
      if (lanes.is_leader() && i < count) scratch.keys[sort::place(i)] = rank;
    }
    team.team_barrier();
  }

  /// Writes the best `keep` of \p count distinct keys to \p out.
  KOKKOS_INLINE_FUNCTION void pass_on(const member_type& team, std::uint32_t count, Rank* keys,
                                      Rank* out) const {
    sort::run_padded(team, keys, count);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, m_ranking.plan.keep), [&](std::uint32_t i) {
      out[i] = i < count ? keys[sort::place(i)] : rank_none;
    });
  }

  /// Sorts the keys of a query and writes the first ones. Keys are distinct except for `rank_none`.
  KOKKOS_INLINE_FUNCTION void write_best(const member_type& team, std::uint64_t query,
                                         std::uint32_t count, Rank* keys) const {
    sort::run_padded(team, keys, count);
    Kokkos::parallel_for(
        Kokkos::TeamVectorRange(team, m_ranking.lists.places()), [&](std::uint32_t i) {
          m_ranking.lists.write(m_ranking.metric, query, i,
                                i < count && i < m_ranking.top ? keys[sort::place(i)] : rank_none);
        });
  }

  /// Merges what the chunks of a query kept; a row that occurs in several chunks counts once.
  KOKKOS_INLINE_FUNCTION void merge(const member_type& team, std::uint64_t query,
                                    std::uint32_t parts, const Scratch& scratch) const {
    const std::uint32_t places = parts * m_ranking.plan.keep;
    // Written by other teams: volatile bypasses stale lines of this SM's cache.
    const volatile Rank* kept = partial(query, 0);
    clear(team, scratch.table);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, places), [&](std::uint32_t i) {
      const Rank rank = kept[i];
      const bool is_new = rank != rank_none && insert(scratch.table, rank_index(rank));
      scratch.keys[sort::place(i)] = is_new ? rank : rank_none;
    });
    team.team_barrier();
    write_best(team, query, places, scratch.keys);
  }

  ranking_type m_ranking;
  std::uint32_t m_sort_size;
  std::uint32_t m_table_size;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_VECTOR_IMPL_CANDIDATES_CUDA_HPP
