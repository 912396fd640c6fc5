// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/impl/Instances.hpp>

#include "ContextState.hpp"

#include <kindred/backends/impl/KeptObjects.hpp>
#include <kindred/backends/impl/StartThreads.hpp>
#include <kindred/backends/impl/ThreadCount.hpp>
#include <kindred/core/arch/Process.hpp>

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>

namespace Kindred::Impl {

/// The access of the libraries of Kindred to a context.
struct StateOfContext {
  static auto& get(const Context& context) noexcept { return *context.m_state; }
};

namespace {
thread_local const HostSpace* serial_here = nullptr;

auto& state_of(const Context& context) noexcept { return StateOfContext::get(context); }
}  // namespace

SerialHere::SerialHere(const HostSpace& exec_space) noexcept
    : m_before(std::exchange(serial_here, &exec_space)) {}
SerialHere::~SerialHere() { serial_here = m_before; }

KeptObjects& kept_objects(const Context& context) { return state_of(context).kept; }

const HostSpace& host_instance(const Context& context, Space space) {
  Arch::require_usable_process();
  if (space == Space::serial && serial_here != nullptr) return *serial_here;
  if (!context.is_usable(space) || space == Space::cuda)
    throw SpaceUnavailable(cannot_be_used(context.info(space)));
  if (space == Space::serial) return state_of(context).serial.get();
  start_all_threads();
  const HostSpace* const team = state_of(context).teams.here();
  if (team != nullptr) return *team;
  start_team(context.threads());
  return state_of(context).openmp.get();
}

HostLease::HostLease(const Context& context, Space space) {
  if (space == Space::serial && serial_here == nullptr) {
    Arch::require_usable_process();
    m_single.emplace(
        state_of(context).single.take([] { return std::make_unique<HostInstance>(1); }));
    m_exec_space = &(*m_single)->get();
    m_here.emplace(*m_exec_space);
  } else {
    m_exec_space = &host_instance(context, space);
  }
}
HostLease::~HostLease() = default;

Space host_space_for(const Context& context, double nanoseconds) {
  constexpr double thread_nanoseconds = 30e3;
  const bool pays = nanoseconds >= thread_nanoseconds * static_cast<double>(context.threads());
  return pays && context.is_usable(Space::openmp) ? Space::openmp : Space::serial;
}

OpenMPTeams& teams_of(const Context& context) {
  Arch::require_usable_process();
  return state_of(context).teams;
}

HostWorkers host_workers(const Context& context, Space space) {
  Arch::require_usable_process();
  if (space == Space::serial) return {};
  return {state_of(context).helpers, static_cast<std::size_t>(context.threads())};
}

#if KINDRED_HAS_DEVICE
const DeviceSpace& device_instance(const Context& context) {
  Arch::require_usable_process();
  if (!context.is_usable(Space::cuda))
    throw SpaceUnavailable(cannot_be_used(context.info(Space::cuda)));
  return state_of(context).cuda;
}

namespace {

/// While it exists, the calling thread may allocate although a stream is captured: nothing of what
/// an instance allocates and sets up belongs to the captured work.
class AllocationDuringCapture {
 public:
  AllocationDuringCapture() { (void)cudaThreadExchangeStreamCaptureMode(&m_mode); }
  ~AllocationDuringCapture() { (void)cudaThreadExchangeStreamCaptureMode(&m_mode); }
  AllocationDuringCapture(const AllocationDuringCapture&) = delete;
  AllocationDuringCapture& operator=(const AllocationDuringCapture&) = delete;

 private:
  cudaStreamCaptureMode m_mode = cudaStreamCaptureModeRelaxed;
};

}  // namespace

DeviceSpace device_instance_on(const Context& context, const Stream& stream) {
  constexpr std::size_t kept = 64;
  auto& state = state_of(context);
  const std::lock_guard lock(state.streams_mutex);
  auto& known = state.streams;
  const auto found = std::find_if(known.begin(), known.end(),
                                  [&](const auto& one) { return one.first == stream; });
  if (found != known.end()) {
    std::rotate(known.begin(), found, found + 1);
    return known.front().second;
  }
  const AllocationDuringCapture allows;
  const Arch::CurrentDevice current(device_instance(context));
  known.emplace(known.begin(), stream,
                Arch::instance_on_stream(static_cast<cudaStream_t>(stream.handle())));
  if (known.size() > kept) known.pop_back();
  return known.front().second;
}
#endif

}  // namespace Kindred::Impl
