// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_GRAPH_SPREADING_SUPPORT_HPP
#define KINDRED_TESTS_GRAPH_SPREADING_SUPPORT_HPP

#include <kindred/matcher/CsrGraph.hpp>
#include <kindred/matcher/SpreadingEngine.hpp>
#include <kindred/reference/Reference.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "ColumnsOf.hpp"
#include "RaggedRows.hpp"
#include "RefusedCalls.hpp"
#include "ShapedArray.hpp"
#include "TestGenerator.hpp"

namespace Kindred::Testing::Graphs {

using Kindred::Array;
using Testing::bits;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Answer = std::vector<Activation>;
using Sources = std::vector<Activation>;
using Queries = std::vector<Sources>;

inline constexpr HopDirection directions[] = {HopDirection::along, HopDirection::against};

struct Graph {
  std::size_t nodes = 0;
  std::vector<Edge> edges = {};
  std::vector<std::uint8_t> kinds = {};       ///< of the edges; empty: all 0
  std::vector<std::uint8_t> node_kinds = {};  ///< empty: all 0

  operator GraphSpan() const {  // NOLINT(google-explicit-constructor): a view of itself
    return {nodes, edges, kinds, node_kinds};
  }
};

inline SpreadingEngine engine_of(const GraphSpan& graph, const GraphOptions& options = {}) {
  return {context(), graph, options};
}
/// Options with which an engine merges only on request.
inline GraphOptions by_hand(EdgeWeights weights = EdgeWeights::float32) {
  return {.weights = weights, .merge_share = 1e9};
}

inline SpreadOptions constant(double decay, std::uint32_t hops = 4) {
  return {.hops = hops, .decay = {Decay::Kind::constant, decay}, .top = 10'000'000};
}
inline SpreadOptions constant_at(double decay, double threshold, std::uint32_t hops = 4) {
  SpreadOptions options = constant(decay, hops);
  options.threshold = threshold;
  return options;
}
inline SpreadOptions linear(SpreadOptions options) {
  options.mode = SpreadMode::linear;
  return options;
}
inline SpreadOptions page_rank() { return {.mode = SpreadMode::pagerank, .top = 10'000'000}; }
inline SpreadOptions on(Space space, SpreadOptions options) {
  options.space = space;
  return options;
}

/// The links of \p graph with the weights that \p modifiers give them.
inline std::vector<Reference::Link> links_of(const Graph& graph,
                                             const std::optional<SpreadModifiers>& modifiers = {}) {
  std::vector<Reference::Link> links;
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    const auto& [from, to, weight] = graph.edges[i];
    links.push_back({from, to, weight, graph.kinds.empty() ? std::uint8_t{0} : graph.kinds[i]});
  }
  if (!modifiers) return links;
  return Reference::modified(graph.nodes, links, graph.node_kinds, *modifiers);
}
inline std::vector<Reference::Node> nodes_of(const Sources& sources) {
  std::vector<Reference::Node> nodes;
  for (const Activation& source : sources) nodes.push_back({source.node, source.value});
  return nodes;
}

/// The bits of every value of results, and how PageRank converged.
inline std::vector<std::uint64_t> bits(const SpreadResults& results) {
  std::vector<std::uint64_t> words = results.activations.offsets;
  for (const Activation& node : results.activations.values)
    words.push_back(std::uint64_t{node.node} << 32U | std::bit_cast<std::uint32_t>(node.value));
  for (const Convergence& one : results.convergence) {
    words.push_back(one.iterations);
    words.push_back(std::bit_cast<std::uint64_t>(one.residual));
  }
  return words;
}

inline SpreadQuery common_query(const SpreadOptions& options) {
  return {options.hops, options.decay, options.threshold, options.kinds};
}
/// The values of all nodes by the reference, for every mode but PageRank, and every option.
/// \param place of the query in its call
inline std::vector<float> reference_values(const Graph& graph, const Sources& sources,
                                           const SpreadOptions& options, std::size_t place = 0) {
  const auto by_mode =
      options.mode == SpreadMode::engine ? Reference::spread_engine : Reference::spread_linear;
  const auto [hops, decay, threshold, kinds] =
      options.per_query.empty() ? common_query(options) : options.per_query[place];
  return by_mode(
      graph.nodes, links_of(graph, options.modifiers), nodes_of(sources),
      {hops, decay, threshold, kinds, options.activations == ActivationPrecision::bfloat16},
      nullptr);
}

