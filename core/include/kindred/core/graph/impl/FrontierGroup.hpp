// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_GRAPH_IMPL_FRONTIER_GROUP_HPP
#define KINDRED_CORE_GRAPH_IMPL_FRONTIER_GROUP_HPP

#include <kindred/core/arch/Unroll.hpp>
#include <kindred/core/arch/launch/ThreadGroup.hpp>
#include <kindred/core/graph/Frontier.hpp>
#include <kindred/core/graph/impl/RowSums_Host.hpp>
#include <kindred/core/math/ReproducibleSum.hpp>
#include <kindred/core/select/impl/LeastKeys.hpp>

#include <cstddef>
#include <cstdint>

namespace Kindred::Impl {

/// \brief A group of threads that spreads one query at a time: its sums of rows, how it divides
/// rows and edges among its units, and how it ranks.
template <class ExecutionSpace>
class FrontierGroup : public Arch::ThreadGroup<ExecutionSpace> {
 public:
  using Arch::ThreadGroup<ExecutionSpace>::ThreadGroup;

  static constexpr unsigned teams_at_once = 1;
  static constexpr std::size_t scratch_bytes = 0;
  static constexpr unsigned short_rows = 1;   ///< that a unit sums together
  static constexpr unsigned walk_depth = 1;   ///< edges that a lane visits together
  static constexpr unsigned alone_max = ~0U;  ///< nodes that one team ranks without the others
  static constexpr std::uint64_t short_max = ~std::uint64_t{0};  ///< maximum edges of a short row
  /// Maximum edges of a row that one unit sums; longer rows are summed by a team.
  static constexpr std::uint64_t long_max = ~std::uint64_t{0};
  /// Maximum edges that a unit traverses alone.
  static constexpr std::uint64_t walk_max = ~std::uint64_t{0};

  /// Sets the memory that the threads of a team share.
  KOKKOS_INLINE_FUNCTION void bind_memory(std::byte*) {}

  /// The reproducible sum of a row.
  KOKKOS_INLINE_FUNCTION static double short_sum(const std::uint32_t* sources, const float* weights,
                                                 std::uint32_t count, const float* x) {
    if (count <= reproducible_block) return RowSums<HostSpace>::sum(sources, weights, count, x);
    return sum_of_blocks(count, [&](std::uint64_t first, std::uint32_t length) {
      return RowSums<HostSpace>::sum(sources + first, weights + first, length, x);
    });
  }
  /// The reproducible sum of a block, computed by the unit.
  KOKKOS_INLINE_FUNCTION static double block_sum(const std::uint32_t* sources, const float* weights,
                                                 std::uint32_t count, const float* x) {
    return RowSums<HostSpace>::sum(sources, weights, count, x);
  }
  /// The same, computed by the team; its first unit receives the sum.
  KOKKOS_INLINE_FUNCTION static double team_sum(const std::uint32_t* sources, const float* weights,
                                                std::uint32_t count, const float* x) {
    return block_sum(sources, weights, count, x);
  }

  /// \brief Ranks the best nodes that \p query touched. Returns once every thread has read the keys
  /// that it ranks.
  template <class Walk, class Launch>
  void rank(const Walk& walk, const Launch& launch, std::size_t query, bool /*is_alone*/) const {
    Rank* keys = launch.state.keys.data() + this->index() * launch.sizes.keys;
    for (std::uint32_t i = 0; i < walk.entries(); ++i) keys[i] = walk.key(i);
    const std::size_t top = launch.queries.top;
    write_least(keys, walk.entries(), top, true, keys, launch.queries.ranks.data() + query * top);
  }
};

template <>
class FrontierGroup<DeviceSpace> : public Arch::ThreadGroup<DeviceSpace> {
 public:
  using Arch::ThreadGroup<DeviceSpace>::ThreadGroup;

  static constexpr unsigned teams_at_once = 1;
  static constexpr unsigned team_words = 4096;
  static constexpr std::size_t scratch_bytes = team_words * sizeof(std::uint64_t);
  static constexpr unsigned short_rows = 4;
  static constexpr unsigned walk_depth = 2;
  static constexpr unsigned alone_max = 2048;
  static constexpr std::uint64_t short_max = 64;
  static constexpr std::uint64_t long_max = 256;
  static constexpr std::uint64_t walk_max = 256;

  KOKKOS_INLINE_FUNCTION void bind_memory(std::byte* scratch) {
    m_memory = reinterpret_cast<std::uint64_t*>(scratch);
  }

