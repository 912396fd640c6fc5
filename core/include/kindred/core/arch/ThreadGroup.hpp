// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_THREAD_GROUP_HPP
#define KINDRED_CORE_ARCH_THREAD_GROUP_HPP

#include <kindred/core/arch/ArrivalBarrier.hpp>
#include <kindred/core/arch/DeviceStatus.hpp>
#include <kindred/core/arch/KernelCode.hpp>
#include <kindred/core/arch/RowSums.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/core/common/ReproducibleSum.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

namespace Kindred::Arch {

/// \brief Threads that cooperate and synchronise between the steps of one task.
///
/// On a device, a single group consists of as many teams as can be resident together, and each of
/// several groups is a cluster. In both cases all teams of a group are resident at the same time,
/// so that a team that waits for another cannot deadlock. On the host a group is one thread. A unit
/// of a group is a warp, or the host thread; calls that mention a unit must be made by all its
/// lanes together.
template <class ExecutionSpace>
class ThreadGroup;

template <>
class ThreadGroup<HostSpace> {
 public:
  static constexpr unsigned team_threads = 1;
  static constexpr unsigned alone_max = ~0U;  ///< nodes that one team ranks without the others
  static constexpr unsigned lanes = 1;        ///< per unit
  static constexpr unsigned short_rows = 1;   ///< that a unit sums together
  static constexpr unsigned walk_depth = 1;   ///< edges that a lane visits together
  static constexpr std::uint64_t short_max = ~std::uint64_t{0};  ///< maximum edges of a short row
  static constexpr std::uint64_t long_max =
      /// Maximum edges of a row that one unit sums; longer rows are summed by a team.
      ~std::uint64_t{0};
  /// Maximum edges that a unit traverses alone.
  static constexpr std::uint64_t walk_max = ~std::uint64_t{0};

  explicit ThreadGroup(std::size_t index) : m_index(index) {}

  std::size_t index() const { return m_index; }
  unsigned team() const { return 0; }
  unsigned teams() const { return 1; }
  unsigned thread() const { return 0; }
  unsigned warp() const { return 0; }
  unsigned warps() const { return 1; }
  unsigned lane() const { return 0; }
  bool is_leader() const { return true; }
  void bind_barrier(std::uint32_t*) {}
  void barrier() const {}

  /// Reads what other threads of the group may have written before the last barrier.
  template <class T>
  static T read(const T* from) {
    return *from;
  }
  /// Atomically adds to a number shared by the group; returns the previous value.
  template <class T>
  static T add(T* to, T value) {
    const T before = *to;
    *to += value;
    return before;
  }
  /// Atomic maximum of the number and \p value; returns the previous value.
  static std::uint32_t raise(std::uint32_t* to, std::uint32_t value) {
    const std::uint32_t before = *to;
    if (before < value) *to = value;
    return before;
  }
  /// Returns the number of lanes of the unit before this one for which \p wants holds; \p count is
  /// the total.
  static unsigned place_of(bool wants, unsigned& count) {
    count = wants ? 1 : 0;
    return 0;
  }
  template <class T>
  static T of_lane(T value, unsigned) {
    return value;
  }
  template <class T>
  static T sum_of_lanes(T value) {
    return value;
  }
  /// The reproducible sum of a row.
  static double short_sum(const std::uint32_t* sources, const float* weights, std::uint32_t count,
                          const float* x) {
    if (count <= reproducible_block) return RowSums<HostSpace>::sum(sources, weights, count, x);
    const auto block = [&](std::uint64_t i) {
      const std::uint64_t first = i * reproducible_block;
      const std::uint64_t left = count - first;
      return RowSums<HostSpace>::sum(
          sources + first, weights + first,
          static_cast<std::uint32_t>(left < reproducible_block ? left : reproducible_block), x);
    };
    return Kindred::Impl::pairwise_tree_sum((count + reproducible_block - 1) / reproducible_block,
                                            block);
  }
  /// The reproducible sum of a block, computed by the unit.
  static double block_sum(const std::uint32_t* sources, const float* weights, std::uint32_t count,
                          const float* x) {
    return RowSums<HostSpace>::sum(sources, weights, count, x);
  }
  /// The same, computed by the team; its first unit receives the sum.
  static double team_sum(const std::uint32_t* sources, const float* weights, std::uint32_t count,
                         const float* x) {
    return block_sum(sources, weights, count, x);
  }

 private:
  std::size_t m_index;
};

#if KINDRED_HAS_DEVICE
/// 0: the rank of this team in its cluster; 1: the number of teams in the cluster; 2: the cluster's
/// index.
template <int which>
KOKKOS_INLINE_FUNCTION unsigned cluster_register() {
  unsigned value = which == 1 ? 1 : 0;
#if defined(__CUDA_ARCH__)
#if __CUDA_ARCH__ >= 900
  if constexpr (which == 0) asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(value));
  if constexpr (which == 1) asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(value));
  if constexpr (which == 2) asm("mov.u32 %0, %%clusterid.x;" : "=r"(value));
