// SPDX-License-Identifier: Apache-2.0
#include "PathTrace.hpp"
#include "SpreadChecks.hpp"
#include "SpreadCost.hpp"
#include "SpreadingState.hpp"
#include "kit/CallerArrays.hpp"

#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/common/CheckedSize.hpp>
#include <kindred/memory/SplitAndRetry.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

namespace Kindred {

namespace {

using Impl::QueryGroup;
using Impl::QuerySources;
using Impl::SpreadRequest;

/// A stable radix sort by node: sources of the same node keep their order.
void sort_by_node(std::vector<Activation>& sources) {
  const auto by_node = [](const Activation& a, const Activation& b) { return a.node < b.node; };
  if (std::is_sorted(sources.begin(), sources.end(), by_node)) return;
  constexpr std::size_t few = 64;  // below this, clearing the counts takes longer
  if (sources.size() < few) {
    std::stable_sort(sources.begin(), sources.end(), by_node);
    return;
  }
  std::uint32_t bits = 0;
  for (const Activation& source : sources) bits |= source.node;
  std::vector<Activation> sorted(sources.size());
  for (unsigned shift = 0; shift < 32 && bits >> shift != 0; shift += 8) {
    const auto byte_of = [shift](const Activation& source) { return source.node >> shift & 0xFFU; };
    std::array<std::size_t, 256> places{};
    for (const Activation& source : sources) ++places[byte_of(source)];
    std::exclusive_scan(places.begin(), places.end(), places.begin(), std::size_t{0});
    for (const Activation& source : sources) sorted[places[byte_of(source)]++] = source;
    sources.swap(sorted);
  }
}

/// The distinct nodes of a query in ascending order. The values of duplicates are added in input
/// order, each addition in float32, and then clamped to 1 in engine mode.
std::vector<Activation> merged_sources(const Impl::HostSources& sources, std::size_t query,
                                       SpreadMode mode) {
  std::vector<Activation> sorted(sources.offset(query + 1) - sources.offset(query));
  for (std::size_t i = 0; i < sorted.size(); ++i) sorted[i] = sources.at(query, i);
  sort_by_node(sorted);
  std::vector<Activation> merged;
  merged.reserve(sorted.size());
  for (const Activation& source : sorted) {
    if (merged.empty() || merged.back().node != source.node) {
      merged.push_back({source.node, 0.0F});
    }
    merged.back().value += source.value;
  }
  for (Activation& source : merged) {
    if (mode == SpreadMode::engine) source.value = std::min(1.0F, source.value);
    KINDRED_THROW_IF(mode == SpreadMode::pagerank && !std::isfinite(source.value),
                     "the activations of source node " + std::to_string(source.node) +
                         " have a sum that exceeds the float32 limit of 3.4e38");
  }
  return merged;
}

/// Up to this number of edges, a thread block cluster is faster than the whole device.
constexpr double cluster_edges_most = 150'000;

/// \brief Whether a query should not be tried as a small one: it is expected to read far more than
/// the budget, and an abandoned attempt would be expensive compared with whole hops, because it has
/// many sources or because, on a host, several queries share every read of an edge. \param queries
/// number of queries of the call
template <class ExecutionSpace>
bool is_surely_large(const ExecutionSpace&, const Impl::GraphSnapshot& graph, QuerySources sources,
                     const SpreadRequest& request, std::size_t queries) {
  constexpr double margin = 8;  // for the error of the estimate
  const bool shares =
      !Arch::is_device<ExecutionSpace> && queries >= Impl::SpreadWork::sharing_queries;
  if (sources.size() <= Impl::SpreadWork::few_sources && !shares) return false;
  const std::uint32_t hops = shares ? request.parameters.hops : 2;
  const double budget =
      static_cast<double>(FrontierShape::budget_of<ExecutionSpace>(graph.nodes(), graph.edges()));
  return expected_edges(graph.base()->sample(), graph.host(), sources, request, hops) >
         margin * budget;
}

/// Every hop reads all edges for 32 queries at a time.
template <class ExecutionSpace>
void spread_whole(const ExecutionSpace& exec_space, Impl::GraphWorkspace<ExecutionSpace>& workspace,
                  const Impl::GraphSnapshot& graph,
                  GraphSide<typename ExecutionSpace::memory_space> side,
                  std::span<const QuerySources> sources, const SpreadRequest& request,
                  std::span<Rank> ranks) {
  if (sources.size() == 1 && request.is_plain())
    side.bins = workspace.bins_of(exec_space, graph, request.parameters.hops);
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
      if (!workspace.give_back()) throw;
      side.bins = {};
      spread_some();
    }
  });
}

