// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/impl/Instances.hpp>

#include "ContextState.hpp"

#include <kindred/backends/impl/ThreadChoice.hpp>
#include <kindred/core/arch/Process.hpp>

#include <string>
#include <utility>

namespace Kindred::Impl {

namespace {
thread_local const HostSpace* serial_here = nullptr;
}  // namespace

SerialHere::SerialHere(const HostSpace& exec_space) noexcept
    : m_before(std::exchange(serial_here, &exec_space)) {}
SerialHere::~SerialHere() { serial_here = m_before; }

const HostSpace& host_instance(const Context& context, Space space) {
  Arch::require_usable_process();
  if (space == Space::serial && serial_here != nullptr) return *serial_here;
  if (!context.is_usable(space) || space == Space::cuda) {
    throw SpaceUnavailable("space " + std::string(to_string(space)) +
                           " cannot be used: " + context.info(space).why_not);
  }
  if (space == Space::serial) return context.state().serial.get();
  start_all_threads();
  const HostSpace* const team = context.state().teams.here();
  return team != nullptr ? *team : context.state().openmp.get();
}

Space host_space_for(const Context& context, double nanoseconds) {
  constexpr double thread_nanoseconds = 30e3;
  const bool pays = nanoseconds >= thread_nanoseconds * static_cast<double>(context.threads());
  return pays && context.is_usable(Space::openmp) ? Space::openmp : Space::serial;
}

const HostSpace& host_instance_for(const Context& context, double nanoseconds) {
  return host_instance(context, host_space_for(context, nanoseconds));
}

int run_on_team(const Context& context, int threads, void (*call)(const void* body),
                const void* body) {
  Arch::require_usable_process();
  return context.state().teams.run(threads, call, body);
}

HostWorkers host_workers(const Context& context, Space space) {
  Arch::require_usable_process();
  if (space == Space::serial) return {};
  return {context.state().helpers, static_cast<std::size_t>(context.threads())};
}

#if KINDRED_HAS_DEVICE
const DeviceSpace& device_instance(const Context& context) {
  Arch::require_usable_process();
  if (!context.is_usable(Space::cuda))
    throw SpaceUnavailable("space cuda cannot be used: " + context.info(Space::cuda).why_not);
  return context.state().cuda;
}
#endif

}  // namespace Kindred::Impl
