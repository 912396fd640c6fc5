// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_VECTOR_IMPL_CANDIDATE_TEAMS_HPP
#define KINDRED_CORE_VECTOR_IMPL_CANDIDATE_TEAMS_HPP

#include <kindred/core/arch/launch/LastTeam.hpp>
#include <kindred/core/arch/launch/Warp.hpp>
#include <kindred/core/arch/simd/GroupLanes.hpp>
#include <kindred/core/launch/ForEachTeam.hpp>
#include <kindred/core/select/impl/BestByCounting.hpp>
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
/// Maximum size of a chunk for `CandidateWarps`.
inline constexpr std::uint32_t candidate_short_chunk = 32;

/// \brief What the teams of a query share: its list, and the selection of its best ranks. The team
/// that finishes the last chunk of a query merges the chunks, so that one launch does everything.
template <class ExecutionSpace, class Element, class Lists>
struct CandidateSelection {
  using sort = ScratchSort<Rank>;
  using member_type = Launch::Member<ExecutionSpace>;
  using warp = Arch::Warp<ExecutionSpace>;

  CandidateRanking<ExecutionSpace, Element, Lists> ranking;
  std::uint32_t sort_size;
  std::uint32_t table_size;

  explicit CandidateSelection(const CandidateRanking<ExecutionSpace, Element, Lists>& of)
      : ranking(of),
        sort_size(std::bit_ceil(std::max({8U, of.plan.chunk, merged(of.plan)}))),
        table_size(2 * sort_size) {}

  std::size_t scratch_bytes() const {
    constexpr std::size_t alignment = 3 * 16;
    return sort::places(sort_size) * sizeof(Rank) +
           (table_size + ranking.plan.chunk + 1) * sizeof(std::uint32_t) + alignment;
  }

 protected:
  struct Scratch {
    Rank* keys;
    std::uint32_t* table;
    std::uint32_t* chosen;

    KOKKOS_INLINE_FUNCTION std::uint32_t* counter(std::uint32_t chunk) const {
      return chosen + chunk;
    }
  };
  KOKKOS_INLINE_FUNCTION Scratch scratch_of(const member_type& team) const {
    return {static_cast<Rank*>(
                team.team_scratch(0).get_shmem_aligned(sort::places(sort_size) * sizeof(Rank), 16)),
            static_cast<std::uint32_t*>(
                team.team_scratch(0).get_shmem_aligned(table_size * sizeof(std::uint32_t), 16)),
            static_cast<std::uint32_t*>(team.team_scratch(0).get_shmem_aligned(
                (ranking.plan.chunk + 1) * sizeof(std::uint32_t), 16))};
  }

  struct Item {
    std::uint64_t query;
    std::uint32_t part;
  };
  KOKKOS_INLINE_FUNCTION Item item_of(const member_type& team) const {
    const auto rank = static_cast<std::uint32_t>(team.league_rank());
    // A division takes as long as a load.
    const std::uint32_t query = rank < ranking.plan.chunks ? 0 : rank / ranking.plan.chunks;
    return {query, rank - query * ranking.plan.chunks};
  }
  KOKKOS_INLINE_FUNCTION static std::uint32_t thread_of(const member_type& team) {
    return static_cast<std::uint32_t>(team.team_rank()) * warp::lanes + warp::lane();
  }
  KOKKOS_INLINE_FUNCTION static std::uint32_t threads_of(const member_type& team) {
    return static_cast<std::uint32_t>(team.team_size()) * warp::lanes;
  }
  /// What a chunk passes on.
  KOKKOS_INLINE_FUNCTION Rank* partial(std::uint64_t query, std::uint32_t part = 0) const {
    return ranking.partial + (query * ranking.plan.chunks + part) * ranking.plan.keep;
  }
  /// Number of candidates of a chunk.
  KOKKOS_INLINE_FUNCTION std::uint32_t count_of(std::uint64_t query, std::uint32_t part) const {
    const std::uint64_t rest =
        ranking.lists.length(query) - std::uint64_t{part} * ranking.plan.chunk;
    return rest < ranking.plan.chunk ? static_cast<std::uint32_t>(rest) : ranking.plan.chunk;
  }
  /// Whether this team is the last of the query's teams to arrive here, with its ranks written.
  KOKKOS_INLINE_FUNCTION bool is_last(const member_type& team, std::uint64_t query,
                                      const Scratch& scratch) const {
    return Arch::is_last_team(team, &ranking.arrived[query], ranking.chunks_of(query),
                              scratch.counter(ranking.plan.chunk));
  }

