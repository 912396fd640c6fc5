// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_LAUNCH_LAUNCH_MARK_HPP
#define KINDRED_CORE_ARCH_LAUNCH_LAUNCH_MARK_HPP

#include <kindred/core/arch/launch/DeviceStatus.hpp>

#include <optional>

namespace Kindred::Arch {

/// \brief A point in the work of an execution-space instance, for which the host and other
/// instances can wait. On the host, work has ended when its launch returns: there is nothing to
/// wait for.
template <class ExecutionSpace>
class LaunchMark {
 public:
  /// Sets the mark behind everything that was launched on \p exec_space; replaces an earlier one.
  void set(const ExecutionSpace&) {}
  /// Makes later launches on \p exec_space wait for the mark; those on the stream where it was set
  /// do so anyway. Does not fence.
  void order(const ExecutionSpace&) const {}
  /// Whether everything before the mark has ended.
  bool is_reached() const { return true; }
  /// Waits until then.
  void wait() const {}
};

#if KINDRED_HAS_DEVICE
/// On a device: an event. The device must be the current one (\see CurrentDevice).
template <>
class LaunchMark<DeviceSpace> {
 public:
  LaunchMark() {
    require(cudaEventCreateWithFlags(&m_event, cudaEventDisableTiming), "creating an event");
  }
  ~LaunchMark() { (void)cudaEventDestroy(m_event); }
  LaunchMark(const LaunchMark&) = delete;
  LaunchMark& operator=(const LaunchMark&) = delete;

  void set(const DeviceSpace& exec_space) {
    require(cudaEventRecord(m_event, exec_space.cuda_stream()), "recording an event");
    m_stream = id_of(exec_space);
  }
  void order(const DeviceSpace& exec_space) const {
    if (m_stream == id_of(exec_space)) return;
    require(cudaStreamWaitEvent(exec_space.cuda_stream(), m_event, 0), "ordering a stream");
  }
  bool is_reached() const {
    const cudaError_t status = cudaEventQuery(m_event);
    if (status == cudaErrorNotReady) return false;
    require(status, "querying an event");
    return true;
  }
  void wait() const { require(cudaEventSynchronize(m_event), "waiting for an event"); }

 private:
  /// Unlike a handle, it is never used again for another stream.
  static std::optional<unsigned long long> id_of(const DeviceSpace& exec_space) {
    unsigned long long id = 0;
    require(cudaStreamGetId(exec_space.cuda_stream(), &id), "asking for the id of a stream");
    return id;
  }

  cudaEvent_t m_event = nullptr;
  std::optional<unsigned long long> m_stream;  ///< where the mark is; none: it was never set
};
#endif

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_LAUNCH_LAUNCH_MARK_HPP
