// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_SPACES_HPP
#define KINDRED_CORE_ARCH_SPACES_HPP

#include <Kokkos_Core.hpp>

#include <type_traits>

namespace Kindred {

/// The host's execution space: OpenMP if Kokkos has it. A single thread (`serial`) is an instance
/// of it with a pool of one thread.
using HostSpace = Kokkos::DefaultHostExecutionSpace;

#if defined(KOKKOS_ENABLE_CUDA)
/// The device's execution space.
using DeviceSpace = Kokkos::Cuda;
#define KINDRED_HAS_DEVICE 1
/// Instantiates MACRO(ExecutionSpace) for every space type of this build.
#define KINDRED_FOR_EACH_SPACE(MACRO) MACRO(::Kindred::HostSpace) MACRO(::Kindred::DeviceSpace)
/// Instantiates a function template for every space type of this build. Arguments after the name
/// are those of the template after the space: `KINDRED_INSTANTIATE_FOR_SPACES(reduce, float);`
#define KINDRED_INSTANTIATE_FOR_SPACES(...)                   \
  KINDRED_INSTANTIATE_FOR(::Kindred::HostSpace, __VA_ARGS__); \
  KINDRED_INSTANTIATE_FOR(::Kindred::DeviceSpace, __VA_ARGS__)
#else
/// Stands in for the device's execution space in a host build, which parses device code but never
/// instantiates it.
struct DeviceSpace {
  int concurrency() const { return 1; }
};
#define KINDRED_HAS_DEVICE 0
#define KINDRED_FOR_EACH_SPACE(MACRO) MACRO(::Kindred::HostSpace)
#define KINDRED_INSTANTIATE_FOR_SPACES(...) \
  KINDRED_INSTANTIATE_FOR(::Kindred::HostSpace, __VA_ARGS__)
#endif
#define KINDRED_INSTANTIATE_FOR(SPACE, FUNCTION, ...)           \
  template decltype(FUNCTION<SPACE __VA_OPT__(, ) __VA_ARGS__>) \
      FUNCTION<SPACE __VA_OPT__(, ) __VA_ARGS__>

namespace Arch {

/// True if a thread is one lane of a warp of 32; false if a thread processes whole packs.
template <class ExecutionSpace>
inline constexpr bool is_device = !std::is_same_v<ExecutionSpace, HostSpace>;

}  // namespace Arch
}  // namespace Kindred

#endif  // KINDRED_CORE_ARCH_SPACES_HPP
