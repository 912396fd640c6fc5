// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_GRAPH_SPREADING_SUPPORT_HPP
#define KINDRED_TESTS_GRAPH_SPREADING_SUPPORT_HPP

#include <gtest/gtest.h>
#include <kindred/matcher/SpreadingEngine.hpp>
#include <kindred/reference/Reference.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "Support.hpp"

namespace Kindred::Testing::SpreadingSupport {

using Answer = std::vector<Activation>;
using Sources = std::vector<Activation>;

struct Graph {
  std::size_t nodes = 0;
  std::vector<Edge> edges;
};

inline SpreadOptions constant(double decay, std::uint32_t hops = 4) {
  SpreadOptions options;
  options.decay = {Decay::Kind::constant, decay};
  options.hops = hops;
  options.top = 10'000'000;
  return options;
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

inline Ragged<Activation> ragged(const std::vector<Sources>& queries) {
  Ragged<Activation> rows;
  for (const Sources& sources : queries) rows.push_row(sources);
  return rows;
}

inline std::vector<Answer> spread(Context& context, const Graph& graph,
                                  const std::vector<Sources>& queries, SpreadOptions options,
                                  Space space) {
  const SpreadingEngine engine(context, {graph.nodes, graph.edges});
  options.space = space;
  const SpreadResults results = engine.spread(ragged(queries), options);
  std::vector<Answer> answers;
  for (std::size_t i = 0; i < results.activations.rows(); ++i)
    answers.emplace_back(results.activations[i].begin(), results.activations[i].end());
  return answers;
}

inline std::vector<Reference::Link> links_of(const Graph& graph) {
  std::vector<Reference::Link> links;
  for (const Edge& edge : graph.edges) links.push_back({edge.from, edge.to, edge.weight});
  return links;
}

inline std::vector<std::uint32_t> bits_of(const std::vector<float>& values) {
  std::vector<std::uint32_t> words;
  for (const float value : values) words.push_back(std::bit_cast<std::uint32_t>(value));
  return words;
}

/// The bits by which two answers are compared: NaN equals itself, −0 differs from +0.
inline std::vector<std::uint32_t> bits(const std::vector<Answer>& answers) {
  std::vector<std::uint32_t> words;
  for (const Answer& answer : answers) {
    words.push_back(static_cast<std::uint32_t>(answer.size()));
    for (const Activation& node : answer) {
      words.push_back(node.node);
      words.push_back(std::bit_cast<std::uint32_t>(node.value));
    }
  }
  return words;
}

/// The answer of every space of the shared context; fails the test if they differ.
inline Answer spread(const Graph& graph, const Sources& sources, const SpreadOptions& options) {
  std::vector<std::vector<Answer>> answers;
  for (const Space space : Testing::spaces())
    answers.push_back(spread(Testing::context(), graph, {sources}, options, space));
  for (const auto& answer : answers) EXPECT_EQ(bits(answer), bits(answers.front()));
  return answers.front().front();
}

inline Answer reference(const Graph& graph, const Sources& sources, const SpreadOptions& options) {
  std::vector<Reference::Link> links;
  for (const Edge& edge : graph.edges) links.push_back({edge.from, edge.to, edge.weight});
  std::vector<Reference::Node> nodes;
  for (const Activation& source : sources) nodes.push_back({source.node, source.value});
  const Reference::SpreadSettings settings{options.hops, options.decay, options.threshold};
  const std::vector<float> values =
      options.mode == SpreadMode::engine
          ? Reference::spread_engine(graph.nodes, links, nodes, settings)
          : Reference::spread_linear(graph.nodes, links, nodes, settings);
  Answer answer;
  for (const Reference::Node& node : Reference::ranked_nodes(values, options.top))
    answer.push_back({node.node, node.value});
  return answer;
}

inline Graph chain(std::uint32_t nodes, float weight = 1) {
  Graph graph{nodes, {}};
  for (std::uint32_t v = 0; v + 1 < nodes; ++v) graph.edges.push_back({v, v + 1, weight});
  return graph;
}

/// A graph with one row of each given in-degree, then `extra` edges whose ends favor low nodes.
inline Graph random_graph(std::size_t nodes, const std::vector<std::size_t>& degrees,
                          std::size_t extra, float low, float high, std::mt19937_64& generator) {
  std::uniform_int_distribution<std::uint32_t> any(0, static_cast<std::uint32_t>(nodes - 1));
  std::uniform_real_distribution<float> weight(low, high);
  std::uniform_real_distribution<double> unit(0, 1);
  Graph graph{nodes, {}};
  for (std::size_t i = 0; i < degrees.size(); ++i) {
    for (std::size_t e = 0; e < degrees[i]; ++e)
      graph.edges.push_back({any(generator), static_cast<std::uint32_t>(i), weight(generator)});
  }
  for (std::size_t e = 0; e < extra; ++e) {
    const double u = unit(generator);
    graph.edges.push_back({any(generator),
                           static_cast<std::uint32_t>(static_cast<double>(nodes - 1) * u * u * u),
                           weight(generator)});
  }
  std::ranges::shuffle(graph.edges, generator);
  return graph;
}

inline Sources random_sources(std::size_t nodes, std::size_t count, float low, float high,
                              std::mt19937_64& generator) {
  std::uniform_int_distribution<std::uint32_t> any(0, static_cast<std::uint32_t>(nodes - 1));
  std::uniform_real_distribution<float> value(low, high);
  Sources sources;
  for (std::size_t i = 0; i < count; ++i) sources.push_back({any(generator), value(generator)});
  return sources;
}

inline const std::vector<std::size_t> row_lengths{0,   1,   2,   3,   8,    9,    16,   17,
                                                  31,  32,  33,  63,  64,   65,   127,  128,
                                                  129, 255, 256, 257, 4095, 4096, 4097, 10000};

}  // namespace Kindred::Testing::SpreadingSupport

#endif  // KINDRED_TESTS_GRAPH_SPREADING_SUPPORT_HPP
