// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_TEAM_CLUSTER_HPP
#define KINDRED_CORE_ARCH_TEAM_CLUSTER_HPP

#include <kindred/core/arch/DeviceStatus.hpp>
#include <kindred/core/arch/RowTerms.hpp>
#include <kindred/core/arch/ThreadGroup.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>

namespace Kindred::Arch {

/// \brief Teams that can access each other's memory and synchronise: on a device a cluster, on the
/// host one thread.
///
/// A row group is eight lanes of a unit that sum one row of a graph. Calls that mention a unit (a
/// warp, or the host thread) must be made by all its lanes together.
template <class ExecutionSpace>
class TeamCluster;

template <>
class TeamCluster<HostSpace> {
 public:
  static constexpr unsigned team_threads = 1;
  static constexpr unsigned lanes = 1;  ///< per unit
  static constexpr unsigned row_lanes = 1;
  static constexpr unsigned teams_max = 1;
  /// Maximum edges of a row that a unit sums.
  static constexpr std::uint32_t row_max = ~std::uint32_t{0};

  TeamCluster(std::size_t index, void* memory) : m_index(index), m_memory(memory) {}

  /// Index of the cluster.
  std::size_t index() const { return m_index; }
  unsigned team() const { return 0; }
  unsigned teams() const { return 1; }
  unsigned thread() const { return 0; }
  unsigned warp() const { return 0; }
  static constexpr unsigned warps() { return 1; }
  unsigned lane() const { return 0; }
  /// Synchronises all teams.
  void barrier() const {}
  void team_barrier() const {}
  void warp_barrier() const {}

  /// The memory that the threads of a team share; its initial contents are undefined.
  template <class Memory>
  Memory* memory() const {
    return static_cast<Memory*>(m_memory);
  }
  /// Reads from \p team's memory the element that corresponds to \p own in this team's memory.
  template <class T>
  T load(const T* own, unsigned /*team*/) const {
    return *own;
  }
  template <class T>
  void store(T* own, unsigned /*team*/, const T& value) const {
    *own = value;
  }
  /// Adds to this team's memory; returns the previous value.
  static std::uint32_t add(std::uint32_t* to, std::uint32_t value) {
    const std::uint32_t before = *to;
    *to += value;
    return before;
  }
  static std::uint32_t set_bits(std::uint32_t* to, std::uint32_t bits) {
    const std::uint32_t before = *to;
    *to |= bits;
    return before;
  }
  /// Writes \p value if \p empty is stored there; returns the previous value.
  static std::uint32_t claim(std::uint32_t* at, std::uint32_t empty, std::uint32_t value) {
    const std::uint32_t before = *at;
    if (before == empty) *at = value;
    return before;
  }
  template <class T>
  static T of_lane(T value, unsigned) {
    return value;
  }
  template <class T>
  static T sum_of_lanes(T value) {
    return value;
  }
  template <class T>
  static T sum_of_row(T value) {
    return value;
  }
  static std::uint64_t least_of_row(std::uint64_t value) { return value; }
  static std::uint32_t ballot(bool is_set) { return is_set ? 1 : 0; }

 private:
  std::size_t m_index;
  void* m_memory;
};

#if KINDRED_HAS_DEVICE
/// Kernels with clusters have a body from architecture 90 on, \see run_cluster.
template <>
class TeamCluster<DeviceSpace> {
 public:
  static constexpr unsigned team_threads = 512;
  static constexpr unsigned lanes = 32;
  static constexpr unsigned row_lanes = 8;
  static constexpr unsigned teams_max = 16;
  static constexpr std::uint32_t row_max = 1024;

  KOKKOS_INLINE_FUNCTION TeamCluster() {
    KOKKOS_IF_ON_DEVICE((m_team = cluster_register<0>(); m_teams = cluster_register<1>();
                         m_index = cluster_register<2>();))
  }

