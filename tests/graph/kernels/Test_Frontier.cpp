// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/graph/Frontier.hpp>

#include "GraphSupport.hpp"
#include "Properties.hpp"

namespace Kindred::Testing::Graphs::FrontierTest {

/// Both directions of a graph in memory that a space can access.
template <class ExecutionSpace>
struct BothWays {
  SpaceArrays<ExecutionSpace> arrays;
  GraphSide<typename ExecutionSpace::memory_space> in;
  GraphSide<typename ExecutionSpace::memory_space> out;

  BothWays(const ExecutionSpace& exec_space, const Parts& in_parts, const Parts& out_parts)
      : arrays(exec_space), in(placed(arrays, in_parts)), out(placed(arrays, out_parts)) {}
};

/// The workspace of `spread_frontier`.
template <class ExecutionSpace>
struct Workspace {
  SpaceArrays<ExecutionSpace> arrays;
  FrontierState<ExecutionSpace> state;

  Workspace(const ExecutionSpace& exec_space, const FrontierShape& shape) : arrays(exec_space) {
    const FrontierSizes<ExecutionSpace> sizes(shape);
    const std::size_t places = shape.slots * shape.nodes;
    state.shape = shape;
    state.value = arrays.template zeros<float>(places);
    state.passed = arrays.template zeros<float>(3 * places);
    state.tier = arrays.template zeros<std::uint8_t>(places);
    state.mark = arrays.template zeros<std::uint32_t>(places);
    state.control = arrays.template zeros<FrontierControl>(shape.slots);
    state.rows = arrays.template zeros<FrontierRow>(shape.slots * sizes.rows);
    state.long_rows = arrays.template zeros<FrontierRow>(shape.slots * sizes.long_rows);
    state.blocks = arrays.template zeros<FrontierBlock>(shape.slots * sizes.blocks);
    state.partial = arrays.template zeros<double>(shape.slots * sizes.blocks);
    state.hubs = arrays.template zeros<FrontierOut>(shape.slots * sizes.hubs);
    state.keys = arrays.template zeros<Rank>(shape.slots * sizes.keys);
    clear_frontier(exec_space, state);
  }
  /// Whether a call restored the workspace except for marks.
  bool is_clear(const ExecutionSpace& exec_space) const {
    const auto all = [&](const auto& view, auto target) {
      return std::ranges::all_of(to_host(exec_space, view), [=](auto v) { return v == target; });
    };
    return all(state.value, 0.0F) && all(state.passed, 0.0F) && all(state.tier, std::uint8_t{255});
  }
};

enum class Form { global, small };

/// The ranked results of every query; no value for a query that the kernel gave up.
template <class ExecutionSpace>
std::vector<std::optional<Ranks>> spread_small(const ExecutionSpace& exec_space,
                                               const BothWays<ExecutionSpace>& graph,
                                               const Workspace<ExecutionSpace>& workspace,
                                               const Queries& requested,
                                               const SpreadOptions& options, std::size_t top,
                                               Form form = Form::global) {
  std::vector<FrontierQuery> queries;
  std::vector<Activation> sources;
  std::vector<float> decays;
  for (std::uint32_t hop = 1; hop <= options.hops; ++hop)
    decays.push_back(decay_at(options.decay, hop));
  for (const Sources& query : requested) {
    queries.push_back({static_cast<std::uint32_t>(sources.size()),
                       static_cast<std::uint32_t>(query.size()), parameters_of(options), 0});
    sources.insert(sources.end(), query.begin(), query.end());
  }
  SpaceArrays<ExecutionSpace> arrays(exec_space);
  FrontierQueries<ExecutionSpace> call;
  call.count = requested.size();
  const bool is_few =
      requested.size() == 1 && sources.size() <= call.few_sources && decays.size() <= call.few_hops;
  if (is_few) {
    call.only = queries[0];
    std::ranges::copy(sources, call.only_sources);
    std::ranges::copy(decays, call.only_decays);
  } else {
    call.queries = arrays.copy(queries);
    call.sources = arrays.copy(sources);
    call.decays = arrays.copy(decays);
    call.taken = arrays.template zeros<std::uint32_t>(1);
  }
  call.top = static_cast<std::uint32_t>(top);
  call.ranks = arrays.template zeros<Rank>(requested.size() * top);
  call.done = arrays.template zeros<std::uint8_t>(requested.size());
  if (form == Form::global)
    spread_frontier<ExecutionSpace>(exec_space, graph.in, graph.out, workspace.state, call);
  else if (!spread_small_frontier<ExecutionSpace>(exec_space, graph.in, graph.out, call))
    return {};
  const Ranks all = to_host(exec_space, call.ranks);
  const auto is_done = to_host(exec_space, call.done);
  std::vector<std::optional<Ranks>> answers(requested.size());
  for (std::size_t i = 0; i < requested.size(); ++i) {
    const auto row = std::span(all).subspan(i * top, top);
    if (is_done[i] != 0) answers[i].emplace(row.begin(), row.end());
  }
  return answers;
}

constexpr std::size_t top = 500;
constexpr std::size_t small_top = small_frontier_top_max;

/// The ranked values of the reference.
std::vector<Ranks> expected_of(const Graph& graph, const Queries& queries,
                               const SpreadOptions& options) {
  std::vector<Ranks> expected;
  for (const Sources& query : queries)
    expected.push_back(ranked(reference_values(graph, query, options), top));
  return expected;
}

/// Whether a cluster is known to hold a query on this device: newer consumer devices have less
/// shared memory.
bool is_built_for_clusters(Space space) {
  const double kernels_for = context().info(space).kernels_for;
  return space != Space::cuda ||
         (KINDRED_ENABLE_SPECIALIZED != 0 && kernels_for >= 9.0 && kernels_for < 12.0);
}

/// The same with queries in the shared memory of clusters: the results must be equal, or given up.
/// Returns the number of queries answered, or no value where the space has no clusters.
template <class ExecutionSpace>
std::optional<std::size_t> expect_small(const ExecutionSpace& exec_space,
                                        const BothWays<ExecutionSpace>& graph,
                                        const Workspace<ExecutionSpace>& workspace,
                                        const Queries& queries, const SpreadOptions& options,
                                        const std::vector<Ranks>& expected) {
  std::size_t answered = 0;
  for (const std::size_t best : {std::size_t{7}, small_top}) {
    const auto answers =
        spread_small(exec_space, graph, workspace, queries, options, best, Form::small);
    if (answers.empty()) return {};
    for (std::size_t i = 0; i < queries.size(); ++i) {
      if (!answers[i]) continue;
      ++answered;
      EXPECT_TRUE(std::ranges::equal(*answers[i], std::span(expected[i]).first(best))) << i;
    }
  }
  return answered;
}

TEST(SpreadFrontier, MatchesReferenceOrGivesUp) {
  for (const SpreadMode mode : spread_modes) {
    const Graph graph = graph_for(mode, 900);
    const Parts in_parts[] = {Parts(graph), Parts::changed(graph)};
    const Parts out_parts[] = {Parts(graph, HopDirection::against),
                               Parts::changed(graph, HopDirection::against)};
    const SpreadOptions options = spread_options(mode, 3, {Decay::Kind::constant, 0.3});
    const Queries queries = queries_for(mode, graph.nodes, 20);
    const std::vector<Ranks> expected = expected_of(graph, queries, options);
    on_spaces([&](const auto& exec_space, Space space) {
      for (const int is_changed : {0, 1}) {
        const BothWays both(exec_space, in_parts[is_changed], out_parts[is_changed]);
        for (const std::uint64_t budget : {64U, 3000U, 1U << 18U}) {
          const Workspace workspace(exec_space, {3, graph.nodes, budget});
          std::size_t answered = 0;
          for (int round = 0; round < 2; ++round) {
            const auto answers = spread_small(exec_space, both, workspace, queries, options, top);
            for (std::size_t i = 0; i < queries.size(); ++i) {
              answered += answers[i] ? 1 : 0;
              EXPECT_EQ(answers[i].value_or(expected[i]), expected[i]) << i;
            }
            EXPECT_TRUE(workspace.is_clear(exec_space)) << budget;
          }
          EXPECT_EQ(answered == 2 * queries.size(), budget > 3000) << answered;
        }
        const Workspace workspace(exec_space, {1, graph.nodes, 64});
        const auto small = expect_small(exec_space, both, workspace, queries, options, expected);
        EXPECT_GT(small.value_or(1), 0U);
        EXPECT_TRUE(small || !is_built_for_clusters(space));
      }
    });
  }
}

/// Small frontiers and whole hops must give the same bits on every space, in every mode; \p added
/// nodes were added after the rows were built.
void expect_push_is_pull(const Graph& graph, const Sources& query, std::uint32_t hops,
                         const Decay& decay, std::uint64_t budget = 1U << 18U,
                         std::uint32_t added = 0) {
  Parts in_parts(graph);
  Parts out_parts(graph, HopDirection::against);
  in_parts.nodes = out_parts.nodes = graph.nodes + added;
  for (const SpreadMode mode : spread_modes) {
    const SpreadOptions options = spread_options(mode, hops, decay);
    const HostSpace& host = Impl::host_instance(context(), Space::openmp);
    const auto whole = spread_whole(host, in_parts, {query}, HopWidth::one, options);
    const Ranks expected = ranked(whole.front(), top);
    on_spaces([&](const auto& exec_space) {
      const BothWays both(exec_space, in_parts, out_parts);
      const Workspace workspace(exec_space, {1, in_parts.nodes, budget});
      EXPECT_EQ(spread_small(exec_space, both, workspace, {query}, options, top)[0], expected);
      EXPECT_TRUE(workspace.is_clear(exec_space));
      expect_small(exec_space, both, workspace, {query}, options, {expected});
    });
  }
}

TEST(SpreadFrontier, EqualsWholeHopsOnChainsStarsCyclesAndAddedNodes) {
  const Decay one{Decay::Kind::constant, 1};
  for (const std::uint32_t nodes : {10U, 100U, 512U, 1000U, 5000U})
    expect_push_is_pull(chain(nodes), {{0, 1}}, nodes, one);
  for (const std::uint32_t leaves : {99U, 255U, 257U, 4095U, 4097U, 8193U, 1'000'000U}) {
    Graph star{leaves + 1};
    for (std::uint32_t leaf = 1; leaf <= leaves; ++leaf) {
      star.edges.push_back({0, leaf, 0.1F});
      star.edges.push_back({leaf, 0, leaf % 7 == 0 ? 0.0F : 1e-6F});
    }
    expect_push_is_pull(star, {{0, 1}}, 3, one, 32 * std::uint64_t{leaves} + 10'000);
  }
  expect_push_is_pull(complete(0.5F), {{0, 1}, {3, 0.25F}}, 40, one);
  expect_push_is_pull(ring(6, 1), {{2, 0.9F}}, 100, {Decay::Kind::constant, 0.99});
  expect_push_is_pull({3, {{0, 1, 0}, {0, 1, 0}, {1, 2, 1}, {0, 2, 0.2F}, {0, 2, 0.3F}}},
                      {{0, 1}, {1, 0}}, 3, {});
  expect_push_is_pull({4}, {{1, 1}, {2, 0}}, 3, {});
  expect_push_is_pull({2, {{0, 0, 1}, {0, 1, 1}}}, {{0, 1}}, 0, {});
  // Nodes were added without edges.
  expect_push_is_pull({3, {{0, 1, 1}, {1, 2, 0.5F}}}, {{0, 1}, {40, 0.5F}, {1002, 0.25F}}, 3, {},
                      1U << 18U, 1000);
}

TEST(SpreadFrontier, EqualsWholeHopsOnAnyGraph) {
  expect_property("small frontiers and whole hops have the same bits", [] {
    const auto nodes = *rc::gen::inRange<std::uint32_t>(1, 60);
    const auto node = rc::gen::inRange<std::uint32_t>(0, nodes);
    const auto weight = rc::gen::oneOf(
        rc::gen::map(rc::gen::inRange(0, 9), [](int n) { return static_cast<float>(n) / 8; }),
        rc::gen::element(0.1F, 1e-3F, 0.7F));
    Graph graph{nodes, *rc::gen::container<std::vector<Edge>>(
                           rc::gen::construct<Edge>(node, node, weight))};
    const auto hub = *node;
    const auto hub_edges = *rc::gen::element(0U, 0U, 70U, 300U, 5000U);
    for (std::uint32_t i = 0; i < hub_edges; ++i) {
      graph.edges.push_back({i % nodes, hub, 0.01F});
      graph.edges.push_back({hub, i * 7 % nodes, 0.02F});
    }
    Sources query;
    for (const std::uint32_t source : *rc::gen::unique<std::vector<std::uint32_t>>(node))
      query.push_back({source, *weight});
    expect_push_is_pull(graph, query, *rc::gen::inRange<std::uint32_t>(0, 6),
                        {Decay::Kind::constant, *rc::gen::element(1.0, 0.5, 0.05)});
    RC_ASSERT(!::testing::Test::HasFailure());
  });
}

}  // namespace Kindred::Testing::Graphs::FrontierTest
