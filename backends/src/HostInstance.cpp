// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/impl/HostInstance.hpp>
#include <kindred/core/arch/launch/DeviceStatus.hpp>
#include <kindred/core/common/OwnedState.hpp>

namespace Kindred::Impl {

namespace {

HostSpace new_instance([[maybe_unused]] int threads) {
#if defined(KOKKOS_ENABLE_OPENMP)
  return HostSpace(threads);
#else
  return HostSpace(Kokkos::NewInstance());
#endif
}

}  // namespace

HostInstance::HostInstance(int threads) : m_exec_space(new_instance(threads)) {}

HostInstance::~HostInstance() {
  // A copy that is never destroyed keeps the instance.
  if (Arch::device_is_lost()) keep_until_exit(new HostSpace(m_exec_space));
}

}  // namespace Kindred::Impl
