// SPDX-License-Identifier: Apache-2.0
#include "SpreadRuns.hpp"

#include <kindred/memory/SplitAndRetry.hpp>

#include <algorithm>
#include <vector>

namespace Kindred::Impl {

SpreadRuns::SpreadRuns(Context& context)
    : m_context(&context),
      m_serial(context.memory(Space::serial), 1),
      m_openmp(context.memory(Space::serial), static_cast<std::size_t>(context.threads())) {}

template <class Body>
void SpreadRuns::on_device(const Body& body) {
  with_instance(*m_context, Space::cuda,
                [&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
                  auto& workspace = m_devices.get<ExecutionSpace>();
                  const std::lock_guard lock(workspace.mutex);
                  if (!workspace.whole) {
                    workspace.whole.emplace(m_context->memory(Space::cuda));
                    workspace.bins.emplace(m_context->memory(Space::cuda));
                  }
                  body(exec_space, *workspace.whole, *workspace.bins);
                });
}

template <class ExecutionSpace>
auto SpreadRuns::bins_of(const ExecutionSpace& exec_space, const GraphSnapshot& graph,
                         std::size_t hops, DenseBins<ExecutionSpace>& bins) {
  const auto host = graph.view(host_instance(*m_context, Space::serial)).in.built.offsets;
  return bins.after(exec_space, hops, graph.identity(), graph.view(exec_space).in.built,
                    {host.data(), host.extent(0)});
}

void SpreadRuns::spread(Space space, const GraphSnapshot& graph,
                        std::span<const QuerySources> sources, const SpreadRequest& request,
                        std::span<Rank> ranks) {
  if (space != Space::cuda) return spread_on_host(space, graph, sources, request, ranks);
  on_device([&](const auto& exec_space, auto& workspace, auto& bins) {
    auto side = workspace.along(exec_space, graph.view(exec_space), request.rules);
    if (sources.size() == 1 && request.rules.is_plain() && !request.short_activations)
      side.bins = bins_of(exec_space, graph, request.parameters.hops, bins);
    split_and_retry(sources.size(), workspace.batch, [&](std::size_t begin, std::size_t count) {
      workspace.spread(exec_space, side, sources.subspan(begin, count), request,
                       ranks.data() + begin * request.top);
    });
  });
}

void SpreadRuns::spread_on_host(Space space, const GraphSnapshot& graph,
                                std::span<const QuerySources> sources, const SpreadRequest& request,
                                std::span<Rank> ranks) {
  HostWorkspace& workspace = host_workspace(space);
  const std::lock_guard lock(workspace.mutex);
  const HostSpace& exec_space = host_instance(*m_context, space);
  GraphView<Kokkos::HostSpace> view = graph.view(exec_space);
  view.in = workspace.whole.along(exec_space, view, request.rules);
  if (request.rules.modifiers) exec_space.fence("Kindred::SpreadingEngine::spread::modifiers");
  std::vector<std::uint8_t> done(sources.size());
  if (request.rules.kinds.all() && !request.short_activations) {
    spread_frontiers(exec_space, workspace, view, graph.edges(), sources, request, ranks, done);
  }
  const std::size_t top = request.top;

  std::vector<std::size_t> rest;
  std::vector<QuerySources> rest_sources;
  for (std::size_t query = 0; query < sources.size(); ++query) {
    if (done[query] != 0) continue;
    rest.push_back(query);
    rest_sources.push_back(sources[query]);
  }
  std::vector<Rank> rest_ranks(rest.size() * top);
  split_and_retry(rest.size(), workspace.whole.batch, [&](std::size_t begin, std::size_t count) {
    const auto spread_whole = [&] {
      workspace.whole.spread(exec_space, view.in, std::span(rest_sources).subspan(begin, count),
                             request, rest_ranks.data() + begin * top);
    };
    try {
      spread_whole();
    } catch (const OutOfMemory&) {
      if (workspace.frontier.is_empty()) throw;
      workspace.frontier.release();
      spread_whole();
    }
  });
  for (std::size_t i = 0; i < rest.size(); ++i)
    std::copy_n(rest_ranks.begin() + static_cast<std::ptrdiff_t>(i * top), top,
                ranks.begin() + static_cast<std::ptrdiff_t>(rest[i] * top));
}

void SpreadRuns::spread_frontiers(const HostSpace& exec_space, HostWorkspace& workspace,
                                  const GraphView<Kokkos::HostSpace>& graph, std::size_t edges,
                                  std::span<const QuerySources> sources,
                                  const SpreadRequest& request, std::span<Rank> ranks,
                                  std::span<std::uint8_t> done) {
  // Frontiers follow rows as built, of float32.
  const GraphRows<Kokkos::HostSpace>& built = graph.in.built;
  if (sources.empty() || graph.in.delta.rows() > 0 || built.rows() < graph.nodes ||
      built.weights.extent(0) < built.sources.extent(0))
    return;
  constexpr std::size_t slot_nodes_max = std::size_t{1} << 24;
  FrontierShape shape;
  shape.nodes = graph.nodes;
  shape.budget = FrontierShape::budget_of(graph.nodes, edges);
  shape.slots = std::min({workspace.threads, sources.size(),
                          std::max<std::size_t>(1, slot_nodes_max / (graph.nodes + 1))});
  try {
    const FrontierState& state = workspace.frontier.state(exec_space, shape);
    spread_frontier(exec_space, graph.in.built, graph.out.built.offsets, graph.out.built.sources,
                    state, sources, request.parameters, request.decay, request.top, ranks, done);
    exec_space.fence("Kindred::SpreadingEngine::spread::frontier");
  } catch (const OutOfMemory&) {
    std::ranges::fill(done, std::uint8_t{0});  // whole hops need less, or say so
  }
}

void SpreadRuns::hop(Space space, const GraphSnapshot& graph, std::span<const float> x,
                     std::span<float> y, const HopRequest& request) {
  if (space == Space::cuda) {
    return on_device([&](const auto& exec_space, auto& workspace, auto& bins) {
      auto view = graph.view(exec_space);
      if (request.columns == 1 && request.rules.is_plain() &&
          request.direction == HopDirection::along)
        view.in.bins = bins_of(exec_space, graph, 1, bins);
      workspace.hop(exec_space, view, x, y, request);
    });
  }
  HostWorkspace& workspace = host_workspace(space);
  const std::lock_guard lock(workspace.mutex);
  const HostSpace& exec_space = host_instance(*m_context, space);
  workspace.whole.hop(exec_space, graph.view(exec_space), x, y, request);
}

}  // namespace Kindred::Impl
