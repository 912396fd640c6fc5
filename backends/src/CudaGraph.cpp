// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/impl/CudaGraph.hpp>
#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/arch/Specialized.hpp>

#include <utility>

namespace Kindred::Impl {

template <>
void CudaGraph<HostSpace>::capture(const HostSpace& exec_space, std::function<void()> launches) {
  m_launches = nullptr;
  launches();
  Arch::fence(exec_space, "Kindred::CudaGraph::capture");
  m_launches = std::move(launches);
}

template <>
void CudaGraph<HostSpace>::replay(const HostSpace&) const {
  m_launches();
}

#if KINDRED_HAS_DEVICE

namespace {

/// The graph of what \p launches enqueues on \p stream; null if it cannot be recorded, for example
/// during a trace, which waits for the device after every kernel, or without specialised forms:
/// Kokkos copies large functors to constant memory behind an event, which must not be recorded.
cudaGraphExec_t captured(cudaStream_t stream, const std::function<void()>& launches) {
  cudaGraphExec_t executable = nullptr;
  if constexpr (KINDRED_ENABLE_SPECIALIZED == 0) return executable;
  cudaGraph_t graph = nullptr;
  if (cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) == cudaSuccess) {
    bool is_complete = false;
    try {
      launches();
      is_complete = true;
    } catch (const std::exception&) {
      // The capture must be ended in any case. What was launched until here is no graph of the
      // call.
    }
    if (cudaStreamEndCapture(stream, &graph) == cudaSuccess && graph != nullptr) {
      if (!is_complete || cudaGraphInstantiate(&executable, graph, 0) != cudaSuccess)
        executable = nullptr;
      cudaGraphDestroy(graph);
    }
  }
  cudaGetLastError();
  return executable;
}

}  // namespace

template <>
void CudaGraph<DeviceSpace>::capture(const DeviceSpace& exec_space,
                                     std::function<void()> launches) {
  m_launches = nullptr;
  m_graph.reset();
  // The first launch of a kernel sets it up, which is not allowed during a capture.
  launches();
  Arch::fence(exec_space, "Kindred::CudaGraph::capture");
  if (cudaGraphExec_t executable = captured(exec_space.cuda_stream(), launches)) {
    m_graph = std::shared_ptr<void>(
        executable, [](void* graph) { cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(graph)); });
  }
  m_launches = std::move(launches);
}

template <>
void CudaGraph<DeviceSpace>::replay(const DeviceSpace& exec_space) const {
  if (m_graph == nullptr) return m_launches();
  Arch::require(
      cudaGraphLaunch(static_cast<cudaGraphExec_t>(m_graph.get()), exec_space.cuda_stream()),
      "Kindred::CudaGraph::replay");
}

#endif

}  // namespace Kindred::Impl
