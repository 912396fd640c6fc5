// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_LAUNCH_EVENT_HPP
#define KINDRED_CORE_ARCH_LAUNCH_EVENT_HPP

#include <kindred/core/arch/launch/DeviceStatus.hpp>

#include <optional>

namespace Kindred::Arch {

/// \brief A point in the work of an execution-space instance, for which the host and other
/// instances can wait. On the host, work has ended when its launch returns: there is nothing to
/// wait for.
template <class ExecutionSpace>
class Event {
 public:
  /// Records the event after everything that was launched on \p exec_space, in place of an earlier
  /// one.
  void record(const ExecutionSpace&) {}
  /// Makes later launches on \p exec_space wait for the event; those on the stream where it was
  /// recorded do so anyway. Does not fence.
  void wait_on(const ExecutionSpace&) const {}
  /// Whether everything before the event has ended.
  bool is_complete() const { return true; }
  /// Waits until then.
  void synchronize() const {}
};

#if KINDRED_HAS_DEVICE
/// On a device: a CUDA event. The device must be the current one (\see CurrentDevice).
template <>
class Event<DeviceSpace> {
 public:
  Event() {
    require(cudaEventCreateWithFlags(&m_event, cudaEventDisableTiming), "creating an event");
  }
  ~Event() { (void)cudaEventDestroy(m_event); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void record(const DeviceSpace& exec_space) {
    require(cudaEventRecord(m_event, exec_space.cuda_stream()), "recording an event");
    m_stream = id_of(exec_space);
  }
  void wait_on(const DeviceSpace& exec_space) const {
    if (m_stream == id_of(exec_space)) return;
    require(cudaStreamWaitEvent(exec_space.cuda_stream(), m_event, 0), "ordering a stream");
  }
  bool is_complete() const {
    const cudaError_t status = cudaEventQuery(m_event);
    if (status == cudaErrorNotReady) return false;
    require(status, "querying an event");
    return true;
  }
  void synchronize() const { require(cudaEventSynchronize(m_event), "waiting for an event"); }

 private:
  /// Unlike a handle, it is never used again for another stream.
  static std::optional<unsigned long long> id_of(const DeviceSpace& exec_space) {
    unsigned long long id = 0;
    require(cudaStreamGetId(exec_space.cuda_stream(), &id), "asking for the id of a stream");
    return id;
  }

  cudaEvent_t m_event = nullptr;
  std::optional<unsigned long long> m_stream;  ///< where it was recorded; none: nowhere yet
};
#endif

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_LAUNCH_EVENT_HPP
