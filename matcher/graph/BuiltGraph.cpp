// SPDX-License-Identifier: Apache-2.0
#include "BuiltGraph.hpp"

#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/graph/FillAdjacency.hpp>

#include <utility>

#include "kit/Placement.hpp"

namespace Kindred::Impl {

BothRows<Kokkos::HostSpace> built_rows(Context& context, const GraphSpan& graph, EdgeForm form) {
  MemoryResource& memory = context.memory(Space::serial);
  BothRows<Kokkos::HostSpace> rows;
  rows.in = rows_for(memory, graph.nodes, graph.edges.size(), form);
  rows.out = rows_for(memory, graph.nodes, graph.edges.size(), form);
  constexpr double edge_nanoseconds = 10;
  const HostLease lease(
      context, host_space_for(context, edge_nanoseconds * static_cast<double>(graph.edges.size())));
  fill_adjacency(lease.get(), graph.edges, adjacency_of(rows.out), adjacency_of(rows.in),
                 graph.edge_kinds);
  return rows;
}

BuiltGraph::BuiltGraph(Context& context, BothRows<Kokkos::HostSpace> host, EdgeForm form,
                       Residency residency, std::shared_ptr<const void> owner)
    : m_context(&context), m_form(form), m_owner(std::move(owner)), m_host(std::move(host)) {
  for (HostRows* rows : {&m_host.in, &m_host.out})
    if (rows->long_first.size() == 0) plan_host_rows(context.memory(Space::serial), *rows);
  GraphView<Kokkos::HostSpace> view;
  view.in.built = m_host.in.view();
  view.out.built = m_host.out.view();
  view.nodes = view.in.nodes = view.out.nodes = nodes();
  m_sample = GraphSample(view);
  place(residency);
}

void BuiltGraph::place(Residency residency) {
  place_on_device(*m_context, residency, "the graph", [&] {
    with_instance(*m_context, Space::cuda,
                  [&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
                    MemoryResource& memory = m_context->memory(Space::cuda);
                    // A merge may run while the instance of the context answers queries.
                    const KeptInstance<ExecutionSpace> own(instance_beside(exec_space));
                    BothRows<typename ExecutionSpace::memory_space> rows;
                    rows.in = rows_beside(*own, memory, m_host.in);
                    rows.out = rows_beside(*own, memory, m_host.out);
                    m_device_bytes = rows.bytes();
                    m_resident = reachable(residency, true);
                    m_devices.get<ExecutionSpace>().rows = std::move(rows);
                  });
  });
}

}  // namespace Kindred::Impl
