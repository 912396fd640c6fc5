// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/GraphOperationInfo.hpp>
#include <kindred/matcher/SpreadingEngine.hpp>

#include "ExpectedEdges.hpp"
#include "GivenArrays.hpp"
#include "GraphStore.hpp"
#include "HopVectors.hpp"
#include "PageRankCalls.hpp"
#include "QueryGroups.hpp"
#include "SpreadCalls.hpp"
#include "SpreadChecks.hpp"
#include "StoredGraph.hpp"
#include "kit/CallerArrays.hpp"

#include <kindred/core/common/CheckedSize.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace Kindred {

namespace {

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

/// The distinct nodes in ascending order. The values of duplicates are added in input order, each
/// addition in float32, and then clamped to 1 in engine mode.
std::vector<Activation> merged_sources(std::span<const Activation> sources, SpreadMode mode) {
  std::vector<Activation> sorted(sources.begin(), sources.end());
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

}  // namespace

struct KINDRED_HIDDEN SpreadingEngine::State {
  template <class Graph>
  State(Context& given, Graph&& graph, const GraphOptions& options)
      : context(given),
        store(given, std::forward<Graph>(graph), options),
        spread_calls(given),
        page_rank_calls(given) {
    context.dispatcher().register_operations({Operations::spread});
  }

  Context& context;
  CallHistory history;
  Impl::GraphStore store;
  Impl::SpreadCalls spread_calls;
  Impl::PageRankCalls page_rank_calls;

  /// What a call works on, from its checks to its results, while others change the graph.
  using Snapshot = std::shared_ptr<const Impl::GraphSnapshot>;
  SpreadResults spread(const Impl::GraphSnapshot& graph, RaggedSpan<Activation> sources,
                       const SpreadOptions& options);
  DispatchRecord spread(const Snapshot& graph, const SpreadSources& sources,
                        const SpreadOutput& output, const SpreadOptions& options);
  DispatchRecord spread_on_stream(const Snapshot& graph, const SpreadSources& sources,
                                  const SpreadOutput& output, const SpreadOptions& options);
  DispatchRecord hop(const Snapshot& graph, const ConstArray& x, const Array& y,
                     const HopOptions& options);

  /// \throws SpaceUnavailable if \p graph is not on the device; InvalidArgument if another space is
  /// requested
  static void require_on_device(const Impl::GraphSnapshot& graph, std::optional<Space> space) {
    KINDRED_THROW_IF(space && *space != Space::cuda,
                     "the arrays lie on a device, and the space " + std::string(to_string(*space)) +
                         " is requested; leave the space unset, or pass arrays in host memory");
    if (graph.resident().contains(Space::cuda)) return;
    throw SpaceUnavailable(
        "the arrays lie on a device, and the graph does not; build it with a residency that "
        "includes the device, and enough memory there");
  }

