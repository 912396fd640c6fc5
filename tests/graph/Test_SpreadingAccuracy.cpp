// SPDX-License-Identifier: Apache-2.0
// How close answers are to exact arithmetic, and how bfloat16 activations are rounded.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "SpreadingWorld.hpp"

namespace SpreadingAccuracyTest {

using namespace Kindred;
using namespace Testing::SpreadingSupport;
using Testing::expect_property;
using Testing::property_cases;

/// Any number in [−1, 1].
rc::Gen<float> any_in_signed_unit_interval() {
  return rc::gen::map(rc::gen::inRange(-(1 << 24), 1 << 24),
                      [](int n) { return std::ldexp(static_cast<float>(n), -24); });
}
/// Multiples of ¼, so that sums over a few hops are exact.
rc::Gen<float> quarters() {
  return rc::gen::map(rc::gen::inRange(0, 5), [](int n) { return static_cast<float>(n) / 4; });
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
std::optional<std::vector<double>> exact_engine(const SpreadingWorld& world,
                                                const SpreadOptions& options) {
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
    const SpreadingWorld world = any_world(unit(), unit());
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
  EXPECT_GT(compared, std::stoul(property_cases()) / 10) << "too few cases away from thresholds";
}

TEST(SpreadingAccuracy, LinearModeIsLinear) {
  expect_property("the answer to a sum of sources is the sum of the answers", [] {
    SpreadingWorld world = any_world(any_in_signed_unit_interval(), any_in_signed_unit_interval());
    SpreadOptions options = linear(constant(0.5));
    options.hops = *rc::gen::inRange<std::uint32_t>(0, 5);
    SpreadingWorld absolute = world;  // the scale of rounding errors
    for (Edge& edge : absolute.graph.edges) edge.weight = std::abs(edge.weight);
    for (Activation& source : absolute.sources) source.value = std::abs(source.value);
    const std::vector<double> scale = values(absolute, options);
    const std::vector<double> whole = values(world, options);
    SpreadingWorld first = world;
    SpreadingWorld second = world;
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
SpreadingWorld renumbered(const SpreadingWorld& world, const std::vector<std::uint32_t>& place) {
  SpreadingWorld moved = world;
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
    const SpreadingWorld world =
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
    const SpreadingWorld world = any_world(quarters(), quarters());
    const std::vector<std::uint32_t> place = any_order(world.graph.nodes);
    const SpreadOptions options =
        constant_at(0.5, *rc::gen::element(0.0, 0.125, 0.25, 0.5), *rc::gen::inRange(0U, 6U));
    const std::vector<double> before = values(world, options);
    const std::vector<double> after = values(renumbered(world, place), options);
    for (std::size_t v = 0; v < world.graph.nodes; ++v) RC_ASSERT(before[v] == after[place[v]]);
  });
}

TEST(SpreadingAccuracy, ShortActivationsAreRoundedIdenticallyEverywhereAndReported) {
  auto generator = Testing::generator("SpreadingHops.short_activations");
  const Graph graph = random_graph(300, row_lengths, 2000, 0, 1, generator);
  const SpreadingEngine engine(Testing::context(), {graph.nodes, graph.edges});
  SpreadOptions options = linear(constant(0.5));
  options.activations = ActivationPrecision::bfloat16;
  std::vector<Sources> queries;
  for (std::size_t i = 0; i < 40; ++i)
    queries.push_back({{static_cast<std::uint32_t>(generator() % graph.nodes), 0.7F}});
  Reference::SpreadSettings settings{options.hops, options.decay, {}};
  settings.short_activations = true;
  std::vector<Answer> expected;
  for (const Sources& query : queries) {
    const std::vector<Reference::Node> sources{{query[0].node, query[0].value}};
    const auto values = Reference::spread_linear(graph.nodes, links_of(graph), sources, settings);
    Answer& answer = expected.emplace_back();
    for (const Reference::Node& node : Reference::ranked_nodes(values, options.top))
      answer.push_back({node.node, node.value});
  }
  for (const Space space : Testing::spaces()) {
    EXPECT_EQ(bits(spread(Testing::context(), graph, queries, options, space)), bits(expected))
        << to_string(space);
  }
  EXPECT_TRUE(engine.spread(ragged(queries), options).not_guaranteed);
  options.activations = ActivationPrecision::float32;
  EXPECT_FALSE(engine.spread(ragged(queries), options).not_guaranteed);
}

}  // namespace SpreadingAccuracyTest
