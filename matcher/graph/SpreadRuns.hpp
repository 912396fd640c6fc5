// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_GRAPH_SPREAD_RUNS_HPP
#define KINDRED_MATCHER_GRAPH_SPREAD_RUNS_HPP

#include "DenseBins.hpp"
#include "FrontierWorkspace.hpp"
#include "GraphSnapshot.hpp"
#include "PathTrace.hpp"
#include "SpreadingWorkspace.hpp"

#include <kindred/backends/Context.hpp>
#include <kindred/core/arch/PerSpace.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace Kindred::Impl {

/// Calls over a graph on one space or another, and what they work in there. Thread-safe: a call
/// waits for the one before it on the same space.
class SpreadRuns {
 public:
  explicit SpreadRuns(Context& context);

  /// The best ranks of every query, on \p space. Fences its instance.
  void spread(Space space, const GraphSnapshot& graph, std::span<const QuerySources> sources,
              const SpreadRequest& request, std::span<Rank> ranks);

  /// Appends the best \p count paths to each of \p nodes that one query found, by a thread of the
  /// host. \see PathTrace
  void trace(const GraphSnapshot& graph, QuerySources sources, const SpreadRequest& request,
             std::span<const Activation> nodes, std::size_t count, SpreadPaths& paths);

  /// Bytes that are kept of graphs on \p space beside their rows: bins, modified weights.
  std::uint64_t kept_bytes(Space space) const noexcept;
  /// Gives back what calls on \p space work in and what is kept there, once none runs. Returns
  /// whether there was any.
  bool release(Space space);

  /// `y = Wᵀx` or `y = W x` on \p space. Fences its instance.
  void hop(Space space, const GraphSnapshot& graph, std::span<const float> x, std::span<float> y,
           const HopRequest& request);

 private:
  /// What calls on one space work in, one at a time.
  template <class ExecutionSpace>
  struct Workspace {
    Workspace(MemoryResource& memory, MemoryResource& pinned, std::size_t query_slots)
        : slots(query_slots), whole(memory), frontier(memory, pinned) {}

    std::size_t slots;  // small queries at once
    SpreadingWorkspace<ExecutionSpace> whole;
    FrontierWorkspace<ExecutionSpace> frontier;
    std::vector<std::uint8_t> done;
  };
  struct HostWorkspace {
    HostWorkspace(MemoryResource& memory, std::size_t threads)
        : workspace(memory, memory, threads) {}

    std::mutex mutex;  // held while a call works in it
    Workspace<HostSpace> workspace;
    std::atomic<std::uint64_t> kept{0};  // bytes, after the last call
  };
  template <class ExecutionSpace>
  struct DeviceWorkspace {
    std::mutex mutex;
    std::optional<Workspace<ExecutionSpace>> workspace;
    std::optional<DenseBins<ExecutionSpace>> bins;
  };

  /// Calls `body(exec_space, workspace)` alone in the workspace of \p space.
  template <class Body>
  void alone(Space space, const Body& run);
  /// The bins of the rows as built, once \p hops more have paid for them; of a device.
  template <class ExecutionSpace>
  BinnedRows<typename ExecutionSpace::memory_space> bins_of(const ExecutionSpace& exec_space,
                                                            const GraphSnapshot& graph,
                                                            std::size_t hops);
  /// Gives back what calls can do without. Returns whether there was any.
  template <class ExecutionSpace>
  bool give_back(Workspace<ExecutionSpace>& workspace);
  template <class ExecutionSpace>
  void spread_whole(const ExecutionSpace& exec_space, Workspace<ExecutionSpace>& workspace,
                    const GraphSnapshot& graph,
                    GraphSide<typename ExecutionSpace::memory_space> side,
                    std::span<const QuerySources> sources, const SpreadRequest& request,
                    std::span<Rank> ranks);

  Context* m_context;
  HostWorkspace m_serial;
  HostWorkspace m_openmp;
  Arch::PerSpace<DeviceWorkspace> m_devices;  // the host's slot stays empty
  std::atomic<std::uint64_t> m_device_kept{0};
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_GRAPH_SPREAD_RUNS_HPP
