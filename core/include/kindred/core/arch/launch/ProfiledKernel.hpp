// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_LAUNCH_PROFILED_KERNEL_HPP
#define KINDRED_CORE_ARCH_LAUNCH_PROFILED_KERNEL_HPP

#include <kindred/core/arch/Spaces.hpp>

#include <cstdint>

namespace Kindred::Arch {

/// While it exists, the profiling tools see a kernel that Kokkos does not launch.
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

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_LAUNCH_PROFILED_KERNEL_HPP
