// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <kindred/backends/Reference.hpp>
#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/graph/Adjacency.hpp>
#include <kindred/core/graph/Frontier.hpp>
#include <kindred/core/graph/Hop.hpp>

#include <algorithm>
#include <random>
#include <vector>

#include "Support.hpp"

namespace {

using namespace Kindred;

/// A graph on the host, both ways.
struct Graph {
  std::size_t nodes = 0;
  std::vector<Edge> edges;
  std::vector<std::uint64_t> offsets, out_offsets;
  std::vector<std::uint32_t> sources, out_targets;
  std::vector<float> weights, out_weights;

  Graph(std::size_t node_count, std::vector<Edge> edge_list)
      : nodes(node_count),
        edges(std::move(edge_list)),
        offsets(nodes + 1),
        out_offsets(nodes + 1),
        sources(edges.size()),
        out_targets(edges.size()),
        weights(edges.size()),
        out_weights(edges.size()) {
    fill_adjacency(edges, {out_offsets, out_targets, out_weights}, {offsets, sources, weights});
  }
};

template <class ExecutionSpace, class T>
using Array = Kokkos::View<T*, typename ExecutionSpace::memory_space>;

template <class ExecutionSpace, class T>
Array<ExecutionSpace, T> to_space(const ExecutionSpace& exec_space, const std::vector<T>& values) {
  Array<ExecutionSpace, T> view("Kindred::Testing::values", values.size());
  Impl::upload(exec_space, view, values.data(), values.size());
  return view;
}

/// The transpose in the memory of a space.
template <class ExecutionSpace>
struct Placed {
  Array<ExecutionSpace, std::uint64_t> offsets, long_first;
  Array<ExecutionSpace, std::uint32_t> sources, tiles, long_rows, block_long_row;
  Array<ExecutionSpace, float> weights;