  KOKKOS_INLINE_FUNCTION std::size_t index() const { return m_index; }
  KOKKOS_INLINE_FUNCTION unsigned team() const { return m_team; }
  KOKKOS_INLINE_FUNCTION unsigned teams() const { return m_teams; }
  KOKKOS_INLINE_FUNCTION unsigned thread() const {
    KOKKOS_IF_ON_DEVICE((return threadIdx.x;))
    return 0;
  }
  KOKKOS_INLINE_FUNCTION unsigned warp() const { return thread() / lanes; }
  static constexpr unsigned warps() { return team_threads / lanes; }
  KOKKOS_INLINE_FUNCTION unsigned lane() const { return thread() % lanes; }

  KOKKOS_INLINE_FUNCTION void barrier() const {
    KOKKOS_IF_ON_DEVICE((__syncwarp(); asm volatile("barrier.cluster.arrive.release.aligned;\n\t"
                                                    "barrier.cluster.wait.acquire.aligned;" ::
                                                        : "memory");))
  }
  KOKKOS_INLINE_FUNCTION void team_barrier() const { KOKKOS_IF_ON_DEVICE((__syncthreads();)) }
  KOKKOS_INLINE_FUNCTION void warp_barrier() const { KOKKOS_IF_ON_DEVICE((__syncwarp();)) }

  template <class Memory>
  KOKKOS_INLINE_FUNCTION Memory* memory() const {
#if defined(__CUDA_ARCH__)
    extern __shared__ uint4 kindred_team_memory[];
    return reinterpret_cast<Memory*>(kindred_team_memory);
#else
    return nullptr;
#endif
  }
  template <class T>
  KOKKOS_INLINE_FUNCTION T load(const T* own, unsigned team) const {
    static_assert(sizeof(T) == 8);
    T value{};
    KOKKOS_IF_ON_DEVICE((std::uint64_t word = 0; asm volatile("ld.shared::cluster.u64 %0, [%1];"
                                                              : "=l"(word)
                                                              : "r"(address_of(own, team))
                                                              : "memory");
                         memcpy(&value, &word, sizeof(T));))
    return value;
  }
  template <class T>
  KOKKOS_INLINE_FUNCTION void store(T* own, unsigned team, const T& value) const {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8);
    KOKKOS_IF_ON_DEVICE((
        if constexpr (sizeof(T) == 4) {
          std::uint32_t word = 0;
          memcpy(&word, &value, sizeof(T));
          asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(address_of(own, team)), "r"(word)
                       : "memory");
        } else {
          std::uint64_t word = 0;
          memcpy(&word, &value, sizeof(T));
          asm volatile("st.shared::cluster.u64 [%0], %1;" ::"r"(address_of(own, team)), "l"(word)
                       : "memory");
        }))
  }
  KOKKOS_INLINE_FUNCTION static std::uint32_t add(std::uint32_t* to, std::uint32_t value) {
    KOKKOS_IF_ON_DEVICE((return atomicAdd(to, value);))
    KOKKOS_IF_ON_HOST(((void)value; return *to;))
  }
  KOKKOS_INLINE_FUNCTION static std::uint32_t set_bits(std::uint32_t* to, std::uint32_t bits) {
    KOKKOS_IF_ON_DEVICE((return atomicOr(to, bits);))
    KOKKOS_IF_ON_HOST(((void)bits; return *to;))
  }
  KOKKOS_INLINE_FUNCTION static std::uint32_t claim(std::uint32_t* at, std::uint32_t empty,
                                                    std::uint32_t value) {
    KOKKOS_IF_ON_DEVICE((return atomicCAS(at, empty, value);))
    KOKKOS_IF_ON_HOST(((void)empty; (void)value; return *at;))
  }
  template <class T>
  KOKKOS_INLINE_FUNCTION static T of_lane(T value, unsigned lane) {
    KOKKOS_IF_ON_DEVICE((value = __shfl_sync(whole, value, static_cast<int>(lane));))
    return value;
  }
  template <class T>
  KOKKOS_INLINE_FUNCTION static T sum_of_lanes(T value) {
    KOKKOS_IF_ON_DEVICE((
        if constexpr (std::is_same_v<T, std::uint32_t>) {
          value = __reduce_add_sync(whole, value);
        } else {
          for (int half = 16; half > 0; half /= 2) value += __shfl_xor_sync(whole, value, half);
        }))
    return value;
  }
  template <class T>
  KOKKOS_INLINE_FUNCTION static T sum_of_row(T value) {
    KOKKOS_IF_ON_DEVICE(
        (for (int half = 4; half > 0; half /= 2) value += __shfl_xor_sync(whole, value, half);))
    return value;
  }
  KOKKOS_INLINE_FUNCTION static std::uint64_t least_of_row(std::uint64_t value) {
    KOKKOS_IF_ON_DEVICE((for (int half = 4; half > 0; half /= 2) {
      const std::uint64_t other = __shfl_xor_sync(whole, value, half);
      value = other < value ? other : value;
    }))
    return value;
  }
  KOKKOS_INLINE_FUNCTION static std::uint32_t ballot(bool is_set) {
    KOKKOS_IF_ON_DEVICE((return __ballot_sync(whole, is_set);))
    KOKKOS_IF_ON_HOST((return is_set ? 1 : 0;))
  }

 private:
  static constexpr unsigned whole = 0xFFFFFFFFU;

  template <class T>
  KOKKOS_INLINE_FUNCTION static std::uint32_t address_of([[maybe_unused]] const T* own,
                                                         [[maybe_unused]] unsigned team) {
    std::uint32_t address = 0;
    KOKKOS_IF_ON_DEVICE((address = static_cast<std::uint32_t>(__cvta_generic_to_shared(own));
                         asm("mapa.shared::cluster.u32 %0, %1, %2;"
                             : "=r"(address)
                             : "r"(address), "r"(team));))
    return address;
  }

  unsigned m_team = 0;
  unsigned m_teams = 1;
  unsigned m_index = 0;
};

