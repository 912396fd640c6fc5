// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/graph/FillAdjacency.hpp>

#include <algorithm>
#include <random>
#include <vector>

#include "Support.hpp"

namespace AdjacencyTest {

using namespace Kindred;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const HostSpace& host() { return Impl::host_instance(Testing::context(), Space::openmp); }

struct Rows {
  std::vector<std::uint64_t> offsets;
  std::vector<std::uint32_t> ends;
  std::vector<float> weights;

  Rows(std::size_t nodes, std::size_t edges) : offsets(nodes + 1), ends(edges), weights(edges) {}
  AdjacencySpan span() { return {offsets, ends, weights}; }
};

TEST(Adjacency, RowsAreInSourceThenInputOrder) {
  const std::vector<Edge> edges{{2, 1, 0.1F}, {0, 1, 0.2F}, {2, 1, 0.3F}, {1, 1, 0.4F},
                                {0, 3, 0.5F}, {0, 1, 0.6F}, {3, 0, 0.7F}};
  Rows out(5, edges.size());
  Rows in(5, edges.size());
  fill_adjacency(host(), edges, out.span(), in.span());
  EXPECT_THAT(in.offsets, ElementsAre(0, 1, 6, 6, 7, 7));
  EXPECT_THAT(in.ends, ElementsAre(3, 0, 0, 1, 2, 2, 0));
  EXPECT_THAT(in.weights, ElementsAre(0.7F, 0.2F, 0.6F, 0.4F, 0.1F, 0.3F, 0.5F));
  EXPECT_THAT(out.offsets, ElementsAre(0, 3, 4, 6, 7, 7));
  EXPECT_THAT(out.ends, ElementsAre(1, 3, 1, 1, 1, 1, 0));
  EXPECT_THAT(out.weights, ElementsAre(0.2F, 0.5F, 0.6F, 0.4F, 0.1F, 0.3F, 0.7F));
}

TEST(Adjacency, GraphsWithoutNodesOrEdgesAreLegal) {
  Rows none(0, 0);
  Rows other(0, 0);
  fill_adjacency(host(), {}, none.span(), other.span());
  EXPECT_THAT(other.offsets, ElementsAre(0));
  Rows out(3, 0);
  Rows in(3, 0);
  fill_adjacency(host(), {}, out.span(), in.span());
  EXPECT_THAT(in.offsets, ElementsAre(0, 0, 0, 0));
}

TEST(Adjacency, TransposeOfRowsMatchesThatOfTheListOfEdges) {
  auto generator = Testing::generator("Adjacency.transpose");
  for (const std::size_t edge_count : {0, 1, 2, 3, 31, 32, 33, 400, 300'000}) {
    const std::size_t nodes = 1 + edge_count / 7;
    std::vector<Edge> edges(edge_count);
    for (Edge& edge : edges) {
      edge.from = static_cast<std::uint32_t>(generator() % nodes);
      edge.to = static_cast<std::uint32_t>(generator() % nodes);
      edge.weight = static_cast<float>(generator() % 1000);
    }
    Rows out(nodes, edge_count);
    Rows expected(nodes, edge_count);
    fill_adjacency(host(), edges, out.span(), expected.span());
    Rows in(nodes, edge_count);
    fill_transpose(host(), out.span(), in.span());
    EXPECT_EQ(in.offsets, expected.offsets);
    EXPECT_EQ(in.ends, expected.ends);
    EXPECT_EQ(in.weights, expected.weights);
  }
}

TEST(Adjacency, MatchesAStableSort) {
  auto generator = Testing::generator("Adjacency.sort");
  for (int trial = 0; trial < 30; ++trial) {
    const std::size_t nodes = 1 + generator() % 50;
    std::vector<Edge> edges(generator() % 400);
    for (Edge& edge : edges) {
      edge = {static_cast<std::uint32_t>(generator() % nodes),
              static_cast<std::uint32_t>(generator() % nodes),
              static_cast<float>(generator() % 1000)};
    }
    Rows out(nodes, edges.size());
    Rows in(nodes, edges.size());
    fill_adjacency(host(), edges, out.span(), in.span());
    std::ranges::stable_sort(edges, {}, &Edge::from);
    std::ranges::stable_sort(edges, {}, &Edge::to);
    for (std::size_t i = 0; i < edges.size(); ++i) {
      EXPECT_EQ(in.ends[i], edges[i].from);
      EXPECT_EQ(in.weights[i], edges[i].weight);
      EXPECT_LE(in.offsets[edges[i].to], i);
      EXPECT_GT(in.offsets[edges[i].to + 1], i);
    }
  }
}

TEST(Adjacency, IsTheSameWithThreeThreads) {
  // Enough edges for three threads; half of them share one end node.
  auto generator = Testing::generator("Adjacency.threads");
  const std::size_t nodes = 1000;
  std::vector<Edge> edges(200'000);
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const auto one = static_cast<std::uint32_t>(generator() % nodes);
    const auto other = static_cast<std::uint32_t>(generator() % 2 == 0 ? 7 : generator() % nodes);
    edges[i] = {i % 2 == 0 ? one : other, i % 2 == 0 ? other : one, static_cast<float>(i)};
  }
  Rows out(nodes, edges.size());
  Rows in(nodes, edges.size());
  ContextOptions options;
  options.threads = 3;
  options.load_profile = false;
  const Context context(options);
  fill_adjacency(Impl::host_instance(context, Space::openmp), edges, out.span(), in.span());
  const auto expect_rows = [&](const Rows& rows, std::uint32_t Edge::*row,
                               std::uint32_t Edge::*end) {
    std::ranges::stable_sort(edges, {}, row);
    std::vector<std::uint64_t> offsets(nodes + 1);
    std::vector<std::uint32_t> ends;
    std::vector<float> weights;
    for (const Edge& edge : edges) {
      ++offsets[edge.*row + 1];
      ends.push_back(edge.*end);
      weights.push_back(edge.weight);
    }
    for (std::size_t v = 0; v < nodes; ++v) offsets[v + 1] += offsets[v];
    EXPECT_EQ(rows.offsets, offsets);
    EXPECT_EQ(rows.ends, ends);
    EXPECT_EQ(rows.weights, weights);
  };
  expect_rows(out, &Edge::from, &Edge::to);
  expect_rows(in, &Edge::to, &Edge::from);
}

}  // namespace AdjacencyTest
