// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_TEAM_THREADS_HPP
#define KINDRED_CORE_ARCH_TEAM_THREADS_HPP

#include <kindred/core/arch/DeviceStatus.hpp>
#include <kindred/core/arch/KernelCode.hpp>
#include <kindred/core/common/Error.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace Kindred::Arch {

/// \brief The view that a thread of a device team has of itself. Team kernels are templates over
/// it, so that host threads can replace device threads in tests.
class TeamThread {
 public:
  KOKKOS_INLINE_FUNCTION unsigned team() const {
    KOKKOS_IF_ON_DEVICE((return blockIdx.x;))
    return 0;
  }
  KOKKOS_INLINE_FUNCTION unsigned thread() const {
    KOKKOS_IF_ON_DEVICE((return threadIdx.x;))
    return 0;
  }
  KOKKOS_INLINE_FUNCTION unsigned threads() const {
    KOKKOS_IF_ON_DEVICE((return blockDim.x;))
    return 1;
  }
  KOKKOS_INLINE_FUNCTION void barrier() const { KOKKOS_IF_ON_DEVICE((__syncthreads();)) }
  /// Adds 1 to \p counter after all writes of this thread; returns the previous value.
  KOKKOS_INLINE_FUNCTION std::uint32_t arrive(std::uint32_t* counter) const {
    KOKKOS_IF_ON_DEVICE((std::uint32_t before = 0;
                         asm volatile("atom.add.acq_rel.gpu.global.u32 %0, [%1], 1;"
                                      : "=r"(before)
                                      : "l"(counter)
                                      : "memory");
                         return before;))
    KOKKOS_IF_ON_HOST((return (*counter)++;))
  }
  /// If this launch began early, waits for the end of the preceding launch; the results of all
  /// earlier launches are then visible.
  KOKKOS_INLINE_FUNCTION void wait_for_previous_launch() const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
  }
  /// Allows the next launch to begin early once all teams have called this.
  KOKKOS_INLINE_FUNCTION void trigger_next_launch() const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
  }
  /// Reads what another team wrote before it arrived.
  template <class T>
  KOKKOS_INLINE_FUNCTION T read(const T* from) const {
    static_assert(sizeof(T) % 8 == 0);
    T value{};
    KOKKOS_IF_ON_DEVICE((std::uint64_t words[sizeof(T) / 8];
                         for (std::size_t i = 0; i < sizeof(T) / 8; ++i) words[i] =
                             __ldcg(reinterpret_cast<const unsigned long long*>(from) + i);
                         memcpy(&value, words, sizeof(T));))
    KOKKOS_IF_ON_HOST((value = *from;))
    return value;
  }
};

#if KINDRED_HAS_DEVICE && defined(__CUDACC__)
template <class Functor>
__global__ void __launch_bounds__(Functor::threads_max, Functor::teams_at_once)
    team_kernel(const __grid_constant__ Functor functor) {
  extern __shared__ double4 kindred_team_scratch[];
  const TeamThread thread;
  functor(thread, reinterpret_cast<std::byte*>(kindred_team_scratch));
}

#endif

/// \brief Runs `functor(thread, scratch)` in \p threads threads of each of \p teams device teams,
/// whose threads share \p scratch_bytes, at most 48 KB. Has less host overhead than Kokkos'
/// policies. Does not fence.
/// \param begins_early starts before the preceding launch in the stream has ended, if that launch
/// allows it and the device supports it; the functor must then call `wait_for_previous_launch`
/// \throws OutOfMemory, SpaceUnavailable or DeviceLost if the launch is refused
template <class ExecutionSpace, class Functor>
void launch_teams([[maybe_unused]] const ExecutionSpace& exec_space,
                  [[maybe_unused]] const char* label, [[maybe_unused]] std::size_t teams,
                  [[maybe_unused]] unsigned threads, [[maybe_unused]] std::size_t scratch_bytes,
                  [[maybe_unused]] const Functor& functor,
                  [[maybe_unused]] bool begins_early = false) {
  static_assert(is_device<ExecutionSpace>, "Teams of threads require a device execution space.");
#if KINDRED_HAS_DEVICE && defined(__CUDACC__)
  if (teams == 0) return;
  std::uint64_t id = 0;
  const bool profiled = Kokkos::Tools::profileLibraryLoaded();
  if (profiled)
    Kokkos::Tools::beginParallelFor(label, Kokkos::Tools::Experimental::device_id(exec_space), &id);
  cudaLaunchConfig_t launch{};
  launch.gridDim = static_cast<unsigned>(teams);
  launch.blockDim = threads;
  launch.dynamicSmemBytes = scratch_bytes;
  launch.stream = exec_space.cuda_stream();
  static const bool may_begin_early = code_of(team_kernel<Functor>).waits_for_previous_launch();
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  launch.attrs = &early;
  launch.numAttrs = begins_early && may_begin_early ? 1 : 0;
  const cudaError_t status = cudaLaunchKernelEx(&launch, team_kernel<Functor>, functor);
  if (profiled) Kokkos::Tools::endParallelFor(id);
  require(status, label);
#endif
}

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_TEAM_THREADS_HPP
