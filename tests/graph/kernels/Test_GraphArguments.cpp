// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/graph/BinnedEdges.hpp>
#include <kindred/core/graph/FillAdjacency.hpp>
#include <kindred/core/graph/Frontier.hpp>
#include <kindred/core/graph/GivenRows.hpp>
#include <kindred/core/graph/Hop.hpp>
#include <kindred/core/graph/ModifyWeights.hpp>
#include <kindred/core/graph/PageRank.hpp>
#include <kindred/core/graph/SourceArrays.hpp>

#include <span>

#include "CheckedCalls.hpp"

namespace Kindred::Testing::GraphArgumentsTest {

using Memory = HostSpace::memory_space;

constexpr std::size_t nodes = 3;
constexpr std::size_t wide = 8;  ///< columns

template <class View>
auto span_of(const View& view) {
  return std::span(view.data(), view.size());
}

/// Three nodes without edges, and the arrays of two edges that no row contains.
GraphRows<Memory> rows_of(Arguments& a) {
  GraphRows<Memory> rows;
  rows.offsets = a.plain<std::uint64_t>(nodes + 1);
  rows.sources = a.plain<std::uint32_t>(2);
  rows.weights = a.array<float>("weights of the graph", 2);
  rows.kinds = a.array<std::uint8_t>("kinds of the graph", 2);
  rows.row_nodes = a.array<std::uint32_t>("row_nodes of the graph", nodes);
  return rows;
}
GraphSide<Memory> graph_of(Arguments& a) {
  GraphSide<Memory> graph;
  graph.built = rows_of(a);
  graph.nodes = a.number<std::size_t>("the number of rows of the graph", nodes, nodes - 1);
  return graph;
}
/// One direction that is not checked by itself.
GraphSide<Memory> plain_graph(Arguments& a) {
  GraphSide<Memory> graph;
  graph.built.offsets = a.plain<std::uint64_t>(nodes + 1);
  graph.nodes = nodes;
  return graph;
}

SpreadState<HostSpace> values_of(Arguments& a) {
  SpreadState<HostSpace> state;
  state.width = HopWidth::eight;
  state.value = a.array<float>("state.value", nodes * wide);
  return state;
}
/// What starting a spread sets: the values determine the sizes of the others.
SpreadState<HostSpace> started_state_of(Arguments& a) {
  SpreadState<HostSpace> state;
  state.width = HopWidth::eight;
  state.value = a.plain<float>(
      a.number<std::size_t>("the size of state.value", nodes * wide, nodes * wide - 1));
  state.passed = a.array<float>("state.passed", nodes * wide);
  state.tier = a.array<std::uint8_t>("state.tier", nodes * wide);
  state.last = a.array<std::uint32_t>("state.last", hop_marks);
  return state;
}
SpreadState<HostSpace> state_of(Arguments& a) {
  SpreadState<HostSpace> state = values_of(a);
  state.passed = a.array<float>("state.passed", nodes * wide);
  state.next = a.array<float>("state.next", nodes * wide);
  state.tier = a.array<std::uint8_t>("state.tier", nodes * wide);
  state.last = a.array<std::uint32_t>("state.last", hop_marks);
  return state;
}

/// The two best nodes of two queries.
template <class State>
void rank_two_queries(const HostSpace& on, Arguments& a, const State& state) {
  const TopKShape shape{a.number<std::size_t>("first_query + shape.rows", 2, 9), nodes, 2};
  rank_nodes<HostSpace>(
      on, state, 0, shape, a.array<Rank>("best", 2 * 2),
      a.array<Rank>("workspace", rank_nodes_workspace<HostSpace, State>({2, nodes, 2})));
}

PageRankState<HostSpace, float> ranked_of(Arguments& a) {
  PageRankState<HostSpace, float> state;
  state.width = HopWidth::eight;
  state.nodes = nodes;
  state.current = a.array<float>("state.current", nodes * wide);
  state.out_weights = a.array<double>("state.out_weights", nodes);
  return state;
}
PageRankState<HostSpace, float> page_rank_of(Arguments& a) {
  PageRankState<HostSpace, float> state = ranked_of(a);
  state.inverses = a.array<double>("state.inverses", nodes, 1.0);
  state.restart.named = a.array<std::uint64_t>("state.restart.named", 1);
  state.restart.before = a.array<std::uint32_t>("state.restart.before", 1);
  state.sums = a.array<double>("state.sums", page_rank_sums(nodes, state.width));
  state.progress = a.array<PageRankProgress>("state.progress", wide);
  state.last = a.array<std::uint32_t>("state.last", 1);
  return state;
}

FrontierState<HostSpace> frontier_of(Arguments& a) {
  FrontierState<HostSpace> state;
  state.shape = {2, nodes, 64};
  const FrontierSizes<HostSpace> sizes(state.shape);
  state.value = a.array<float>("state.value", 2 * nodes);
  state.passed = a.array<float>("state.passed", 3 * 2 * nodes);
  state.tier = a.array<std::uint8_t>("state.tier", 2 * nodes);
  state.mark = a.array<std::uint32_t>("state.mark", 2 * nodes);
  state.control = a.array<FrontierControl>("state.control", 2);
  state.rows = a.array<FrontierRow>("state.rows", 2 * sizes.rows);
  state.long_rows = a.plain<FrontierRow>(2 * sizes.long_rows);
  state.blocks = a.plain<FrontierBlock>(2 * sizes.blocks);
  state.partial = a.plain<double>(2 * sizes.blocks);
  state.hubs = a.plain<FrontierOut>(2 * sizes.hubs);
  state.keys = a.array<Rank>("state.keys", 2 * sizes.keys);
  return state;
}
FrontierQueries<HostSpace> queries_of(Arguments& a) {
  FrontierQueries<HostSpace> queries;
  queries.count = 2;
  queries.queries = a.array<FrontierQuery>("queries.queries", 2);
  queries.sources = a.sizing<Activation>("queries.sources", 1);
  queries.decays = a.sizing<float>("queries.decays", 1, 0.5F);
  queries.taken = a.array<std::uint32_t>("queries.taken", 1);
  queries.top = 1;
  queries.ranks = a.array<Rank>("ranks", 2);
  queries.done = a.array<std::uint8_t>("done", 2);
  return queries;
}

const std::vector<CheckedCall> calls{
    {"hop",
     [](const HostSpace& on, Arguments& a) {
       hop<HostSpace>(on, graph_of(a), HopWidth::eight, a.array<float>("x", nodes * wide),
                      a.array<float>("y", nodes * wide), a.plain<double>(0),
                      a.array<std::uint32_t>("kind_queries", 256));
     }},
    {"copy_columns",
     [](const HostSpace& on, Arguments& a) {
       copy_columns<HostSpace>(
           on,
           {a.array<float>("from.values", nodes * 4), 4,
            a.number<std::size_t>("from.first + count", 1, 3)},
           {a.sizing<float>("to.values", a.number<std::size_t>("the size of to.values",
                                                               nodes * wide, nodes * wide - 1)),
            wide, a.number<std::size_t>("to.first + count + cleared", 2, 5)},
           2, 2);
     }},
    {"copy_columns",
     [](const HostSpace& on, Arguments& a) {
       copy_columns<HostSpace>(on,
                               {a.plain<float>(nodes), a.number<std::size_t>("from.width", 1, 0)},
                               {a.plain<float>(nodes), a.number<std::size_t>("to.width", 1, 0)}, 0);
     }},
    {"start_spreading",
     [](const HostSpace& on, Arguments& a) {
       start_spreading<HostSpace>(on, started_state_of(a), a.sizing<std::uint64_t>("places", 1),
                                  a.array<float>("values", 1));
     }},
    {"spread_hop", [](const HostSpace& on,
                      Arguments& a) { spread_hop<HostSpace>(on, graph_of(a), state_of(a), {}); }},
    {"rank_nodes",
     [](const HostSpace& on, Arguments& a) { rank_two_queries(on, a, values_of(a)); }},
    {"modify_weights",
     [](const HostSpace& on, Arguments& a) {
       modify_weights<HostSpace>(on, rows_of(a), HopDirection::along, plain_graph(a),
                                 a.array<std::uint8_t>("node_kinds", nodes), {},
                                 a.array<float>("weights", 2));
     }},
    {"start_from_arrays",
     [](const HostSpace& on, Arguments& a) {
       SpreadState<HostSpace> state;
       state.value = a.array<float>("state.value", nodes);
       state.passed = a.plain<float>(nodes);
       state.last = a.plain<std::uint32_t>(hop_marks);
       SourceArrays<HostSpace> sources;
       sources.offsets = a.array<std::int64_t>("sources.offsets", 2);
       sources.nodes = a.sizing<std::uint32_t>("sources.nodes", 1);
       sources.values = a.array<float>("sources.values", 1);
       sources.removed = a.sizing<std::uint64_t>("sources.removed", 1);
       start_from_arrays<HostSpace>(on, state, sources, nodes, 0,
                                    a.number<std::size_t>("queries", 1, 2), SpreadMode::linear,
                                    a.array<std::uint32_t>("faults", 1));
     }},
    {"put_ranks",
     [](const HostSpace& on, Arguments& a) {
       put_ranks<HostSpace>(on, a.array<Rank>("ranks", 2 * 2), a.number<std::size_t>("found", 2, 4),
                            1, 2, 3, a.array<std::uint32_t>("faults", 3),
                            a.array<std::uint32_t>("nodes", 9), a.array<float>("values", 9));
     }},
    {"start_page_rank",
     [](const HostSpace& on, Arguments& a) {
       start_page_rank<HostSpace, float>(on, page_rank_of(a),
                                         a.number<std::size_t>("queries", 2, 9), {});
     }},
    {"page_rank_step",
     [](const HostSpace& on, Arguments& a) {
       GraphSide<Memory> graph = plain_graph(a);
       graph.nodes = a.number<std::size_t>("graph.nodes", nodes, nodes + 1);
       auto state = page_rank_of(a);
       state.next = a.array<float>("state.next", nodes * wide);
       page_rank_step<HostSpace, float>(on, graph, state, {});
     }},
    {"take_page_rank_columns",
     [](const HostSpace& on, Arguments& a) {
       PageRankState<HostSpace, float> state;
       state.nodes = nodes;
       state.current = a.array<float>("state.current", nodes);
       take_page_rank_columns<HostSpace, float>(
           on, a.array<float>("from", nodes * wide), HopWidth::eight,
           a.sizing<std::uint32_t>("columns", a.number<std::size_t>("the size of columns", 1, 2)),
           state);
     }},
    {"rank_nodes",
     [](const HostSpace& on, Arguments& a) { rank_two_queries(on, a, ranked_of(a)); }},
    {"clear_frontier",
     [](const HostSpace& on, Arguments& a) { clear_frontier<HostSpace>(on, frontier_of(a)); }},
    {"spread_frontier",
     [](const HostSpace& on, Arguments& a) {
       const FrontierState<HostSpace> state = frontier_of(a);
       spread_frontier<HostSpace>(on, plain_graph(a), plain_graph(a), state, queries_of(a));
     }},
    {"spread_small_frontier",
     [](const HostSpace& on, Arguments& a) {
       FrontierQueries<HostSpace> queries = queries_of(a);
       queries.top = a.number<std::uint32_t>("top", 1, small_frontier_top_max + 1);
       spread_small_frontier<HostSpace>(on, plain_graph(a), plain_graph(a), queries);
     }},
    {"count_bins",
     [](const HostSpace& on, Arguments& a) {
       count_bins<HostSpace>(on, a.sizing<std::uint32_t>("sources", 1),
                             a.array<std::uint64_t>("bin_edges", 2),
                             a.array<std::uint32_t>("cells", 2));
     }},
    {"fill_bins",
     [](const HostSpace& on, Arguments& a) {
       fill_bins<HostSpace>(
           on, a.sizing<std::uint32_t>("sources", 1), a.array<float>("weights", 1),
           a.array<std::uint64_t>("bin_edges", 2), a.sizing<std::uint32_t>("next", 2),
           a.array<std::uint16_t>("slot_sources", 1), a.array<std::uint16_t>("slot_edges", 1),
           a.array<float>("slot_weights", 1));
     }},
    {"plan_long_rows",
     [](const HostSpace& on, Arguments& a) {
       GivenRows<std::int64_t> rows;
       rows.offsets = a.array<std::int64_t>("rows.offsets", 1);
       rows.ends = a.sizing<std::uint32_t>("rows.ends", 2);
       RowPlan plan;
       plan_long_rows(on, rows, plan);
     }},
    {"hop_given_rows",
     [](const HostSpace& on, Arguments& a) {
       GivenRows<std::int32_t> rows;
       rows.offsets = a.plain<std::int32_t>(nodes + 1);
       rows.ends = a.sizing<std::uint32_t>("rows.ends", 2);
       rows.weights = a.array<float>("rows.weights", 2);
       rows.end_limit = 3;
       RowPlan plan;
       plan.long_first = {0};
       hop_given_rows(on, rows, plan, span_of(a.array<float>("x", 3)),
                      span_of(a.array<float>("y", nodes)), {});
     }},
    {"fill_adjacency",
     [](const HostSpace& on, Arguments& a) {
       const std::vector<Edge> edges(2);
       const AdjacencySpan out{span_of(a.plain<std::uint64_t>(nodes + 1)),
                               span_of(a.array<std::uint32_t>("out.ends", 2)),
                               span_of(a.array<float>("out.weights", 2)),
                               {},
                               span_of(a.array<std::uint8_t>("out.kinds", 2))};
       const AdjacencySpan in{span_of(a.exact<std::uint64_t>("in.offsets", nodes + 1)),
                              span_of(a.array<std::uint32_t>("in.ends", 2)),
                              span_of(a.array<float>("in.weights", 2)),
                              {},
                              span_of(a.array<std::uint8_t>("in.kinds", 2))};
       fill_adjacency(on, edges, out, in, span_of(a.array<std::uint8_t>("kinds", 2)));
     }},
    {"fill_transpose",
     [](const HostSpace& on, Arguments& a) {
       const AdjacencySpan out{span_of(a.plain<std::uint64_t>(nodes + 1)),
                               span_of(a.plain<std::uint32_t>(2)),
                               span_of(a.array<float>("out.weights", 2))};
       const AdjacencySpan in{span_of(a.exact<std::uint64_t>("in.offsets", nodes + 1)),
                              span_of(a.array<std::uint32_t>("in.ends", 2)),
                              span_of(a.array<float>("in.weights", 2))};
       fill_transpose(on, out, in);
     }},
};

TEST(GraphArguments, AreCheckedBeforeALaunch) {
  for (const CheckedCall& call : calls) expect_checked(call);
}

}  // namespace Kindred::Testing::GraphArgumentsTest
