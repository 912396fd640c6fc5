// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_GRAPH_IMPL_FRONTIER_GROUP_HPP
#define KINDRED_CORE_GRAPH_IMPL_FRONTIER_GROUP_HPP

#include <kindred/core/arch/Unroll.hpp>
#include <kindred/core/arch/launch/ThreadGroup.hpp>
#include <kindred/core/graph/Frontier.hpp>
#include <kindred/core/graph/impl/ThreadRowSums.hpp>
#include <kindred/core/math/ReproducibleSum.hpp>
#include <kindred/core/select/impl/LeastKeys.hpp>
#include <kindred/core/select/impl/TeamBest.hpp>

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
    if (count <= reproducible_block) return ThreadRowSums::sum(sources, weights, count, x);
    return sum_of_blocks(count, [&](std::uint64_t first, std::uint32_t length) {
      return ThreadRowSums::sum(sources + first, weights + first, length, x);
    });
  }
  /// The reproducible sum of a block, computed by the unit.
  KOKKOS_INLINE_FUNCTION static double block_sum(const std::uint32_t* sources, const float* weights,
                                                 std::uint32_t count, const float* x) {
    return ThreadRowSums::sum(sources, weights, count, x);
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
  using best = TeamBest<FrontierGroup>;
  /// What the threads of a team share.
  struct Memory {
    std::uint64_t words[reproducible_block];  ///< the products of a block, or keys
    best::Memory ranks;
  };
  static_assert(best::scratch <= reproducible_block);
  static constexpr std::size_t scratch_bytes = sizeof(Memory);
  static constexpr unsigned merged_max = 4096;  ///< ranks that one team merges, in a few steps
  static constexpr unsigned short_rows = 4;
  static constexpr unsigned walk_depth = 2;
  static constexpr unsigned alone_max = best::step_max;
  static constexpr std::uint64_t short_max = 64;
  static constexpr std::uint64_t long_max = 256;
  static constexpr std::uint64_t walk_max = 256;

  KOKKOS_INLINE_FUNCTION void bind_memory(std::byte* scratch) {
    m_memory = reinterpret_cast<Memory*>(scratch);
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
    constexpr unsigned depth = reproducible_block / team_threads;
    std::uint64_t* products = m_memory->words;
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
    const unsigned mergeable = leaves_keys ? 0 : quotient_up(merged_max, top);
    if (sharing > mergeable) sharing = mergeable;
    Rank* ranks = launch.queries.ranks.data() + query * top;
    std::uint32_t count = entries;
    for (bool is_merge = false; team() < sharing; is_merge = true) {
      best::write(*this, m_memory->ranks, m_memory->words, sharing == 1 ? 0 : team(), sharing,
                  count, top, sharing == 1 ? ranks : keys + team() * top,
                  [&](std::uint32_t i) { return is_merge ? read(keys + i) : walk.key(i); });
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
  Memory* m_memory = nullptr;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_GRAPH_IMPL_FRONTIER_GROUP_HPP