#else
  if constexpr (which == 2) value = blockIdx.x;
#endif
#endif
  return value;
}

template <>
class ThreadGroup<DeviceSpace> {
 public:
  static constexpr unsigned lanes = 32;
  static constexpr unsigned short_rows = 4;
  static constexpr unsigned walk_depth = 2;
  static constexpr std::uint64_t short_max = 64;
  static constexpr std::uint64_t long_max = 256;
  static constexpr std::uint64_t walk_max = 256;
  static constexpr unsigned team_threads = 512;

  KOKKOS_INLINE_FUNCTION explicit ThreadGroup(bool is_cluster) : m_is_cluster(is_cluster) {
    KOKKOS_IF_ON_DEVICE((m_team = is_cluster ? cluster_register<0>() : blockIdx.x;
                         m_teams = is_cluster ? cluster_register<1>() : gridDim.x;
                         m_index = is_cluster ? cluster_register<2>() : 0;))
  }

  KOKKOS_INLINE_FUNCTION std::size_t index() const { return m_index; }
  KOKKOS_INLINE_FUNCTION unsigned team() const { return m_team; }
  KOKKOS_INLINE_FUNCTION unsigned teams() const { return m_teams; }
  KOKKOS_INLINE_FUNCTION unsigned thread() const {
    KOKKOS_IF_ON_DEVICE((return threadIdx.x;))
    return 0;
  }
  /// Consecutive units belong to different teams, which spreads little work over all teams.
  KOKKOS_INLINE_FUNCTION unsigned warp() const { return thread() / lanes * teams() + team(); }
  KOKKOS_INLINE_FUNCTION unsigned warps() const { return team_threads / lanes * teams(); }
  KOKKOS_INLINE_FUNCTION unsigned lane() const { return thread() % lanes; }
  KOKKOS_INLINE_FUNCTION bool is_leader() const { return team() == 0 && thread() == 0; }