  Placed(const ExecutionSpace& exec_space, const Graph& graph) {
    const RowPlan plan = plan_rows(graph.offsets, short_row_max<ExecutionSpace>(), 2048);
    offsets = to_space(exec_space, graph.offsets);
    sources = to_space(exec_space, graph.sources);
    weights = to_space(exec_space, graph.weights);
    tiles = to_space(exec_space, plan.tiles);
    long_rows = to_space(exec_space, plan.long_rows);
    long_first = to_space(exec_space, plan.long_first);
    block_long_row = to_space(exec_space, plan.block_long_row);
  }
  GraphRows<typename ExecutionSpace::memory_space> view() const {
    return {offsets, sources, weights, tiles, long_rows, long_first, block_long_row};
  }
};

using Query = std::vector<Activation>;  // each node once

/// Whole hops: the values of every node after spreading, a query each.
template <class ExecutionSpace>
std::vector<std::vector<float>> spread_whole(const ExecutionSpace& exec_space, const Graph& graph,
                                             const std::vector<Query>& queries, HopWidth hop_width,
                                             HopParameters parameters, const Decay& decay) {
  const Placed<ExecutionSpace> placed(exec_space, graph);
  const auto width = static_cast<std::size_t>(hop_width);
  const std::size_t places = graph.nodes * width;
  const Array<ExecutionSpace, float> value("Kindred::Testing::value", places);
  const Array<ExecutionSpace, float> passed("Kindred::Testing::passed", places);
  const Array<ExecutionSpace, float> next("Kindred::Testing::next", places);
  const Array<ExecutionSpace, std::uint8_t> tier("Kindred::Testing::tier", places);
  const Array<ExecutionSpace, double> partial("Kindred::Testing::partial",
                                              placed.block_long_row.extent(0) * width);
  const Array<ExecutionSpace, std::uint32_t> last("Kindred::Testing::last", 1);
  SpreadState<ExecutionSpace> state{hop_width, value, passed, next, tier, partial, last};
  std::vector<std::uint64_t> where;
  std::vector<float> values;
  for (std::size_t query = 0; query < queries.size(); ++query) {
    for (const Activation& source : queries[query]) {
      where.push_back(source.node * width + query);
      values.push_back(source.value);
    }
  }
  const auto source_places = to_space(exec_space, where);
  const auto source_values = to_space(exec_space, values);
  start_spreading<ExecutionSpace>(exec_space, state, source_places, source_values);
  for (std::uint32_t hop = 1; hop <= parameters.hops; ++hop) {
    parameters.hop = hop;
    parameters.decay = decay_at(decay, hop);
    spread_hop(exec_space, placed.view(), state, parameters);
    std::swap(state.passed, state.next);
  }
  std::vector<float> all(places);
  Impl::download(exec_space, all.data(), value, places);
  std::vector<std::vector<float>> rows(queries.size(), std::vector<float>(graph.nodes));
  for (std::size_t query = 0; query < queries.size(); ++query) {
    for (std::size_t node = 0; node < graph.nodes; ++node)
      rows[query][node] = all[node * width + query];
  }
  return rows;
}

std::vector<float> reference(const Graph& graph, const Query& query,
                             const HopParameters& parameters, const Decay& decay) {
  std::vector<Reference::Link> links;
  for (const Edge& edge : graph.edges) links.push_back({edge.from, edge.to, edge.weight});
  std::vector<Reference::Node> sources;
  for (const Activation& source : query) sources.push_back({source.node, source.value});
  const Reference::SpreadSettings settings{parameters.hops, decay, {}};
  return parameters.mode == SpreadMode::engine
             ? Reference::spread_engine(graph.nodes, links, sources, settings)
             : Reference::spread_linear(graph.nodes, links, sources, settings);
}

/// Rows of every length around the limits of lanes, tiles and blocks; then skewed ones.
Graph random_graph(std::size_t nodes, bool is_engine, std::mt19937_64& generator) {
  std::uniform_real_distribution<float> weight(is_engine ? 0.0F : -1.0F, 1.0F);
  std::uniform_real_distribution<double> unit(0, 1);
  std::vector<Edge> edges;
  std::uint32_t row = 0;
  for (const std::size_t length :
       {0,  1,  2,  3,   7,   8,   9,   15,  16,  17,   31,   32,   33,
        63, 64, 65, 127, 128, 129, 255, 256, 257, 4095, 4096, 4097, 10000}) {
    for (std::size_t i = 0; i < length; ++i)
      edges.push_back({static_cast<std::uint32_t>(generator() % nodes), row, weight(generator)});
    ++row;
  }
  for (std::size_t i = 0; i < 4 * nodes; ++i) {
    const double u = unit(generator);
    edges.push_back({static_cast<std::uint32_t>(generator() % nodes),
                     static_cast<std::uint32_t>(static_cast<double>(nodes - 1) * u * u),
                     weight(generator)});
  }
  std::ranges::shuffle(edges, generator);
  return {nodes, std::move(edges)};
}

std::vector<Query> random_queries(std::size_t nodes, std::size_t count, bool is_engine,
                                  std::mt19937_64& generator) {
  std::uniform_real_distribution<float> value(is_engine ? 0.0F : -1.0F, 1.0F);
  std::vector<Query> queries(count);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::uint32_t node = 0; node < nodes; ++node) {
      if (generator() % (1 + i * 40) == 0) queries[i].push_back({node, value(generator)});
    }
  }
  return queries;
}

HopParameters defaults(SpreadMode mode, std::uint32_t hops) {
  HopParameters parameters;
  parameters.mode = mode;
  parameters.hops = hops;
  std::ranges::copy(default_tier_thresholds, parameters.thresholds);
  return parameters;
}

TEST(SpreadHop, EqualsTheReferenceForEveryWidth) {
  auto generator = Testing::generator("SpreadHop.width");
  for (const SpreadMode mode : {SpreadMode::engine, SpreadMode::linear}) {
    const bool is_engine = mode == SpreadMode::engine;
    const Graph graph = random_graph(900, is_engine, generator);
    const HopParameters parameters = defaults(mode, 4);
    const Decay decay{Decay::Kind::power, 3};
    for (const HopWidth width : {HopWidth::one, HopWidth::eight, HopWidth::thirty_two}) {
      const std::vector<Query> queries =
          random_queries(graph.nodes, static_cast<std::size_t>(width), is_engine, generator);
      std::vector<std::vector<float>> expected;
      for (const Query& query : queries)
        expected.push_back(reference(graph, query, parameters, decay));
      for (const Space space : Testing::spaces()) {
        Impl::with_instance(Testing::context(), space, [&](const auto& exec_space) {
          EXPECT_EQ(spread_whole(exec_space, graph, queries, width, parameters, decay), expected)
              << to_string(space) << ", width " << static_cast<int>(width);
        });
      }
    }
  }
}