/// The best ranks of every query. Fences \p exec_space.
template <class ExecutionSpace>
void spread_queries(const ExecutionSpace& exec_space, MemoryResource& pinned,
                    Impl::GraphWorkspace<ExecutionSpace>& workspace,
                    const Impl::GraphSnapshot& graph, std::span<const QuerySources> sources,
                    const SpreadRequest& request, std::span<Rank> ranks) {
  const auto view = graph.view(exec_space);
  const auto side = workspace.whole.along(exec_space, view, request.rules);
  if (request.rules.modifiers)
    Arch::fence(exec_space, "Kindred::SpreadingEngine::spread::modifiers");
  std::vector<std::uint8_t> done(sources.size());
  // Runs `call` for the unfinished queries for which `is_target(query)` is true.
  const auto answer = [&](const auto& is_target, const auto& call) {
    std::vector<std::size_t> rest;
    std::vector<QuerySources> rest_sources;
    for (std::size_t query = 0; query < sources.size(); ++query) {
      if (done[query] != 0 || !is_target(query)) continue;
      rest.push_back(query);
      rest_sources.push_back(sources[query]);
    }
    if (rest.empty()) return;
    using call_type = Impl::FrontierCall<ExecutionSpace>;
    if (rest.size() == sources.size())
      return call(call_type{side, view.out, request, sources, ranks, done});
    const std::size_t top = request.top;
    std::vector<Rank> rest_ranks(rest.size() * top);
    std::vector<std::uint8_t> rest_done(rest.size(), 1);
    call(call_type{side, view.out, request, rest_sources, rest_ranks, rest_done});
    for (std::size_t i = 0; i < rest.size(); ++i) {
      if (rest_done[i] == 0) continue;
      done[rest[i]] = 1;
      std::copy_n(rest_ranks.begin() + static_cast<std::ptrdiff_t>(i * top), top,
                  ranks.begin() + static_cast<std::ptrdiff_t>(rest[i] * top));
    }
  };
  if (request.rules.kinds.all() && !request.short_activations) {  // all queries follow all kinds
    if constexpr (Arch::is_device<ExecutionSpace>) {
      const auto is_small = [&](std::size_t query) {
        return expected_edges(graph.base()->sample(), graph.host(), sources[query], request,
                              request.parameters.hops) <= cluster_edges_most;
      };
      answer(is_small,
             [&](const auto& call) { workspace.frontier.spread_small(exec_space, pinned, call); });
    }
    const auto may_be_small = [&](std::size_t query) {
      return !is_surely_large(exec_space, graph, sources[query], request, sources.size());
    };
    answer(may_be_small, [&](const auto& call) {
      workspace.frontier.spread(exec_space, pinned, call, graph.edges(), workspace.slots);
    });
  }
  answer([](std::size_t) { return true; },
         [&](const auto& call) {
           spread_whole(exec_space, workspace, graph, side, call.sources, request, call.ranks);
         });
}

/// Whether every hop of \p group reads all edges, regardless of how few nodes have been reached.
bool is_whole(const Impl::GraphSnapshot& graph, const QueryGroup& group) {
  const SpreadRequest& request = group.request;
  return !request.rules.kinds.all() || request.short_activations ||
         (graph.form().weights != EdgeWeights::float32 && !request.rules.modifiers);
}

/// Stores rows in arrays of the caller, which are padded.
void put_rows(Context& context, const Ragged<Activation>& rows, const SpreadOutput& output) {
  const auto top = static_cast<std::size_t>(output.nodes.extent(1));
  const auto count = static_cast<std::size_t>(output.nodes.size());
  const bool is_placed = output.nodes.on_device();
  std::vector<std::uint32_t> placed_nodes(is_placed ? count : 0);
  std::vector<float> placed_values(is_placed ? count : 0);
  auto* const to_nodes = static_cast<std::uint32_t*>(output.nodes.data());
  auto* const to_values = static_cast<float*>(output.values.data());
  auto* const nodes = is_placed ? placed_nodes.data() : to_nodes;
  auto* const values = is_placed ? placed_values.data() : to_values;
  for (std::size_t query = 0; query < rows.rows(); ++query) {
    const auto row = rows[query];
    for (std::size_t i = 0; i < top; ++i) {
      nodes[query * top + i] = i < row.size() ? row[i].node : 0xFFFFFFFFU;
      values[query * top + i] = i < row.size() ? row[i].value : 0.0F;
    }
  }
  if (!is_placed || count == 0) return;
  Impl::with_instance(
      context, Space::cuda, [&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
        Impl::upload(exec_space, ArrayView<std::uint32_t, ExecutionSpace>(to_nodes, count), nodes,
                     count);
        Impl::upload(exec_space, ArrayView<float, ExecutionSpace>(to_values, count), values, count);
      });
}

