// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_GRAPH_IMPL_FRONTIER_RANKS_HPP
#define KINDRED_CORE_GRAPH_IMPL_FRONTIER_RANKS_HPP

#include <kindred/core/graph/Frontier.hpp>
#include <kindred/core/graph/impl/FrontierGroup.hpp>

#include <algorithm>

namespace Kindred::Impl {

/// \brief Ranks the best nodes that a query touched; its group does the work. Returns once every
/// thread has read the keys that it ranks.
template <class ExecutionSpace, bool is_device = Arch::is_device<ExecutionSpace>>
struct FrontierRanks {
  template <class Walk, class Launch, class Group>
  static void rank(const Walk& walk, const Launch& launch, const Group& group, std::size_t query,
                   bool /*is_alone*/) {
    Rank* keys = launch.state.keys.data() + group.index() * launch.sizes.keys;
    std::size_t count = 0;
    for (std::uint32_t i = 0; i < walk.entries(); ++i) {
      const Rank key = walk.key(i);
      if (key != rank_none) keys[count++] = key;
    }
    const std::size_t top = std::min<std::size_t>(count, launch.top);
    std::partial_sort(keys, keys + top, keys + count);
    Rank* ranks = launch.ranks.data() + query * launch.top;
    std::copy_n(keys, top, ranks);
    std::fill(ranks + top, ranks + launch.top, rank_none);
  }
};

/// Device: every team keeps the best of its share; the first team ranks the best of those.
template <class ExecutionSpace>
struct FrontierRanks<ExecutionSpace, true> {
  /// \param is_alone only the first team calls this
  template <class Walk, class Launch, class Group>
  KOKKOS_INLINE_FUNCTION static void rank(const Walk& walk, const Launch& launch, Group& group,
                                          std::size_t query, bool is_alone) {
    Rank* keys = launch.state.keys.data() + group.index() * launch.sizes.keys;
    const std::uint32_t entries = walk.entries();
    const std::uint32_t top = launch.top;
    const bool leaves_keys = launch.ranks.extent(0) == 0;
    unsigned teams = is_alone ? 1 : group.teams();
    if (leaves_keys) {
      for (std::uint32_t i = group.team() * Group::team_threads + group.thread(); i < entries;
           i += Group::team_threads * teams)
        keys[i] = walk.key(i);
      if (group.is_leader()) launch.state.control(group.index()).entries = entries;
    }
    // What the teams keep is merged in one step.
    const unsigned mergeable = leaves_keys ? 0 : (Group::team_words + top - 1) / top;
    if (teams > mergeable) teams = mergeable;
    Rank* ranks = launch.ranks.data() + query * top;
    std::uint32_t count = entries;
    for (bool is_merge = false; group.team() < teams; is_merge = true) {
      const std::uint32_t kept = best_of_share(group, teams, count, top, [&](std::uint32_t i) {
        return is_merge ? Group::read(keys + i) : walk.key(i);
      });
      Rank* to = teams == 1 ? ranks : keys + group.team() * top;
      for (std::uint32_t i = group.thread(); i < top; i += Group::team_threads)
        to[i] = i < kept ? group.team_memory()[i] : rank_none;
      if (teams == 1) break;
      group.barrier();
      count = teams * top;
      teams = 1;
    }
    if (is_alone)
      group.team_barrier();
    else if (group.team() >= mergeable || leaves_keys)
      group.barrier();
  }

 private:
  /// Leaves the best \p top of every \p teams-th part of \p count keys in the memory of the team,
  /// ascending; returns their number, including `rank_none`.
  template <class Group, class Key>
  KOKKOS_INLINE_FUNCTION static std::uint32_t best_of_share(const Group& group, unsigned teams,
                                                            std::uint32_t count, std::uint32_t top,
                                                            const Key& key) {
    if (top <= Group::lanes) return least_of_share(group, teams, count, key);
    constexpr std::uint32_t capacity = Group::team_words;
    Rank* best = group.team_memory();
    std::uint32_t part = (count + teams - 1) / teams;
    if (part > capacity) part = capacity - static_cast<std::uint32_t>(frontier_top_max);
    std::uint32_t kept = 0;
    const unsigned team = teams == 1 ? 0 : group.team();
    for (std::uint32_t first = team * part; first < count; first += teams * part) {
      const std::uint32_t own = first + part < count ? part : count - first;
      std::uint32_t size = 64;
      while (size < kept + own) size *= 2;
      for (std::uint32_t i = kept + group.thread(); i < size; i += Group::team_threads)
        best[i] = i < kept + own ? key(first + i - kept) : rank_none;
      group.team_barrier();
      sort(group, best, size);
      kept = kept + own < top ? kept + own : top;
    }
    return kept;
  }

  /// Every unit keeps the best keys it has seen in its lanes; then four lists are merged at a time.
  template <class Group, class Key>
  KOKKOS_INLINE_FUNCTION static std::uint32_t least_of_share(const Group& group, unsigned teams,
                                                             std::uint32_t count, const Key& key) {
    Rank* lists = group.team_memory();
    const unsigned own = group.thread() / Group::lanes;
    const unsigned lane = group.lane();
    Rank best = rank_none;
    const unsigned team = teams == 1 ? 0 : group.team();
    for (std::uint32_t first = (team + own * teams) * Group::lanes; first < count;
         first += teams * Group::team_threads)
      best =
          Group::least(best, Group::sorted(first + lane < count ? key(first + lane) : rank_none));
    lists[group.thread()] = best;
    for (unsigned left = Group::team_threads / Group::lanes; left > 1; left = (left + 3) / 4) {
      group.team_barrier();
      best = rank_none;
      for (unsigned i = 4 * own; i < 4 * own + 4 && i < left; ++i)
        best = Group::least(best, lists[i * Group::lanes + lane]);
      group.team_barrier();
      lists[group.thread()] = best;
    }
    group.team_barrier();
    return Group::lanes;
  }

  /// A bitonic network; where the stride is at most 32, the pairs of a unit are among 64 adjacent
  /// keys. Begins and ends with a barrier of the team.
  template <class Group>
  KOKKOS_INLINE_FUNCTION static void sort(const Group& group, Rank* keys, std::uint32_t size) {
    for (std::uint32_t run = 2; run <= size; run *= 2) {
      for (std::uint32_t stride = run / 2; stride > 0; stride /= 2) {
        for (std::uint32_t t = group.thread(); t < size / 2; t += Group::team_threads) {
          const std::uint32_t i = 2 * t - (t & (stride - 1));
          const Rank a = keys[i];
          const Rank b = keys[i + stride];
          if ((b < a) == ((i & run) == 0)) {
            keys[i] = b;
            keys[i + stride] = a;
          }
        }
        const std::uint32_t next = stride > 1 ? stride / 2 : run;
        if (stride > 32 || next > 32)
          group.team_barrier();
        else
          group.warp_barrier();
      }
    }
    group.team_barrier();
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_GRAPH_IMPL_FRONTIER_RANKS_HPP
