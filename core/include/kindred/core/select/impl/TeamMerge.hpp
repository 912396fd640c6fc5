// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SELECT_IMPL_TEAM_MERGE_HPP
#define KINDRED_CORE_SELECT_IMPL_TEAM_MERGE_HPP

#include <kindred/core/launch/ForEachTeam.hpp>
#include <kindred/core/select/impl/BestByCounting.hpp>
#include <kindred/core/select/impl/ScratchSort.hpp>

#include <cstdint>

namespace Kindred::Impl {

inline constexpr std::uint32_t empty_slot = 0xFFFFFFFFU;  // neither row nor id

/// The slot in a table of size `mask + 1`, a power of two, where the search for \p number begins.
KOKKOS_INLINE_FUNCTION std::uint32_t first_slot(std::uint32_t number, std::uint32_t mask) {
  return (number * 0x9E3779B1U) >> 15U & mask;
}

/// \brief A set of numbers in the scratch of a team.
struct ScratchSet {
  std::uint32_t* slots;
  std::uint32_t size;  ///< a power of two, more than there are numbers

  template <class Team>
  KOKKOS_INLINE_FUNCTION void clear(const Team& team) const {
    for_each_of_team(team, size, [&](std::uint32_t i) { slots[i] = empty_slot; });
    team.team_barrier();
  }
  /// Returns true for exactly one of the threads that insert \p number.
  KOKKOS_INLINE_FUNCTION bool insert(std::uint32_t number) const {
    const std::uint32_t mask = size - 1;
    for (std::uint32_t slot = first_slot(number, mask);; slot = (slot + 1) & mask) {
      const std::uint32_t found = Kokkos::atomic_compare_exchange(&slots[slot], empty_slot, number);
      if (found == empty_slot) return true;
      if (found == number) return false;
    }
  }
};

/// \brief Merges the ranks that the parts of a list kept, by one team: the best `top`, each once.
template <class ExecutionSpace>
struct TeamMerge {
  using sort = ScratchSort<Rank>;
  using warp = Arch::Warp<ExecutionSpace>;
  using member_type = Launch::Member<ExecutionSpace>;

  const member_type& team;
  std::uint32_t parts;
  std::uint32_t keep;  ///< ranks per part, ascending and padded with `rank_none`
  std::uint32_t top;
  /// Written by other teams: volatile bypasses stale lines of this SM's cache.
  const volatile Rank* kept;
  Rank* keys;             ///< scratch to sort the ranks and one more
  ScratchSet table;       ///< of twice as many slots
  std::uint32_t* counts;  ///< two words of scratch

  /// Calls `write(i, rank)` for i < \p places, at least `top`, with `rank_none` from `top` on.
  template <class Write>
  KOKKOS_INLINE_FUNCTION void run(std::uint32_t places, const Write& write) const {
    if (top <= parts && by_counting(places, write)) return;
    const std::uint32_t count = parts * keep;
    table.clear(team);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, count), [&](std::uint32_t i) {
      const Rank rank = kept[i];
      const bool is_new = rank != rank_none && table.insert(rank_index(rank));
      keys[sort::place(i)] = is_new ? rank : rank_none;
    });
    team.team_barrier();
    sort::write_least(team, keys, count, top, places, write);
  }

 private:
  /// \brief The same if `top` does not exceed the number of parts: the `top`-th best of the parts'
  /// first ranks is a bound, and the ranks that reach it, from at most `top` parts, are ordered by
  /// counting. Returns false, with nothing written, if this cannot decide: too few parts have a
  /// rank, or too few of the ranks differ.
  template <class Write>
  KOKKOS_INLINE_FUNCTION bool by_counting(std::uint32_t places, const Write& write) const {
    const std::uint32_t count = parts * keep;
    const auto threads = static_cast<std::uint32_t>(team.team_size()) * warp::lanes;
    const std::uint32_t thread =
        static_cast<std::uint32_t>(team.team_rank()) * warp::lanes + warp::lane();
    Rank* bound = keys + count;
    auto* reaching = reinterpret_cast<Rank*>(table.slots);
    std::uint32_t* is_decided = counts;
    std::uint32_t* reaching_count = counts + 1;
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      *bound = rank_none;
      *is_decided = 0;
      *reaching_count = 0;
    });
    for (std::uint32_t first = thread; first < count; first += 4 * threads) {
      Rank loaded[4];  // together in flight
      KINDRED_UNROLL
      for (std::uint32_t e = 0; e < 4; ++e) {
        const std::uint32_t i = first + e * threads;
        loaded[e] = i < count ? kept[i] : rank_none;
      }
      KINDRED_UNROLL
      for (std::uint32_t e = 0; e < 4; ++e) {
        const std::uint32_t i = first + e * threads;
        if (i < count) keys[i] = loaded[e];
      }
    }
    team.team_barrier();
    find_bound(bound);
    team.team_barrier();
    const Rank limit = *bound;
    if (limit != rank_none) {
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, count), [&](std::uint32_t i) {
        if (keys[i] <= limit) reaching[Kokkos::atomic_fetch_add(reaching_count, 1U)] = keys[i];
      });
      team.team_barrier();
      // Few are left.
      if (team.team_rank() == 0 && write_counted(*reaching_count, reaching, places, write))
        *is_decided = 1;
    }
    team.team_barrier();
    return *is_decided != 0;
  }

  /// Sets \p bound to the `top`-th best of the parts' first ranks if it is none of two equal ones.
  KOKKOS_INLINE_FUNCTION void find_bound(Rank* bound) const {
    constexpr std::uint32_t sharing = warp::lanes < 4 ? warp::lanes : 4;  // lanes per rank
    constexpr std::uint32_t together = warp::lanes / sharing;
    const auto warps = static_cast<std::uint32_t>(team.team_size());
    for (std::uint32_t first = static_cast<std::uint32_t>(team.team_rank()) * together;
         first < parts; first += warps * together) {
      const std::uint32_t i = first + warp::lane() / sharing;
      const Rank own = i < parts ? keys[i * keep] : rank_none;
      const std::uint32_t better = place_by_counting<warp, sharing>(
          parts, [&](std::uint32_t j) { return keys[j * keep]; }, own);
      if (own != rank_none && better + 1 == top) *bound = own;
    }
  }

  /// Writes the best of \p count ranks, by one warp. A row that occurs several times counts once.
  /// Returns false, with nothing written, if fewer than `top` ranks differ.
  template <class Write>
  KOKKOS_INLINE_FUNCTION bool write_counted(std::uint32_t count, const Rank* ranks,
                                            std::uint32_t places, const Write& write) const {
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
    if (distinct < top) return false;
    warp::barrier();
    for (std::uint32_t i = warp::lane(); i < count; i += warp::lanes) {
      const Rank own = keys[i];
      const std::uint32_t better = place_by_counting<warp, 1>(
          count, [&](std::uint32_t j) { return keys[j]; }, own);
      if (own != rank_none && better < top) write(better, own);
    }
    for (std::uint32_t i = top + warp::lane(); i < places; i += warp::lanes) write(i, rank_none);
    return true;
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SELECT_IMPL_TEAM_MERGE_HPP
