// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_MACHINE_REPEATED_CALLS_HPP
#define KINDRED_PERF_MACHINE_REPEATED_CALLS_HPP

#include <kindred/backends/Context.hpp>
#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/arch/SpecialForms.hpp>
#include <kindred/core/arch/Specialized.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

namespace Kindred::Perf {

/// A fixed number of calls on a space.
class Calls {
 public:
  virtual ~Calls() = default;
  virtual void run() = 0;
  virtual std::uint64_t digest() const = 0;
  virtual std::string check() const = 0;
};

/// `run()` enqueues a fixed number of calls of a kernel before one fence; on a device they are
/// replayed from a graph.
template <class ExecutionSpace, class Base = Calls>
class Repeated : public Base {
 public:
  Repeated(ExecutionSpace exec_space, std::size_t calls)
      : m_exec_space(std::move(exec_space)), m_calls(calls) {}
  ~Repeated() override {
#if KINDRED_HAS_DEVICE
    if (m_graph != nullptr) cudaGraphExecDestroy(m_graph);
#endif
  }
  Repeated(const Repeated&) = delete;
  Repeated& operator=(const Repeated&) = delete;

  void run() override {
    if constexpr (Arch::is_device<ExecutionSpace>) {
#if KINDRED_HAS_DEVICE
      // Profilers need to observe the individual kernels, and those without specialised forms
      // cannot be recorded (\see Impl::CudaGraph), so these are launched directly.
      if (KINDRED_ENABLE_SPECIALIZED == 0 || Kokkos::Tools::profileLibraryLoaded()) {
        launch_all();
      } else {
        // A graph has the bodies that were not switched off when it was recorded.
        const std::uint32_t off = Special::switched_off;
        if (m_graph == nullptr || m_off != off) capture();
        m_off = off;
        cudaGraphLaunch(m_graph, m_exec_space.cuda_stream());
      }
#endif
    } else {
      launch_all();
    }
    m_exec_space.fence("Kindred::Perf::Repeated::run");
  }

 protected:
  virtual void launch(std::size_t call) = 0;
  const ExecutionSpace& exec_space() const { return m_exec_space; }

 private:
  void launch_all() {
    for (std::size_t call = 0; call < m_calls; ++call) launch(call);
  }
#if KINDRED_HAS_DEVICE
  void capture() {
    if constexpr (Arch::is_device<ExecutionSpace>) {
      if (m_graph != nullptr) cudaGraphExecDestroy(std::exchange(m_graph, nullptr));
      launch(0);
      m_exec_space.fence("Kindred::Perf::Repeated::capture");
      cudaGraph_t graph = nullptr;
      cudaStreamBeginCapture(m_exec_space.cuda_stream(), cudaStreamCaptureModeRelaxed);
      launch_all();
      cudaStreamEndCapture(m_exec_space.cuda_stream(), &graph);
      cudaGraphInstantiate(&m_graph, graph, 0);
      cudaGraphDestroy(graph);
    }
  }
  cudaGraphExec_t m_graph = nullptr;
  std::uint32_t m_off = 0;
#endif
  ExecutionSpace m_exec_space;
  std::size_t m_calls;
};

/// Calls `body(instance)` with a separate instance on \p space.
template <class Body>
auto with_own_instance([[maybe_unused]] const Context& context, Space space, const Body& body) {
#if KINDRED_HAS_DEVICE
  if (space == Space::cuda) return body(Kokkos::Experimental::partition_space(DeviceSpace(), 1)[0]);
#endif
  if constexpr (std::is_constructible_v<HostSpace, int>)
    return body(HostSpace(context.info(space).concurrency));
  else
    return body(HostSpace());
}

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_MACHINE_REPEATED_CALLS_HPP
