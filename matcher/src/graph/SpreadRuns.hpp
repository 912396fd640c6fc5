// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SRC_GRAPH_SPREAD_RUNS_HPP
#define KINDRED_MATCHER_SRC_GRAPH_SPREAD_RUNS_HPP

#include "DenseBins.hpp"
#include "FrontierWorkspace.hpp"
#include "GraphSnapshot.hpp"
#include "SpreadingWorkspace.hpp"

#include <kindred/backends/Context.hpp>
#include <kindred/core/arch/PerSpace.hpp>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>

namespace Kindred::Impl {

/// Calls over a graph on one space or another, and what they work in there. Thread-safe: a call
/// waits for the one before it on the same space.
class SpreadRuns {
 public:
  explicit SpreadRuns(Context& context);

  /// The best ranks of every query, on \p space. Fences its instance.
  void spread(Space space, const GraphSnapshot& graph, std::span<const QuerySources> sources,
              const SpreadRequest& request, std::span<Rank> ranks);

  /// `y = Wᵀx` or `y = W x` on \p space. Fences its instance.
  void hop(Space space, const GraphSnapshot& graph, std::span<const float> x, std::span<float> y,
           const HopRequest& request);

 private:
  template <class ExecutionSpace>
  struct DeviceWorkspace {
    std::mutex mutex;
    std::optional<SpreadingWorkspace<ExecutionSpace>> whole;
    std::optional<DenseBins<ExecutionSpace>> bins;
  };
  struct HostWorkspace {
    HostWorkspace(MemoryResource& memory, std::size_t thread_count)
        : threads(thread_count), whole(memory), frontier(memory) {}

    std::size_t threads;
    std::mutex mutex;  // held while a call works in it
    SpreadingWorkspace<HostSpace> whole;
    FrontierWorkspace frontier;
  };

  HostWorkspace& host_workspace(Space space) {
    return space == Space::serial ? m_serial : m_openmp;
  }
  /// Calls `body(exec_space, workspace, bins)` alone in the workspace of a device.
  template <class Body>
  void on_device(const Body& body);
  template <class ExecutionSpace>
  auto bins_of(const ExecutionSpace& exec_space, const GraphSnapshot& graph, std::size_t hops,
               DenseBins<ExecutionSpace>& bins);
  void spread_on_host(Space space, const GraphSnapshot& graph,
                      std::span<const QuerySources> sources, const SpreadRequest& request,
                      std::span<Rank> ranks);
  /// Answers the queries whose frontier stays small.
  static void spread_frontiers(const HostSpace& exec_space, HostWorkspace& workspace,
                               const GraphView<Kokkos::HostSpace>& graph, std::size_t edges,
                               std::span<const QuerySources> sources, const SpreadRequest& request,
                               std::span<Rank> ranks, std::span<std::uint8_t> done);

  Context* m_context;
  HostWorkspace m_serial;
  HostWorkspace m_openmp;
  Arch::PerSpace<DeviceWorkspace> m_devices;  // that of the host stays empty
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SRC_GRAPH_SPREAD_RUNS_HPP