TEST(SpreadHop, AFrontierThatDiedChangesNothing) {
  const Graph graph(3, {{0, 1, 0.01F}, {1, 2, 1}});
  for (const Space space : Testing::spaces()) {
    Impl::with_instance(Testing::context(), space, [&](const auto& exec_space) {
      const auto values = spread_whole(exec_space, graph, {{{0, 1}}}, HopWidth::one,
                                       defaults(SpreadMode::engine, 9), {});
      EXPECT_THAT(values.front(), ::testing::ElementsAre(1, 0, 0));
    });
  }
}

TEST(SpreadFrontier, EqualsTheReferenceOrGivesUp) {
  auto generator = Testing::generator("SpreadFrontier.reference");
  const HostSpace& exec_space = Impl::host_instance(Testing::context(), Space::openmp);
  for (const SpreadMode mode : {SpreadMode::engine, SpreadMode::linear}) {
    const bool is_engine = mode == SpreadMode::engine;
    const Graph graph = random_graph(900, is_engine, generator);
    const Placed<HostSpace> placed(exec_space, graph);
    const HopParameters parameters = defaults(mode, 3);
    const Decay decay{Decay::Kind::constant, 0.3};
    for (const std::uint64_t budget :
         {std::uint64_t{64}, std::uint64_t{3000}, std::uint64_t{1} << 30}) {
      const FrontierShape shape{3, graph.nodes, budget};
      const std::size_t places = shape.slots * shape.nodes;
      const std::size_t lists = shape.slots * shape.list();
      const Array<HostSpace, float> value("Kindred::Testing::value", places);
      const Array<HostSpace, float> passed("Kindred::Testing::passed", places);
      const Array<HostSpace, float> next("Kindred::Testing::next", places);
      const Array<HostSpace, std::uint8_t> tier("Kindred::Testing::tier", places);
      const Array<HostSpace, std::uint32_t> mark("Kindred::Testing::mark", places);
      const Array<HostSpace, std::uint32_t> stamp("Kindred::Testing::stamp", shape.slots);
      const Array<HostSpace, std::uint32_t> last("Kindred::Testing::last", shape.slots);
      const Array<HostSpace, std::uint32_t> nodes("Kindred::Testing::lists", 3 * lists);
      const Array<HostSpace, Rank> keys("Kindred::Testing::keys", lists);
      const FrontierState state{shape, value, passed, next, tier, mark, stamp, last, nodes, keys};
      clear_frontier(exec_space, state);
      const Array<HostSpace, std::uint64_t> out_offsets = to_space(exec_space, graph.out_offsets);
      const Array<HostSpace, std::uint32_t> out_targets = to_space(exec_space, graph.out_targets);
      std::size_t answered = 0;
      for (int round = 0; round < 2; ++round) {  // a second call finds the workspace clear
        const std::vector<Query> queries = random_queries(graph.nodes, 20, is_engine, generator);
        const std::vector<std::span<const Activation>> spans(queries.begin(), queries.end());
        std::vector<Rank> ranks(queries.size() * graph.nodes);
        std::vector<std::uint8_t> done(queries.size(), 7);
        spread_frontier(exec_space, placed.view(), out_offsets, out_targets, state, spans,
                        parameters, decay, graph.nodes, ranks, done);
        exec_space.fence("Kindred::Testing::spread_frontier");
        for (std::size_t query = 0; query < queries.size(); ++query) {
          if (done[query] == 0) continue;
          ++answered;
          std::vector<Rank> expected;
          for (const Reference::Node& node : Reference::ranked_nodes(
                   reference(graph, queries[query], parameters, decay), graph.nodes))
            expected.push_back(rank_descending(node.value, node.node));
          expected.resize(graph.nodes, rank_none);
          const Rank* row = ranks.data() + query * graph.nodes;
          EXPECT_EQ(std::vector<Rank>(row, row + graph.nodes), expected) << budget;
        }
      }
      EXPECT_EQ(answered == 40U, budget > 3000) << answered;
    }
  }
}

}  // namespace
