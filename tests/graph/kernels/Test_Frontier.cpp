// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <kindred/core/graph/Frontier.hpp>
#include <kindred/memory/Copies.hpp>

#include <functional>
#include <numeric>

#include "GraphSupport.hpp"
#include "Properties.hpp"

namespace FrontierTest {

using namespace Kindred;
using namespace Testing::Graphs;
using Testing::Graphs::Array;

using Ranks = std::vector<Rank>;

/// Both directions of a graph in memory that a space can access.
template <class ExecutionSpace>
struct BothWays {
  Placed<ExecutionSpace> in;
  Placed<ExecutionSpace> out;

  BothWays(const ExecutionSpace& exec_space, const Parts& in_parts, const Parts& out_parts)
      : in(exec_space, in_parts), out(exec_space, out_parts) {}
};

/// The workspace of `spread_frontier`.
template <class ExecutionSpace>
struct Workspace {
  FrontierShape shape;
  FrontierSizes<ExecutionSpace> sizes;
  Array<ExecutionSpace, float> value, passed;
  Array<ExecutionSpace, std::uint8_t> tier;
  Array<ExecutionSpace, std::uint32_t> mark;
  Array<ExecutionSpace, FrontierOut> hubs;
  Array<ExecutionSpace, FrontierControl> control;
  Array<ExecutionSpace, FrontierRow> rows, long_rows;
  Array<ExecutionSpace, FrontierBlock> blocks;
  Array<ExecutionSpace, double> partial;
  Array<ExecutionSpace, Rank> keys;

