// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <kindred/core/graph/EdgeModifiers.hpp>
#include <kindred/memory/Copies.hpp>

#include <algorithm>
#include <limits>

#include "GraphSupport.hpp"

namespace HopTest {

using namespace Kindred;
using namespace Testing::Graphs;

constexpr HopWidth widths[] = {HopWidth::one, HopWidth::eight, HopWidth::thirty_two};
constexpr HopDirection directions[] = {HopDirection::along, HopDirection::against};

std::vector<std::uint32_t> bits(const std::vector<float>& values) {
  std::vector<std::uint32_t> words;
  for (const float value : values) words.push_back(std::bit_cast<std::uint32_t>(value));
  return words;
}

std::vector<Reference::Link> links_of(const Graph& graph) {
  std::vector<Reference::Link> links;
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    const Edge& edge = graph.edges[i];
    links.push_back(
        {edge.from, edge.to, edge.weight, graph.kinds.empty() ? std::uint8_t{0} : graph.kinds[i]});
  }
  return links;
}

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
        take_columns<exec_type>(exec_space, from, columns, first, count, HopWidth::eight, wide);
        std::vector<float> panel(nodes * 8);
        Impl::download(exec_space, panel.data(), wide, panel.size());
        for (std::size_t i = 0; i < panel.size(); ++i)
          EXPECT_EQ(panel[i], i % 8 < count ? values[i / 8 * columns + first + i % 8] : 0.0F);
        put_columns<exec_type>(exec_space, wide, HopWidth::eight, columns, first, count, back);
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

TEST(EdgeModifiers, MatchReferenceInBothDirectionsAndWithDeltas) {
  auto generator = Testing::generator("EdgeModifiers.reference");
  for (const auto fan : {SpreadModifiers::Fan::Kind::constant, SpreadModifiers::Fan::Kind::inverse,
                         SpreadModifiers::Fan::Kind::inverse_root}) {
    const Graph graph = random_graph(700, true, generator);
    std::vector<std::uint8_t> node_kinds;
    for (std::size_t node = 0; node < graph.nodes; ++node)
      node_kinds.push_back(static_cast<std::uint8_t>(generator() % 10));
    const SpreadModifiers modifiers = SpreadModifiers::engram_fan(fan);
    Graph expected = graph;
    const auto links = Reference::modified(graph.nodes, links_of(graph), node_kinds, modifiers);
    for (std::size_t i = 0; i < links.size(); ++i) expected.edges[i].weight = links[i].weight;
    const Parts out_parts(graph, generator, HopDirection::against);
    for (const HopDirection direction : directions) {
      const Rows target = rows_of(expected, direction);
      for (const Space space : Testing::spaces()) {
        Impl::with_instance(Testing::context(), space, [&](const auto& exec_space) {
          using exec_type = std::decay_t<decltype(exec_space)>;
          const Placed<exec_type> out(exec_space, out_parts);
          const Placed<exec_type> rows(exec_space, Parts(graph, direction));
          const auto kinds = to_space(exec_space, node_kinds);
          const Array<exec_type, float> weights("Kindred::Testing::weights", graph.edges.size());
          modify_weights<exec_type>(exec_space, rows.view().built, direction, out.view(), kinds,
                                    modifiers, weights);
          std::vector<float> found(graph.edges.size());
          Impl::download(exec_space, found.data(), weights, found.size());
          EXPECT_EQ(bits(found), bits(target.weights)) << to_string(space);
        });
      }
    }
  }
}

TEST(RankGroups, MembersOfTheBestGroupsIncludeTheBestNodes) {
  auto generator = Testing::generator("RankGroups.members");
  for (const HopWidth width : widths) {
    const auto columns = static_cast<std::size_t>(width);
    for (const std::size_t nodes : {1UL, 5UL, 64UL, 1000UL}) {
      std::vector<float> values(nodes * columns);  // many are equal, many are 0
      for (float& value : values) value = static_cast<float>(static_cast<int>(generator() % 9) - 4);
      if (nodes > 1) values[columns] = std::numeric_limits<float>::quiet_NaN();
      for (const std::size_t groups : {1UL, 3UL, 64UL, 400UL}) {
        if (groups > nodes) continue;
        for (const std::size_t top : {1UL, 3UL, 70UL}) {
          for (const Space space : Testing::spaces()) {
            Impl::with_instance(Testing::context(), space, [&](const auto& exec_space) {
              using exec_type = std::decay_t<decltype(exec_space)>;
              const auto placed = to_space(exec_space, values);
              SpreadState<exec_type> state;
              state.width = width;
              state.value = placed;
              const auto best_of = [&](std::vector<Rank> keys, std::size_t longest) {
                std::vector<Rank> best(columns * top, rank_none);
                for (std::size_t query = 0; query < columns; ++query) {
                  const auto row = keys.begin() + static_cast<std::ptrdiff_t>(query * longest);
                  std::sort(row, row + static_cast<std::ptrdiff_t>(longest));
                  std::copy_n(row, std::min(top, longest),
                              best.begin() + static_cast<std::ptrdiff_t>(query * top));
                }
                return best;
              };
              const auto host = [&](const auto& keys) {
                std::vector<Rank> copy(keys.extent(0));
                Impl::download(exec_space, copy.data(), keys, copy.size());
                return copy;
              };
              const std::size_t members = top * group_members(nodes, groups);
              const Array<exec_type, Rank> all("Kindred::Testing::keys", nodes * columns);
              const Array<exec_type, Rank> grouped("Kindred::Testing::groups", groups * columns);
              const Array<exec_type, Rank> of_best("Kindred::Testing::members", members * columns);
              rank_nodes<exec_type>(exec_space, state, 0, columns, all);
              rank_groups<exec_type>(exec_space, state, 0, columns, groups, grouped);
              const auto best = to_space(exec_space, best_of(host(grouped), groups));
              rank_members<exec_type>(exec_space, state, 0, groups, top, best, of_best);
              ASSERT_EQ(best_of(host(of_best), members), best_of(host(all), nodes))
                  << to_string(space) << ", " << nodes << " nodes, " << groups << " groups, top "
                  << top;
            });
          }
        }
      }
    }
  }
}

}  // namespace HopTest
