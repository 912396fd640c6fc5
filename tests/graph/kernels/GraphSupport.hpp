// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_GRAPH_GRAPH_SUPPORT_HPP
#define KINDRED_TESTS_GRAPH_GRAPH_SUPPORT_HPP

#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/graph/FillAdjacency.hpp>
#include <kindred/core/graph/Hop.hpp>
#include <kindred/memory/Copies.hpp>
#include <kindred/reference/Reference.hpp>

#include <algorithm>
#include <bit>
#include <random>
#include <vector>

#include "Support.hpp"
#include "ToSpace.hpp"

namespace Kindred::Testing::Graphs {

using Testing::Array;
using Testing::to_space;

/// A graph on the host, in both directions.
struct Graph {
  std::size_t nodes = 0;
  std::vector<Edge> edges;
  std::vector<std::uint8_t> kinds;  ///< of edges; empty: all 0
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
    fill_adjacency(Impl::host_instance(Testing::context(), Space::openmp), edges,
                   {out_offsets, out_targets, out_weights}, {offsets, sources, weights});
  }
};

/// How weights are stored.
enum class Stored { floats, halves, ones };

/// Rows on the host.
struct Rows {
  std::vector<std::uint64_t> offsets{0};
  std::vector<std::uint32_t> sources;
  std::vector<float> weights;
  std::vector<std::uint8_t> kinds;
  std::vector<std::uint32_t> row_nodes;
  std::vector<std::uint64_t> replaced;

  void add_edge(std::uint32_t source, float weight, std::uint8_t kind) {
    sources.push_back(source);
    weights.push_back(weight);
    kinds.push_back(kind);
  }
  void close_row() { offsets.push_back(sources.size()); }
};

/// The rows of \p graph, sorted by target and then by source (along), or by source (against).
inline Rows rows_of(const Graph& graph, HopDirection direction) {
  struct Entry {
    std::uint32_t end;
    float weight;
    std::uint8_t kind;
  };
  std::vector<std::vector<Entry>> entries(graph.nodes);
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    const Edge& edge = graph.edges[i];
    const std::uint8_t kind = graph.kinds.empty() ? std::uint8_t{0} : graph.kinds[i];
    if (direction == HopDirection::along)
      entries[edge.to].push_back({edge.from, edge.weight, kind});
    else
      entries[edge.from].push_back({edge.to, edge.weight, kind});
  }
  Rows rows;
  for (std::vector<Entry>& row : entries) {
    if (direction == HopDirection::along) std::ranges::stable_sort(row, {}, &Entry::end);
    for (const Entry& entry : row) rows.add_edge(entry.end, entry.weight, entry.kind);
    rows.close_row();
  }
  return rows;
}

/// Rows in memory that a space can access.
template <class ExecutionSpace>
struct PlacedRows {
  Array<ExecutionSpace, std::uint64_t> offsets, long_first, replaced;
  Array<ExecutionSpace, std::uint32_t> sources, tiles, long_rows, block_long_row, row_nodes;
  Array<ExecutionSpace, float> weights;
  Array<ExecutionSpace, std::uint16_t> short_weights;
  Array<ExecutionSpace, std::uint8_t> kinds;

  PlacedRows(const ExecutionSpace& exec_space, const Rows& rows, Stored stored) {
    const RowPlan plan = plan_rows(rows.offsets, short_row_max<ExecutionSpace>(), 2048);
    offsets = to_space(exec_space, rows.offsets);
    sources = to_space(exec_space, rows.sources);
    if (stored == Stored::floats) weights = to_space(exec_space, rows.weights);
    if (stored == Stored::halves) {
      std::vector<std::uint16_t> halves;
      for (const float weight : rows.weights)
        halves.push_back(static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(weight) >> 16U));
      short_weights = to_space(exec_space, halves);
    }
    if (std::ranges::any_of(rows.kinds, [](std::uint8_t kind) { return kind != 0; }))
      kinds = to_space(exec_space, rows.kinds);
    tiles = to_space(exec_space, plan.tiles);
    long_rows = to_space(exec_space, plan.long_rows);
    long_first = to_space(exec_space, plan.long_first);
    block_long_row = to_space(exec_space, plan.block_long_row);
    row_nodes = to_space(exec_space, rows.row_nodes);
    replaced = to_space(exec_space, rows.replaced);
  }
  GraphRows<typename ExecutionSpace::memory_space> view() const {
    GraphRows<typename ExecutionSpace::memory_space> rows;
    rows.offsets = offsets;
    rows.sources = sources;
    rows.weights = weights;
    rows.short_weights = short_weights;
    rows.kinds = kinds;
    rows.tiles = tiles;
    rows.long_rows = long_rows;
    rows.long_first = long_first;
    rows.block_long_row = block_long_row;
    rows.row_nodes = row_nodes;
    rows.replaced = replaced;
    return rows;
  }
};

/// One direction of a graph on the host, possibly with changes.
struct Parts {
  Rows built;
  Rows delta;
  std::size_t nodes = 0;

