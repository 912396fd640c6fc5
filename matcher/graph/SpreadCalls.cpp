// SPDX-License-Identifier: Apache-2.0
#include "SpreadCalls.hpp"

#include "ExpectedEdges.hpp"

#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/common/Cancellation.hpp>
#include <kindred/memory/SplitAndRetry.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <algorithm>
#include <memory>

namespace Kindred::Impl {

namespace {

/// Number of small queries that a device processes concurrently; further groups wait.
constexpr std::size_t device_slots = 8;

/// Up to this number of edges, a thread block cluster is faster than the whole device.
constexpr double cluster_edges_most = 150'000;

/// \brief Whether a query should not be tried as a small one: it is expected to read far more than
/// the budget, and an abandoned attempt would be expensive compared with whole hops, because it has
/// many sources or because, on a host, several queries share every read of an edge. \param queries
/// number of queries of the call
template <class ExecutionSpace>
bool is_surely_large(const ExecutionSpace&, const GraphSnapshot& graph, QuerySources sources,
                     const SpreadRequest& request, std::size_t queries) {
  constexpr double margin = 8;  // for the error of the estimate
  const bool shares = !Arch::is_device<ExecutionSpace> && queries >= SpreadWork::sharing_queries;
  if (sources.size() <= SpreadWork::few_sources && !shares) return false;
  QueryGroup group;
  group.parameters = request.parameters;
  if (!shares) group.parameters.hops = std::min<std::uint32_t>(group.parameters.hops, 2);
  group.decay = request.decay;
  const double budget =
      static_cast<double>(FrontierShape::budget_of<ExecutionSpace>(graph.nodes(), graph.edges()));
  return expected_edges(graph.base()->sample(), graph.host(), sources, group) > margin * budget;
}

/// Calls `call()`. If memory is missing, calls `give_back()`, which returns whether it has released
/// any, and if so `call()` once more; if memory is missing again, only `give_back()`.
template <class GiveBack, class Call>
void with_less_memory(const GiveBack& give_back, const Call& call) {
  try {
    return call();
  } catch (const OutOfMemory&) {
    if (!give_back()) throw;
  }
  try {
    call();
  } catch (const OutOfMemory&) {
    give_back();
    throw;
  }
}

}  // namespace

SpreadCalls::SpreadCalls(Context& context) : m_context(&context) {}

template <class ExecutionSpace>
auto SpreadCalls::device_workspace() -> DeviceWorkspace<ExecutionSpace>& {
  auto& device = m_devices.get<ExecutionSpace>();
  if (!device.workspace) {
    device.workspace.emplace(m_context->memory(Space::cuda), m_context->pinned_memory(),
                             device_slots);
    device.bins.emplace(m_context->memory(Space::cuda));
  }
  return device;
}

template <class Body>
void SpreadCalls::lend_on_host(Space space, const Body& body) {
  HostWorkspaces& workspaces = host(space);
  const HostLease lease(*m_context, space);
  const auto slots = static_cast<std::size_t>(threads_of(*m_context, space));
  workspaces.cache.lend(
      [&] {
        return std::make_unique<HostWorkspace>(m_context->memory(space), slots, workspaces.kept);
      },
      lease.get(), "Kindred::SpreadingEngine::failed", 0,
      [&](HostWorkspace& lent) {
        body(lease.get(), lent.workspace);
        lent.count_kept();
      });
}

template <class Body>
void SpreadCalls::alone(Space space, const Body& run) {
  const auto body = [&](const auto& exec_space, auto& workspace) {
    with_less_memory([&] { return give_back(workspace); },
                     [&] {
                       try {
                         run(exec_space, workspace);
                       } catch (...) {
                         // Launched kernels read a snapshot that may be destroyed.
                         Arch::fence(exec_space, "Kindred::SpreadingEngine::failed");
                         rethrow_translated("Kindred::SpreadingEngine");
                       }
                     });
  };
  if (space != Space::cuda) {
    return lend_on_host(space, body);
  }
  with_instance(*m_context, space, [&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
    auto& device = m_devices.get<ExecutionSpace>();
    const auto lock = cancellable_lock(device.mutex);
    auto& workspace = *device_workspace<ExecutionSpace>().workspace;
    device.on_streams.wait();
    try {
      body(exec_space, workspace);
    } catch (const InvalidArgument&) {
      throw;  // a refused call has changed nothing
    } catch (...) {
      give_back(workspace);  // what a call leaves in it is incomplete
      workspace.whole.release_all();
      throw;
    }
    m_device_kept = workspace.whole.kept_bytes() + device.bins->bytes();
  });
}

template <class Body>
void SpreadCalls::on_stream(Stream stream, const std::shared_ptr<const GraphSnapshot>& graph,
                            const Body& run) {
  with_instance(*m_context, Space::cuda, [&]<class ExecutionSpace>(const ExecutionSpace& own) {
    const auto lock = cancellable_lock(m_devices.get<ExecutionSpace>().mutex);
    auto& device = device_workspace<ExecutionSpace>();
    const auto& exec_space = call_instance(*m_context, own, stream);
    with_less_memory(
        [&] {
          device.on_streams.wait();
          return give_back(*device.workspace);
        },
        [&] {
          device.on_streams.run(exec_space, "Kindred::SpreadingEngine::failed", graph,
                                [&] { run(own, exec_space, device); });
        });
    m_device_kept = device.workspace->whole.kept_bytes() + device.bins->bytes();
  });
}

std::uint64_t SpreadCalls::kept_bytes(Space space) const noexcept {
  if (space == Space::serial) return m_serial.kept;
  return space == Space::openmp ? m_openmp.kept : m_device_kept;
}

template <class ExecutionSpace>
bool SpreadCalls::give_back(Workspace<ExecutionSpace>& workspace) {
  bool had_any = !workspace.frontier.is_empty();
  workspace.frontier.release();
  if constexpr (Arch::is_device<ExecutionSpace>) {
    auto& bins = m_devices.get<ExecutionSpace>().bins;
    had_any = bins->drop() || had_any;
  }
  return had_any;
}

bool SpreadCalls::release(Space space) {
  if (space != Space::cuda) return host(space).cache.release();
  bool had_any = false;
  with_instance(*m_context, space, [&]<class ExecutionSpace>(const ExecutionSpace&) {
    auto& device = m_devices.get<ExecutionSpace>();
    const std::lock_guard lock(device.mutex);
    device.on_streams.wait();
    if (device.workspace) {
      had_any = give_back(*device.workspace) || !device.workspace->whole.is_empty();
      device.workspace->whole.release_all();
    }
    m_device_kept = 0;
  });
  return had_any;
}

template <class ExecutionSpace>
BinnedEdges<typename ExecutionSpace::memory_space> SpreadCalls::bins_of(
    const ExecutionSpace& exec_space, const GraphSnapshot& graph, std::size_t hops) {
  if constexpr (!Arch::is_device<ExecutionSpace>) {
    return {};
  } else {
    const auto host = graph.host().in.built.offsets;
    return m_devices.get<ExecutionSpace>().bins->after(exec_space, hops, graph.identity(),
                                                       graph.view(exec_space).in.built,
                                                       {host.data(), host.extent(0)});
  }
}

void SpreadCalls::spread(Space space, const GraphSnapshot& graph,
                         std::span<const QuerySources> sources, const SpreadRequest& request,
                         std::span<Rank> ranks) {
  alone(space, [&](const auto& exec_space, auto& workspace) {
    const auto view = graph.view(exec_space);
    const auto side =
        workspace.whole.along(exec_space, view, graph.whole_identity(), request.rules);
    if (request.rules.modifiers)
      Arch::fence(exec_space, "Kindred::SpreadingEngine::spread::modifiers");
    workspace.done.assign(sources.size(), 0);
    // Runs `call` for the unfinished queries for which `is_target(query)` is true.
    const auto answer = [&](const auto& is_target, const auto& call) {
      std::vector<std::size_t> rest;
      std::vector<QuerySources> rest_sources;
      for (std::size_t query = 0; query < sources.size(); ++query) {
        if (workspace.done[query] != 0 || !is_target(query)) continue;
        rest.push_back(query);
        rest_sources.push_back(sources[query]);
      }
      if (rest.empty()) return;
      if (rest.size() == sources.size())
        return call(sources, ranks, std::span<std::uint8_t>(workspace.done));
      const std::size_t top = request.top;
      std::vector<Rank> rest_ranks(rest.size() * top);
      std::vector<std::uint8_t> rest_done(rest.size(), 1);
      call(std::span<const QuerySources>(rest_sources), std::span<Rank>(rest_ranks),
           std::span<std::uint8_t>(rest_done));
      for (std::size_t i = 0; i < rest.size(); ++i) {
        if (rest_done[i] == 0) continue;
        workspace.done[rest[i]] = 1;
        std::copy_n(rest_ranks.begin() + static_cast<std::ptrdiff_t>(i * top), top,
                    ranks.begin() + static_cast<std::ptrdiff_t>(rest[i] * top));
      }
    };
    const auto is_any = [](std::size_t) { return true; };
    if (request.rules.kinds.all() && !request.short_activations) {  // all queries follow all kinds
      if constexpr (Arch::is_device<std::decay_t<decltype(exec_space)>>) {
        QueryGroup group;
        group.parameters = request.parameters;
        group.decay = request.decay;
        const auto is_small = [&](std::size_t query) {
          return expected_edges(graph.base()->sample(), graph.host(), sources[query], group) <=
                 cluster_edges_most;
        };
        answer(is_small, [&](auto some, auto best, auto is_done) {
          workspace.frontier.spread_small(exec_space, side, view.out, some, request, best, is_done);
        });
      }
      const auto may_be_small = [&](std::size_t query) {
        return !is_surely_large(exec_space, graph, sources[query], request, sources.size());
      };
      answer(may_be_small, [&](auto some, auto best, auto is_done) {
        workspace.frontier.spread(exec_space, side, view.out, graph.edges(), workspace.slots, some,
                                  request, best, is_done);
      });
    }
    answer(is_any, [&](auto some, auto best, auto) {
      spread_whole(exec_space, workspace, graph, side, some, request, best);
    });
  });
}

template <class ExecutionSpace>
void SpreadCalls::spread_whole(const ExecutionSpace& exec_space,
                               Workspace<ExecutionSpace>& workspace, const GraphSnapshot& graph,
                               GraphSide<typename ExecutionSpace::memory_space> side,
                               std::span<const QuerySources> sources, const SpreadRequest& request,
                               std::span<Rank> ranks) {
  if (sources.size() == 1 && request.rules.is_plain() && !request.short_activations)
    side.bins = bins_of(exec_space, graph, request.parameters.hops);
  split_and_retry(sources.size(), workspace.whole.batch, [&](std::size_t begin, std::size_t count) {
    SpreadRequest of_some = request;
    if (!request.query_kinds.empty())
      of_some.query_kinds = request.query_kinds.subspan(begin, count);
    const auto spread_some = [&] {
      workspace.whole.spread(exec_space, side, sources.subspan(begin, count), of_some,
                             ranks.data() + begin * request.top);
    };
    try {
      spread_some();
    } catch (const OutOfMemory&) {
      if (!give_back(workspace)) throw;
      side.bins = {};
      spread_some();
    }
  });
}

void SpreadCalls::trace(const GraphSnapshot& graph, QuerySources sources,
                        const SpreadRequest& request, std::span<const Activation> nodes,
                        std::size_t count, SpreadPaths& paths) {
  lend_on_host(Space::serial, [&](const HostSpace& exec_space, Workspace<HostSpace>& workspace) {
    const GraphView<Kokkos::HostSpace> view = graph.host();
    const auto side =
        workspace.whole.along(exec_space, view, graph.whole_identity(), request.rules);
    if (request.rules.modifiers)
      Arch::fence(exec_space, "Kindred::SpreadingEngine::spread::modifiers");
    PathTrace(side, view.out, sources, request).append(nodes, count, paths);
  });
}

void SpreadCalls::hop(Space space, const GraphSnapshot& graph, std::span<const float> x,
                      std::span<float> y, const HopRequest& request) {
  alone(space, [&](const auto& exec_space, auto& workspace) {
    auto view = graph.view(exec_space);
    if (request.columns == 1 && request.rules.is_plain() &&
        request.direction == HopDirection::along)
      view.in.bins = bins_of(exec_space, graph, 1);
    workspace.whole.hop(exec_space, view, graph.whole_identity(), x, y, request);
  });
}

void SpreadCalls::hop_on_device(const std::shared_ptr<const GraphSnapshot>& graph,
                                const HopVectors& vectors, const HopRequest& request,
                                std::optional<Stream> stream) {
  const bool uses_bins =
      request.columns == 1 && request.rules.is_plain() && request.direction == HopDirection::along;
  const auto launch = [&]<class ExecutionSpace>(const ExecutionSpace& exec_space,
                                                Workspace<ExecutionSpace>& workspace,
                                                const auto& view) {
    workspace.whole.launch_hop(exec_space, view, graph->whole_identity(),
                               ArrayView<const float, ExecutionSpace>(vectors.x, vectors.count),
                               ArrayView<float, ExecutionSpace>(vectors.y, vectors.count), request);
  };
  if (!stream) {
    return alone(Space::cuda, [&](const auto& exec_space, auto& workspace) {
      auto view = graph->view(exec_space);
      if (uses_bins) view.in.bins = bins_of(exec_space, *graph, 1);
      launch(exec_space, workspace, view);
      Arch::fence(exec_space, "Kindred::SpreadingEngine::hop");
    });
  }
  on_stream(*stream, graph, [&](const auto& own, const auto& exec_space, auto& device) {
    auto view = graph->view(own);
    if (uses_bins) view.in.bins = device.bins->existing(graph->identity());
    if (!device.workspace->whole.is_ready_to_hop(view, graph->whole_identity(), vectors.x, request))
      device.on_streams.wait();
    launch(exec_space, *device.workspace, view);
  });
}

void SpreadCalls::spread_on_stream(const std::shared_ptr<const GraphSnapshot>& graph,
                                   const SpreadSources& sources, const SpreadOutput& output,
                                   const SpreadRequest& request, Stream stream) {
  on_stream(stream, graph,
            [&]<class ExecutionSpace>(const ExecutionSpace& own, const ExecutionSpace& exec_space,
                                      DeviceWorkspace<ExecutionSpace>& device) {
              const auto view = graph->view(own);
              const auto array_of = [&]<class T>(const auto& array, T*) {
                return ArrayView<T, ExecutionSpace>(static_cast<T*>(array.data()), array.size());
              };
              ArrayQueries<ExecutionSpace> queries;
              if (sources.offsets.type() == DataType::int64)
                queries.sources.offsets =
                    array_of(sources.offsets, static_cast<const std::int64_t*>(nullptr));
              else
                queries.sources.short_offsets =
                    array_of(sources.offsets, static_cast<const std::int32_t*>(nullptr));
              queries.sources.nodes =
                  array_of(sources.nodes, static_cast<const std::uint32_t*>(nullptr));
              queries.sources.values = array_of(sources.values, static_cast<const float*>(nullptr));
              queries.sources.removed = ArrayView<const std::uint64_t, ExecutionSpace>(
                  view.removed.data(), view.removed.extent(0));
              queries.queries = sources.offsets.size() - 1;
              queries.top = static_cast<std::size_t>(output.nodes.extent(1));
              queries.nodes = array_of(output.nodes, static_cast<std::uint32_t*>(nullptr));
              queries.values = array_of(output.values, static_cast<float*>(nullptr));
              SpreadingWorkspace<ExecutionSpace>& whole = device.workspace->whole;
              if (!whole.is_ready_to_spread(view.in, graph->whole_identity(), queries, request))
                device.on_streams.wait();
              auto side = whole.along(exec_space, view, graph->whole_identity(), request.rules);
              if (queries.queries == 1 && request.rules.is_plain() && !request.short_activations)
                side.bins = device.bins->existing(graph->identity());
              whole.launch_spread(exec_space, side, queries, request);
            });
}

}  // namespace Kindred::Impl
