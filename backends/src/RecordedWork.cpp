// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/impl/RecordedWork.hpp>
#include <kindred/core/common/Error.hpp>

#include <string>
#include <utility>

namespace Kindred::Impl {

template <>
void RecordedWork<HostSpace>::record(const HostSpace& exec_space, std::function<void()> launches) {
  launches();
  exec_space.fence("Kindred::RecordedWork::record");
  m_launches = std::move(launches);
}

template <>
void RecordedWork<HostSpace>::repeat(const HostSpace&) const {
  m_launches();
}

#if KINDRED_HAS_DEVICE

namespace {

void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess)
    throw DeviceLost(std::string(what) + " failed: " + cudaGetErrorString(status));
}

}  // namespace

template <>
void RecordedWork<DeviceSpace>::record(const DeviceSpace& exec_space,
                                       std::function<void()> launches) {
  m_launches = nullptr;
  m_graph.reset();
  // Kernels that run for the first time set themselves up, which a recording does not allow.
  launches();
  exec_space.fence("Kindred::RecordedWork::record");
  const cudaStream_t stream = exec_space.cuda_stream();
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "recording launches");
  launches();
  cudaGraph_t graph = nullptr;
  check(cudaStreamEndCapture(stream, &graph), "recording launches");
  cudaGraphExec_t executable = nullptr;
  const cudaError_t status = cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphDestroy(graph);
  check(status, "preparing recorded launches");
  m_graph = std::shared_ptr<void>(executable, [](void* recorded) {
    cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(recorded));
  });
  check(cudaGraphUpload(executable, stream), "preparing recorded launches");
  exec_space.fence("Kindred::RecordedWork::record");
  m_launches = std::move(launches);
}

template <>
void RecordedWork<DeviceSpace>::repeat(const DeviceSpace& exec_space) const {
  check(cudaGraphLaunch(static_cast<cudaGraphExec_t>(m_graph.get()), exec_space.cuda_stream()),
        "repeating launches");
}

#endif

}  // namespace Kindred::Impl
