// SPDX-License-Identifier: Apache-2.0
#include "GraphSnapshot.hpp"

#include <kindred/core/graph/Hop.hpp>

#include <string>

namespace Kindred::Impl {

GraphSnapshot::GraphSnapshot(Context& context, std::size_t nodes, std::span<const Edge> edges,
                             Residency residency)
    : m_context(&context), m_nodes(nodes), m_edges(edges.size()) {
  build(edges);
  if (residency != Residency::host) place_on_device(residency);
}

void GraphSnapshot::build(std::span<const Edge> edges) {
  MemoryResource& memory = m_context->memory(Space::serial);
  const HostSpace& exec_space = host_instance(*m_context, Space::serial);
  auto& side = m_sides.get<HostSpace>();
  side.out.emplace(memory, m_nodes, m_edges);
  side.in.emplace(memory, m_nodes, m_edges);
  fill_adjacency(edges, side.out->span(), side.in->span());
  for (auto* rows : {&*side.in, &*side.out}) {
    rows->set_plan(exec_space, memory,
                   plan_rows(rows->span().offsets, short_row_max<HostSpace>(),
                             short_row_max<HostSpace>() / 2));
  }
}

void GraphSnapshot::place_on_device(Residency residency) {
  if (!m_context->is_usable(Space::cuda)) {
    if (!needs_device(residency)) return;
    throw SpaceUnavailable("space cuda cannot hold the graph: " +
                           m_context->info(Space::cuda).why_not);
  }
  with_instance(
      *m_context, Space::cuda, [&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
        MemoryResource& memory = m_context->memory(Space::cuda);
        const auto& host = m_sides.get<HostSpace>();
        auto& side = m_sides.get<ExecutionSpace>();
        const auto place = [&](auto& to, const auto& from) {
          auto& rows = to.emplace(memory, m_nodes, m_edges);
          const AdjacencySpan span = from->span();
          upload(exec_space, rows.offsets.view(), span.offsets.data(), span.offsets.size());
          upload(exec_space, rows.sources.view(), span.ends.data(), span.ends.size());
          upload(exec_space, rows.weights.view(), span.weights.data(), span.weights.size());
          RowPlan plan = plan_rows(span.offsets, short_row_max<ExecutionSpace>(), m_edges + 1);
          plan.tiles.clear();
          rows.set_plan(exec_space, memory, plan);
          m_device_bytes += rows.bytes();
        };
        try {
          place(side.in, host.in);
          place(side.out, host.out);
          m_resident = reachable(residency, true);
        } catch (const OutOfMemory& error) {
          side.in.reset();
          side.out.reset();
          m_device_bytes = 0;
          if (needs_device(residency)) throw;
          m_context->log(LogLevel::info,
                         std::string("the graph stays on the host: ") + error.what());
        }
      });
}

std::uint64_t GraphSnapshot::bytes(Space space) const noexcept {
  if (space == Space::cuda) return m_device_bytes;
  const auto& host = m_sides.get<HostSpace>();
  return host.in->bytes() + host.out->bytes();
}

template <class ExecutionSpace>
GraphView<typename ExecutionSpace::memory_space> GraphSnapshot::view(
    const ExecutionSpace& /*exec_space*/) const {
  const auto& side = m_sides.get<ExecutionSpace>();
  GraphView<typename ExecutionSpace::memory_space> graph;
  graph.in.built = side.in->view();
  graph.out.built = side.out->view();
  graph.nodes = graph.in.nodes = graph.out.nodes = m_nodes;
  return graph;
}

#define KINDRED_INSTANTIATE(SPACE) \
  template GraphView<typename SPACE::memory_space> GraphSnapshot::view<SPACE>(const SPACE&) const;
KINDRED_FOR_EACH_SPACE(KINDRED_INSTANTIATE)
#undef KINDRED_INSTANTIATE

}  // namespace Kindred::Impl
