// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_LAUNCH_KERNEL_CANCEL_HPP
#define KINDRED_CORE_ARCH_LAUNCH_KERNEL_CANCEL_HPP

#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/common/Cancellation.hpp>

namespace Kindred::Arch {

/// \brief A member of kernels whose work items distribute long work among themselves: on the host,
/// whether the call that launches them was cancelled. A kernel of a device always finishes.
template <class ExecutionSpace>
class KernelCancel {
 public:
  KOKKOS_INLINE_FUNCTION bool is_requested() const { return false; }
};
template <>
class KernelCancel<HostSpace> {
 public:
  KOKKOS_INLINE_FUNCTION bool is_requested() const {
    KOKKOS_IF_ON_HOST((return m_point.is_cancelled();))
    KOKKOS_IF_ON_DEVICE((return false;))
  }

 private:
  Kindred::Impl::CancelPoint m_point;
};

/// \brief Called after the launch of such a kernel. \throws Cancelled on the host; the results of
/// the kernel are then incomplete
template <class ExecutionSpace>
void check_cancelled(const ExecutionSpace&) {
  if constexpr (!is_device<ExecutionSpace>) Kindred::Impl::CancelPoint().check();
}

/// \brief Between the launches of a call whose parts take long, on any space. Fences only if the
/// call was cancelled. \throws Cancelled after what was launched has ended
template <class ExecutionSpace>
void end_if_cancelled(const ExecutionSpace& exec_space) {
  const Kindred::Impl::CancelPoint point;
  if (!point.is_cancelled()) return;
  fence(exec_space, "Kindred::Arch::end_if_cancelled");
  point.check();
}

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_LAUNCH_KERNEL_CANCEL_HPP