  KOKKOS_INLINE_FUNCTION void clear(const member_type& team, std::uint32_t* table) const {
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, table_size),
                         [&](std::uint32_t i) { table[i] = empty_slot; });
    team.team_barrier();
  }
  /// Returns true for exactly one of the threads that insert \p number.
  KOKKOS_INLINE_FUNCTION bool insert(std::uint32_t* table, std::uint32_t number) const {
    const std::uint32_t mask = table_size - 1;
    for (std::uint32_t slot = first_slot(number, mask);; slot = (slot + 1) & mask) {
      const std::uint32_t found = Kokkos::atomic_compare_exchange(&table[slot], empty_slot, number);
      if (found == empty_slot) return true;
      if (found == number) return false;
    }
  }

  /// Sorts the keys of a query and writes the first ones. Keys are distinct except for `rank_none`.
  KOKKOS_INLINE_FUNCTION void write_best(const member_type& team, std::uint64_t query,
                                         std::uint32_t count, Rank* keys) const {
    sort::run_padded(team, keys, count);
    Kokkos::parallel_for(
        Kokkos::TeamVectorRange(team, ranking.lists.places()), [&](std::uint32_t i) {
          ranking.lists.write(ranking.metric, query, i,
                              i < count && i < ranking.top ? keys[sort::place(i)] : rank_none);
        });
  }

  /// Merges what the chunks of a query kept; a row that occurs in several chunks counts once.
  KOKKOS_INLINE_FUNCTION void merge(const member_type& team, std::uint64_t query,
                                    std::uint32_t parts, const Scratch& scratch) const {
    const std::uint32_t places = parts * ranking.plan.keep;
    // Written by other teams: volatile bypasses stale lines of this SM's cache.
    const volatile Rank* kept = partial(query);
    if (ranking.top <= parts && merge_by_counting(team, query, parts, scratch)) return;
    clear(team, scratch.table);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, places), [&](std::uint32_t i) {
      const Rank rank = kept[i];
      const bool is_new = rank != rank_none && insert(scratch.table, rank_index(rank));
      scratch.keys[sort::place(i)] = is_new ? rank : rank_none;
    });
    team.team_barrier();
    write_best(team, query, places, scratch.keys);
  }

  /// \brief The same if `top` does not exceed the number of chunks: the `top`-th best of the
  /// chunks' first ranks is a bound, and the ranks that reach it, from at most `top` chunks, are
  /// ordered by counting. Returns false, with nothing written, if this cannot decide: too few
  /// chunks have a rank, or too few of the ranks differ.
  KOKKOS_INLINE_FUNCTION bool merge_by_counting(const member_type& team, std::uint64_t query,
                                                std::uint32_t parts, const Scratch& scratch) const {
    const std::uint32_t places = parts * ranking.plan.keep;
    const std::uint32_t threads = threads_of(team);
    const volatile Rank* kept = partial(query);
    Rank* keys = scratch.keys;
    Rank* bound = keys + places;
    auto* reaching = reinterpret_cast<Rank*>(scratch.table);
    std::uint32_t* is_decided = scratch.chosen;
    std::uint32_t* reaching_count = scratch.chosen + 1;
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      *bound = rank_none;
      *is_decided = 0;
      *reaching_count = 0;
    });
    for (std::uint32_t first = thread_of(team); first < places; first += 4 * threads) {
      Rank loaded[4];  // together in flight
      KINDRED_UNROLL
      for (std::uint32_t e = 0; e < 4; ++e) {
        const std::uint32_t i = first + e * threads;
        loaded[e] = i < places ? kept[i] : rank_none;
      }
      KINDRED_UNROLL
      for (std::uint32_t e = 0; e < 4; ++e) {
        const std::uint32_t i = first + e * threads;
        if (i < places) keys[i] = loaded[e];
      }
    }
    team.team_barrier();
    find_bound(team, parts, keys, bound);
    team.team_barrier();
    const Rank limit = *bound;
    if (limit != rank_none) {
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, places), [&](std::uint32_t i) {
        if (keys[i] <= limit) reaching[Kokkos::atomic_fetch_add(reaching_count, 1U)] = keys[i];
      });
      team.team_barrier();
      // Few are left.
      if (team.team_rank() == 0 && write_counted(query, *reaching_count, reaching, keys))
        *is_decided = 1;
    }
    team.team_barrier();
    return *is_decided != 0;
  }

  /// Sets \p bound to the `top`-th best of the chunks' first ranks if it is none of two equal ones.
  KOKKOS_INLINE_FUNCTION void find_bound(const member_type& team, std::uint32_t parts,
                                         const Rank* keys, Rank* bound) const {
    constexpr std::uint32_t sharing = warp::lanes < 4 ? warp::lanes : 4;  // lanes per rank
    constexpr std::uint32_t together = warp::lanes / sharing;
    const auto warps = static_cast<std::uint32_t>(team.team_size());
    for (std::uint32_t first = static_cast<std::uint32_t>(team.team_rank()) * together;
         first < parts; first += warps * together) {
      const std::uint32_t i = first + warp::lane() / sharing;
      const Rank own = i < parts ? keys[i * ranking.plan.keep] : rank_none;
      const std::uint32_t better = place_by_counting<warp, sharing>(
          parts, [&](std::uint32_t j) { return keys[j * ranking.plan.keep]; }, own);
      if (own != rank_none && better + 1 == ranking.top) *bound = own;
    }
  }

  /// Writes the best of \p count ranks, by one warp. A row that occurs several times counts once.
  /// Returns false, with nothing written, if fewer than `top` ranks differ.
  /// \param keys scratch of the same size
  KOKKOS_INLINE_FUNCTION bool write_counted(std::uint64_t query, std::uint32_t count,
                                            const Rank* ranks, Rank* keys) const {
    std::uint32_t distinct = 0;
    for (std::uint32_t first = 0; first < count; first += warp::lanes) {
      const std::uint32_t i = first + warp::lane();
      const Rank own = i < count ? ranks[i] : rank_none;
      bool is_new = i < count;
      KINDRED_UNROLL_4
      for (std::uint32_t j = 0; j < count; ++j) is_new = is_new & !((j < i) & (ranks[j] == own));
      if (i < count) keys[i] = is_new ? own : rank_none;
      unsigned added = 0;
      (void)warp::place_of(is_new, added);
      distinct += added;
    }
    if (distinct < ranking.top) return false;
    warp::barrier();
    for (std::uint32_t i = warp::lane(); i < count; i += warp::lanes) {
      const Rank own = keys[i];
      const std::uint32_t better = place_by_counting<warp, 1>(
          count, [&](std::uint32_t j) { return keys[j]; }, own);
      if (own != rank_none && better < ranking.top)
        ranking.lists.write(ranking.metric, query, better, own);
    }
    for (std::uint32_t i = ranking.top + warp::lane(); i < ranking.lists.places(); i += warp::lanes)
      ranking.lists.write(ranking.metric, query, i, rank_none);
    return true;
  }

 private:
  static std::uint32_t merged(const CandidatePlan& plan) {
    return plan.chunks > 1 ? plan.chunks * plan.keep : 0;
  }
};

