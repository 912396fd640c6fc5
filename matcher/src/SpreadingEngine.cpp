// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/SpreadingEngine.hpp>

#include "FrontierWorkspace.hpp"
#include "SpreadingWorkspace.hpp"

#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/arch/PerSpace.hpp>
#include <kindred/memory/SplitAndRetry.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace Kindred {

namespace {

bool is_unit(float value) { return value >= 0.0F && value <= 1.0F; }

std::string describe(std::size_t index, const Edge& edge) {
  return "edge " + std::to_string(index) + " (" + std::to_string(edge.from) + " → " +
         std::to_string(edge.to) + ", weight " + std::to_string(edge.weight) + ")";
}

/// Checks the edges; returns the first that engine mode cannot use.
std::optional<std::size_t> check_edges(std::size_t nodes, std::span<const Edge> edges) {
  KINDRED_THROW_IF(nodes > std::numeric_limits<std::uint32_t>::max() - 1,
                   "a graph of " + std::to_string(nodes) +
                       " nodes; at most 4294967294 can be numbered in 32 bits");
  std::optional<std::size_t> outside;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const Edge& edge = edges[i];
    KINDRED_THROW_IF(edge.from >= nodes || edge.to >= nodes,
                     describe(i, edge) + " ends at a node that is not below the " +
                         std::to_string(nodes) + " nodes");
    KINDRED_THROW_IF(!std::isfinite(edge.weight),
                     describe(i, edge) + " has a weight that is not finite");
    if (!outside && !is_unit(edge.weight)) outside = i;
  }
  return outside;
}

void check_options(const SpreadOptions& options) {
  KINDRED_THROW_IF(options.top == 0, "top is 0; at least one node must be asked for");
  KINDRED_THROW_IF(options.threshold && !(*options.threshold >= 0.0),
                   "threshold is " + std::to_string(*options.threshold) + "; it must be ≥ 0");
  KINDRED_THROW_IF(!(options.decay.parameter >= 0.0) ||
                       !(options.decay.parameter <= std::numeric_limits<float>::max()),
                   "the decay's parameter is " + std::to_string(options.decay.parameter) +
                       "; it must be ≥ 0 and finite in float32");
}

void check_sources(std::size_t nodes, const RaggedSpan<Activation>& sources, SpreadMode mode) {
  for (std::size_t query = 0; query < sources.rows(); ++query) {
    KINDRED_THROW_IF(sources.offsets[query] > sources.offsets[query + 1] ||
                         sources.offsets[query + 1] > sources.values.size(),
                     "the sources of query " + std::to_string(query) + " lie outside the " +
                         std::to_string(sources.values.size()) + " values given");
    for (const Activation& source : sources[query]) {
      const auto which = [&] {
        return "query " + std::to_string(query) + ", source node " + std::to_string(source.node) +
               ": ";
      };
      KINDRED_THROW_IF(source.node >= nodes,
                       which() + "the graph has " + std::to_string(nodes) + " nodes");
      KINDRED_THROW_IF(mode == SpreadMode::engine && !is_unit(source.value),
                       which() + "activation " + std::to_string(source.value) +
                           " is outside [0, 1]; linear mode takes any");
      KINDRED_THROW_IF(!std::isfinite(source.value),
                       which() + "activation " + std::to_string(source.value) + " is not finite");
    }
  }
}

/// Each node once, ascending; duplicates are added in input order, each addition in float32, then
/// clamped to 1 in engine mode.
std::vector<Activation> merged_sources(std::span<const Activation> sources, SpreadMode mode) {
  std::vector<Activation> sorted(sources.begin(), sources.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Activation& a, const Activation& b) { return a.node < b.node; });
  std::vector<Activation> merged;
  for (const Activation& source : sorted) {
    if (merged.empty() || merged.back().node != source.node) {
      merged.push_back({source.node, 0.0F});
    }
    merged.back().value += source.value;
  }
  if (mode == SpreadMode::engine) {
    for (Activation& source : merged) source.value = std::min(1.0F, source.value);
  }
  return merged;
}