template <class Memory, class Functor>
__global__ void __launch_bounds__(TeamCluster<DeviceSpace>::team_threads, 1)
    run_cluster(const __grid_constant__ Functor functor) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  TeamCluster<DeviceSpace> cluster;
  functor(cluster);
#endif
}

/// Maximum teams per cluster that the device can place with this much memory; below 2: no clusters.
template <class Memory, class Functor>
unsigned cluster_teams() {
  static_assert(sizeof(Memory) <= 227 * 1024, "No device gives a team so much of its own memory.");
  static const unsigned teams = [] {
    const auto kernel = run_cluster<Memory, Functor>;
    int device = 0;
    int shared_bytes_max = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&shared_bytes_max, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    if (shared_bytes_max < static_cast<int>(sizeof(Memory))) return 0U;
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Memory));
    return largest_cluster(kernel, TeamCluster<DeviceSpace>::team_threads, sizeof(Memory));
  }();
  return teams;
}
#endif

/// \brief Runs `functor(cluster)` for \p clusters clusters whose teams have one `Memory` each. Does
/// not fence. Returns false if the space cannot place one.
/// \throws OutOfMemory, SpaceUnavailable or DeviceLost if the launch is refused
template <class Memory, class ExecutionSpace, class Functor>
bool launch_clusters(const ExecutionSpace& exec_space, const char* label, std::size_t clusters,
                     const Functor& functor) {
  if (clusters == 0) return true;
  if constexpr (!is_device<ExecutionSpace>) {
    const Impl::ProfiledKernel profiled(exec_space, label);
    const auto memory = std::make_unique_for_overwrite<Memory>();
    for (std::size_t i = 0; i < clusters; ++i) {
      TeamCluster<HostSpace> cluster(i, memory.get());
      functor(cluster);
    }
    return true;
  } else {
#if KINDRED_HAS_DEVICE
    const unsigned teams = cluster_teams<Memory, Functor>();
    if (teams < 2) return false;
    const Impl::ProfiledKernel profiled(exec_space, label);
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {teams, 1, 1};
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(static_cast<unsigned>(clusters) * teams);
    config.blockDim = dim3(TeamCluster<DeviceSpace>::team_threads);
    config.dynamicSmemBytes = sizeof(Memory);
    config.stream = exec_space.cuda_stream();
    config.attrs = &attribute;
    config.numAttrs = 1;
    const cudaError_t status = cudaLaunchKernelEx(&config, run_cluster<Memory, Functor>, functor);
    require(status, label);
#endif
    return true;
  }
}

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_TEAM_CLUSTER_HPP