/// The results of the reference.
inline SpreadResults reference(const Graph& graph, const Queries& queries,
                               const SpreadOptions& options) {
  SpreadResults results;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    std::vector<float> values;
    if (options.mode == SpreadMode::pagerank) {
      auto answer =
          Reference::page_rank(graph.nodes, links_of(graph), nodes_of(queries[i]),
                               {options.damping, options.tolerance, options.max_iterations});
      results.convergence.push_back({answer.iterations, answer.residual});
      values = std::move(answer.values);
    } else {
      values = reference_values(graph, queries[i], options, i);
    }
    for (const auto& [node, value] : Reference::ranked_nodes(values, options.top))
      results.activations.values.push_back({node, value});
    results.activations.close_row();
  }
  return results;
}

/// Every space must give the results of the reference, bit for bit. Returns them.
inline SpreadResults expect_reference(const SpreadingEngine& engine, const Graph& graph,
                                      const Queries& queries, const SpreadOptions& options) {
  SpreadResults expected = reference(graph, queries, options);
  for (const Space space : spaces()) {
    EXPECT_EQ(bits(engine.spread(ragged(queries), on(space, options))), bits(expected))
        << to_string(space);
  }
  return expected;
}
inline SpreadResults expect_reference(const Graph& graph, const Queries& queries,
                                      const SpreadOptions& options) {
  return expect_reference(engine_of(graph), graph, queries, options);
}

/// One query.
inline Ragged<Activation> query_of(const Sources& sources) { return ragged<Activation>({sources}); }
/// A call with one query, which is to be refused.
inline std::function<void()> spreading(const SpreadingEngine& engine, const Sources& sources,
                                       const SpreadOptions& options = {}) {
  return [&engine, sources, options] { engine.spread(query_of(sources), options); };
}
/// The answer of the reference, which that of every space must equal.
inline Answer spread(const Graph& graph, const Sources& sources, const SpreadOptions& options) {
  return to_vector(expect_reference(graph, {sources}, options).activations[0]);
}

/// The values of all nodes in an answer.
inline std::vector<double> values_of(std::span<const Activation> answer, std::size_t nodes) {
  std::vector<double> values(nodes);
  for (const Activation& node : answer) values[node.node] = static_cast<double>(node.value);
  return values;
}

/// Every column of W x or Wᵀx by the reference. \param options_of returns the options of a column
template <class OptionsOf>
std::vector<float> reference_hop(const Graph& graph, const std::vector<float>& x,
                                 std::size_t columns, const OptionsOf& options_of) {
  std::vector<float> expected(x.size());
  std::vector<float> column(graph.nodes);
  for (std::size_t c = 0; c < columns; ++c) {
    const HopOptions options = options_of(c);
    for (std::size_t node = 0; node < graph.nodes; ++node) column[node] = x[node * columns + c];
    const auto y = Reference::hop(graph.nodes, links_of(graph, options.modifiers), column,
                                  options.direction, options.kinds);
    for (std::size_t node = 0; node < graph.nodes; ++node) expected[node * columns + c] = y[node];
  }
  return expected;
}
inline std::vector<float> reference_hop(const Graph& graph, const std::vector<float>& x,
                                        std::size_t columns, const HopOptions& options) {
  return reference_hop(graph, x, columns, [&](std::size_t) { return options; });
}
/// The same by an engine or over the rows of a caller, where the options say or the dispatcher
/// chooses; one column is a vector, too.
template <class Of>
std::vector<float> hopped(const Of& of, const std::vector<float>& x, std::size_t columns,
                          const HopOptions& options) {
  std::vector<float> y(x.size(), 7.0F);
  const auto run = [&](const ConstArray& from, const Array& to) {
    DispatchRecord record;
    if constexpr (std::is_same_v<Of, CsrGraph>)
      record = hop(context(), of, from, to, {options.direction, options.space});
    else
      record = of.hop(from, to, options);
    EXPECT_EQ(record.chosen, options.space.value_or(record.chosen));
  };
  run(columns_of(x, columns), columns_of(y, columns));
  if (columns == 1) {
    std::vector<float> vector(x.size(), 7.0F);
    run(x, vector);
    EXPECT_EQ(bits(vector), bits(y));
  }
  return y;
}
/// The hop must give the bits of the reference on every space.
template <class Of>
void expect_reference_hop(const Of& of, const Graph& graph, const std::vector<float>& x,
                          std::size_t columns, HopOptions options) {
  const auto expected = bits(reference_hop(graph, x, columns, options));
  for (const Space space : spaces()) {
    options.space = space;
    EXPECT_EQ(bits(hopped(of, x, columns, options)), expected)
        << to_string(space) << ", columns: " << columns;
  }
}

/// Queries as a caller has them in arrays.
struct FlatQueries {
  std::vector<std::int64_t> offsets{0};
  std::vector<std::uint32_t> nodes;
  std::vector<float> values;