/// The arrays of a caller in the memory of a space, which \p graph is in, too.
template <class ExecutionSpace>
Impl::ArrayQueries<ExecutionSpace> queries_of(
    const Impl::GraphView<typename ExecutionSpace::memory_space>& graph,
    const SpreadSources& sources, const SpreadOutput& output) {
  const auto take = [&]<class T>(ArrayView<T, ExecutionSpace>& view, const auto& array) {
    view = ArrayView<T, ExecutionSpace>(static_cast<T*>(array.data()), array.size());
  };
  Impl::ArrayQueries<ExecutionSpace> queries;
  if (sources.offsets.type() == DataType::int64)
    take(queries.sources.offsets, sources.offsets);
  else
    take(queries.sources.short_offsets, sources.offsets);
  take(queries.sources.nodes, sources.nodes);
  take(queries.sources.values, sources.values);
  queries.sources.removed =
      ArrayView<const std::uint64_t, ExecutionSpace>(graph.removed.data(), graph.removed.extent(0));
  queries.queries = sources.offsets.size() - 1;
  queries.top = static_cast<std::size_t>(output.nodes.extent(1));
  take(queries.nodes, output.nodes);
  take(queries.values, output.values);
  return queries;
}

}  // namespace

SpreadResults SpreadingEngine::spread(const SpreadSources& sources, const SpreadOptions& options,
                                      const std::optional<SpreadOutput>& output) const try {
  State& state = *m_state;
  Context& context = state.context;
  const State::Snapshot graph = state.store.snapshot();
  const std::optional<Space> where = Impl::check_spread_arrays(context, sources, output);
  KINDRED_THROW_IF(output && options.trace_paths > 0,
                   "trace_paths is set, but arrays have no place for paths; pass the sources as "
                   "rows in host memory");
  if (!where) Impl::require_no_stream(options.stream, "the sources");
  if (where) State::require_on_device(*graph, options.space);
  const std::size_t queries = sources.offsets.size() - 1;
  SpreadResults results;
  if (options.stream) {
    KINDRED_THROW_IF(!output, "a stream is given without arrays for the results");
    results.record = state.spread_on_stream(graph, sources, *output, options);
    return results;
  }
  const std::optional<Space> space = where ? where : options.space;
  Impl::check_spread(*graph, options, queries);
  const std::size_t places =
      output ? static_cast<std::size_t>(output->nodes.extent(1)) : options.top;
  KINDRED_THROW_IF(places == 0, "top is 0; it must be at least 1");
  const Impl::HostSources given(context, sources);
  check_sources(*graph, given, options.mode);
  if (queries == 0 && options.mode != SpreadMode::pagerank) return {};

  std::vector<std::vector<Activation>> merged;
  merged.reserve(queries);
  for (std::size_t query = 0; query < queries; ++query)
    merged.push_back(merged_sources(given, query, options.mode));
  const std::vector<QuerySources> spans(merged.begin(), merged.end());
  const std::size_t top = std::min(places, graph->nodes());
  std::vector<Rank> ranks(size_product("queries × top", {queries, top}));
  results.not_guaranteed = options.activations != ActivationPrecision::float32;
  std::vector<QueryGroup> groups;
  if (options.mode == SpreadMode::pagerank) {
    results.convergence.resize(queries);
    results.record = state.page_rank(*graph, spans, options, space, ranks, results.convergence);
  } else {
    groups = Impl::group_queries(options, queries);
    for (QueryGroup& group : groups) group.request.top = top;
    results.record = state.spread_hops(*graph, spans, groups, space, ranks);
  }
  for (std::size_t query = 0; query < queries; ++query) {
    for (std::size_t place = 0; place < top; ++place) {
      const Rank rank = ranks[query * top + place];
      if (rank == rank_none) break;
      results.activations.values.push_back({rank_index(rank), score_descending(rank)});
    }
    results.activations.close_row();
  }
  if (options.trace_paths > 0) state.trace(*graph, spans, groups, options.trace_paths, results);
  if (output) {
    put_rows(context, results.activations, *output);
    results.activations = {};
  }
  return results;
} catch (...) {
  Impl::rethrow_translated("Kindred::SpreadingEngine::spread");
}

