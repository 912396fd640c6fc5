// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_VECTOR_IMPL_CANDIDATE_TEAMS_HPP
#define KINDRED_CORE_VECTOR_IMPL_CANDIDATE_TEAMS_HPP

#include <kindred/core/arch/launch/LastTeam.hpp>
#include <kindred/core/arch/launch/Warp.hpp>
#include <kindred/core/arch/simd/GroupLanes.hpp>
#include <kindred/core/launch/ForEachTeam.hpp>
#include <kindred/core/select/impl/BestByCounting.hpp>
#include <kindred/core/select/impl/TeamMerge.hpp>
#include <kindred/core/vector/Candidates.hpp>
#include <kindred/core/vector/impl/CandidateRanking.hpp>
#include <kindred/core/vector/impl/VectorTile.hpp>

#include <algorithm>
#include <bit>
#include <functional>

namespace Kindred::Impl {

/// Maximum number of ranks that the last team of a query sorts in scratch.
inline constexpr std::uint32_t candidate_merge_max = 2048;
/// Number of teams that keep a device busy.
inline constexpr std::size_t candidate_teams = 512;
/// Maximum size of a chunk for `CandidateWarps`.
inline constexpr std::uint32_t candidate_short_chunk = 32;

/// Writes the ranks of a query; the same type for all elements and terms.
template <class Lists>
struct RankWriter {
  const Lists& lists;
  Metric metric;
  std::uint64_t query;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t place, Rank rank) const {
    lists.write(metric, query, place, rank);
  }
};

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
    ScratchSet rows;
    std::uint32_t* chosen;  ///< and a counter behind a chunk
  };
  KOKKOS_INLINE_FUNCTION Scratch scratch_of(const member_type& team) const {
    return {static_cast<Rank*>(
                team.team_scratch(0).get_shmem_aligned(sort::places(sort_size) * sizeof(Rank), 16)),
            {static_cast<std::uint32_t*>(
                 team.team_scratch(0).get_shmem_aligned(table_size * sizeof(std::uint32_t), 16)),
             table_size},
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
  /// \brief Ranks the chunk of a team: `score(item, count, scratch)` ranks its \p count candidates,
  /// writes the ranks to `keys[place(i)]` and returns their number; `pass_on(count, keys, out)`
  /// writes the best `keep` of them. \tparam is_cut see `CandidateTeam`
  template <bool is_cut, class Score, class PassOn>
  KOKKOS_INLINE_FUNCTION void rank(const member_type& team, const Score& score,
                                   const PassOn& pass_on) const {
    const Item item = item_of(team);
    const std::uint64_t query = item.query;
    const std::uint32_t parts = ranking.chunks_of(query);
    if (item.part >= parts) return;
    const Scratch scratch = scratch_of(team);
    const std::uint32_t count = score(item, count_of(query, item.part), scratch);
    const RankWriter<Lists> write{ranking.lists, ranking.metric, query};
    if constexpr (is_cut) {
      if (parts > 1) {
        pass_on(count, scratch.keys, partial(query, item.part));
        if (!Arch::is_last_team(team, &ranking.arrived[query], parts,
                                scratch.chosen + ranking.plan.chunk))
          return;
        const TeamMerge<ExecutionSpace> merge{team,         parts,          ranking.plan.keep,
                                              ranking.top,  partial(query), scratch.keys,
                                              scratch.rows, scratch.chosen};
        return merge.run(ranking.lists.places(), write);
      }
    }
    sort::write_least(team, scratch.keys, count, ranking.top, ranking.lists.places(), write);
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
  using typename selection::Item;
  using typename selection::member_type;
  using typename selection::Scratch;
  using typename selection::sort;
  using lanes_type = Arch::GroupLanes<ExecutionSpace, true>;
  using selection::ranking;
  using selection::selection;

  KOKKOS_INLINE_FUNCTION void operator()(const member_type& team) const {
    this->template rank<is_cut>(
        team,
        [&](const Item& item, std::uint32_t length, const Scratch& scratch) {
          const std::uint32_t count = choose(team, item, length, scratch);
          score(team, item.query, count, scratch);
          return count;
        },
        [&](std::uint32_t count, Rank* keys, Rank* out) {
          const std::uint32_t keep = ranking.plan.keep;
          sort::write_least(team, keys, count, keep, keep,
                            [=](std::uint32_t i, Rank rank) { out[i] = rank; });
        });
  }

 private:
  static constexpr int depth = VectorTileShape<ExecutionSpace>::candidate_depth;
  static constexpr int norm_depth = Arch::is_device<ExecutionSpace> ? 8 : 1;

  /// Lists the rows of a chunk that pass, without duplicates; returns their number.
  KOKKOS_INLINE_FUNCTION std::uint32_t choose(const member_type& team, const Item& item,
                                              std::uint32_t count, const Scratch& scratch) const {
    const std::uint64_t query = item.query;
    const std::uint64_t begin = std::uint64_t{item.part} * ranking.plan.chunk;
    std::uint32_t* chosen_count = scratch.chosen + ranking.plan.chunk;
    Kokkos::single(Kokkos::PerTeam(team), [&] { *chosen_count = 0; });
    scratch.rows.clear(team);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, count), [&](std::uint32_t i) {
      const std::uint32_t row = ranking.lists.row(query, begin + i);
      if (ranking.accepts(query, row) && scratch.rows.insert(row))
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
};

/// \brief A team: a short chunk of a list that has several, where latency decides. Each warp scores
/// one row at a time with all its lanes, and nothing is sorted: ranks are ordered by counting.
/// Without launch bounds, a thread would have 64 registers, too few for the loads of a row.
template <class ExecutionSpace, class Element, class Lists, class Term>
struct CandidateWarps : CandidateSelection<ExecutionSpace, Element, Lists> {
  using selection = CandidateSelection<ExecutionSpace, Element, Lists>;
  using typename selection::Item;
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
    this->template rank<true>(
        team,
        [&](const Item& item, std::uint32_t count, const Scratch& scratch) {
          score(team, item, count, scratch);
          team.team_barrier();
          return count;
        },
        [&](std::uint32_t count, const Rank* keys, Rank* out) {
          if (team.team_rank() != 0) return;
          write_by_counting<warp>(
              count, [=](std::uint32_t i) { return keys[sort::place(i)]; }, ranking.plan.keep,
              ranking.plan.chunk, out);
        });
  }

 private:
  /// A thread holds one number per step.
  static constexpr int depth = 2 * VectorTileShape<ExecutionSpace>::candidate_depth;

  /// Writes the ranks of a chunk to `keys[place(i)]`; `rank_none` where the candidate does not pass
  /// or is an earlier one again.
  KOKKOS_INLINE_FUNCTION void score(const member_type& team, const Item& item, std::uint32_t count,
                                    const Scratch& scratch) const {
    const std::uint64_t query = item.query;
    const std::uint64_t first = std::uint64_t{item.part} * ranking.plan.chunk;
    const lanes_type lanes(team);
    const auto values = ranking.lists.query(query, ranking.rows.dimension);
    double query_norm = 0.0;
    bool has_norm = false;
    const auto warps = static_cast<std::uint32_t>(team.team_size());
    const std::uint32_t thread =
        static_cast<std::uint32_t>(team.team_rank()) * warp::lanes + warp::lane();
    for (std::uint32_t i = thread; i < count; i += warps * warp::lanes)
      scratch.chosen[i] = ranking.lists.row(query, first + i);
    team.team_barrier();
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
};

/// Launches the teams of \p queries queries.
template <class Term, class ExecutionSpace, class Element, class Lists>
void launch_teams(const ExecutionSpace& exec_space, const char* label,
                  const CandidateRanking<ExecutionSpace, Element, Lists>& ranking,
                  std::size_t queries) {
  const auto launch = [&](const auto& kernel) {
    const Launch::Teams teams{.count = queries * ranking.plan.chunks,
                              .scratch_bytes = kernel.scratch_bytes()};
    if constexpr (Arch::is_device<ExecutionSpace>) {
      Launch::for_each_team(exec_space, label, teams, kernel);
    } else {
      // One type for all kernels, which a host uses only instead of chunks.
      const std::function<void(const Launch::Member<HostSpace>&)> any_kernel = std::cref(kernel);
      Launch::for_each_team(exec_space, label, teams, any_kernel);
    }
  };
  if constexpr (Arch::is_device<ExecutionSpace>) {
    if (ranking.plan.chunks == 1)
      return launch(CandidateTeam<ExecutionSpace, Element, Lists, Term, false>(ranking));
  }
  if (ranking.plan.chunks > 1 && ranking.plan.chunk <= candidate_short_chunk)
    return launch(CandidateWarps<ExecutionSpace, Element, Lists, Term>(ranking));
  launch(CandidateTeam<ExecutionSpace, Element, Lists, Term, true>(ranking));
}

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_VECTOR_IMPL_CANDIDATE_TEAMS_HPP