  /// Without changes.
  explicit Parts(const Graph& graph, HopDirection direction = HopDirection::along)
      : built(rows_of(graph, direction)), nodes(graph.nodes) {}
  /// With changes: some rows of \p graph are in the delta, and the base was built with other edges
  /// for them; the last nodes were added later.
  Parts(const Graph& graph, std::mt19937_64& generator,
        HopDirection direction = HopDirection::along)
      : nodes(graph.nodes) {
    const Rows whole = rows_of(graph, direction);
    const std::size_t first_added = graph.nodes - graph.nodes / 5;
    built.replaced.resize((first_added + 63) / 64);
    for (std::uint32_t node = 0; node < graph.nodes; ++node) {
      const bool is_added = node >= first_added;
      const std::size_t count = whole.offsets[node + 1] - whole.offsets[node];
      const bool is_listed = is_added ? count > 0 || generator() % 2 == 0 : generator() % 3 == 0;
      if (!is_added) {
        if (is_listed) {
          built.replaced[node / 64] |= std::uint64_t{1} << node % 64;
          for (std::size_t i = generator() % 2 == 0 ? count : generator() % 6000; i > 0; --i)
            built.add_edge(static_cast<std::uint32_t>(generator() % first_added), 0.75F, 0);
        } else {
          copy_row(whole, node, built);
        }
        built.close_row();
      }
      if (is_listed) {
        copy_row(whole, node, delta);
        delta.close_row();
        delta.row_nodes.push_back(node);
      }
    }
  }

 private:
  static void copy_row(const Rows& from, std::uint32_t node, Rows& to) {
    for (std::uint64_t i = from.offsets[node]; i < from.offsets[node + 1]; ++i)
      to.add_edge(from.sources[i], from.weights[i], from.kinds[i]);
  }
};

/// The same in memory that a space can access.
template <class ExecutionSpace>
struct Placed {
  PlacedRows<ExecutionSpace> built;
  PlacedRows<ExecutionSpace> delta;
  std::size_t nodes;

  Placed(const ExecutionSpace& exec_space, const Parts& parts, Stored stored = Stored::floats)
      : built(exec_space, parts.built, stored),
        delta(exec_space, parts.delta, stored),
        nodes(parts.nodes) {}

  GraphSide<typename ExecutionSpace::memory_space> view() const {
    GraphSide<typename ExecutionSpace::memory_space> side;
    side.built = built.view();
    side.delta = delta.view();
    side.nodes = nodes;
    return side;
  }
};

using Query = std::vector<Activation>;  // each node once

/// Whole hops: the values of all nodes after spreading, one list per query.
template <class ExecutionSpace>
std::vector<std::vector<float>> spread_whole(const ExecutionSpace& exec_space, const Parts& graph,
                                             const std::vector<Query>& queries, HopWidth hop_width,
                                             HopParameters parameters, const Decay& decay,
                                             bool is_short = false) {
  const Placed<ExecutionSpace> placed(exec_space, graph);
  const auto width = static_cast<std::size_t>(hop_width);
  const std::size_t places = graph.nodes * width;
  const Array<ExecutionSpace, float> value("Kindred::Testing::value", places);
  const Array<ExecutionSpace, float> passed("Kindred::Testing::passed", places);
  const Array<ExecutionSpace, float> next("Kindred::Testing::next", places);
  const Array<ExecutionSpace, std::uint8_t> tier("Kindred::Testing::tier", places);
  const Array<ExecutionSpace, double> partial("Kindred::Testing::partial",
                                              placed.view().blocks() * width);
  const Array<ExecutionSpace, std::uint32_t> last("Kindred::Testing::last", hop_marks);
  SpreadState<ExecutionSpace> state;
  state.width = hop_width;
  state.value = value;
  state.passed = passed;
  state.next = next;
  state.tier = tier;
  state.partial = partial;
  state.last = last;
  const Array<ExecutionSpace, Arch::BFloat16> short_passed("Kindred::Testing::short_passed",
                                                           is_short ? places : 0);
  const Array<ExecutionSpace, Arch::BFloat16> short_next("Kindred::Testing::short_next",
                                                         is_short ? places : 0);
  state.short_passed = short_passed;
  state.short_next = short_next;
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
    std::swap(state.short_passed, state.short_next);
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

inline std::vector<float> reference(const Graph& graph, const Query& query,
                                    const HopParameters& parameters, const Decay& decay,
                                    bool is_short = false) {
  std::vector<Reference::Link> links;
  for (const Edge& edge : graph.edges) links.push_back({edge.from, edge.to, edge.weight});
  std::vector<Reference::Node> sources;
  for (const Activation& source : query) sources.push_back({source.node, source.value});
  Reference::SpreadSettings settings{parameters.hops, decay, {}};
  settings.short_activations = is_short;
  return parameters.mode == SpreadMode::engine
             ? Reference::spread_engine(graph.nodes, links, sources, settings)
             : Reference::spread_linear(graph.nodes, links, sources, settings);
}

/// Rows of every length around the limits of lanes, tiles and blocks, then rows with a skewed
/// distribution.
inline Graph random_graph(std::size_t nodes, bool is_engine, std::mt19937_64& generator) {
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

inline std::vector<Query> random_queries(std::size_t nodes, std::size_t count, bool is_engine,
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

inline HopParameters defaults(SpreadMode mode, std::uint32_t hops) {
  HopParameters parameters;
  parameters.mode = mode;
  parameters.hops = hops;
  std::ranges::copy(default_tier_thresholds, parameters.thresholds);
  return parameters;
}

inline std::vector<std::uint32_t> bits(const std::vector<float>& values) {
  std::vector<std::uint32_t> words;
  for (const float value : values) words.push_back(std::bit_cast<std::uint32_t>(value));
  return words;
}

/// The edges of \p graph as the reference takes them.
inline std::vector<Reference::Link> links_of(const Graph& graph) {
  std::vector<Reference::Link> links;
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    const Edge& edge = graph.edges[i];
    links.push_back(
        {edge.from, edge.to, edge.weight, graph.kinds.empty() ? std::uint8_t{0} : graph.kinds[i]});
  }
  return links;
}

}  // namespace Kindred::Testing::Graphs

#endif  // KINDRED_TESTS_GRAPH_GRAPH_SUPPORT_HPP