  /// Sets the barrier cell of teams that form no cluster; it must be 0 before the very first
  /// launch.
  KOKKOS_INLINE_FUNCTION void bind_barrier(std::uint32_t* cell) {
    m_cell = cell;
    if (!m_is_cluster && thread() == 0)
      m_arrival_barrier = ArrivalBarrier(m_team, m_teams, read(cell));
  }
  KOKKOS_INLINE_FUNCTION void barrier() {
#if defined(__CUDA_ARCH__)
#if __CUDA_ARCH__ >= 900
    if (m_is_cluster) {
      __syncwarp();
      asm volatile(
          "barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::
              : "memory");
      return;
    }
#endif
    __syncthreads();
    if (m_teams == 1) return;
    if (thread() == 0) {
      asm volatile("fence.acq_rel.gpu;\n\tred.relaxed.gpu.global.add.u32 [%0], %1;" ::"l"(m_cell),
                   "r"(m_arrival_barrier.share())
                   : "memory");
      std::uint32_t now = 0;
      do {
        asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(m_cell) : "memory");
      } while (!m_arrival_barrier.is_over(now));
      m_arrival_barrier.advance();
      asm volatile("fence.acq_rel.gpu;" ::: "memory");
    }
    __syncthreads();
#endif
  }
  KOKKOS_INLINE_FUNCTION void team_barrier() const { KOKKOS_IF_ON_DEVICE((__syncthreads();)) }
  KOKKOS_INLINE_FUNCTION void warp_barrier() const { KOKKOS_IF_ON_DEVICE((__syncwarp();)) }

  /// Reads from L2, where the teams share data: an SM's L1 cache does not see the writes of others.
  template <class T>
  KOKKOS_INLINE_FUNCTION static T read(const T* from) {
    using word = std::conditional_t<
        sizeof(T) % 16 == 0, uint4,
        std::conditional_t<sizeof(T) % 8 == 0, std::uint64_t,
                           std::conditional_t<sizeof(T) % 4 == 0, std::uint32_t, std::uint8_t>>>;
    constexpr std::size_t words = sizeof(T) / sizeof(word);
    T value{};
    KOKKOS_IF_ON_DEVICE((word copy[words]; for (std::size_t i = 0; i < words; ++i) copy[i] =
                                               load_shared(reinterpret_cast<const word*>(from) + i);
                         memcpy(&value, copy, sizeof(T));))
    return value;
  }
  template <class T>
  KOKKOS_INLINE_FUNCTION static T add(T* to, T value) {
    return Kokkos::atomic_fetch_add(to, value);
  }
  KOKKOS_INLINE_FUNCTION static std::uint32_t raise(std::uint32_t* to, std::uint32_t value) {
    return Kokkos::atomic_fetch_max(to, value);
  }
  KOKKOS_INLINE_FUNCTION unsigned place_of(bool wants, unsigned& count) const {
    unsigned before = 0;
    count = 0;
    KOKKOS_IF_ON_DEVICE((const unsigned all = __ballot_sync(whole, wants); count = __popc(all);
                         before = __popc(all & ((1U << lane()) - 1U));))
    return before;
  }
  template <class T>
  KOKKOS_INLINE_FUNCTION static T of_lane(T value, unsigned lane) {
    KOKKOS_IF_ON_DEVICE((value = __shfl_sync(whole, value, static_cast<int>(lane));))
    return value;
  }
  template <class T>
  KOKKOS_INLINE_FUNCTION static T sum_of_lanes(T value) {
    KOKKOS_IF_ON_DEVICE(
        (for (int half = 16; half > 0; half /= 2) value += __shfl_xor_sync(whole, value, half);))
    return value;
  }

  /// The keys of the lanes of a unit, ascending by lane.
  KOKKOS_INLINE_FUNCTION static std::uint64_t sorted(std::uint64_t key) {
    KOKKOS_IF_ON_DEVICE((for (unsigned run = 2; run <= lanes; run *= 2) key =
                             merged(key, run, (threadIdx.x % lanes & run) == 0);))
    return key;
  }
  /// The smallest 32 keys of two such lists, ascending.
  KOKKOS_INLINE_FUNCTION static std::uint64_t least(std::uint64_t a, std::uint64_t b) {
    KOKKOS_IF_ON_DEVICE(
        (b = __shfl_xor_sync(whole, b, 31); a = merged(a < b ? a : b, lanes, true);))
    return a;
  }

  /// The reproducible sum of this lane's row; the groups of eight lanes of a unit sum one row each,
  /// and the first lane of each group receives the sum.
  KOKKOS_INLINE_FUNCTION static double short_sum(const std::uint32_t* sources, const float* weights,
                                                 std::uint32_t count, const float* x) {
    unsigned thread = 0;
    KOKKOS_IF_ON_DEVICE((thread = threadIdx.x % 8;))
    double sum = four_lanes<double>(thread, count, [&](double& to, std::uint32_t i) {
      to = ::fma(static_cast<double>(read(x + sources[i])), static_cast<double>(weights[i]), to);
    });
    KOKKOS_IF_ON_DEVICE(
        (for (int half = 4; half > 0; half /= 2) sum += __shfl_xor_sync(whole, sum, half);))
    return sum;
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
    return sum_of_lanes(sum);
  }

  KOKKOS_INLINE_FUNCTION double team_sum(const std::uint32_t* sources, const float* weights,
                                         std::uint32_t count, const float* x) const {
    constexpr unsigned depth = 4096 / team_threads;
    std::uint64_t* products = team_memory();
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
      sum = sum_of_lanes(sum);
    }
    team_barrier();
    return sum;
  }

  /// Memory that the threads of a team share.
  KOKKOS_INLINE_FUNCTION static std::uint64_t* team_memory() {
#if defined(__CUDA_ARCH__)
    __shared__ std::uint64_t memory[team_words];
    return memory;
#else
    return nullptr;
#endif
  }
  static constexpr unsigned team_words = 4096;
  static constexpr unsigned alone_max = 2048;

 private:
  /// Sorts runs of lanes whose keys first ascend and then descend.
  KOKKOS_INLINE_FUNCTION static std::uint64_t merged(std::uint64_t key, unsigned run,
                                                     bool ascending) {
    KOKKOS_IF_ON_DEVICE((for (unsigned stride = run / 2; stride > 0; stride /= 2) {
      const std::uint64_t other = __shfl_xor_sync(whole, key, static_cast<int>(stride));
      const bool keeps_less = ((threadIdx.x & stride) == 0) == ascending;
      key = (other < key) == keeps_less ? other : key;
    }))
    return key;
  }
  template <class T>
  KOKKOS_INLINE_FUNCTION static T load_shared(const T* from) {
    KOKKOS_IF_ON_DEVICE((return __ldcg(from);))
    KOKKOS_IF_ON_HOST((return *from;))
  }

  static constexpr unsigned whole = 0xFFFFFFFFU;

  bool m_is_cluster;
  unsigned m_team = 0;
  unsigned m_teams = 1;
  unsigned m_index = 0;
  std::uint32_t* m_cell = nullptr;
  ArrivalBarrier m_arrival_barrier;  // used by the first thread
};

template <class Functor>
__global__ void __launch_bounds__(ThreadGroup<DeviceSpace>::team_threads, 1)
    run_group(const __grid_constant__ Functor functor, bool is_cluster) {
  ThreadGroup<DeviceSpace> group(is_cluster);
  functor(group);
}