HopParameters hop_parameters(const SpreadOptions& options) {
  HopParameters parameters;
  parameters.mode = options.mode;
  parameters.hops = options.hops;
  for (std::size_t tier = 0; tier < default_tier_thresholds.size(); ++tier) {
    parameters.thresholds[tier] =
        options.threshold ? static_cast<float>(*options.threshold) : default_tier_thresholds[tier];
  }
  return parameters;
}

}  // namespace

struct SpreadingEngine::State {
  State(Context& given, std::size_t node_count, std::span<const Edge> edge_list,
        Residency residency)
      : context(given),
        nodes(node_count),
        edges(edge_list.size()),
        outside_unit(check_edges(node_count, edge_list)),
        host(given.memory(Space::serial), node_count, edge_list.size()),
        out_offsets(given.memory(Space::serial), "Kindred::SpreadingEngine::out_offsets",
                    node_count + 1),
        out_targets(given.memory(Space::serial), "Kindred::SpreadingEngine::out_targets",
                    edge_list.size()),
        serial(given.memory(Space::serial), 1),
        openmp(given.memory(Space::serial), static_cast<std::size_t>(given.threads())) {
    if (outside_unit) outside_edge = edge_list[*outside_unit];
    MemoryResource& memory = context.memory(Space::serial);
    const HostSpace& exec_space = Impl::host_instance(context, Space::serial);
    {
      Buffer<float, Kokkos::HostSpace> weights(memory, "Kindred::SpreadingEngine::build_weights",
                                               edges);
      fill_adjacency(
          edge_list,
          {{out_offsets.data(), nodes + 1}, {out_targets.data(), edges}, {weights.data(), edges}},
          {{host.offsets.data(), nodes + 1},
           {host.sources.data(), edges},
           {host.weights.data(), edges}});
    }
    host.set_plan(exec_space, memory,
                  plan_rows({host.offsets.data(), nodes + 1}, short_row_max<HostSpace>(),
                            short_row_max<HostSpace>() / 2));
    resident = SpaceSet::host();
    if (residency != Residency::host) place_on_device(residency);
  }

  void place_on_device(Residency residency) {
    if (!context.is_usable(Space::cuda)) {
      if (!needs_device(residency)) return;
      throw SpaceUnavailable("space cuda cannot hold the graph: " +
                             context.info(Space::cuda).why_not);
    }
    Impl::with_instance(
        context, Space::cuda, [&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
          auto& side = sides.template get<ExecutionSpace>();
          try {
            MemoryResource& memory = context.memory(Space::cuda);
            auto& graph = side.graph.emplace(memory, nodes, edges);
            Impl::upload(exec_space, graph.offsets.view(), host.offsets.data(), nodes + 1);
            Impl::upload(exec_space, graph.sources.view(), host.sources.data(), edges);
            Impl::upload(exec_space, graph.weights.view(), host.weights.data(), edges);
            RowPlan plan = plan_rows({host.offsets.data(), nodes + 1},
                                     short_row_max<ExecutionSpace>(), edges + 1);
            plan.tiles.clear();
            graph.set_plan(exec_space, memory, plan);
            side.workspace.emplace(memory);
            device_bytes = graph.bytes();
            resident = reachable(residency, true);
          } catch (const OutOfMemory& error) {
            side.graph.reset();
            if (needs_device(residency)) throw;
            context.log(LogLevel::info,
                        std::string("the graph stays on the host: ") + error.what());
          }
        });
  }

  /// The graph on a device, and what calls there work in.
  template <class ExecutionSpace>
  struct DeviceSide {
    std::mutex mutex;
    std::optional<Impl::SpreadingGraph<ExecutionSpace>> graph;
    std::optional<Impl::SpreadingWorkspace<ExecutionSpace>> workspace;
  };

  /// What calls on one host space work in.
  struct HostWorkspace {
    HostWorkspace(MemoryResource& memory, std::size_t thread_count)
        : threads(thread_count), whole(memory), frontier(memory) {}

