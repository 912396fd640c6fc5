// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <kindred/memory/Copies.hpp>

#include <algorithm>
#include <limits>

#include "GraphSupport.hpp"

namespace HopTest {

using namespace Kindred;
using namespace Testing::Graphs;
using Testing::Graphs::Array;

constexpr HopWidth widths[] = {HopWidth::one, HopWidth::eight, HopWidth::thirty_two};
constexpr HopDirection directions[] = {HopDirection::along, HopDirection::against};

/// Rounds the weights of \p graph to values that \p stored can hold.
void store_as(Stored stored, Graph& graph) {
  for (Edge& edge : graph.edges) {
    if (stored == Stored::ones) edge.weight = 1;
    if (stored == Stored::halves) {
      edge.weight = std::bit_cast<float>(std::bit_cast<std::uint32_t>(edge.weight) & 0xFFFF0000U);
    }
  }
}

/// The columns of a hop, each a vector.
template <class ExecutionSpace>
std::vector<std::vector<float>> hop_columns(
    const ExecutionSpace& exec_space, const GraphSide<typename ExecutionSpace::memory_space>& graph,
    HopWidth width, const std::vector<std::vector<float>>& x,
    const std::vector<std::uint32_t>& kind_queries) {
  const auto columns = static_cast<std::size_t>(width);
  std::vector<float> values(graph.nodes * columns);
  for (std::size_t node = 0; node < graph.nodes; ++node) {
    for (std::size_t c = 0; c < columns; ++c) values[node * columns + c] = x[c][node];
  }
  const auto from = to_space(exec_space, values);
  const auto words = to_space(exec_space, kind_queries);
  const Array<ExecutionSpace, float> to("Kindred::Testing::y", values.size());
  const Array<ExecutionSpace, double> partial("Kindred::Testing::partial",
                                              graph.blocks() * columns);
  Kokkos::deep_copy(exec_space, to, std::numeric_limits<float>::infinity());
  hop<ExecutionSpace>(exec_space, graph, width, from, to, partial, words);
  Impl::download(exec_space, values.data(), to, values.size());
  std::vector<std::vector<float>> y(columns, std::vector<float>(graph.nodes));
  for (std::size_t node = 0; node < graph.nodes; ++node) {
    for (std::size_t c = 0; c < columns; ++c) y[c][node] = values[node * columns + c];
  }
  return y;
}

TEST(Hop, MatchesReferenceForEveryFormOfEdges) {
  auto generator = Testing::generator("Hop.forms");
  std::uniform_real_distribution<float> value(-1, 1);
  for (const Stored stored : {Stored::floats, Stored::halves, Stored::ones}) {
    for (const bool has_kinds : {false, true}) {
      Graph graph = random_graph(700, false, generator);
      store_as(stored, graph);
      std::vector<std::uint32_t> kind_queries;
      if (has_kinds) {
        for (std::size_t i = 0; i < graph.edges.size(); ++i)
          graph.kinds.push_back(static_cast<std::uint8_t>(generator() % 5 * 63));
        for (std::size_t kind = 0; kind < 256; ++kind)
          kind_queries.push_back(static_cast<std::uint32_t>(generator()));
        kind_queries[63] = 0xFFFFFFFFU;
        kind_queries[126] = 0;
      }
      const std::vector<Reference::Link> links = links_of(graph);
      for (const HopDirection direction : directions) {
        const Parts whole(graph, direction);
        const Parts changed(graph, generator, direction);
        for (const HopWidth width : widths) {
          std::vector<std::vector<float>> x(static_cast<std::size_t>(width),
                                            std::vector<float>(graph.nodes));
          for (auto& column : x) {
            for (float& v : column) v = generator() % 4 == 0 ? -0.0F : value(generator);
          }
          std::vector<std::vector<std::uint32_t>> expected;
          for (std::size_t c = 0; c < x.size(); ++c) {
            EdgeKinds kinds = EdgeKinds().set();
            for (std::size_t kind = 0; kind < kind_queries.size(); ++kind)
              kinds[kind] = (kind_queries[kind] >> c & 1U) != 0;
            expected.push_back(bits(Reference::hop(graph.nodes, links, x[c], direction, kinds)));
          }
          for (const Space space : Testing::spaces()) {
            Impl::with_instance(Testing::context(), space, [&](const auto& exec_space) {
              using exec_type = std::decay_t<decltype(exec_space)>;
              for (const Parts* parts : {&whole, &changed}) {
                const Placed<exec_type> placed(exec_space, *parts, stored);
                const auto y = hop_columns(exec_space, placed.view(), width, x, kind_queries);
                for (std::size_t c = 0; c < x.size(); ++c)
                  ASSERT_EQ(bits(y[c]), expected[c])
                      << to_string(space) << ", width " << x.size() << ", column " << c
                      << ", stored " << static_cast<int>(stored) << ", kinds " << has_kinds
                      << (parts == &whole ? "" : ", changed");
              }
            });
          }
        }
      }
    }
  }
}

TEST(Hop, NonFiniteValuesStayInTheirRows) {
  constexpr float inf = std::numeric_limits<float>::infinity();
  // Row 1 is shorter than a full load and is followed by an edge from the infinite node.
  const Graph graph(4, {{0, 1, 1}, {2, 3, 1}, {2, 3, 0}});
  for (const HopWidth width : widths) {
    const std::vector<std::vector<float>> x(static_cast<std::size_t>(width), {0.5F, 0, inf, 0});
    for (const Space space : Testing::spaces()) {
      Impl::with_instance(Testing::context(), space, [&](const auto& exec_space) {
        using exec_type = std::decay_t<decltype(exec_space)>;
        const Placed<exec_type> placed(exec_space, Parts(graph));
        for (const auto& column : hop_columns(exec_space, placed.view(), width, x, {})) {
          EXPECT_EQ(bits(column), bits({0, 0.5F, 0, std::bit_cast<float>(0x7FC00000U)}))
              << to_string(space);
        }
      });
    }
  }
}

TEST(Hop, AnUnselectedEdgeOfAnInfiniteNodeContributesZero) {
  constexpr float inf = std::numeric_limits<float>::infinity();
  Graph graph(2, {{0, 1, 1}, {1, 1, 1}});
  graph.kinds = {3, 4};
  std::vector<std::uint32_t> kind_queries(256, 0xFFFFFFFFU);
  kind_queries[3] = 0;
  for (const HopWidth width : widths) {
    const std::vector<std::vector<float>> x(static_cast<std::size_t>(width), {inf, 2});
    for (const Space space : Testing::spaces()) {
      Impl::with_instance(Testing::context(), space, [&](const auto& exec_space) {
        using exec_type = std::decay_t<decltype(exec_space)>;
        const Placed<exec_type> placed(exec_space, Parts(graph));
        for (const auto& column : hop_columns(exec_space, placed.view(), width, x, kind_queries))
          EXPECT_EQ(bits(column), bits({0, 2})) << to_string(space);
      });
    }
  }
}

TEST(Hop, ColumnsAreExtractedAndInserted) {
  constexpr std::size_t nodes = 5;
  constexpr std::size_t columns = 11;
  std::vector<float> values;
  for (std::size_t i = 0; i < nodes * columns; ++i) values.push_back(static_cast<float>(i) + 0.5F);
  for (const Space space : Testing::spaces()) {
    Impl::with_instance(Testing::context(), space, [&](const auto& exec_space) {
      using exec_type = std::decay_t<decltype(exec_space)>;
      const auto from = to_space(exec_space, values);
      const Array<exec_type, float> wide("Kindred::Testing::wide", nodes * 8);
      const Array<exec_type, float> back("Kindred::Testing::back", values.size());
      for (std::size_t first = 0; first < columns; first += 8) {
        const std::size_t count = std::min<std::size_t>(8, columns - first);
        copy_columns<exec_type>(exec_space, {from, columns, first}, {wide, 8}, count, 8 - count);
        std::vector<float> panel(nodes * 8);
        Impl::download(exec_space, panel.data(), wide, panel.size());
        for (std::size_t i = 0; i < panel.size(); ++i)
          EXPECT_EQ(panel[i], i % 8 < count ? values[i / 8 * columns + first + i % 8] : 0.0F);
        copy_columns<exec_type>(exec_space, {wide, 8}, {back, columns, first}, count);
      }
      std::vector<float> again(values.size());
      Impl::download(exec_space, again.data(), back, again.size());
      EXPECT_EQ(again, values);
    });
  }
}

TEST(Hop, ShortActivationsMatchARoundingReference) {
  auto generator = Testing::generator("Hop.short_activations");
  for (const SpreadMode mode : {SpreadMode::engine, SpreadMode::linear}) {
    const bool is_engine = mode == SpreadMode::engine;
    const Graph graph = random_graph(700, is_engine, generator);
    const HopParameters parameters = defaults(mode, 4);
    const Decay decay{Decay::Kind::power, 3};
    const std::vector<Query> queries = random_queries(graph.nodes, 32, is_engine, generator);
    std::vector<std::vector<float>> expected;
    for (const Query& query : queries)
      expected.push_back(reference(graph, query, parameters, decay, true));
    for (const Space space : Testing::spaces()) {
      Impl::with_instance(Testing::context(), space, [&](const auto& exec_space) {
        EXPECT_EQ(spread_whole(exec_space, Parts(graph), queries, HopWidth::thirty_two, parameters,
                               decay, true),
                  expected)
            << to_string(space);
      });
    }
  }
}

}  // namespace HopTest
