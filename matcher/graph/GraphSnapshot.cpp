// SPDX-License-Identifier: Apache-2.0
#include "GraphSnapshot.hpp"

#include <algorithm>
#include <utility>

namespace Kindred::Impl {

namespace {

template <class MemorySpace, class Built, class Delta>
GraphSide<MemorySpace> side_of(const Built& built, const Delta& delta, std::size_t nodes) {
  GraphSide<MemorySpace> side;
  side.built = built.view();
  side.built.replaced = delta.replaced.const_view();
  side.delta = delta.rows.view();
  side.nodes = nodes;
  return side;
}

template <class ExecutionSpace>
DeltaRows<typename ExecutionSpace::memory_space> delta_beside(
    const ExecutionSpace& exec_space, MemoryResource& memory,
    const DeltaRows<Kokkos::HostSpace>& host) {
  DeltaRows<typename ExecutionSpace::memory_space> delta;
  if (host.rows.offsets.size() == 0) return delta;
  delta.rows = rows_beside(exec_space, memory, host.rows);
  delta.replaced =
      copy_beside(exec_space, memory, "Kindred::SpreadingEngine::replaced", host.replaced);
  return delta;
}

}  // namespace

DeltaRows<Kokkos::HostSpace> delta_rows(MemoryResource& memory, const RebuiltRows& list,
                                        std::size_t built) {
  DeltaRows<Kokkos::HostSpace> delta;
  if (list.nodes().empty()) return delta;
  delta.rows = list.rows(memory);
  delta.replaced = {memory, "Kindred::SpreadingEngine::replaced", (built + 63) / 64};
  std::uint64_t* const words = delta.replaced.data();
  std::fill_n(words, delta.replaced.size(), std::uint64_t{0});
  for (const std::uint32_t node : list.nodes()) {
    if (node < built) words[node / 64] |= std::uint64_t{1} << node % 64;
  }
  return delta;
}

GraphSnapshot::GraphSnapshot(Context& context, std::shared_ptr<const BuiltGraph> base,
                             std::shared_ptr<const HostDelta> delta,
                             std::shared_ptr<const NodeTable> table, std::size_t nodes,
                             std::uint64_t edges, std::uint64_t outside)
    : m_context(&context),
      m_base(std::move(base)),
      m_delta(std::move(delta)),
      m_table(std::move(table)),
      m_nodes(nodes),
      m_edges(edges),
      m_outside(outside),
      m_form(m_base->form()),
      m_copies(std::make_unique<Copies>()) {
  m_form.kinds = m_form.kinds || m_delta->in.rows.kinds.size() > 0;
  m_host.in = side_of<Kokkos::HostSpace>(m_base->host().in, m_delta->in, m_nodes);
  m_host.out = side_of<Kokkos::HostSpace>(m_base->host().out, m_delta->out, m_nodes);
  m_host.node_kinds = m_table->kinds.const_view();
  m_host.removed = ArrayView<const std::uint64_t, Kokkos::HostSpace>(m_table->removed.data(),
                                                                     m_table->removed.size());
  m_host.nodes = m_nodes;
  m_host.identity = &m_identity;
}

std::uint64_t GraphSnapshot::bytes(Space space) const {
  const std::uint64_t sums = m_out_weights->bytes(space);
  if (space != Space::cuda)
    return m_base->host().bytes() + m_delta->bytes() + m_table->kinds.bytes() + sums;
  const std::lock_guard lock(m_copies->mutex);
  return m_base->device_bytes() + m_copies->bytes + sums;
}

template <class ExecutionSpace>
GraphView<typename ExecutionSpace::memory_space> GraphSnapshot::view(
    const ExecutionSpace& exec_space) const {
  if constexpr (!Arch::is_device<ExecutionSpace>) {
    return host();
  } else {
    using memory_space = typename ExecutionSpace::memory_space;
    const std::lock_guard lock(m_copies->mutex);
    auto& copy = m_copies->of.template get<ExecutionSpace>();
    if (!copy.delta) {
      MemoryResource& memory = m_context->memory(Space::cuda);
      GraphDelta<memory_space> delta;
      delta.in = delta_beside(exec_space, memory, m_delta->in);
      delta.out = delta_beside(exec_space, memory, m_delta->out);
      copy.node_kinds =
          copy_beside(exec_space, memory, "Kindred::SpreadingEngine::node_kinds", m_table->kinds);
      copy.removed =
          copy_beside(exec_space, memory, "Kindred::SpreadingEngine::removed", m_table->removed);
      m_copies->bytes = delta.bytes() + copy.node_kinds.bytes() + copy.removed.bytes();
      copy.delta = std::move(delta);
    }
    const auto& rows = m_base->template rows<ExecutionSpace>();
    GraphView<memory_space> graph;
    graph.in = side_of<memory_space>(rows.in, copy.delta->in, m_nodes);
    graph.out = side_of<memory_space>(rows.out, copy.delta->out, m_nodes);
    graph.node_kinds = copy.node_kinds.const_view();
    graph.removed = copy.removed.const_view();
    graph.nodes = m_nodes;
    graph.identity = &m_identity;
    return graph;
  }
}

#define KINDRED_INSTANTIATE(SPACE) \
  template GraphView<typename SPACE::memory_space> GraphSnapshot::view<SPACE>(const SPACE&) const;
KINDRED_FOR_EACH_SPACE(KINDRED_INSTANTIATE)
#undef KINDRED_INSTANTIATE

}  // namespace Kindred::Impl