  explicit FlatQueries(const Queries& queries = {}) {
    for (const Sources& sources : queries) {
      for (const auto& [node, value] : sources) {
        nodes.push_back(node);
        values.push_back(value);
      }
      offsets.push_back(static_cast<std::int64_t>(nodes.size()));
    }
  }
};
/// The arrays of results: rows of \p top places, padded with the node 2³² − 1 and 0.
struct PaddedResults {
  std::vector<std::uint32_t> nodes;
  std::vector<float> values;

  PaddedResults(const SpreadResults& results, std::size_t top)
      : nodes(results.activations.rows() * top, 0xFFFFFFFFU), values(nodes.size()) {
    for (std::size_t q = 0; q < results.activations.rows(); ++q) {
      std::size_t at = q * top;
      for (const auto& [node, value] : results.activations[q]) {
        nodes[at] = node;
        values[at++] = value;
      }
    }
  }
};

inline Graph chain(std::uint32_t nodes, float weight = 1) {
  Graph graph{nodes};
  for (std::uint32_t v = 0; v + 1 < nodes; ++v) graph.edges.push_back({v, v + 1, weight});
  return graph;
}
/// The same with an edge from the last node to the first.
inline Graph ring(std::uint32_t nodes, float weight) {
  Graph graph = chain(nodes, weight);
  graph.edges.push_back({nodes - 1, 0, weight});
  return graph;
}
/// Five nodes with an edge from each to each, and loops.
inline Graph complete(float weight) {
  Graph graph{5};
  for (std::uint32_t v = 0; v < 25; ++v) graph.edges.push_back({v / 5, v % 5, weight});
  return graph;
}
inline Graph with_unit_weights(Graph graph) {
  for (Edge& edge : graph.edges) edge.weight = 1;
  return graph;
}
/// The same graph with every edge turned round.
inline Graph turned(Graph graph) {
  for (Edge& edge : graph.edges) std::swap(edge.from, edge.to);
  return graph;
}

inline std::uint32_t random_node(std::size_t nodes) {
  return static_cast<std::uint32_t>(random_below(nodes));
}
inline std::vector<float> random_values(std::size_t count, float low = -1, float high = 1) {
  std::uniform_real_distribution<float> value(low, high);
  std::vector<float> values(count);
  for (float& v : values) v = value(generator());
  return values;
}
inline std::vector<std::uint8_t> random_kinds(std::size_t count, unsigned kinds) {
  std::vector<std::uint8_t> out(count);
  for (std::uint8_t& kind : out) kind = static_cast<std::uint8_t>(random_below(kinds));
  return out;
}

/// A graph with one row of each given in-degree, then `extra` edges whose ends favor low nodes,
/// with weights from \p low to 1.
inline Graph random_graph(std::size_t nodes, const std::vector<std::size_t>& degrees,
                          std::size_t extra, float low = 0) {
  std::uniform_real_distribution<float> weight(low, 1);
  std::uniform_real_distribution<double> unit(0, 1);
  Graph graph{nodes};
  const auto add_edge_to = [&](std::size_t node) {
    const auto to = static_cast<std::uint32_t>(node);
    graph.edges.push_back({random_node(nodes), to, weight(generator())});
  };
  for (std::size_t i = 0; i < degrees.size(); ++i)
    for (std::size_t e = 0; e < degrees[i]; ++e) add_edge_to(i);
  for (std::size_t e = 0; e < extra; ++e) {
    const double u = unit(generator());
    add_edge_to(static_cast<std::size_t>(static_cast<double>(nodes - 1) * u * u * u));
  }
  std::ranges::shuffle(graph.edges, generator());
  return graph;
}

inline Sources random_sources(std::size_t nodes, std::size_t count, float high = 1) {
  Sources sources;
  for (const float value : random_values(count, 0, high))
    sources.push_back({random_node(nodes), value});
  return sources;
}
/// Queries of \p shortest to \p shortest + 6 sources.
inline Queries random_queries(std::size_t nodes, std::size_t count, std::size_t shortest = 0,
                              float high = 1) {
  Queries queries;
  for (std::size_t i = 0; i < count; ++i)
    queries.push_back(random_sources(nodes, shortest + i % 7, high));
  return queries;
}

/// Around the limits of lanes, tiles and blocks.
inline const std::vector<std::size_t> row_lengths{0,   1,   2,   3,   7,    8,    9,    15,   16,
                                                  17,  31,  32,  33,  63,   64,   65,   127,  128,
                                                  129, 255, 256, 257, 4095, 4096, 4097, 10000};

}  // namespace Kindred::Testing::Graphs

#endif  // KINDRED_TESTS_GRAPH_SPREADING_SUPPORT_HPP