/// \brief A team: a chunk of a query's list, or all of it.
/// \tparam is_cut whether lists have several chunks: the merging code takes registers, and with
/// them rows in flight, which lists of one chunk can use
template <class ExecutionSpace, class Element, class Lists, class Term, bool is_cut>
struct CandidateTeam : CandidateSelection<ExecutionSpace, Element, Lists> {
  using selection = CandidateSelection<ExecutionSpace, Element, Lists>;
  using typename selection::member_type;
  using typename selection::sort;
  using lanes_type = Arch::GroupLanes<ExecutionSpace, true>;
  using selection::ranking;
  using selection::selection;

  KOKKOS_INLINE_FUNCTION void operator()(const member_type& team) const {
    const auto [query, part] = this->item_of(team);
    const std::uint32_t parts = ranking.chunks_of(query);
    if (part >= parts) return;
    const Scratch scratch = this->scratch_of(team);
    const std::uint32_t count = choose(team, query, part, scratch);
    score(team, query, count, scratch);
    if constexpr (is_cut) {
      if (parts > 1) {
        pass_on(team, count, scratch.keys, this->partial(query, part));
        if (this->is_last(team, query, scratch)) this->merge(team, query, parts, scratch);
        return;
      }
    }
    this->write_best(team, query, count, scratch.keys);
  }