  /// Whether every hop of \p group reads all edges, regardless of how few nodes have been reached.
  static bool is_whole(const Impl::GraphSnapshot& graph, const Impl::QueryGroup& group,
                       const SpreadOptions& options) {
    return !group.kinds.front().all() || options.activations != ActivationPrecision::float32 ||
           (graph.form().weights != EdgeWeights::float32 && !options.modifiers);
  }
  DispatchRecord spread_hops(const Impl::GraphSnapshot& graph,
                             std::span<const Impl::QuerySources> sources,
                             const SpreadOptions& options, std::size_t top, std::span<Rank> ranks) {
    const std::vector<Impl::QueryGroup> groups = Impl::group_queries(options, sources.size());
    Workload workload;
    workload.operation = Operations::spread;
    workload.items = graph.edges() * sources.size();
    workload.history = &history;
    const auto view = graph.host();
    Impl::SpreadWork work(graph.base()->sample(), view, graph.edges());
    for (const Impl::QueryGroup& group : groups) {
      if (is_whole(graph, group, options)) {
        // With rounded activations, queries are always processed in groups of 32.
        std::size_t queries = group.queries.size();
        if (options.activations != ActivationPrecision::float32) queries = (queries + 31) / 32 * 32;
        work.add_whole(queries, group.parameters.hops);
        continue;
      }
      for (const std::size_t query : group.queries) work.add(sources[query], group);
    }
    work.put_in(workload);
    workload.transfer_bytes = ranks.size() * sizeof(Rank);
    for (const Impl::QuerySources& query : sources) workload.transfer_bytes += query.size_bytes();
    workload.resident = graph.resident();
    return context.run(workload, options.space, [&](Space space) {
      if (groups.size() == 1)
        return spread_group(space, graph, groups[0], sources, options, top, ranks);
      for (const Impl::QueryGroup& group : groups) {
        std::vector<Impl::QuerySources> group_sources;
        for (const std::size_t query : group.queries) group_sources.push_back(sources[query]);
        std::vector<Rank> group_ranks(group.queries.size() * top);
        spread_group(space, graph, group, group_sources, options, top, group_ranks);
        for (std::size_t i = 0; i < group.queries.size(); ++i)
          std::ranges::copy(std::span(group_ranks).subspan(i * top, top),
                            ranks.subspan(group.queries[i] * top, top).begin());
      }
    });
  }
  void spread_group(Space space, const Impl::GraphSnapshot& graph, const Impl::QueryGroup& group,
                    std::span<const Impl::QuerySources> sources, const SpreadOptions& options,
                    std::size_t top, std::span<Rank> ranks) {
    const auto spread_all = [&] {
      spread_calls.spread(space, graph, sources, request_of(group, options, top), ranks);
    };
    try {
      spread_all();
    } catch (const OutOfMemory&) {
      if (!page_rank_calls.release(space)) throw;
      spread_all();
    }
  }
  /// \param first the request is for the queries of \p group from this one on
  static Impl::SpreadRequest request_of(const Impl::QueryGroup& group, const SpreadOptions& options,
                                        std::size_t top, std::size_t first = 0) {
    Impl::SpreadRequest request;
    request.parameters = group.parameters;
    request.decay = group.decay;
    request.top = top;
    request.rules = {group.kinds[first], options.modifiers};
    request.query_kinds = std::span(group.kinds).subspan(first);
    request.short_activations = options.activations == ActivationPrecision::bfloat16;
    return request;
  }

