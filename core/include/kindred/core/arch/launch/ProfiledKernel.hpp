// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_LAUNCH_PROFILED_KERNEL_HPP
#define KINDRED_CORE_ARCH_LAUNCH_PROFILED_KERNEL_HPP

#include <kindred/core/arch/Spaces.hpp>

#include <cstdint>
#include <string>

namespace Kindred::Arch {

/// \brief \p label for Kokkos, which reads it only for a profiling tool: empty, without an
/// allocation, while none is loaded.
std::string tool_label(const char* label);

/// \brief Calls \p body, a kernel that Kokkos does not launch, and shows it to the profiling tools.
/// Not by a destructor: Kokkos allocates to report the end too, and may throw.
template <class ExecutionSpace, class Body>
void run_profiled(const ExecutionSpace& exec_space, const char* label, const Body& body) {
  if (!Kokkos::Tools::profileLibraryLoaded()) return body();
  std::uint64_t id = 0;
  Kokkos::Tools::beginParallelFor(label, Kokkos::Tools::Experimental::device_id(exec_space), &id);
  body();
  Kokkos::Tools::endParallelFor(id);
}

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_LAUNCH_PROFILED_KERNEL_HPP