  /// The reproducible sum of this lane's row; the groups of eight lanes of a unit sum one row each,
  /// and the first lane of each group receives the sum.
  KOKKOS_INLINE_FUNCTION static double short_sum(const std::uint32_t* sources, const float* weights,
                                                 std::uint32_t count, const float* x) {
    double sum = four_lanes<double>(warp_type::lane() % 8, count, [&](double& to, std::uint32_t i) {
      to = ::fma(static_cast<double>(read(x + sources[i])), static_cast<double>(weights[i]), to);
    });
    return warp_type::template sum_of_group<8>(sum);
  }

  /// Every lane receives the sum.
  KOKKOS_INLINE_FUNCTION double block_sum(const std::uint32_t* sources, const float* weights,
                                          std::uint32_t count, const float* x) const {
    constexpr unsigned depth = 8;  // reads in flight
    double sum = 0.0;
    for (std::uint32_t first = lane(); first < count; first += depth * lanes) {
      std::uint32_t source[depth];
      float weight[depth];
      float value[depth];
      KINDRED_UNROLL
      for (unsigned j = 0; j < depth; ++j) {
        const std::uint32_t i = first + j * lanes;
        source[j] = i < count ? sources[i] : 0;
        weight[j] = i < count ? weights[i] : 0.0F;
      }
      KINDRED_UNROLL
      for (unsigned j = 0; j < depth; ++j)
        value[j] = first + j * lanes < count ? read(x + source[j]) : 0.0F;
      KINDRED_UNROLL
      for (unsigned j = 0; j < depth; ++j)
        sum = ::fma(static_cast<double>(value[j]), static_cast<double>(weight[j]), sum);
    }
    return warp_type::sum(sum);
  }

  KOKKOS_INLINE_FUNCTION double team_sum(const std::uint32_t* sources, const float* weights,
                                         std::uint32_t count, const float* x) const {
    constexpr unsigned depth = 4096 / team_threads;
    std::uint64_t* products = m_memory;
    std::uint32_t source[depth];
    float weight[depth];
    KINDRED_UNROLL
    for (unsigned j = 0; j < depth; ++j) {
      const std::uint32_t i = j * team_threads + thread();
      source[j] = i < count ? sources[i] : 0;
      weight[j] = i < count ? weights[i] : 0.0F;
    }
    KINDRED_UNROLL
    for (unsigned j = 0; j < depth; ++j) {
      const std::uint32_t i = j * team_threads + thread();
      const float value = i < count ? read(x + source[j]) : 0.0F;
      products[i] = Kokkos::bit_cast<std::uint64_t>(static_cast<double>(value) *
                                                    static_cast<double>(weight[j]));
    }
    team_barrier();
    double sum = 0.0;
    if (thread() < lanes) {
      KINDRED_UNROLL_4
      for (std::uint32_t i = lane(); i < count; i += lanes)
        sum += Kokkos::bit_cast<double>(products[i]);
      sum = warp_type::sum(sum);
    }
    team_barrier();
    return sum;
  }

  /// \brief Every team keeps the best of its share; the first team ranks the best of those.
  /// \param is_alone only the first team calls this
  template <class Walk, class Launch>
  KOKKOS_INLINE_FUNCTION void rank(const Walk& walk, const Launch& launch, std::size_t query,
                                   bool is_alone) {
    Rank* keys = launch.state.keys.data() + index() * launch.sizes.keys;
    const std::uint32_t entries = walk.entries();
    const std::uint32_t top = launch.queries.top;
    const bool leaves_keys = launch.queries.ranks.extent(0) == 0;
    unsigned sharing = is_alone ? 1 : teams();  // teams
    if (leaves_keys) {
      for (std::uint32_t i = team() * team_threads + thread(); i < entries;
           i += team_threads * sharing)
        keys[i] = walk.key(i);
      if (is_leader()) launch.state.control(index()).entries = entries;
    }
    // What the teams keep is merged in one step.
    const unsigned mergeable = leaves_keys ? 0 : (team_words + top - 1) / top;
    if (sharing > mergeable) sharing = mergeable;
    Rank* ranks = launch.queries.ranks.data() + query * top;
    std::uint32_t count = entries;
    for (bool is_merge = false; team() < sharing; is_merge = true) {
      const std::uint32_t kept = best_of_share(sharing, count, top, [&](std::uint32_t i) {
        return is_merge ? read(keys + i) : walk.key(i);
      });
      Rank* to = sharing == 1 ? ranks : keys + team() * top;
      for (std::uint32_t i = thread(); i < top; i += team_threads)
        to[i] = i < kept ? m_memory[i] : rank_none;
      if (sharing == 1) break;
      barrier();
      count = sharing * top;
      sharing = 1;
    }
    if (is_alone)
      team_barrier();
    else if (team() >= mergeable || leaves_keys)
      barrier();
  }

