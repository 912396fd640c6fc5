// SPDX-License-Identifier: Apache-2.0
#include "SpreadingState.hpp"

#include <kindred/core/common/Cancellation.hpp>
#include <kindred/core/common/QuotientUp.hpp>
#include <kindred/core/math/LaneTree.hpp>
#include <kindred/core/math/ReproducibleSum.hpp>
#include <kindred/memory/SplitAndRetry.hpp>

#include <algorithm>
#include <bit>
#include <string>

namespace Kindred {

namespace Impl {

namespace {

/// The reproducible sum of the source values of a query, by which its restart is normalised.
double restart_sum(RestartSources sources) {
  return sum_of_blocks(sources.size(), [&](std::uint64_t begin, std::uint32_t length) {
    return all_lanes<double>(length, [&](double& to, std::uint32_t i) {
      to += static_cast<double>(sources[begin + i].value);
    });
  });
}

}  // namespace

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

}  // namespace Impl

DispatchRecord SpreadingEngine::State::page_rank(const Impl::GraphSnapshot& graph,
                                                 std::span<const Impl::RestartSources> sources,
                                                 const SpreadOptions& options,
                                                 std::optional<Space> space, std::span<Rank> ranks,
                                                 std::span<Convergence> convergence) {
  KINDRED_THROW_IF(!(options.damping >= 0.0 && options.damping < 1.0),
                   "damping is " + std::to_string(options.damping) + "; it must be in [0, 1)");
  KINDRED_THROW_IF(!(options.tolerance >= 0.0),
                   "tolerance is " + std::to_string(options.tolerance) + "; it must be ≥ 0");
  KINDRED_THROW_IF(options.max_iterations == 0, "max_iterations is 0; it must be at least 1");
  Impl::OutWeights& weights = graph.out_weights();
  weights.prepare(context, graph.host());
  if (sources.empty()) return {};
  Impl::PageRankCall call;
  call.parameters.damping = options.damping;
  call.parameters.tolerance = options.tolerance;
  call.max_iterations = options.max_iterations;
  call.top = ranks.size() / sources.size();
  call.is_float = options.tolerance >= float_tolerance && weights.fit_float();
  call.sources = sources;
  call.ranks = ranks;
  call.convergence = convergence;

  const double expected = std::min<double>(iterations.load(), options.max_iterations);
  Workload workload = work_of(graph, sources.size(), expected);
  // Every iteration has a hop and a sum, for 32 queries at a time.
  workload.starts = 2 * (expected + 4) * static_cast<double>(quotient_up(sources.size(), 32));
  workload.history = &page_ranks;
  workload.transfer_bytes = ranks.size() * sizeof(Rank);
  for (const Impl::RestartSources& query : sources) workload.transfer_bytes += query.size_bytes();
  const DispatchRecord record = run(workload, space, [&](const auto& exec_space, auto& workspace) {
    const auto view = graph.view(exec_space);
    const auto& placed = weights.on(context, exec_space);
    split_and_retry(sources.size(), workspace.page_rank.batch,
                    [&](std::size_t begin, std::size_t count) {
                      workspace.page_rank.run(exec_space, view.in, placed, call.part(begin, count));
                    });
  });
  double taken = 0;
  for (const Convergence& query : convergence) taken += query.iterations;
  taken /= static_cast<double>(convergence.size());
  iterations.store(0.75 * iterations.load() + 0.25 * taken);
  return record;
}

}  // namespace Kindred
