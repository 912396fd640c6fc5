// SPDX-License-Identifier: Apache-2.0
#include "PageRankCalls.hpp"

#include <kindred/matcher/GraphOperationInfo.hpp>

#include <kindred/core/common/Cancellation.hpp>
#include <kindred/core/math/LaneTree.hpp>
#include <kindred/core/math/ReproducibleSum.hpp>
#include <kindred/memory/SplitAndRetry.hpp>

#include <algorithm>
#include <bit>
#include <memory>
#include <string>

namespace Kindred::Impl {

double restart_sum(RestartSources sources) {
  return sum_of_blocks(sources.size(), [&](std::uint64_t begin, std::uint32_t length) {
    return all_lanes<double>(length, [&](double& to, std::uint32_t i) {
      to += static_cast<double>(sources[begin + i].value);
    });
  });
}

RestartTable::RestartTable(std::size_t nodes, std::size_t width,
                           std::span<const RestartSources> sources)
    : named((nodes + 63) / 64) {
  for (const RestartSources& query : sources) {
    for (const Activation& source : query)
      named[source.node / 64] |= std::uint64_t{1} << source.node % 64;
  }
  std::uint32_t count = 0;
  for (const std::uint64_t word : named) {
    before.push_back(count);
    count += static_cast<std::uint32_t>(std::popcount(word));
  }
  RestartRows<HostSpace> rows;
  rows.named = ArrayView<const std::uint64_t, HostSpace>(named.data(), named.size());
  rows.before = ArrayView<const std::uint32_t, HostSpace>(before.data(), before.size());
  shares.assign(count * width, 0.0);
  for (std::size_t query = 0; query < sources.size(); ++query) {
    const double total = restart_sum(sources[query]);
    if (total == 0) continue;  // without restart, all values are 0
    for (const Activation& source : sources[query]) {
      shares[rows.row(source.node) * width + query] = static_cast<double>(source.value) / total;
    }
  }
}

DispatchRecord PageRankCalls::run(const GraphSnapshot& graph,
                                  std::span<const RestartSources> sources,
                                  const SpreadOptions& options, std::size_t top,
                                  std::span<Rank> ranks, std::span<Convergence> convergence,
                                  const std::function<bool(Space)>& make_room) {
  KINDRED_THROW_IF(!(options.damping >= 0.0 && options.damping < 1.0),
                   "damping is " + std::to_string(options.damping) + "; it must be in [0, 1)");
  KINDRED_THROW_IF(!(options.tolerance >= 0.0),
                   "tolerance is " + std::to_string(options.tolerance) + "; it must be ≥ 0");
  KINDRED_THROW_IF(options.max_iterations == 0, "max_iterations is 0; it must be at least 1");
  OutWeights& weights = graph.out_weights();
  weights.prepare(*m_context, graph.host());
  if (sources.empty()) return {};
  PageRankRequest request;
  request.parameters.damping = options.damping;
  request.parameters.tolerance = options.tolerance;
  request.max_iterations = options.max_iterations;
  request.top = top;
  request.is_float = options.tolerance >= float_tolerance && weights.fit_float();

  Workload workload;
  workload.operation = Operations::spread;
  workload.items = graph.edges() * sources.size();
  const double iterations_expected = std::min<double>(m_iterations.load(), options.max_iterations);
  workload.work = static_cast<double>(workload.items) * iterations_expected;
  // Every iteration has a hop and a sum, for 32 queries at a time.
  workload.starts = 2 * (iterations_expected + 4) * static_cast<double>((sources.size() + 31) / 32);
  workload.history = &m_history;
  workload.transfer_bytes = ranks.size() * sizeof(Rank);
  for (const RestartSources& query : sources) workload.transfer_bytes += query.size_bytes();
  workload.resident = graph.resident();
  const DispatchRecord record = m_context->run(workload, options.space, [&](Space space) {
    try {
      run_on(space, graph, sources, request, ranks, convergence);
    } catch (const OutOfMemory&) {
      if (!make_room(space)) throw;
      run_on(space, graph, sources, request, ranks, convergence);
    }
  });
  double iterations = 0;
  for (const Convergence& query : convergence) iterations += query.iterations;
  if (!convergence.empty()) {
    iterations /= static_cast<double>(convergence.size());
    m_iterations.store(0.75 * m_iterations.load() + 0.25 * iterations);
  }
  return record;
}

bool PageRankCalls::release(Space space) {
  return with_instance(*m_context, space, [&]<class ExecutionSpace>(const ExecutionSpace&) {
    return m_workspaces.of<ExecutionSpace>(threads_of(*m_context, space)).release();
  });
}

void PageRankCalls::run_on(Space space, const GraphSnapshot& graph,
                           std::span<const RestartSources> sources, const PageRankRequest& request,
                           std::span<Rank> ranks, std::span<Convergence> convergence) {
  with_instance(*m_context, space, [&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
    using workspace_type = PageRankWorkspace<ExecutionSpace>;
    m_workspaces.of<ExecutionSpace>(threads_of(*m_context, space))
        .lend([&] { return std::make_unique<workspace_type>(m_context->memory(space)); },
              exec_space, "Kindred::SpreadingEngine::failed", 0,
              [&](workspace_type& workspace) {
                const auto view = graph.view(exec_space);
                const auto& placed = graph.out_weights().on(*m_context, exec_space);
                split_and_retry(sources.size(), workspace_type::batch,
                                [&](std::size_t begin, std::size_t count) {
                                  workspace.run(exec_space, view.in, placed,
                                                sources.subspan(begin, count), request,
                                                ranks.data() + begin * request.top,
                                                convergence.data() + begin);
                                });
              });
  });
}

}  // namespace Kindred::Impl
