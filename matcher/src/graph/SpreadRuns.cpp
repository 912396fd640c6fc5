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
                  if (!workspace.whole) workspace.whole.emplace(m_context->memory(Space::cuda));
                  body(exec_space, *workspace.whole);
                });
}

void SpreadRuns::spread(Space space, const GraphSnapshot& graph,
                        std::span<const QuerySources> sources, const HopParameters& parameters,
                        const Decay& decay, std::size_t top, std::span<Rank> ranks) {
  if (space != Space::cuda)
    return spread_on_host(space, graph, sources, parameters, decay, top, ranks);
  on_device([&](const auto& exec_space, auto& workspace) {
    const auto view = graph.view(exec_space);
    split_and_retry(sources.size(), workspace.batch, [&](std::size_t begin, std::size_t count) {
      workspace.spread(exec_space, view, sources.subspan(begin, count), parameters, decay, top,
                       ranks.data() + begin * top);
    });
  });
}

void SpreadRuns::spread_on_host(Space space, const GraphSnapshot& graph,
                                std::span<const QuerySources> sources,
                                const HopParameters& parameters, const Decay& decay,
                                std::size_t top, std::span<Rank> ranks) {
  HostWorkspace& workspace = host_workspace(space);
  const std::lock_guard lock(workspace.mutex);
  const HostSpace& exec_space = host_instance(*m_context, space);
  const GraphView<Kokkos::HostSpace> view = graph.view(exec_space);
  std::vector<std::uint8_t> done(sources.size());
  spread_frontiers(exec_space, workspace, view, graph.edges(), sources, parameters, decay, top,
                   ranks, done);

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
      workspace.whole.spread(exec_space, view, std::span(rest_sources).subspan(begin, count),
                             parameters, decay, top, rest_ranks.data() + begin * top);
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
                                  const HopParameters& parameters, const Decay& decay,
                                  std::size_t top, std::span<Rank> ranks,
                                  std::span<std::uint8_t> done) {
  if (sources.empty()) return;
  constexpr std::size_t slot_nodes_max = std::size_t{1} << 24;
  FrontierShape shape;
  shape.nodes = graph.nodes;
  shape.budget = FrontierShape::budget_of(graph.nodes, edges);
  shape.slots = std::min({workspace.threads, sources.size(),
                          std::max<std::size_t>(1, slot_nodes_max / (graph.nodes + 1))});
  try {
    const FrontierState& state = workspace.frontier.state(exec_space, shape);
    spread_frontier(exec_space, graph.in.built, graph.out.built.offsets, graph.out.built.sources,
                    state, sources, parameters, decay, top, ranks, done);
    exec_space.fence("Kindred::SpreadingEngine::spread::frontier");
  } catch (const OutOfMemory&) {
    std::ranges::fill(done, std::uint8_t{0});  // whole hops need less, or say so
  }
}

void SpreadRuns::hop(Space space, const GraphSnapshot& graph, std::span<const float> x,
                     std::span<float> y) {
  if (space == Space::cuda) {
    return on_device([&](const auto& exec_space, auto& workspace) {
      workspace.hop(exec_space, graph.view(exec_space), x, y);
    });
  }
  HostWorkspace& workspace = host_workspace(space);
  const std::lock_guard lock(workspace.mutex);
  const HostSpace& exec_space = host_instance(*m_context, space);
  workspace.whole.hop(exec_space, graph.view(exec_space), x, y);
}

}  // namespace Kindred::Impl
