// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_GRAPH_SPREAD_CALLS_HPP
#define KINDRED_MATCHER_GRAPH_SPREAD_CALLS_HPP

#include "DenseBins.hpp"
#include "FrontierWorkspace.hpp"
#include "GraphSnapshot.hpp"
#include "HopVectors.hpp"
#include "PathTrace.hpp"
#include "SpreadingWorkspace.hpp"
#include "kit/CallOrder.hpp"

#include <kindred/backends/Context.hpp>
#include <kindred/core/arch/PerSpace.hpp>
#include <kindred/matcher/SpreadArrays.hpp>
#include <kindred/memory/WorkspaceCache.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace Kindred::Impl {

/// Runs calls over a graph and keeps their workspaces: as many as there are calls on the host at
/// the same time, and one on a device. Thread-safe.
class SpreadCalls {
 public:
  explicit SpreadCalls(Context& context);
  /// Waits for calls on streams.
  ~SpreadCalls() = default;
  SpreadCalls(const SpreadCalls&) = delete;
  SpreadCalls& operator=(const SpreadCalls&) = delete;

  /// The best ranks of every query, on \p space. Fences its instance.
  void spread(Space space, const GraphSnapshot& graph, std::span<const QuerySources> sources,
              const SpreadRequest& request, std::span<Rank> ranks);

  /// Appends the best \p count paths to each of \p nodes of one query, on one host thread. \see
  /// PathTrace
  void trace(const GraphSnapshot& graph, QuerySources sources, const SpreadRequest& request,
             std::span<const Activation> nodes, std::size_t count, SpreadPaths& paths);

  /// Bytes of data derived from graphs that is kept on \p space: bins, modified weights.
  std::uint64_t kept_bytes(Space space) const noexcept;
  /// Releases the workspaces that no call uses and the derived data of \p space. Returns whether
  /// there was any.
  bool release(Space space);

  /// `y = Wᵀx` or `y = W x` on \p space. Fences its instance.
  void hop(Space space, const GraphSnapshot& graph, std::span<const float> x, std::span<float> y,
           const HopRequest& request);
  /// \brief The same for vectors on the device. Given a stream, it is ordered by that stream and
  /// does not fence; otherwise it fences the instance of the device.
  void hop_on_device(const std::shared_ptr<const GraphSnapshot>& graph, const HopVectors& vectors,
                     const HopRequest& request, std::optional<Stream> stream);
  /// Spreads the queries of arrays on the device, ordered by \p stream. Does not fence.
  void spread_on_stream(const std::shared_ptr<const GraphSnapshot>& graph,
                        const SpreadSources& sources, const SpreadOutput& output,
                        const SpreadRequest& request, Stream stream);

 private:
  /// Used by one call at a time.
  template <class ExecutionSpace>
  struct Workspace {
    Workspace(MemoryResource& memory, MemoryResource& pinned, std::size_t query_slots)
        : slots(query_slots), whole(memory), frontier(memory, pinned) {}

    std::size_t slots;  // small queries processed concurrently
    SpreadingWorkspace<ExecutionSpace> whole;
    FrontierWorkspace<ExecutionSpace> frontier;
    std::vector<std::uint8_t> done;
  };
  struct HostWorkspace {
    HostWorkspace(MemoryResource& memory, std::size_t threads, std::atomic<std::uint64_t>& bytes)
        : workspace(memory, memory, threads), all_kept(bytes) {}
    ~HostWorkspace() { all_kept -= kept; }
    HostWorkspace(const HostWorkspace&) = delete;
    HostWorkspace& operator=(const HostWorkspace&) = delete;

    void count_kept() {
      const std::uint64_t now = workspace.whole.kept_bytes();
      if (now != kept) all_kept += now - std::exchange(kept, now);
    }

    Workspace<HostSpace> workspace;
    std::uint64_t kept = 0;                // bytes, after the last call
    std::atomic<std::uint64_t>& all_kept;  // of all workspaces of the space
  };
  struct HostWorkspaces {
    std::atomic<std::uint64_t> kept{0};
    WorkspaceCache<HostWorkspace> cache;
  };
  template <class ExecutionSpace>
  struct DeviceWorkspace {
    std::timed_mutex mutex;
    std::optional<Workspace<ExecutionSpace>> workspace;
    std::optional<DenseBins<ExecutionSpace>> bins;
    CallOrder<ExecutionSpace> on_streams;  // they use the workspace and the bins
  };

  HostWorkspaces& host(Space space) noexcept {
    return space == Space::serial ? m_serial : m_openmp;
  }
  /// Calls `body(exec_space, workspace)` for a call on the host, with a workspace of its own.
  template <class Body>
  void lend_on_host(Space space, const Body& body);
  /// Calls `run(exec_space, workspace)` with exclusive use of a workspace of \p space.
  template <class Body>
  void alone(Space space, const Body& run);
  /// Calls `body(own, exec_space, device)` for the instance of the device and the one on \p stream
  /// with exclusive use of the workspace of the device. Launches on \p exec_space come after those
  /// of earlier calls on streams, and \p graph lives until they have ended. Does not fence.
  template <class Body>
  void on_stream(Stream stream, const std::shared_ptr<const GraphSnapshot>& graph, const Body& run);
  /// The workspace of a device, made if there is none yet.
  template <class ExecutionSpace>
  DeviceWorkspace<ExecutionSpace>& device_workspace();
  /// The bins of the rows as built, once \p hops more have amortised them; on a device.
  template <class ExecutionSpace>
  BinnedEdges<typename ExecutionSpace::memory_space> bins_of(const ExecutionSpace& exec_space,
                                                             const GraphSnapshot& graph,
                                                             std::size_t hops);
  /// Releases memory that calls can do without. Returns whether there was any.
  template <class ExecutionSpace>
  bool give_back(Workspace<ExecutionSpace>& workspace);
  template <class ExecutionSpace>
  void spread_whole(const ExecutionSpace& exec_space, Workspace<ExecutionSpace>& workspace,
                    const GraphSnapshot& graph,
                    GraphSide<typename ExecutionSpace::memory_space> side,
                    std::span<const QuerySources> sources, const SpreadRequest& request,
                    std::span<Rank> ranks);

  Context* m_context;
  HostWorkspaces m_serial;
  HostWorkspaces m_openmp;
  Arch::PerSpace<DeviceWorkspace> m_devices;  // the slot of the host stays empty
  std::atomic<std::uint64_t> m_device_kept{0};
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_GRAPH_SPREAD_CALLS_HPP
