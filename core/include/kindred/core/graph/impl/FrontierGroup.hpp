// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_GRAPH_IMPL_FRONTIER_GROUP_HPP
#define KINDRED_CORE_GRAPH_IMPL_FRONTIER_GROUP_HPP

#include <kindred/core/arch/Unroll.hpp>
#include <kindred/core/arch/launch/ThreadGroup.hpp>
#include <kindred/core/graph/impl/RowSums.hpp>
#include <kindred/core/math/ReproducibleSum.hpp>

#include <cstddef>
#include <cstdint>

namespace Kindred::Impl {

/// \brief A group of threads that spreads one query at a time: its sums of rows, and how it divides
/// rows and edges among its units.
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
  /// Memory that the threads of a team share.
  KOKKOS_INLINE_FUNCTION std::uint64_t* team_memory() const { return m_memory; }

  /// The keys of the lanes of a unit, ascending by lane.
  KOKKOS_INLINE_FUNCTION static std::uint64_t sorted(std::uint64_t key) {
    for (unsigned run = 2; run <= lanes; run *= 2)
      key = merged(key, run, (warp_type::lane() & run) == 0);
    return key;
  }
  /// The smallest 32 keys of two such lists, ascending.
  KOKKOS_INLINE_FUNCTION static std::uint64_t least(std::uint64_t a, std::uint64_t b) {
    b = warp_type::exchange(b, lanes - 1);
    return merged(a < b ? a : b, lanes, true);
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

 private:
  /// Sorts runs of lanes whose keys first ascend and then descend.
  KOKKOS_INLINE_FUNCTION static std::uint64_t merged(std::uint64_t key, unsigned run,
                                                     bool ascending) {
    for (unsigned stride = run / 2; stride > 0; stride /= 2) {
      const std::uint64_t other = warp_type::exchange(key, stride);
      const bool keeps_less = ((warp_type::lane() & stride) == 0) == ascending;
      key = (other < key) == keeps_less ? other : key;
    }
    return key;
  }

  std::uint64_t* m_memory = nullptr;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_GRAPH_IMPL_FRONTIER_GROUP_HPP