  /// Traces the paths to the nodes found by each query.
  void trace(const Impl::GraphSnapshot& graph, std::span<const Impl::QuerySources> sources,
             const SpreadOptions& options, SpreadResults& results) {
    const std::vector<Impl::QueryGroup> groups = Impl::group_queries(options, sources.size());
    std::vector<Impl::SpreadRequest> requests(sources.size());
    for (const Impl::QueryGroup& group : groups) {
      for (std::size_t i = 0; i < group.queries.size(); ++i)
        requests[group.queries[i]] = request_of(group, options, options.top, i);
    }
    for (std::size_t query = 0; query < sources.size(); ++query)
      spread_calls.trace(graph, sources[query], requests[query], results.activations[query],
                         options.trace_paths, results.paths);
  }
};

SpreadingEngine::SpreadingEngine(Context& context, std::size_t nodes, std::span<const Edge> edges,
                                 Residency residency) try
    : SpreadingEngine(context, GraphSpan{nodes, edges}, GraphOptions{.residency = residency}) {
} catch (...) {
  Impl::rethrow_translated("Kindred::SpreadingEngine");
}
SpreadingEngine::SpreadingEngine(Context& context, const GraphSpan& graph,
                                 const GraphOptions& options)
    : m_state(Impl::translating_out_of_memory("Kindred::SpreadingEngine", [&] {
        return std::make_unique<State>(context, graph, options);
      })) {}
SpreadingEngine::SpreadingEngine(Context& context, const CsrGraph& graph,
                                 const GraphOptions& options)
    : m_state(Impl::translating_out_of_memory("Kindred::SpreadingEngine", [&] {
        return std::make_unique<State>(context, graph, options);
      })) {}
SpreadingEngine::SpreadingEngine(std::unique_ptr<State> state) : m_state(std::move(state)) {}
using Impl::load_graph;
SpreadingEngine SpreadingEngine::load(Context& context, const std::string& path,
                                      const GraphOptions& options, int threads) {
  return Impl::translating_out_of_memory("Kindred::SpreadingEngine::load", [&] {
    return SpreadingEngine(std::make_unique<State>(context, load_graph(path, threads), options));
  });
}
SpreadingEngine SpreadingEngine::from_bytes(Context& context, std::span<const std::byte> bytes,
                                            const GraphOptions& options, int threads) {
  return Impl::translating_out_of_memory("Kindred::SpreadingEngine::from_bytes", [&] {
    return SpreadingEngine(std::make_unique<State>(context, load_graph(bytes, threads), options));
  });
}
std::vector<std::byte> SpreadingEngine::to_bytes() const try {
  return m_state->store.to_bytes();
} catch (...) {
  Impl::rethrow_translated("Kindred::SpreadingEngine::to_bytes");
}
void SpreadingEngine::save(const std::string& path) const try {
  m_state->store.save(path);
} catch (...) {
  Impl::rethrow_translated("Kindred::SpreadingEngine::save");
}

std::size_t SpreadingEngine::nodes() const { return m_state->store.snapshot()->nodes(); }
bool SpreadingEngine::has_node(std::uint32_t node) const {
  return m_state->store.snapshot()->is_node(node);
}
std::size_t SpreadingEngine::edges() const { return m_state->store.snapshot()->edges(); }
std::uint64_t SpreadingEngine::bytes(Space space) const {
  return m_state->store.snapshot()->bytes(space) + m_state->spread_calls.kept_bytes(space);
}
GraphStatistics SpreadingEngine::statistics() const try {
  GraphStatistics statistics = m_state->store.statistics();
  for (const Space space : all_spaces)
    statistics.bytes[space_index(space)] += m_state->spread_calls.kept_bytes(space);
  return statistics;
} catch (...) {
  Impl::rethrow_translated("Kindred::SpreadingEngine::statistics");
}

bool SpreadingEngine::has_names() const noexcept { return m_state->store.names().has_value(); }
std::optional<std::uint32_t> SpreadingEngine::find(std::string_view name) const try {
  return m_state->store.find(name);
} catch (...) {
  Impl::rethrow_translated("Kindred::SpreadingEngine::find");
}
std::string_view SpreadingEngine::name(std::uint32_t node) const try {
  const auto& names = m_state->store.names();
  if (!names || node >= m_state->store.snapshot()->nodes())
    throw NotFound("node " + std::to_string(node) + " has no name");
  return names->text(node);
} catch (...) {
  Impl::rethrow_translated("Kindred::SpreadingEngine::name");
}

std::uint32_t SpreadingEngine::add_nodes(std::uint64_t count, std::span<const std::uint8_t> kinds) {
  return Impl::translating_out_of_memory("Kindred::SpreadingEngine::add_nodes",
                                         [&] { return m_state->store.add_nodes(count, kinds); });
}
std::vector<std::uint32_t> SpreadingEngine::add_nodes(std::span<const std::string_view> names,
                                                      std::span<const std::uint8_t> kinds) {
  return Impl::translating_out_of_memory("Kindred::SpreadingEngine::add_nodes",
                                         [&] { return m_state->store.add_nodes(names, kinds); });
}
void SpreadingEngine::add_edges(std::span<const Edge> edges, std::span<const std::uint8_t> kinds) {
  Impl::translating_out_of_memory("Kindred::SpreadingEngine::add_edges",
                                  [&] { m_state->store.add_edges(edges, kinds); });
}
std::uint64_t SpreadingEngine::remove_edges(std::span<const EdgeEnds> edges) {
  return Impl::translating_out_of_memory("Kindred::SpreadingEngine::remove_edges",
                                         [&] { return m_state->store.remove_edges(edges); });
}
void SpreadingEngine::remove_nodes(std::span<const std::uint32_t> nodes) {
  Impl::translating_out_of_memory("Kindred::SpreadingEngine::remove_nodes",
                                  [&] { m_state->store.remove_nodes(nodes); });
}
void SpreadingEngine::merge() {
  Impl::translating_out_of_memory("Kindred::SpreadingEngine::merge",
                                  [&] { m_state->store.merge(); });
}

SpreadResults SpreadingEngine::spread(RaggedSpan<Activation> sources,
                                      const SpreadOptions& options) const {
  return Impl::translating_out_of_memory("Kindred::SpreadingEngine::spread", [&] {
    return m_state->spread(*m_state->store.snapshot(), sources, options);
  });
}

SpreadResults SpreadingEngine::State::spread(const Impl::GraphSnapshot& graph,
                                             RaggedSpan<Activation> sources,
                                             const SpreadOptions& options) {
  Impl::check_spread(graph, options, sources.rows());
  KINDRED_THROW_IF(options.stream.has_value(),
                   "a stream is given, and the sources lie in host memory; a stream orders calls "
                   "on arrays on its device");
  Impl::check_sources(graph, sources, options.mode);

  const std::size_t queries = sources.rows();
  if (queries == 0 && options.mode != SpreadMode::pagerank) return {};
  std::vector<std::vector<Activation>> merged;
  merged.reserve(queries);
  for (std::size_t query = 0; query < queries; ++query)
    merged.push_back(merged_sources(sources[query], options.mode));
  const std::vector<Impl::QuerySources> spans(merged.begin(), merged.end());

  const std::size_t top = std::min(options.top, graph.nodes());
  std::vector<Rank> ranks(size_product("queries × top", {queries, top}));
  SpreadResults results;
  results.not_guaranteed = options.activations != ActivationPrecision::float32;
  if (options.mode == SpreadMode::pagerank) {
    results.convergence.resize(queries);
    results.record = page_rank_calls.run(graph, spans, options, top, ranks, results.convergence,
                                         [&](Space space) { return spread_calls.release(space); });
  } else {
    results.record = spread_hops(graph, spans, options, top, ranks);
  }

  for (std::size_t query = 0; query < queries; ++query) {
    for (std::size_t place = 0; place < top; ++place) {
      const Rank rank = ranks[query * top + place];
      if (rank == rank_none) break;
      results.activations.values.push_back({rank_index(rank), score_descending(rank)});
    }
    results.activations.close_row();
  }
  if (options.trace_paths > 0) trace(graph, spans, options, results);
  return results;
}

DispatchRecord SpreadingEngine::spread(const SpreadSources& sources, const SpreadOutput& output,
                                       const SpreadOptions& options) const {
  return Impl::translating_out_of_memory("Kindred::SpreadingEngine::spread", [&] {
    return m_state->spread(m_state->store.snapshot(), sources, output, options);
  });
}

DispatchRecord SpreadingEngine::State::spread(const Snapshot& graph, const SpreadSources& sources,
                                              const SpreadOutput& output,
                                              const SpreadOptions& options) {
  Impl::check_spread_arrays(sources, output);
  KINDRED_THROW_IF(options.trace_paths > 0,
                   "trace_paths is set, but arrays have no place for paths; pass the sources as "
                   "rows in host memory");
  const std::optional<Space> where = Impl::space_of(context, {{"offsets", sources.offsets},
                                                              {"nodes", sources.nodes},
                                                              {"values", sources.values},
                                                              {"output.nodes", output.nodes},
                                                              {"output.values", output.values}});
  KINDRED_THROW_IF(options.stream && !where,
                   "a stream is given, and the sources lie in host memory; a stream orders calls "
                   "on arrays on its device");
  if (where) require_on_device(*graph, options.space);
  if (where && options.stream) return spread_on_stream(graph, sources, output, options);

  Ragged<Activation> rows;
  const auto take_offsets = [&]<class Offset>(Offset) {
    const auto offsets =
        Impl::on_host<Offset>(context, sources.offsets, "Kindred::SpreadingEngine::array_offsets");
    rows.offsets.assign(offsets.data(), offsets.data() + offsets.size());
  };
  if (sources.offsets.type() == DataType::int64)
    take_offsets(std::int64_t{});
  else
    take_offsets(std::int32_t{});
  const auto nodes =
      Impl::on_host<std::uint32_t>(context, sources.nodes, "Kindred::SpreadingEngine::array_nodes");
  const auto values =
      Impl::on_host<float>(context, sources.values, "Kindred::SpreadingEngine::array_values");
  rows.values.resize(nodes.size());
  for (std::size_t i = 0; i < rows.values.size(); ++i)
    rows.values[i] = {nodes.data()[i], values.data()[i]};

  SpreadOptions used = options;
  used.top = static_cast<std::size_t>(output.nodes.extent(1));
  if (where) used.space = where;
  const SpreadResults results = spread(*graph, rows, used);
  const auto count = static_cast<std::size_t>(output.nodes.size());
  std::vector<std::uint32_t> found_nodes(where ? count : 0);
  std::vector<float> found_values(where ? count : 0);
  auto* const out_nodes =
      where ? found_nodes.data() : static_cast<std::uint32_t*>(output.nodes.data());
  auto* const out_values = where ? found_values.data() : static_cast<float*>(output.values.data());
  for (std::size_t query = 0; query < rows.rows(); ++query) {
    const auto row = results.activations[query];
    for (std::size_t i = 0; i < used.top; ++i) {
      out_nodes[query * used.top + i] = i < row.size() ? row[i].node : 0xFFFFFFFFU;
      out_values[query * used.top + i] = i < row.size() ? row[i].value : 0.0F;
    }
  }
  if (where) {
    Impl::with_instance(context, Space::cuda,
                        [&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
                          const ArrayView<std::uint32_t, ExecutionSpace> to_nodes(
                              static_cast<std::uint32_t*>(output.nodes.data()), count);
                          const ArrayView<float, ExecutionSpace> to_values(
                              static_cast<float*>(output.values.data()), count);
                          Impl::upload(exec_space, to_nodes, found_nodes.data(), count);
                          Impl::upload(exec_space, to_values, found_values.data(), count);
                        });
  }
  return results.record;
}

DispatchRecord SpreadingEngine::State::spread_on_stream(const Snapshot& graph,
                                                        const SpreadSources& sources,
                                                        const SpreadOutput& output,
                                                        const SpreadOptions& options) {
  const std::size_t queries = sources.offsets.size() - 1;
  KINDRED_THROW_IF(options.mode == SpreadMode::pagerank,
                   "PageRank decides on the host when to stop; call it without a stream");
  KINDRED_THROW_IF(!options.per_query.empty(),
                   "per_query is set; on a stream all queries of a call have the same parameters: "
                   "make one call for each set of parameters");
  SpreadOptions used = options;
  used.top = static_cast<std::size_t>(output.nodes.extent(1));
  Impl::check_spread(*graph, used, queries);
  const std::vector<Impl::QueryGroup> groups = Impl::group_queries(used, 1);
  const Impl::SpreadRequest request = request_of(groups.front(), used, used.top);
  Workload workload;
  workload.operation = Operations::spread;
  workload.items = graph->edges() * queries;
  workload.history = &history;
  workload.starts = static_cast<double>((queries + 31) / 32) * request.parameters.hops;
  workload.work = static_cast<double>(workload.items) * request.parameters.hops;
  workload.resident = graph->resident();
  workload.waits = false;
  return context.run(workload, Space::cuda, [&](Space) {
    spread_calls.spread_on_stream(graph, sources, output, request, *options.stream);
  });
}

DispatchRecord SpreadingEngine::hop_spans(std::span<const float> x, std::span<float> y,
                                          const HopOptions& options) const try {
  const auto graph = m_state->store.snapshot();
  const std::size_t count = graph->nodes();
  const std::size_t columns = options.columns;
  Impl::check_columns(columns);
  KINDRED_THROW_IF(x.size() != count * columns || y.size() != count * columns,
                   "x has " + std::to_string(x.size()) + " values and y " +
                       std::to_string(y.size()) + "; the graph has " + std::to_string(count) +
                       " nodes of " + std::to_string(columns) + " columns");
  const std::array<std::int64_t, 2> shape{static_cast<std::int64_t>(count),
                                          static_cast<std::int64_t>(columns)};
  return m_state->hop(graph, ConstArray(x.data(), DataType::float32, shape),
                      Array(y.data(), DataType::float32, shape), options);
} catch (...) {
  Impl::rethrow_translated("Kindred::SpreadingEngine::hop");
}

DispatchRecord SpreadingEngine::hop(const ConstArray& x, const Array& y,
                                    const HopOptions& options) const {
  return Impl::translating_out_of_memory("Kindred::SpreadingEngine::hop", [&] {
    return m_state->hop(m_state->store.snapshot(), x, y, options);
  });
}

DispatchRecord SpreadingEngine::State::hop(const Snapshot& graph, const ConstArray& x,
                                           const Array& y, const HopOptions& options) {
  const Impl::HopVectors vectors = Impl::checked_vectors(x, y, graph->nodes());
  KINDRED_THROW_IF(options.columns != 1 && options.columns != vectors.columns,
                   "columns is " + std::to_string(options.columns) + ", and x is " + to_string(x) +
                       "; the arrays state the number of columns");
  Impl::check_modifiers(options.modifiers, false);
  const std::optional<Space> where = Impl::space_of(context, {{"x", x}, {"y", y}});
  if (where) require_on_device(*graph, options.space);
  KINDRED_THROW_IF(options.stream && !where && vectors.count > 0,
                   "a stream is given, and x lies in host memory; a stream orders calls on arrays "
                   "on its device");
  Workload workload;
  workload.operation = Operations::spread;
  workload.items = graph->edges() * vectors.columns;
  workload.history = &history;
  workload.starts = static_cast<double>((vectors.columns + 31) / 32);
  workload.work = static_cast<double>(workload.items);
  workload.transfer_bytes = where ? 0 : 2 * vectors.count * sizeof(float);
  workload.resident = graph->resident();
  workload.waits = !(where && options.stream);
  const Impl::HopRequest request{
      options.direction, vectors.columns, {options.kinds, options.modifiers}};
  return context.run(workload, where ? where : options.space, [&](Space chosen) {
    if (where) return spread_calls.hop_on_device(graph, vectors, request, options.stream);
    spread_calls.hop(chosen, *graph, {vectors.x, vectors.count}, {vectors.y, vectors.count},
                     request);
  });
}

}  // namespace Kindred