/// \brief Number of teams of a group, for a single group and for groups that are clusters.
struct GroupTeams {
  unsigned of_one = 1;
  unsigned of_each = 1;  ///< 1: there are no clusters
};

/// Maximum teams per cluster that the device can place, a power of two up to 16; 1 if \p kernel
/// cannot use clusters.
template <class Kernel>
unsigned largest_cluster(Kernel* kernel, unsigned team_threads, std::size_t team_bytes) {
  if (!code_of(kernel).has_clusters()) return 1;
  cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  unsigned size = 16;
  for (; size > 1; size /= 2) {
    cudaLaunchConfig_t config{};
    cudaLaunchAttribute cluster{};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {size, 1, 1};
    config.gridDim = dim3(size);
    config.blockDim = dim3(team_threads);
    config.dynamicSmemBytes = team_bytes;
    config.attrs = &cluster;
    config.numAttrs = 1;
    int resident = 0;
    if (cudaOccupancyMaxActiveClusters(&resident, kernel, &config) == cudaSuccess && resident > 0)
      break;
  }
  cudaGetLastError();
  return size;
}

template <class Functor>
const GroupTeams& group_teams() {
  static const GroupTeams teams = [] {
    GroupTeams found;
    int device = 0;
    int multiprocessors = 0;
    int fit = 0;
    const auto kernel = run_group<Functor>;
    constexpr int threads = ThreadGroup<DeviceSpace>::team_threads;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, kernel, threads, 0);
    found.of_one = static_cast<unsigned>(fit > 0 ? multiprocessors : 1);
    found.of_each = largest_cluster(kernel, threads, 0);
    return found;
  }();
  return teams;
}
#endif

/// \brief Runs `functor(group)` for \p groups groups. Does not fence. On the host a single group is
/// not a parallel region.
/// \throws OutOfMemory, SpaceUnavailable or DeviceLost if the launch is refused
template <class ExecutionSpace, class Functor>
void launch_groups(const ExecutionSpace& exec_space, const char* label, std::size_t groups,
                   const Functor& functor);

namespace Impl {

template <class Functor>
struct HostGroups {
  Functor functor;

  void operator()(std::size_t index) const {
    ThreadGroup<HostSpace> group(index);
    functor(group);
  }
};

/// Reports to the profiling tools a kernel that Kokkos does not launch.
class ProfiledKernel {
 public:
  template <class ExecutionSpace>
  ProfiledKernel(const ExecutionSpace& exec_space, const char* label) {
    if (Kokkos::Tools::profileLibraryLoaded())
      Kokkos::Tools::beginParallelFor(label, Kokkos::Tools::Experimental::device_id(exec_space),
                                      &m_id);
  }
  ~ProfiledKernel() {
    if (Kokkos::Tools::profileLibraryLoaded()) Kokkos::Tools::endParallelFor(m_id);
  }
  ProfiledKernel(const ProfiledKernel&) = delete;
  ProfiledKernel& operator=(const ProfiledKernel&) = delete;

 private:
  std::uint64_t m_id = 0;
};

}  // namespace Impl

template <class ExecutionSpace, class Functor>
void launch_groups(const ExecutionSpace& exec_space, const char* label, std::size_t groups,
                   const Functor& functor) {
  if (groups == 0) return;
  if constexpr (!is_device<ExecutionSpace>) {
    if (groups == 1) {
      const Impl::ProfiledKernel profiled(exec_space, label);
      ThreadGroup<HostSpace> group(0);
      return functor(group);
    }
    Kokkos::parallel_for(
        label,
        Kokkos::RangePolicy<HostSpace, Kokkos::IndexType<std::size_t>>(exec_space, 0, groups),
        Impl::HostGroups<Functor>{functor});
  } else {
#if KINDRED_HAS_DEVICE
    const GroupTeams& teams = group_teams<Functor>();
    const Impl::ProfiledKernel profiled(exec_space, label);
    cudaLaunchAttribute attribute{};
    cudaLaunchConfig_t config{};
    if (groups == 1) {
      attribute.id = cudaLaunchAttributeCooperative;
      attribute.val.cooperative = 1;
      config.gridDim = dim3(teams.of_one);
    } else {
      attribute.id = cudaLaunchAttributeClusterDimension;
      attribute.val.clusterDim = {teams.of_each, 1, 1};
      config.gridDim = dim3(static_cast<unsigned>(groups) * teams.of_each);
    }
    config.blockDim = dim3(ThreadGroup<DeviceSpace>::team_threads);
    config.stream = exec_space.cuda_stream();
    config.attrs = &attribute;
    config.numAttrs = groups == 1 || teams.of_each > 1 ? 1 : 0;
    const cudaError_t status = cudaLaunchKernelEx(&config, run_group<Functor>, functor, groups > 1);
    require(status, label);
#endif
  }
}

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_THREAD_GROUP_HPP