 private:
  /// Leaves the best \p top of every \p sharing-th part of \p count keys in the memory of the team,
  /// ascending; returns their number, including `rank_none`.
  template <class Key>
  KOKKOS_INLINE_FUNCTION std::uint32_t best_of_share(unsigned sharing, std::uint32_t count,
                                                     std::uint32_t top, const Key& key) {
    if (top <= lanes) return least_of_share(sharing, count, key);
    constexpr std::uint32_t capacity = team_words;
    Rank* best = m_memory;
    std::uint32_t part = (count + sharing - 1) / sharing;
    if (part > capacity) part = capacity - static_cast<std::uint32_t>(frontier_top_max);
    std::uint32_t kept = 0;
    const unsigned share = sharing == 1 ? 0 : team();
    for (std::uint32_t first = share * part; first < count; first += sharing * part) {
      const std::uint32_t own = first + part < count ? part : count - first;
      std::uint32_t size = 64;
      while (size < kept + own) size *= 2;
      for (std::uint32_t i = kept + thread(); i < size; i += team_threads)
        best[i] = i < kept + own ? key(first + i - kept) : rank_none;
      team_barrier();
      sort(best, size);
      kept = kept + own < top ? kept + own : top;
    }
    return kept;
  }

  /// Every unit keeps the best keys it has seen in its lanes; then four lists are merged at a time.
  template <class Key>
  KOKKOS_INLINE_FUNCTION std::uint32_t least_of_share(unsigned sharing, std::uint32_t count,
                                                      const Key& key) {
    Rank* lists = m_memory;
    const unsigned own = thread() / lanes;
    Rank best = rank_none;
    const unsigned share = sharing == 1 ? 0 : team();
    for (std::uint32_t first = (share + own * sharing) * lanes; first < count;
         first += sharing * team_threads)
      best = least(best, sorted(first + lane() < count ? key(first + lane()) : rank_none));
    lists[thread()] = best;
    for (unsigned left = team_threads / lanes; left > 1; left = (left + 3) / 4) {
      team_barrier();
      best = rank_none;
      for (unsigned i = 4 * own; i < 4 * own + 4 && i < left; ++i)
        best = least(best, lists[i * lanes + lane()]);
      team_barrier();
      lists[thread()] = best;
    }
    team_barrier();
    return lanes;
  }

  /// A bitonic network; where the stride is at most 32, the pairs of a unit are among 64 adjacent
  /// keys. Begins and ends with a barrier of the team.
  KOKKOS_INLINE_FUNCTION void sort(Rank* keys, std::uint32_t size) const {
    for (std::uint32_t run = 2; run <= size; run *= 2) {
      for (std::uint32_t stride = run / 2; stride > 0; stride /= 2) {
        for (std::uint32_t t = thread(); t < size / 2; t += team_threads) {
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
          team_barrier();
        else
          warp_barrier();
      }
    }
    team_barrier();
  }

  /// The keys of the lanes of a unit, ascending by lane.
  KOKKOS_INLINE_FUNCTION static Rank sorted(Rank key) {
    for (unsigned run = 2; run <= lanes; run *= 2)
      key = merged(key, run, (warp_type::lane() & run) == 0);
    return key;
  }
  /// The smallest 32 keys of two such lists, ascending.
  KOKKOS_INLINE_FUNCTION static Rank least(Rank a, Rank b) {
    b = warp_type::exchange(b, lanes - 1);
    return merged(a < b ? a : b, lanes, true);
  }
  /// Sorts runs of lanes whose keys first ascend and then descend.
  KOKKOS_INLINE_FUNCTION static Rank merged(Rank key, unsigned run, bool ascending) {
    for (unsigned stride = run / 2; stride > 0; stride /= 2) {
      const Rank other = warp_type::exchange(key, stride);
      const bool keeps_less = ((warp_type::lane() & stride) == 0) == ascending;
      key = (other < key) == keeps_less ? other : key;
    }
    return key;
  }

  std::uint64_t* m_memory = nullptr;  // that the threads of a team share
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_GRAPH_IMPL_FRONTIER_GROUP_HPP
