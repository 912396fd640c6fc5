// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_IMPL_INSTANCES_HPP
#define KINDRED_BACKENDS_IMPL_INSTANCES_HPP

#include <kindred/backends/Context.hpp>
#include <kindred/backends/impl/HostInstance.hpp>
#include <kindred/backends/impl/HostWorkers.hpp>
#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/arch/launch/CurrentDevice.hpp>
#include <kindred/core/arch/launch/DeviceStatus.hpp>
#include <kindred/core/common/LeasePool.hpp>
#include <kindred/core/common/Stream.hpp>

#include <new>
#include <optional>
#include <utility>

namespace Kindred::Impl {

/// \brief During its lifetime, \p exec_space is the `serial` instance of every context on the
/// thread that created it.
class SerialHere {
 public:
  /// \param exec_space has one thread and must outlive this object
  explicit SerialHere(const HostSpace& exec_space) noexcept;
  ~SerialHere();
  SerialHere(const SerialHere&) = delete;
  SerialHere& operator=(const SerialHere&) = delete;

 private:
  const HostSpace* m_before;
};

/// \brief The host instance of \p context for `serial` (one thread) or `openmp` (all threads, or
/// the team that runs the call).
///
/// Kokkos runs the kernels of one instance one after the other, so calls use a \ref HostLease. On
/// a thread that holds one, this is its instance.
const HostSpace& host_instance(const Context& context, Space space);
/// \brief The host instance of a call while this object exists; of `serial`, one that no other
/// thread uses. Within the call of a team or another lease of the same thread, the instance of
/// that. \throws SpaceUnavailable
class HostLease {
 public:
  HostLease(const Context& context, Space space);
  ~HostLease();
  HostLease(const HostLease&) = delete;
  HostLease& operator=(const HostLease&) = delete;

  const HostSpace& get() const noexcept { return *m_exec_space; }

 private:
  std::optional<LeasePool<HostInstance>::Lease> m_single;
  std::optional<SerialHere> m_here;
  const HostSpace* m_exec_space;
};
/// Threads of the calls on \p space: 1 for `serial` and on a device.
inline int threads_of(const Context& context, Space space) noexcept {
  return space == Space::openmp ? context.threads() : 1;
}
/// Chooses the host space for \p nanoseconds of single-threaded work that is not dispatched:
/// `openmp` if each of its threads gets some tens of microseconds of work.
Space host_space_for(const Context& context, double nanoseconds);
/// Runs `body()` on the `openmp` team of \p threads. \see OpenMPTeams
template <class Body>
int run_on_team(const Context& context, int threads, const Body& body) {
  return run_on_team(
      teams_of(context), threads, [](const void* given) { (*static_cast<const Body*>(given))(); },
      &body);
}
/// The threads for host loops of a call on \p space: one thread for `serial`.
HostWorkers host_workers(const Context& context, Space space);
#if KINDRED_HAS_DEVICE
/// The device instance of \p context, which has its own stream.
const DeviceSpace& device_instance(const Context& context);
/// \brief The device instance of \p context on a stream of a caller. The context keeps the
/// instances of the 64 streams that were used last, so that only the first call on a stream
/// allocates. That call may be made while the stream is captured. Thread-safe.
DeviceSpace device_instance_on(const Context& context, const Stream& stream);
#endif

/// A separate instance: a new stream on a device, the same threads on the host.
inline HostSpace instance_beside(const HostSpace& exec_space) { return exec_space; }
/// \p exec_space if there is no \p stream, otherwise an instance on \p stream of a caller, which
/// must outlive the instance.
inline HostSpace instance_on(const HostSpace& exec_space, const std::optional<Stream>&) {
  return exec_space;
}
#if KINDRED_HAS_DEVICE
inline DeviceSpace instance_on(const DeviceSpace& exec_space, const std::optional<Stream>& stream) {
  return stream ? Arch::instance_on_stream(static_cast<cudaStream_t>(stream->handle()))
                : exec_space;
}
inline DeviceSpace instance_beside(const DeviceSpace& exec_space) {
  return Arch::new_device_instance(exec_space.cuda_device());
}
#endif

/// \brief An instance that an object keeps, or none. On a lost device it is never destroyed,
/// because Kokkos would end the process.
template <class ExecutionSpace>
class KeptInstance {
 public:
  KeptInstance() = default;
  explicit KeptInstance(const ExecutionSpace& exec_space) : m_exec_space(exec_space) {}
  ~KeptInstance() {
    if constexpr (Arch::is_device<ExecutionSpace>) {
      // A copy that remains.
      if (m_exec_space && Arch::device_is_lost())
        static_cast<void>(new (std::nothrow) ExecutionSpace(*m_exec_space));
    }
  }
  KeptInstance(const KeptInstance&) = delete;
  KeptInstance& operator=(const KeptInstance&) = delete;
  /// Keeps \p exec_space. On a device, there is none before.
  KeptInstance& operator=(const ExecutionSpace& exec_space) {
    m_exec_space = exec_space;
    return *this;
  }

  explicit operator bool() const noexcept { return m_exec_space.has_value(); }
  const ExecutionSpace& operator*() const noexcept { return *m_exec_space; }

 private:
  std::optional<ExecutionSpace> m_exec_space;
};

/// \brief While it exists, the device of \p context is the current one, if \p space is on it.
class CurrentDeviceOf {
 public:
  CurrentDeviceOf([[maybe_unused]] const Context& context, [[maybe_unused]] Space space) {
#if KINDRED_HAS_DEVICE
    if (space == Space::cuda) m_current.emplace(device_instance(context));
#endif
  }

 private:
#if KINDRED_HAS_DEVICE
  std::optional<Arch::CurrentDevice> m_current;
#endif
};

/// \brief The instance of a call on arrays of a caller: on \p stream if there is one, otherwise \p
/// exec_space, the instance of \p context for a space. \see device_instance_on
inline const HostSpace& call_instance(const Context&, const HostSpace& exec_space,
                                      const std::optional<Stream>&) {
  return exec_space;
}
#if KINDRED_HAS_DEVICE
inline DeviceSpace call_instance(const Context& context, const DeviceSpace& exec_space,
                                 const std::optional<Stream>& stream) {
  return stream ? device_instance_on(context, *stream) : exec_space;
}
#endif

/// \brief Calls `function(exec_space)` with the execution-space instance of \p space, which maps
/// the run-time space to a type. \throws SpaceUnavailable if the space is not usable
template <class Function>
decltype(auto) with_instance(const Context& context, Space space, const Function& function) {
#if KINDRED_HAS_DEVICE
  if (space == Space::cuda) {
    const DeviceSpace& exec_space = device_instance(context);
    const Arch::CurrentDevice current(exec_space);
    return function(exec_space);
  }
#endif
  const HostLease lease(context, space);
  return function(lease.get());
}

/// \brief `with_instance` for a call on arrays of a caller. \see call_instance
template <class Function>
decltype(auto) with_instance_on(const Context& context, Space space,
                                const std::optional<Stream>& stream, Function&& function) {
  return with_instance(context, space, [&](const auto& exec_space) -> decltype(auto) {
    return function(call_instance(context, exec_space, stream));
  });
}

}  // namespace Kindred::Impl

#endif  // KINDRED_BACKENDS_IMPL_INSTANCES_HPP