    std::size_t threads;
    std::mutex mutex;  // held while a call works in it
    Impl::SpreadingWorkspace<HostSpace> whole;
    Impl::FrontierWorkspace frontier;
  };
  HostWorkspace& host_workspace(Space space) { return space == Space::serial ? serial : openmp; }

  /// The best \p top ranks of every query, on \p space.
  void spread(Space space, std::span<const Impl::QuerySources> sources,
              const HopParameters& parameters, const Decay& decay, std::size_t top,
              std::span<Rank> ranks) {
    if (space == Space::cuda) {
      Impl::with_instance(
          context, space, [&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
            auto& side = sides.template get<ExecutionSpace>();
            const std::lock_guard lock(side.mutex);
            split_and_retry(
                sources.size(), side.workspace->batch, [&](std::size_t begin, std::size_t count) {
                  side.workspace->spread(exec_space, *side.graph, sources.subspan(begin, count),
                                         parameters, decay, top, ranks.data() + begin * top);
                });
          });
      return;
    }
    HostWorkspace& workspace = host_workspace(space);
    const std::lock_guard lock(workspace.mutex);
    const HostSpace& exec_space = Impl::host_instance(context, space);
    std::vector<std::uint8_t> done(sources.size());
    spread_frontiers(exec_space, workspace, sources, parameters, decay, top, ranks, done);

    std::vector<std::size_t> rest;
    std::vector<Impl::QuerySources> rest_sources;
    for (std::size_t query = 0; query < sources.size(); ++query) {
      if (done[query] != 0) continue;
      rest.push_back(query);
      rest_sources.push_back(sources[query]);
    }
    std::vector<Rank> rest_ranks(rest.size() * top);
    split_and_retry(rest.size(), workspace.whole.batch, [&](std::size_t begin, std::size_t count) {
      const auto spread_whole = [&] {
        workspace.whole.spread(exec_space, host, std::span(rest_sources).subspan(begin, count),
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

  /// Answers the queries whose frontier stays small.
  void spread_frontiers(const HostSpace& exec_space, HostWorkspace& workspace,
                        std::span<const Impl::QuerySources> sources,
                        const HopParameters& parameters, const Decay& decay, std::size_t top,
                        std::span<Rank> ranks, std::span<std::uint8_t> done) {
    if (sources.empty()) return;
    constexpr std::size_t slot_nodes_max = std::size_t{1} << 24;
    FrontierShape shape;
    shape.nodes = nodes;
    shape.budget = FrontierShape::budget_of(nodes, edges);
    shape.slots = std::min({workspace.threads, sources.size(),
                            std::max<std::size_t>(1, slot_nodes_max / (nodes + 1))});
    try {
      const FrontierState& state = workspace.frontier.state(exec_space, shape);
      spread_frontier(exec_space, host.view(), out_offsets.const_view(), out_targets.const_view(),
                      state, sources, parameters, decay, top, ranks, done);
      exec_space.fence("Kindred::SpreadingEngine::spread::frontier");
    } catch (const OutOfMemory&) {
      std::ranges::fill(done, std::uint8_t{0});  // whole hops need less, or say so
    }
  }

  /// `y = Wᵀx` on \p space.
  void hop(Space space, std::span<const float> x, std::span<float> y) {
    if (space == Space::cuda) {
      Impl::with_instance(context, space,
                          [&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
                            auto& side = sides.template get<ExecutionSpace>();
                            const std::lock_guard lock(side.mutex);
                            side.workspace->hop(exec_space, *side.graph, x, y);
                          });
      return;
    }
    HostWorkspace& workspace = host_workspace(space);
    const std::lock_guard lock(workspace.mutex);
    workspace.whole.hop(Impl::host_instance(context, space), host, x, y);
  }

  Context& context;
  std::size_t nodes;
  std::size_t edges;
  std::optional<std::size_t> outside_unit;  // first edge with a weight outside [0, 1]
  Edge outside_edge;
  SpaceSet resident;
  Impl::SpreadingGraph<HostSpace> host;
  Buffer<std::uint64_t, Kokkos::HostSpace> out_offsets;
  Buffer<std::uint32_t, Kokkos::HostSpace> out_targets;
  HostWorkspace serial;
  HostWorkspace openmp;
  Arch::PerSpace<DeviceSide> sides;  // that of the host stays empty
  std::uint64_t device_bytes = 0;
};

SpreadingEngine::SpreadingEngine(Context& context, std::size_t nodes, std::span<const Edge> edges,
                                 Residency residency)
    : m_state(std::make_unique<State>(context, nodes, edges, residency)) {}
SpreadingEngine::~SpreadingEngine() = default;
SpreadingEngine::SpreadingEngine(SpreadingEngine&&) noexcept = default;
SpreadingEngine& SpreadingEngine::operator=(SpreadingEngine&&) noexcept = default;

std::size_t SpreadingEngine::nodes() const noexcept { return m_state->nodes; }
std::size_t SpreadingEngine::edges() const noexcept { return m_state->edges; }

std::uint64_t SpreadingEngine::bytes(Space space) const noexcept {
  return space == Space::cuda
             ? m_state->device_bytes
             : m_state->host.bytes() + m_state->out_offsets.bytes() + m_state->out_targets.bytes();
}

SpreadResults SpreadingEngine::spread(RaggedSpan<Activation> sources,
                                      const SpreadOptions& options) const {
  State& state = *m_state;
  check_options(options);
  KINDRED_THROW_IF(options.mode == SpreadMode::engine && state.outside_unit,
                   describe(*state.outside_unit, state.outside_edge) +
                       " has a weight outside [0, 1]; engine mode needs weights within, linear "
                       "mode takes any");
  check_sources(state.nodes, sources, options.mode);

  const std::size_t queries = sources.rows();
  std::vector<std::vector<Activation>> merged;
  merged.reserve(queries);
  for (std::size_t query = 0; query < queries; ++query)
    merged.push_back(merged_sources(sources[query], options.mode));
  const std::vector<Impl::QuerySources> spans(merged.begin(), merged.end());

  const std::size_t top = std::min(options.top, state.nodes);
  const HopParameters parameters = hop_parameters(options);
  std::vector<Rank> ranks(queries * top);

  Workload workload;
  workload.operation = Operation::spread;
  workload.items = state.edges * queries;
  workload.work = static_cast<double>(workload.items) * options.hops;
  workload.transfer_bytes =
      sources.values.size() * sizeof(Activation) + ranks.size() * sizeof(Rank);
  workload.resident = state.resident;

  SpreadResults results;
  results.record = state.context.run(workload, options.space, [&](Space space) {
    state.spread(space, spans, parameters, options.decay, top, ranks);
  });

  for (std::size_t query = 0; query < queries; ++query) {
    for (std::size_t place = 0; place < top; ++place) {
      const Rank rank = ranks[query * top + place];
      if (rank == rank_none) break;
      results.activations.values.push_back({rank_index(rank), score_descending(rank)});
    }
    results.activations.close_row();
  }
  return results;
}

DispatchRecord SpreadingEngine::hop(std::span<const float> x, std::span<float> y,
                                    std::optional<Space> space) const {
  State& state = *m_state;
  KINDRED_THROW_IF(x.size() != state.nodes || y.size() != state.nodes,
                   "x has " + std::to_string(x.size()) + " values and y " +
                       std::to_string(y.size()) + "; the graph has " + std::to_string(state.nodes) +
                       " nodes");
  Workload workload;
  workload.operation = Operation::spread;
  workload.items = state.edges;
  workload.work = static_cast<double>(state.edges);
  workload.transfer_bytes = 2 * state.nodes * sizeof(float);
  workload.resident = state.resident;
  return state.context.run(workload, space, [&](Space chosen) { state.hop(chosen, x, y); });
}

}  // namespace Kindred