  Workspace(const ExecutionSpace& exec_space, const FrontierShape& given)
      : shape(given),
        sizes(given),
        value("Kindred::Testing::value", shape.slots * shape.nodes),
        passed("Kindred::Testing::passed", 3 * shape.slots * shape.nodes),
        tier("Kindred::Testing::tier", shape.slots * shape.nodes),
        mark("Kindred::Testing::mark", shape.slots * shape.nodes),
        hubs("Kindred::Testing::hubs", shape.slots * sizes.hubs),
        control("Kindred::Testing::control", shape.slots),
        rows("Kindred::Testing::rows", shape.slots * sizes.rows),
        long_rows("Kindred::Testing::long_rows", shape.slots * sizes.long_rows),
        blocks("Kindred::Testing::blocks", shape.slots * sizes.blocks),
        partial("Kindred::Testing::partial", shape.slots * sizes.blocks),
        keys("Kindred::Testing::keys", shape.slots * sizes.keys) {
    clear_frontier(exec_space, state());
  }
  FrontierState<ExecutionSpace> state() const {
    return {shape, value,     passed, tier,    mark, control,
            rows,  long_rows, blocks, partial, hubs, keys};
  }
  /// Whether a call restored the workspace except for marks.
  bool is_clear(const ExecutionSpace& exec_space) const {
    const auto all = [&](const auto& view, auto target) {
      std::vector<decltype(target)> values(view.extent(0));
      Impl::download(exec_space, values.data(), view, values.size());
      return std::ranges::all_of(values, [=](auto v) { return v == target; });
    };
    return all(value, 0.0F) && all(passed, 0.0F) && all(tier, std::uint8_t{255});
  }
};

enum class Form { global, small };

/// The ranked results of every query; no value for a query that the kernel gave up.
template <class ExecutionSpace>
std::vector<std::optional<Ranks>> spread_small(const ExecutionSpace& exec_space,
                                               const BothWays<ExecutionSpace>& graph,
                                               const Workspace<ExecutionSpace>& workspace,
                                               const std::vector<Query>& requested,
                                               const HopParameters& parameters, const Decay& decay,
                                               std::size_t top, Form form = Form::global) {
  std::vector<FrontierQuery> queries;
  std::vector<Activation> sources;
  std::vector<float> decays;
  for (std::uint32_t hop = 1; hop <= parameters.hops; ++hop) decays.push_back(decay_at(decay, hop));
  for (const Query& query : requested) {
    queries.push_back({static_cast<std::uint32_t>(sources.size()),
                       static_cast<std::uint32_t>(query.size()), parameters, 0});
    sources.insert(sources.end(), query.begin(), query.end());
  }
  FrontierQueries<ExecutionSpace> call;
  call.count = requested.size();
  const auto placed_queries = to_space(exec_space, queries);
  const auto placed_sources = to_space(exec_space, sources);
  const auto placed_decays = to_space(exec_space, decays);
  const Array<ExecutionSpace, std::uint32_t> taken("Kindred::Testing::taken", 1);
  const bool is_few =
      requested.size() == 1 && sources.size() <= call.few_sources && decays.size() <= call.few_hops;
  if (is_few) {
    call.only = queries[0];
    std::ranges::copy(sources, call.only_sources);
    std::ranges::copy(decays, call.only_decays);
  } else {
    call.queries = placed_queries;
    call.sources = placed_sources;
    call.decays = placed_decays;
    call.taken = taken;
  }
  const Array<ExecutionSpace, Rank> ranks("Kindred::Testing::ranks", requested.size() * top);
  const Array<ExecutionSpace, std::uint8_t> done("Kindred::Testing::done", requested.size());
  call.top = static_cast<std::uint32_t>(top);
  call.ranks = ranks;
  call.done = done;
  if (form == Form::global)
    spread_frontier<ExecutionSpace>(exec_space, graph.in.view(), graph.out.view(),
                                    workspace.state(), call);
  else if (!spread_small_frontier<ExecutionSpace>(exec_space, graph.in.view(), graph.out.view(),
                                                  call))
    return {};
  Ranks all(requested.size() * top);
  std::vector<std::uint8_t> is_done(requested.size());
  Impl::download(exec_space, all.data(), ranks, all.size());
  Impl::download(exec_space, is_done.data(), done, is_done.size());
  std::vector<std::optional<Ranks>> answers(requested.size());
  for (std::size_t i = 0; i < requested.size(); ++i) {
    if (is_done[i] != 0)
      answers[i] = Ranks(all.begin() + static_cast<std::ptrdiff_t>(i * top),
                         all.begin() + static_cast<std::ptrdiff_t>((i + 1) * top));
  }
  return answers;
}

Ranks ranked(const std::vector<float>& values, std::size_t top) {
  Ranks ranks;
  for (std::uint32_t node = 0; node < values.size(); ++node) {
    if (values[node] != 0.0F) ranks.push_back(rank_descending(values[node], node));
  }
  std::ranges::sort(ranks);
  ranks.resize(top, rank_none);
  return ranks;
}

/// The same edges reversed.
Graph turned(const Graph& graph) {
  std::vector<Edge> edges = graph.edges;
  for (Edge& edge : edges) std::swap(edge.from, edge.to);
  return {graph.nodes, std::move(edges)};
}

constexpr std::size_t top = 500;
constexpr std::size_t small_top = small_frontier_top_max;

/// Whether a cluster is known to hold a query on this device: newer consumer devices have less
/// shared memory.
bool is_built_for_clusters(Space space) {
  const double kernels_for = Testing::context().info(space).kernels_for;
  return space != Space::cuda ||
         (KINDRED_ENABLE_SPECIALIZED != 0 && kernels_for >= 9.0 && kernels_for < 12.0);
}

/// The same with queries in the shared memory of clusters: the results must be equal, or given up.
/// Returns the number of queries answered, or no value where the space has no clusters.
template <class ExecutionSpace>
std::optional<std::size_t> expect_small(const ExecutionSpace& exec_space,
                                        const BothWays<ExecutionSpace>& graph,
                                        const Workspace<ExecutionSpace>& workspace,
                                        const std::vector<Query>& queries,
                                        const HopParameters& parameters, const Decay& decay,
                                        const std::vector<Ranks>& expected) {
  std::size_t answered = 0;
  for (const std::size_t best : {std::size_t{7}, small_top}) {
    const auto answers =
        spread_small(exec_space, graph, workspace, queries, parameters, decay, best, Form::small);
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
  auto generator = Testing::generator("SpreadFrontier.reference");
  for (const SpreadMode mode : {SpreadMode::engine, SpreadMode::linear}) {
    const bool is_engine = mode == SpreadMode::engine;
    const Graph graph = random_graph(900, is_engine, generator);
    const Graph back = turned(graph);
    const Parts in_parts[] = {Parts(graph), Parts(graph, generator)};
    const Parts out_parts[] = {Parts(back), Parts(back, generator)};
    const HopParameters parameters = defaults(mode, 3);
    const Decay decay{Decay::Kind::constant, 0.3};
    const std::vector<Query> queries = random_queries(graph.nodes, 20, is_engine, generator);
    std::vector<Ranks> expected;
    for (const Query& query : queries)
      expected.push_back(ranked(reference(graph, query, parameters, decay), top));
    for (const Space space : Testing::spaces()) {
      Impl::with_instance(Testing::context(), space, [&](const auto& exec_space) {
        for (const int is_changed : {0, 1}) {
          const BothWays placed(exec_space, in_parts[is_changed], out_parts[is_changed]);
          for (const std::uint64_t budget : {64U, 3000U, 1U << 18U}) {
            const Workspace workspace(exec_space, {3, graph.nodes, budget});
            std::size_t answered = 0;
            for (int round = 0; round < 2; ++round) {
              const auto answers =
                  spread_small(exec_space, placed, workspace, queries, parameters, decay, top);
              for (std::size_t i = 0; i < queries.size(); ++i) {
                answered += answers[i] ? 1 : 0;
                if (answers[i]) {
                  EXPECT_EQ(*answers[i], expected[i]) << to_string(space) << " " << i;
                }
              }
              EXPECT_TRUE(workspace.is_clear(exec_space)) << to_string(space) << ' ' << budget;
            }
            EXPECT_EQ(answered == 2 * queries.size(), budget > 3000)
                << to_string(space) << ": " << answered;
          }
          const auto small =
              expect_small(exec_space, placed, Workspace(exec_space, {1, graph.nodes, 64}), queries,
                           parameters, decay, expected);
          EXPECT_GT(small.value_or(1), 0U) << to_string(space);
          EXPECT_TRUE(small || !is_built_for_clusters(space));
        }
      });
    }
  }
}

TEST(SpreadFrontier, AnswersOneQueryAfterABatchOfAnySize) {
  auto generator = Testing::generator("SpreadFrontier.batches");
  const Graph graph = random_graph(400, true, generator);
  const Parts in_parts(graph);
  const Parts out_parts(turned(graph));
  const HopParameters parameters = defaults(SpreadMode::engine, 3);
  const Decay decay{Decay::Kind::constant, 0.5};
  const std::vector<Query> queries = random_queries(graph.nodes, 21, true, generator);
  std::vector<Ranks> expected;
  for (const Query& query : queries)
    expected.push_back(ranked(reference(graph, query, parameters, decay), top));
  for (const Space space : Testing::spaces()) {
    Impl::with_instance(Testing::context(), space, [&](const auto& exec_space) {
      const BothWays placed(exec_space, in_parts, out_parts);
      const Workspace workspace(exec_space, {8, graph.nodes, 1U << 18U});
      for (const std::size_t batch : {1U, 2U, 1U, 3U, 1U, 8U, 1U, 21U, 1U, 1U}) {
        const std::vector some(queries.begin(),
                               queries.begin() + static_cast<std::ptrdiff_t>(batch));
        const auto answers =
            spread_small(exec_space, placed, workspace, some, parameters, decay, top);
        for (std::size_t i = 0; i < batch; ++i) {
          ASSERT_TRUE(answers[i]) << to_string(space) << ' ' << batch;
          ASSERT_EQ(*answers[i], expected[i]) << to_string(space) << ' ' << batch;
        }
      }
    });
  }
}

/// Small frontiers and whole hops must give the same bits on every space, in every mode; \p added
/// nodes were added after the rows were built.
void expect_push_is_pull(const Graph& graph, const Query& query, std::uint32_t hops,
                         const Decay& decay, std::uint64_t budget = 1U << 18U,
                         std::uint32_t added = 0) {
  Parts in_parts(graph);
  Parts out_parts(turned(graph));
  in_parts.nodes = out_parts.nodes = graph.nodes + added;
  for (const SpreadMode mode : {SpreadMode::engine, SpreadMode::linear}) {
    const HopParameters parameters = defaults(mode, hops);
    const HostSpace& host = Impl::host_instance(Testing::context(), Space::openmp);
    const auto whole = spread_whole(host, in_parts, {query}, HopWidth::one, parameters, decay);
    const Ranks expected = ranked(whole.front(), top);
    for (const Space space : Testing::spaces()) {
      Impl::with_instance(Testing::context(), space, [&](const auto& exec_space) {
        const BothWays placed(exec_space, in_parts, out_parts);
        const Workspace workspace(exec_space, {1, in_parts.nodes, budget});
        const auto answers =
            spread_small(exec_space, placed, workspace, {query}, parameters, decay, top);
        ASSERT_TRUE(answers[0]) << to_string(space);
        EXPECT_EQ(*answers[0], expected) << to_string(space);
        EXPECT_TRUE(workspace.is_clear(exec_space)) << to_string(space);
        expect_small(exec_space, placed, workspace, {query}, parameters, decay, {expected});
      });
    }
  }
}

Graph chain(std::uint32_t nodes) {
  std::vector<Edge> edges;
  for (std::uint32_t v = 0; v + 1 < nodes; ++v) edges.push_back({v, v + 1, 1});
  return {nodes, std::move(edges)};
}

TEST(SpreadFrontier, EqualsWholeHopsOnChains) {
  for (const std::uint32_t nodes : {10U, 100U, 512U, 1000U, 5000U})
    expect_push_is_pull(chain(nodes), {{0, 1}}, nodes, {Decay::Kind::constant, 1});
}

TEST(SpreadFrontier, EqualsWholeHopsOnStars) {
  for (const std::uint32_t leaves : {99U, 255U, 257U, 4095U, 4097U, 8193U, 1'000'000U}) {
    std::vector<Edge> edges;
    for (std::uint32_t leaf = 1; leaf <= leaves; ++leaf) {
      edges.push_back({0, leaf, 0.1F});
      edges.push_back({leaf, 0, leaf % 7 == 0 ? 0.0F : 1e-6F});
    }
    expect_push_is_pull({leaves + 1, std::move(edges)}, {{0, 1}}, 3, {Decay::Kind::constant, 1},
                        32 * std::uint64_t{leaves} + 10'000);
  }
}

TEST(SpreadFrontier, EqualsWholeHopsOnCyclesLoopsAndSaturation) {
  std::vector<Edge> all;
  for (std::uint32_t u = 0; u < 5; ++u) {
    for (std::uint32_t v = 0; v < 5; ++v) all.push_back({u, v, 0.5F});  // K5, with self-loops
  }
  expect_push_is_pull({5, all}, {{0, 1}, {3, 0.25F}}, 40, {Decay::Kind::constant, 1});
  expect_push_is_pull({6, {{0, 1, 1}, {1, 2, 1}, {2, 3, 1}, {3, 4, 1}, {4, 5, 1}, {5, 0, 1}}},
                      {{2, 0.9F}}, 100, {Decay::Kind::constant, 0.99});
  expect_push_is_pull({3, {{0, 1, 0}, {0, 1, 0}, {1, 2, 1}, {0, 2, 0.2F}, {0, 2, 0.3F}}},
                      {{0, 1}, {1, 0}}, 3, {});
  expect_push_is_pull({4, {}}, {{1, 1}, {2, 0}}, 3, {});
  expect_push_is_pull({2, {{0, 0, 1}, {0, 1, 1}}}, {{0, 1}}, 0, {});
}

TEST(SpreadFrontier, EqualsWholeHopsWhereANodeWasAddedWithoutEdges) {
  expect_push_is_pull({3, {{0, 1, 1}, {1, 2, 0.5F}}}, {{0, 1}, {40, 0.5F}, {1002, 0.25F}}, 3, {},
                      1U << 18U, 1000);
}

TEST(SpreadFrontier, EqualsWholeHopsOnAnyGraph) {
  Testing::expect_property("small frontiers and whole hops have the same bits", [] {
    const auto nodes = *rc::gen::inRange<std::uint32_t>(1, 60);
    const auto node = rc::gen::inRange<std::uint32_t>(0, nodes);
    const auto weight = rc::gen::oneOf(
        rc::gen::map(rc::gen::inRange(0, 9), [](int n) { return static_cast<float>(n) / 8; }),
        rc::gen::element(0.1F, 1e-3F, 0.7F));
    Graph graph(nodes, *rc::gen::container<std::vector<Edge>>(
                           rc::gen::construct<Edge>(node, node, weight)));
    const auto hub = *node;
    const auto hub_edges = *rc::gen::element(0U, 0U, 70U, 300U, 5000U);
    for (std::uint32_t i = 0; i < hub_edges; ++i) {
      graph.edges.push_back({i % nodes, hub, 0.01F});
      graph.edges.push_back({hub, i * 7 % nodes, 0.02F});
    }
    Query query;
    for (const std::uint32_t source : *rc::gen::unique<std::vector<std::uint32_t>>(node))
      query.push_back({source, *weight});
    const auto hops = *rc::gen::inRange<std::uint32_t>(0, 6);
    expect_push_is_pull({nodes, graph.edges}, query, hops,
                        {Decay::Kind::constant, *rc::gen::element(1.0, 0.5, 0.05)});
    RC_ASSERT(!::testing::Test::HasFailure());
  });
}

}  // namespace FrontierTest