 private:
  using typename selection::Scratch;
  static constexpr int depth = VectorTileShape<ExecutionSpace>::candidate_depth;
  static constexpr int norm_depth = Arch::is_device<ExecutionSpace> ? 8 : 1;

  /// Lists the rows of a chunk that pass, without duplicates; returns their number.
  KOKKOS_INLINE_FUNCTION std::uint32_t choose(const member_type& team, std::uint64_t query,
                                              std::uint32_t part, const Scratch& scratch) const {
    const std::uint32_t count = this->count_of(query, part);
    const std::uint64_t begin = std::uint64_t{part} * ranking.plan.chunk;
    std::uint32_t* chosen_count = scratch.counter(ranking.plan.chunk);
    Kokkos::single(Kokkos::PerTeam(team), [&] { *chosen_count = 0; });
    this->clear(team, scratch.table);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, count), [&](std::uint32_t i) {
      const std::uint32_t row = ranking.lists.row(query, begin + i);
      if (ranking.accepts(query, row) && this->insert(scratch.table, row))
        scratch.chosen[Kokkos::atomic_fetch_add(chosen_count, 1U)] = row;
    });
    team.team_barrier();
    return *chosen_count;
  }

  /// Writes the ranks of \p count rows to `keys[place(i)]`. Ends with a barrier.
  KOKKOS_INLINE_FUNCTION void score(const member_type& team, std::uint64_t query,
                                    std::uint32_t count, const Scratch& scratch) const {
    const lanes_type lanes(team);
    const auto own =
        static_cast<std::uint32_t>(team.team_rank() * lanes_type::groups + lanes.group());
    // Prefetched where teams are few; many teams hide the latency of the rows.
    if (is_cut && own < count)
      ranking.rows[scratch.chosen[own]].prefetch(lanes, ranking.rows.dimension);
    const auto values = ranking.lists.query(query, ranking.rows.dimension);
    const double query_norm = ranking.template query_norm<norm_depth>(lanes, query, values);
    const std::uint32_t step = static_cast<std::uint32_t>(team.team_size()) * lanes_type::groups;
    for (std::uint32_t first = static_cast<std::uint32_t>(team.team_rank()) * lanes_type::groups;
         first < count; first += step) {
      const std::uint32_t i = first + static_cast<std::uint32_t>(lanes.group());
      const std::uint32_t row = scratch.chosen[i < count ? i : count - 1];
      const Rank rank = ranking.template rank_of<Term, depth>(lanes, values, query_norm, row);
      if (lanes.is_leader() && i < count) scratch.keys[sort::place(i)] = rank;
    }
    team.team_barrier();
  }

  /// Writes the best `keep` of \p count distinct keys to \p out.
  KOKKOS_INLINE_FUNCTION void pass_on(const member_type& team, std::uint32_t count, Rank* keys,
                                      Rank* out) const {
    sort::run_padded(team, keys, count);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, ranking.plan.keep), [&](std::uint32_t i) {
      out[i] = i < count ? keys[sort::place(i)] : rank_none;
    });
  }
};

