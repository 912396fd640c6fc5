// SPDX-License-Identifier: Apache-2.0
// Properties beyond reproducible bits: how close answers are to exact arithmetic, and what they do
// not depend on.
#include <kindred/matcher/SpreadingEngine.hpp>

#include <array>
#include <cmath>
#include <optional>

#include "Properties.hpp"
#include "SpreadingCases.hpp"
#include "TempFolder.hpp"

namespace SpreadingAccuracyTest {

using namespace Kindred;
using namespace Testing::SpreadingCases;
using Testing::expect_property;

/// A graph with loops and parallel edges whose weights come from \p weight, and the sources of a
/// query.
struct World {
  Graph graph;
  Sources sources;
};

World any_world(const rc::Gen<float>& weight, const rc::Gen<float>& value) {
  World world;
  world.graph.nodes = *rc::gen::inRange<std::size_t>(1, 40);
  const auto node =
      rc::gen::inRange<std::uint32_t>(0, static_cast<std::uint32_t>(world.graph.nodes));
  world.graph.edges =
      *rc::gen::container<std::vector<Edge>>(rc::gen::construct<Edge>(node, node, weight));
  world.sources =
      *rc::gen::resize(8, rc::gen::container<Sources>(rc::gen::construct<Activation>(node, value)));
  return world;
}

/// Any number in [0, 1] or in [−1, 1].
rc::Gen<float> unit() {
  return rc::gen::map(rc::gen::inRange(0, 1 << 24),
                      [](int n) { return std::ldexp(static_cast<float>(n), -24); });
}
rc::Gen<float> any_in_signed_unit_interval() {
  return rc::gen::map(rc::gen::inRange(-(1 << 24), 1 << 24),
                      [](int n) { return std::ldexp(static_cast<float>(n), -24); });
}
/// Multiples of ¼, so that sums over a few hops are exact.
rc::Gen<float> quarters() {
  return rc::gen::map(rc::gen::inRange(0, 5), [](int n) { return static_cast<float>(n) / 4; });
}

std::vector<double> values_of(const Answer& answer, std::size_t nodes) {
  std::vector<double> values(nodes);
  for (const Activation& node : answer) values[node.node] = static_cast<double>(node.value);
  return values;
}
std::vector<double> values(const World& world, const SpreadOptions& options) {
  return values_of(spread(world.graph, world.sources, options), world.graph.nodes);
}

double exact_decay(const Decay& decay, std::uint32_t hop) {
  switch (decay.kind) {
    case Decay::Kind::exponential:
      return std::exp(-decay.parameter * hop);
    case Decay::Kind::power:
      return std::pow(hop + 1.0, -decay.parameter);
    case Decay::Kind::linear:
      return std::max(0.0, 1 - decay.parameter * hop);
    case Decay::Kind::constant:
      break;
  }
  return decay.parameter;
}

/// Engine mode entirely in double; no result where a value comes so close to a threshold that
/// rounding decides.
std::optional<std::vector<double>> exact_engine(const World& world, const SpreadOptions& options) {
  const std::size_t nodes = world.graph.nodes;
  std::vector<double> act(nodes);
  for (const Activation& source : world.sources)
    act[source.node] += static_cast<double>(source.value);
  for (double& value : act) value = std::min(1.0, value);
  std::vector<int> tier(nodes, -1);
  for (std::size_t v = 0; v < nodes; ++v)
    if (act[v] > 0) tier[v] = 0;
  std::vector<double> delta = act;
  bool is_near = false;
  const auto is_above = [&](double value, double limit) {
    is_near = is_near || std::abs(value - limit) < 1e-5;
    return value > limit;
  };
  for (std::uint32_t hop = 1; hop <= options.hops; ++hop) {
    std::vector<double> sum(nodes);
    for (const Edge& edge : world.graph.edges)
      sum[edge.to] += delta[edge.from] * static_cast<double>(edge.weight);
    std::ranges::fill(delta, 0.0);
    for (std::size_t v = 0; v < nodes; ++v) {
      const double c = exact_decay(options.decay, hop) * sum[v];
      if (c == 0) continue;
      if (tier[v] < 0) tier[v] = hop <= 2 ? 1 : 2;
      const double limit = options.threshold.value_or(std::array{0.01, 0.05, 0.10}[tier[v]]);
      const double next = std::min(1.0, act[v] + c);
      if (!is_above(next, limit)) continue;
      if (is_above(c, limit)) delta[v] = next - act[v];
      act[v] = next;
    }
  }
  if (is_near) return {};
  return act;
}

TEST(SpreadingAccuracy, EngineModeIsCloseToDoubleAwayFromThresholds) {
  std::size_t compared = 0;
  expect_property("engine mode is within 1e-6 of doubles", [&] {
    const World world = any_world(unit(), unit());
    SpreadOptions options = constant(1);
    options.hops = *rc::gen::inRange<std::uint32_t>(0, 6);
    options.decay = *rc::gen::element(
        Decay{}, Decay{Decay::Kind::exponential, 0.1}, Decay{Decay::Kind::power, 0.5},
        Decay{Decay::Kind::linear, 0.25}, Decay{Decay::Kind::constant, 0.9});
    options.threshold = *rc::gen::element<std::optional<double>>(std::nullopt, 0.02, 0.25);
    const auto exact = exact_engine(world, options);
    if (!exact) return;
    ++compared;
    const std::vector<double> found = values(world, options);
    for (std::size_t v = 0; v < world.graph.nodes; ++v)
      RC_ASSERT(std::abs(found[v] - (*exact)[v]) <= 1e-6);
  });
  EXPECT_GT(compared, 20U) << "too few cases away from thresholds";
}

TEST(SpreadingAccuracy, LinearModeIsLinear) {
  expect_property("the answer to a sum of sources is the sum of the answers", [] {
    World world = any_world(any_in_signed_unit_interval(), any_in_signed_unit_interval());
    SpreadOptions options = linear(constant(0.5));
    options.hops = *rc::gen::inRange<std::uint32_t>(0, 5);
    World absolute = world;  // the scale of rounding errors
    for (Edge& edge : absolute.graph.edges) edge.weight = std::abs(edge.weight);
    for (Activation& source : absolute.sources) source.value = std::abs(source.value);
    const std::vector<double> scale = values(absolute, options);
    const std::vector<double> whole = values(world, options);
    World first = world;
    World second = world;
    const auto half = static_cast<std::ptrdiff_t>(world.sources.size() / 2);
    first.sources.erase(first.sources.begin() + half, first.sources.end());
    second.sources.erase(second.sources.begin(), second.sources.begin() + half);
    const std::vector<double> a = values(first, options);
    const std::vector<double> b = values(second, options);
    for (std::size_t v = 0; v < world.graph.nodes; ++v)
      RC_ASSERT(std::abs(whole[v] - (a[v] + b[v])) <= 4e-6 * scale[v] + 1e-30);

    for (Activation& source : world.sources) source.value *= -4;
    const std::vector<double> scaled = values(world, options);
    for (std::size_t v = 0; v < world.graph.nodes; ++v) RC_ASSERT(scaled[v] == -4 * whole[v]);
  });
}

/// The same graph, with its nodes numbered by \p place.
World renumbered(const World& world, const std::vector<std::uint32_t>& place) {
  World moved = world;
  for (Edge& edge : moved.graph.edges) edge = {place[edge.from], place[edge.to], edge.weight};
  for (Activation& source : moved.sources) source.node = place[source.node];
  return moved;
}
std::vector<std::uint32_t> any_order(std::size_t nodes) {
  std::vector<std::uint32_t> place(nodes);
  std::iota(place.begin(), place.end(), 0U);
  for (std::size_t i = nodes; i > 1; --i)
    std::swap(place[i - 1], place[*rc::gen::inRange<std::size_t>(0, i)]);
  return place;
}

TEST(SpreadingAccuracy, NodeNumberingDoesNotMatter) {
  expect_property("a permutation of the nodes permutes the answer, within 1e-6", [] {
    const bool is_linear = *rc::gen::arbitrary<bool>();
    const World world =
        is_linear ? any_world(any_in_signed_unit_interval(), any_in_signed_unit_interval())
                  : any_world(unit(), unit());
    const std::vector<std::uint32_t> place = any_order(world.graph.nodes);
    SpreadOptions options = constant_at(0.4, 0);
    if (is_linear) options = linear(options);
    const std::vector<double> before = values(world, options);
    const std::vector<double> after = values(renumbered(world, place), options);
    double scale = 1;
    for (const double value : before) scale = std::max(scale, std::abs(value));
    for (std::size_t v = 0; v < world.graph.nodes; ++v)
      RC_ASSERT(std::abs(before[v] - after[place[v]]) <= 1e-6 * scale);
  });
  expect_property("at thresholds too where sums are exact, to the bit", [] {
    const World world = any_world(quarters(), quarters());
    const std::vector<std::uint32_t> place = any_order(world.graph.nodes);
    const SpreadOptions options =
        constant_at(0.5, *rc::gen::element(0.0, 0.125, 0.25, 0.5), *rc::gen::inRange(0U, 6U));
    const std::vector<double> before = values(world, options);
    const std::vector<double> after = values(renumbered(world, place), options);
    for (std::size_t v = 0; v < world.graph.nodes; ++v) RC_ASSERT(before[v] == after[place[v]]);
  });
}

TEST(SpreadingAccuracy, AHigherThresholdActivatesNoMoreNodesInLayeredGraphs) {
  expect_property("edges that lead to the next layer: greater threshold, no greater value", [] {
    World world;
    const auto layers = *rc::gen::inRange<std::uint32_t>(1, 6);
    const auto wide = *rc::gen::inRange<std::uint32_t>(1, 8);
    world.graph.nodes = std::size_t{layers} * wide;
    const auto in_layer = rc::gen::inRange<std::uint32_t>(0, wide);
    for (std::uint32_t layer = 0; layer + 1 < layers; ++layer) {
      for (int edges = *rc::gen::inRange(0, 20); edges > 0; --edges)
        world.graph.edges.push_back(
            {layer * wide + *in_layer, (layer + 1) * wide + *in_layer, *unit()});
    }
    for (int sources = *rc::gen::inRange(1, 4); sources > 0; --sources)
      world.sources.push_back({*in_layer, *unit()});
    std::vector<double> before;
    for (const double threshold : {0.0, 0.01, 0.05, 0.1, 0.2, 0.4, 0.8, 1.0}) {
      const std::vector<double> now = values(world, constant_at(0.9, threshold, 6));
      for (std::size_t v = 0; v < before.size(); ++v) RC_ASSERT(now[v] <= before[v]);
      before = now;
    }
  });
}

TEST(SpreadingAccuracy, WithoutAThresholdAtLeastAsManyNodesAreActive) {
  expect_property("threshold 0 gives every node at least what a threshold does", [] {
    const World world = any_world(unit(), unit());
    const std::vector<double> all = values(world, constant_at(0.8, 0));
    const std::vector<double> some =
        values(world, constant_at(0.8, *rc::gen::element(0.01, 0.1, 0.3, 0.7)));
    for (std::size_t v = 0; v < world.graph.nodes; ++v) RC_ASSERT(some[v] <= all[v] + 1e-6);
  });
}

TEST(SpreadingAccuracy, ALowerThresholdMayActivateFewerNodesWhereWalksOfTwoLengthsMeet) {
  // Node 2 has 0.5 after one hop and 1 after two. With a threshold below 0.5 it passes on two
  // halves, each too small for node 4; with a threshold above 0.5 it passes on everything in one
  // hop.
  const Graph graph{5, {{0, 2, 0.5F}, {0, 1, 1}, {1, 2, 1}, {2, 3, 1}, {2, 4, 0.625F}}};
  const auto at = [&](double threshold) {
    return values_of(spread(graph, {{0, 1}}, constant_at(1, threshold, 3)), 5);
  };
  EXPECT_EQ(at(0.4)[4], 0.0);
  EXPECT_EQ(at(0.6)[4], 0.625);
  EXPECT_EQ(at(0.0)[4], 0.625);
}

TEST(SpreadingAccuracy, AWalkFollowsACycle) {
  Graph ring = chain(6, 0.5F);
  ring.edges.push_back({5, 0, 0.5F});
  for (std::uint32_t hops = 0; hops <= 13; ++hops) {
    const std::vector<double> found =
        values_of(spread(ring, {{0, 0.5F}}, constant_at(1, 0, hops)), 6);
    std::vector<double> expected(6);
    for (std::uint32_t hop = 0; hop <= hops; ++hop) expected[hop % 6] += std::ldexp(0.5, -int(hop));
    EXPECT_EQ(found, expected) << hops;
  }
}

TEST(SpreadingAccuracy, TheResidencyOfAGraphDoesNotChangeTheBits) {
  auto generator = Testing::generator("SpreadingAccuracy.residency");
  const Graph graph = random_graph(500, row_lengths, 3000, 0, 1, generator);
  const Testing::TempFolder folder;
  const GraphSpan span{graph.nodes, graph.edges};
  Context& context = Testing::context();
  std::vector<SpreadingEngine> engines;
  engines.emplace_back(context, span, GraphOptions{.residency = Residency::host});
  engines.front().save(folder / "graph");
  engines.push_back(SpreadingEngine::load(context, folder / "graph"));
  engines.emplace_back(context, span, GraphOptions{});
  if (context.is_usable(Space::cuda)) {
    engines.emplace_back(context, span, GraphOptions{.residency = Residency::device});
    engines.push_back(SpreadingEngine::load(context, folder / "graph",
                                            GraphOptions{.residency = Residency::both}));
  }
  std::vector<Sources> queries;
  for (std::size_t i = 0; i < 9; ++i) queries.push_back(random_sources(500, i, 0, 1, generator));
  SpreadOptions ranked = constant_at(0.5, 0);
  ranked.mode = SpreadMode::pagerank;
  const std::vector<float> x(graph.nodes, 0.3F);
  for (const SpreadOptions& options : {constant_at(0.05, 0.01), linear(constant(0.01)), ranked}) {
    std::optional<std::vector<std::uint32_t>> expected;
    for (const SpreadingEngine& engine : engines) {
      const SpreadResults results = engine.spread(ragged(queries), options);
      std::vector<Answer> answers;
      for (std::size_t i = 0; i < queries.size(); ++i)
        answers.emplace_back(results.activations[i].begin(), results.activations[i].end());
      if (!expected) expected = bits(answers);
      EXPECT_EQ(bits(answers), *expected);
    }
  }
  std::optional<std::vector<float>> product;
  for (const SpreadingEngine& engine : engines) {
    std::vector<float> y(graph.nodes);
    engine.hop(x, y);
    if (!product) product = y;
    EXPECT_EQ(y, *product);
  }
}

}  // namespace SpreadingAccuracyTest