DispatchRecord SpreadingEngine::State::spread_hops(const Impl::GraphSnapshot& graph,
                                                   std::span<const QuerySources> sources,
                                                   std::span<const QueryGroup> groups,
                                                   std::optional<Space> space,
                                                   std::span<Rank> ranks) {
  Workload workload = work_of(graph, sources.size(), 1);
  const auto& view = graph.host();
  Impl::SpreadWork work(graph.base()->sample(), view, graph.edges());
  for (const QueryGroup& group : groups) {
    if (is_whole(graph, group)) {
      // With rounded activations, queries are always processed in groups of 32.
      const std::size_t queries = group.queries.size();
      work.add_whole(group.request.short_activations ? (queries + 31) / 32 * 32 : queries,
                     group.request.parameters.hops);
      continue;
    }
    for (const std::size_t query : group.queries) work.add(sources[query], group);
  }
  work.put_in(workload);
  workload.transfer_bytes = ranks.size() * sizeof(Rank);
  for (const QuerySources& query : sources) workload.transfer_bytes += query.size_bytes();
  MemoryResource& pinned = context.pinned_memory();
  return run(workload, space, [&](const auto& exec_space, auto& workspace) {
    if (groups.size() == 1)
      return spread_queries(exec_space, pinned, workspace, graph, sources, groups[0].request,
                            ranks);
    for (const QueryGroup& group : groups) {
      const std::size_t top = group.request.top;
      std::vector<QuerySources> some;
      for (const std::size_t query : group.queries) some.push_back(sources[query]);
      std::vector<Rank> best(some.size() * top);
      spread_queries(exec_space, pinned, workspace, graph, some, group.request, best);
      for (std::size_t i = 0; i < some.size(); ++i)
        std::ranges::copy(std::span(best).subspan(i * top, top),
                          ranks.subspan(group.queries[i] * top, top).begin());
    }
  });
}

void SpreadingEngine::State::trace(const Impl::GraphSnapshot& graph,
                                   std::span<const QuerySources> sources,
                                   std::span<const QueryGroup> groups, std::size_t count,
                                   SpreadResults& results) {
  std::vector<SpreadRequest> requests(sources.size());
  for (const QueryGroup& group : groups) {
    for (std::size_t i = 0; i < group.queries.size(); ++i) {
      requests[group.queries[i]] = group.request;
      requests[group.queries[i]].rules.kinds = group.kinds[i];
    }
  }
  calls.run_on(context, Space::serial, 0,
               [&]<class ExecutionSpace>(const ExecutionSpace& exec_space,
                                         Impl::GraphWorkspace<ExecutionSpace>& workspace, Space) {
                 if constexpr (!Arch::is_device<ExecutionSpace>) {
                   results.paths = {};
                   const auto view = graph.host();
                   for (std::size_t query = 0; query < sources.size(); ++query) {
                     const SpreadRequest& request = requests[query];
                     const auto side = workspace.whole.along(exec_space, view, request.rules);
                     if (request.rules.modifiers)
                       Arch::fence(exec_space, "Kindred::SpreadingEngine::spread::modifiers");
                     Impl::PathTrace(side, view.out, sources[query], request)
                         .append(results.activations[query], count, results.paths);
                   }
                   count_kept(workspace, Space::serial);
                 }
               });
}

DispatchRecord SpreadingEngine::State::spread_on_stream(const Snapshot& graph,
                                                        const SpreadSources& sources,
                                                        const SpreadOutput& output,
                                                        const SpreadOptions& options) {
  const std::size_t count = sources.offsets.size() - 1;
  KINDRED_THROW_IF(options.mode == SpreadMode::pagerank,
                   "PageRank decides on the host when to stop; call it without a stream");
  KINDRED_THROW_IF(!options.per_query.empty(),
                   "per_query is set; on a stream all queries of a call have the same parameters: "
                   "make one call for each set of parameters");
  Impl::check_spread(*graph, options, count);
  const std::vector<QueryGroup> groups = Impl::group_queries(options, 1);
  SpreadRequest request = groups.front().request;
  request.top = static_cast<std::size_t>(output.nodes.extent(1));
  return run_on_stream(
      work_of(*graph, count, request.parameters.hops), *options.stream, graph,
      [&]<class ExecutionSpace>(const ExecutionSpace& own, const ExecutionSpace& exec_space,
                                Impl::GraphWorkspace<ExecutionSpace>& workspace) {
        const auto view = graph->view(own);
        const auto queries = queries_of<ExecutionSpace>(view, sources, output);
        if (!workspace.whole.is_ready_to_spread(view, queries, request))
          workspace.on_streams.wait();
        auto side = workspace.whole.along(exec_space, view, request.rules);
        if (queries.queries == 1 && request.is_plain())
          side.bins = workspace.bins.existing(graph->base());
        workspace.whole.launch_spread(exec_space, side, queries, request);
      });
}

}  // namespace Kindred
