// SPDX-License-Identifier: Apache-2.0
#include "SpreadCost.hpp"

#include "RebuiltRows.hpp"

#include <kindred/core/common/QuotientUp.hpp>
#include <kindred/core/graph/Frontier.hpp>

#include <algorithm>
#include <cmath>

namespace Kindred::Impl {

GraphSample::GraphSample(const GraphView<Kokkos::HostSpace>& graph) {
  constexpr std::uint64_t samples_max = 4096;
  const GraphRows<Kokkos::HostSpace>& out = graph.out.built;
  const std::uint64_t count = out.sources.extent(0);
  if (count == 0) return;
  const std::uint64_t samples = std::min(count, samples_max);
  const HostRowPlace all{&out, 0, count};
  for (std::uint64_t i = 0; i < samples; ++i) {
    const std::uint64_t edge = static_cast<std::uint64_t>(
        static_cast<double>(i) * static_cast<double>(count) / static_cast<double>(samples));
    in_degree +=
        static_cast<double>(row_of(graph.in.built, graph.in.delta, out.sources(edge)).count);
    weight += std::abs(static_cast<double>(weight_at(all, edge)));
  }
  edges = static_cast<double>(count);
  out_degree = edges / static_cast<double>(graph.nodes);
  in_degree /= static_cast<double>(samples);
  weight /= static_cast<double>(samples);
}

double expected_edges(const GraphSample& sample, const GraphView<Kokkos::HostSpace>& graph,
                      QuerySources sources, const SpreadRequest& request, std::uint32_t hops) {
  constexpr std::size_t samples_max = 256;  // each sample waits for memory
  double reached = 0;                       // edges that leave the nodes reached so far
  double value = 0;
  const std::size_t step = quotient_up(sources.size(), samples_max);
  std::size_t looked_at = 0;
  for (std::size_t i = 0; i < sources.size(); i += step, ++looked_at) {
    const Activation& source = sources[i];
    if (source.value == 0.0F) continue;
    reached += static_cast<double>(row_of(graph.out.built, graph.out.delta, source.node).count);
    value = std::max(value, std::abs(static_cast<double>(source.value)));
  }
  if (looked_at > 0)
    reached *= static_cast<double>(sources.size()) / static_cast<double>(looked_at);
  double read = 0;
  for (std::uint32_t hop = 1; hop <= hops && reached > 0; ++hop) {
    read += std::min(sample.edges, reached * sample.in_degree);
    value *= sample.weight * static_cast<double>(decay_at(request.decay, hop));
    const double threshold = static_cast<double>(request.parameters.thresholds[tier_at(hop)]);
    if (request.parameters.mode == SpreadMode::engine && !(value > threshold)) break;
    if (reached * sample.in_degree >= sample.edges) {
      if (request.parameters.mode == SpreadMode::linear) return read + sample.edges * (hops - hop);
    }
    reached = std::min(sample.edges, reached * sample.out_degree);
  }
  return read;
}

namespace {
/// The cost of a step of a small frontier, in edges of a whole hop.
constexpr double step_edges = 1.5;

/// Steps for reading this number of edges: one per edge, plus the rows that contain and precede
/// them.
double frontier_steps(const GraphSample& sample, double edges) {
  const double rows = 1 / std::max(sample.in_degree, 1.0) + 1 / std::max(sample.out_degree, 1.0);
  return edges * (1 + static_cast<double>(FrontierShape::row_steps) * rows);
}
}  // namespace

SpreadWork::SpreadWork(const GraphSample& sample, const GraphView<Kokkos::HostSpace>& graph,
                       std::size_t edges)
    : m_sample(sample),
      m_graph(graph),
      m_edges(static_cast<double>(edges)),
      m_budget(static_cast<double>(FrontierShape::budget_of<HostSpace>(graph.nodes, edges))) {}

void SpreadWork::add(QuerySources sources, const QueryGroup& group) {
  const std::uint32_t hops = group.request.parameters.hops;
  const double expected = expected_edges(m_sample, m_graph, sources, group.request, hops);
  const double steps = frontier_steps(m_sample, expected);
  // A query that is expected to reach far is not tried as a small one if it has many sources or
  // shares its hops with other queries.
  const bool is_tried = (sources.size() <= few_sources && group.queries.size() < sharing_queries) ||
                        steps <= 8 * m_budget;
  if (is_tried) m_work += step_edges * std::min(steps, m_budget);
  if (steps > m_budget)
    add_whole(1, hops, expected);
  else
    ++m_small;
}

void SpreadWork::add_whole(std::size_t queries, std::uint32_t hops, double expected) {
  constexpr double inactive = 0.7;  // the cost of an edge whose source is not active
  const double edges = m_edges * hops;
  m_work += (inactive * edges + (1 - inactive) * std::min(expected, edges)) *
            static_cast<double>(queries);
  m_whole += queries;
  m_hops = std::max(m_hops, hops);
}

void SpreadWork::put_in(Workload& workload) const {
  constexpr double others = 8;  // clearing, placing the sources, ranking
  workload.work = m_work;
  // A single query needs no parallel region.
  workload.starts = m_small > 1 ? 1 : 0;
  workload.starts += (m_hops + others) * static_cast<double>(quotient_up(m_whole, 32));
  workload.pieces = m_whole == 0 ? static_cast<std::uint32_t>(m_small) : 0;
}

}  // namespace Kindred::Impl
