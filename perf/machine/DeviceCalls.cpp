// SPDX-License-Identifier: Apache-2.0
#include "machine/DeviceCalls.hpp"

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/common/Error.hpp>

#include <Kokkos_Core.hpp>

namespace Kindred::Perf {

#if KINDRED_HAS_DEVICE

struct DeviceQueue::State {
  DeviceSpace exec_space = Kokkos::Experimental::partition_space(DeviceSpace(), 1)[0];
};
DeviceQueue::DeviceQueue() : m_state(std::make_unique<State>()) {}
Stream DeviceQueue::stream() const { return Stream::cuda(m_state->exec_space.cuda_stream()); }
void DeviceQueue::fence() const { m_state->exec_space.fence("Kindred::Perf::DeviceQueue::fence"); }

#else

struct DeviceQueue::State {};
DeviceQueue::DeviceQueue() { throw Error("this build has no device, and so no stream on one"); }
Stream DeviceQueue::stream() const { return Stream::cuda(nullptr); }
void DeviceQueue::fence() const {}

#endif

DeviceQueue::~DeviceQueue() = default;

}  // namespace Kindred::Perf
