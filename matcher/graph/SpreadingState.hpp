// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_GRAPH_SPREADING_STATE_HPP
#define KINDRED_MATCHER_GRAPH_SPREADING_STATE_HPP

#include "GraphStore.hpp"
#include "GraphWorkspace.hpp"
#include "kit/WorkspaceCalls.hpp"

#include <kindred/matcher/GraphOperationInfo.hpp>
#include <kindred/matcher/SpreadingEngine.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace Kindred {

struct KINDRED_HIDDEN SpreadingEngine::State {
  /// What a call works on, from its checks to its results, while others change the graph.
  using Snapshot = std::shared_ptr<const Impl::GraphSnapshot>;

  template <class Graph>
  State(Context& given, Graph&& graph, const GraphOptions& options)
      : context(given), store(given, std::forward<Graph>(graph), options) {
    context.dispatcher().register_operations({Operations::spread});
  }

  DispatchRecord spread_on_stream(const Snapshot& graph, const SpreadSources& sources,
                                  const SpreadOutput& output, const SpreadOptions& options);
  DispatchRecord spread_hops(const Impl::GraphSnapshot& graph,
                             std::span<const Impl::QuerySources> sources,
                             std::span<const Impl::QueryGroup> groups, std::optional<Space> space,
                             std::span<Rank> ranks);
  /// Traces the paths to the nodes found by each query, on one host thread. \see PathTrace
  void trace(const Impl::GraphSnapshot& graph, std::span<const Impl::QuerySources> sources,
             std::span<const Impl::QueryGroup> groups, std::size_t count, SpreadResults& results);
  DispatchRecord page_rank(const Impl::GraphSnapshot& graph,
                           std::span<const Impl::RestartSources> sources,
                           const SpreadOptions& options, std::optional<Space> space,
                           std::span<Rank> ranks, std::span<Convergence> convergence);

  /// The work of \p queries queries that read all edges \p hops times, 32 queries at a time.
  static Workload work_of(const Impl::GraphSnapshot& graph, std::size_t queries, double hops) {
    Workload workload;
    workload.operation = Operations::spread;
    workload.items = graph.edges() * queries;
    workload.starts = static_cast<double>((queries + 31) / 32) * hops;
    workload.work = static_cast<double>(workload.items) * hops;
    workload.resident = graph.resident();
    return workload;
  }
  /// \brief Calls `body(exec_space, workspace)` on the space that the dispatcher chooses, once no
  /// call on a stream uses the workspace. \see Impl::WorkspaceCalls
  template <class Body>
  DispatchRecord run(const Workload& workload, std::optional<Space> space, const Body& body) {
    return calls.run(context, workload, space,
                     [&](const auto& exec_space, auto& workspace, Space chosen) {
                       workspace.on_streams.wait();
                       body(exec_space, workspace);
                       count_kept(workspace, chosen);
                     });
  }
  /// \brief Calls `body(own, exec_space, workspace)` with the instance of the device and the one on
  /// \p stream. Launches on \p exec_space come after those of earlier calls on streams, and \p
  /// graph lives until they have ended. Does not fence.
  template <class Body>
  DispatchRecord run_on_stream(Workload workload, const Stream& stream, const Snapshot& graph,
                               const Body& body) {
    workload.waits = false;
    return calls.run(context, workload, Space::cuda,
                     [&](const auto& own, auto& workspace, Space chosen) {
                       const auto& exec_space = Impl::call_instance(context, own, stream);
                       workspace.on_streams.run(exec_space, "Kindred::SpreadingEngine::failed",
                                                graph, [&] { body(own, exec_space, workspace); });
                       count_kept(workspace, chosen);
                     });
  }
  /// Bytes of the graph and of data derived from it that calls keep, in memory of \p space.
  std::uint64_t bytes(Space space) const {
    return store.snapshot()->bytes(space) + kept[space_index(space)];
  }

  /// \throws SpaceUnavailable if \p graph is not on the device; InvalidArgument if another space is
  /// requested
  static void require_on_device(const Impl::GraphSnapshot& graph, std::optional<Space> space) {
    KINDRED_THROW_IF(space && *space != Space::cuda,
                     "the arrays lie on a device, and the space " + std::string(to_string(*space)) +
                         " is requested; leave the space unset, or pass arrays in host memory");
    if (graph.resident().contains(Space::cuda)) return;
    throw SpaceUnavailable(
        "the arrays lie on a device, and the graph does not; build it with a residency that "
        "includes the device, and enough memory there");
  }

  Context& context;
  Impl::GraphStore store;
  std::array<std::atomic<std::uint64_t>, space_count> kept{};  // of the workspaces
  Impl::WorkspaceCalls<Impl::GraphWorkspace> calls{"Kindred::SpreadingEngine::failed"};
  CallHistory page_ranks;
  std::atomic<double> iterations = 16;  // recent ones of PageRank per query, for cost prediction

 private:
  template <class ExecutionSpace>
  void count_kept(Impl::GraphWorkspace<ExecutionSpace>& workspace, Space space) {
    workspace.kept.set(kept[space_index(space)], workspace.kept_bytes());
  }
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_GRAPH_SPREADING_STATE_HPP