/// \brief A team: a short chunk of a list that has several, where latency decides. Each warp scores
/// one row at a time with all its lanes, and nothing is sorted: ranks are ordered by counting.
/// Without launch bounds, a thread would have 64 registers, too few for the loads of a row.
template <class ExecutionSpace, class Element, class Lists, class Term>
struct CandidateWarps : CandidateSelection<ExecutionSpace, Element, Lists> {
  using selection = CandidateSelection<ExecutionSpace, Element, Lists>;
  using typename selection::member_type;
  using typename selection::Scratch;
  using typename selection::sort;
  using typename selection::warp;
  using lanes_type = Arch::GroupLanes<ExecutionSpace, true, 32>;
  static constexpr unsigned threads_max = 256;
  static constexpr unsigned teams_at_once = 1;
  using selection::ranking;
  using selection::selection;

  KOKKOS_INLINE_FUNCTION void operator()(const member_type& team) const {
    const auto [query, part] = this->item_of(team);
    const std::uint32_t parts = ranking.chunks_of(query);
    if (part >= parts) return;
    const auto scratch = this->scratch_of(team);
    const std::uint32_t count = this->count_of(query, part);
    score(team, query, std::uint64_t{part} * ranking.plan.chunk, count, scratch);
    team.team_barrier();
    if (parts == 1) return this->write_best(team, query, count, scratch.keys);
    if (team.team_rank() == 0) pass_on(count, scratch.keys, this->partial(query, part));
    if (this->is_last(team, query, scratch)) this->merge(team, query, parts, scratch);
  }

 private:
  /// A thread holds one number per step.
  static constexpr int depth = 2 * VectorTileShape<ExecutionSpace>::candidate_depth;

  /// Writes the ranks of the chunk from candidate \p first on to `keys[place(i)]`; `rank_none`
  /// where the candidate does not pass or is an earlier one again.
  KOKKOS_INLINE_FUNCTION void score(const member_type& team, std::uint64_t query,
                                    std::uint64_t first, std::uint32_t count,
                                    const Scratch& scratch) const {
    const lanes_type lanes(team);
    const auto values = ranking.lists.query(query, ranking.rows.dimension);
    double query_norm = 0.0;
    bool has_norm = false;
    for (std::uint32_t i = this->thread_of(team); i < count; i += this->threads_of(team))
      scratch.chosen[i] = ranking.lists.row(query, first + i);
    team.team_barrier();
    const auto warps = static_cast<std::uint32_t>(team.team_size());
    for (auto i = static_cast<std::uint32_t>(team.team_rank()); i < count; i += warps) {
      const std::uint32_t row = scratch.chosen[i];
      bool is_found = false;
      for (std::uint32_t j = warp::lane(); j < i; j += warp::lanes)
        is_found = is_found || scratch.chosen[j] == row;
      const bool is_repeated = warp::any(is_found);
      Rank rank = rank_none;
      if (!is_repeated && ranking.accepts(query, row)) {
        rank = has_norm ? ranking.template rank_of<Term, depth>(lanes, values, query_norm, row)
                        : ranking.template rank_with_norm<Term, depth>(lanes, query, values, row,
                                                                       query_norm);
        has_norm = true;
      }
      if (lanes.is_leader()) scratch.keys[sort::place(i)] = rank;
    }
  }

  /// Writes the best `keep` of \p count keys to \p out, by one warp.
  KOKKOS_INLINE_FUNCTION void pass_on(std::uint32_t count, const Rank* keys, Rank* out) const {
    for (std::uint32_t i = warp::lane(); i < ranking.plan.chunk; i += warp::lanes) {
      const Rank own = i < count ? keys[sort::place(i)] : rank_none;
      std::uint32_t at = i;  // of those beyond the end
      if (i < count) {
        at = 0;
        KINDRED_UNROLL_4
        for (std::uint32_t j = 0; j < count; ++j) {
          const Rank other = keys[sort::place(j)];
          at += (other < own) | ((other == own) & (j < i)) ? 1U : 0U;
        }
      }
      if (at < ranking.plan.keep) out[at] = own;
    }
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_VECTOR_IMPL_CANDIDATE_TEAMS_HPP
