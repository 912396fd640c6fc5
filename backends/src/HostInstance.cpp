// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/impl/HostInstance.hpp>
#include <kindred/core/arch/launch/DeviceStatus.hpp>
#include <kindred/core/common/OwnedState.hpp>

#include <new>

namespace Kindred::Impl {

namespace {

HostSpace new_instance([[maybe_unused]] int threads) {
#if defined(KOKKOS_ENABLE_OPENMP)
  return HostSpace(threads);
#else
  return HostSpace(Kokkos::NewInstance());
#endif
}

/// Frees the scratch memory of an instance; returns whether there was memory for that.
template <class ExecutionSpace>
bool free_scratch([[maybe_unused]] const ExecutionSpace& exec_space) noexcept {
  if constexpr (requires { exec_space.impl_internal_space_instance()->clear_thread_data(); }) {
    try {
      exec_space.impl_internal_space_instance()->clear_thread_data();
    } catch (const std::bad_alloc&) {
      return false;
    }
  }
  return true;
}

}  // namespace

HostInstance::HostInstance(int threads)
    : m_exec_space(std::make_unique<HostSpace>(new_instance(threads))) {}

HostInstance::~HostInstance() {
  if (Arch::device_is_lost() || !free_scratch(*m_exec_space))
    keep_until_exit(m_exec_space.release());
}

}  // namespace Kindred::Impl
