// SPDX-License-Identifier: Apache-2.0
#include "OutWeights.hpp"

#include "RebuiltRows.hpp"

#include <kindred/core/graph/PageRank.hpp>
#include <kindred/core/math/LaneTree.hpp>
#include <kindred/core/math/ReproducibleSum.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace Kindred::Impl {

namespace {

using HostGraph = GraphView<Kokkos::HostSpace>;

/// The reproducible sums of out-weights per node; −1 if one of the weights is negative.
struct OutWeightSums {
  HostGraph graph;
  ArrayView<double, HostSpace> sums;
  ArrayView<double, HostSpace> inverses;

  void operator()(std::size_t node) const {
    const auto row = row_of(graph.out.built, graph.out.delta, static_cast<std::uint32_t>(node));
    const auto block_sum = [&](std::uint64_t first, std::uint32_t count) {
      return Impl::all_lanes<double>(count, [&](double& to, std::uint32_t i) {
        to += static_cast<double>(weight_at(row, first + i));
      });
    };
    double sum = sum_of_blocks(row.count, block_sum);
    for (std::uint64_t i = 0; i < row.count; ++i)
      if (weight_at(row, i) < 0.0F) sum = -1;
    sums(node) = sum;
    inverses(node) = sum > 0 ? 1.0 / sum : 1.0;
  }
};

std::string describe_negative(const HostGraph& graph, std::uint32_t node) {
  const auto row = row_of(graph.out.built, graph.out.delta, node);
  std::uint64_t i = 0;
  while (!(weight_at(row, i) < 0.0F)) ++i;
  return "the edge " + std::to_string(node) + " → " +
         std::to_string(row.part->sources(row.begin + i)) + " has the weight " +
         std::to_string(weight_at(row, i)) + "; PageRank requires weights ≥ 0";
}

}  // namespace

void OutWeights::prepare(Context& context, const HostGraph& graph) {
  {
    const std::lock_guard lock(m_mutex);
    if (m_is_made) return;
  }
  // Calls that come first at the same time may all compute them; one keeps its sums.
  MemoryResource& memory = context.memory(Space::serial);
  Placed<HostSpace> host{{memory, "Kindred::SpreadingEngine::out_weights", graph.nodes},
                         {memory, "Kindred::SpreadingEngine::out_weight_inverses", graph.nodes}};
  const OutWeightSums sum_node{graph, host.sums.view(), host.inverses.view()};
  constexpr double node_nanoseconds = 20;
  host_workers(context, Space::openmp)
      .for_each_range(graph.nodes, node_nanoseconds, [&](std::size_t begin, std::size_t end) {
        for (std::size_t node = begin; node < end; ++node) sum_node(node);
      });
  bool fit_float = true;
  for (std::size_t node = 0; node < graph.nodes; ++node) {
    const double sum = host.sums.data()[node];
    KINDRED_THROW_IF(sum < 0, describe_negative(graph, static_cast<std::uint32_t>(node)));
    if (sum > 0 && !(sum >= float_out_weights[0] && sum <= float_out_weights[1])) fit_float = false;
  }
  const std::lock_guard lock(m_mutex);
  if (m_is_made) return;
  m_fit_float = fit_float;
  m_host_bytes = host.sums.bytes() + host.inverses.bytes();
  m_placed.get<HostSpace>() = std::move(host);
  m_is_made = true;
}

template <class ExecutionSpace>
const OutWeights::Placed<ExecutionSpace>& OutWeights::on(Context& context,
                                                         const ExecutionSpace& exec_space) {
  const std::lock_guard lock(m_mutex);
  const Placed<HostSpace>& host = m_placed.get<HostSpace>();
  Placed<ExecutionSpace>& placed = m_placed.get<ExecutionSpace>();
  if (placed.inverses.size() < host.inverses.size()) {
    MemoryResource& memory = context.memory(Space::cuda);
    placed = {copy_beside(exec_space, memory, "Kindred::SpreadingEngine::out_weights", host.sums),
              copy_beside(exec_space, memory, "Kindred::SpreadingEngine::out_weight_inverses",
                          host.inverses)};
    m_device_bytes = placed.sums.bytes() + placed.inverses.bytes();
  }
  return placed;
}

#define KINDRED_INSTANTIATE(SPACE) \
  template const OutWeights::Placed<SPACE>& OutWeights::on<SPACE>(Context&, const SPACE&);
KINDRED_FOR_EACH_SPACE(KINDRED_INSTANTIATE)
#undef KINDRED_INSTANTIATE

}  // namespace Kindred::Impl
