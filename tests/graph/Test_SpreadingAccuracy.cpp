// SPDX-License-Identifier: Apache-2.0
// How close answers are to exact arithmetic, and what does not change them.
#include <array>

#include "SpreadingWorld.hpp"

namespace Kindred::Testing::Graphs::SpreadingAccuracyTest {

/// Engine mode entirely in double; no result where a value comes so close to a threshold that
/// rounding decides.
std::optional<std::vector<double>> exact_engine(const World& world, const SpreadOptions& options) {
  const std::size_t nodes = world.graph.nodes;
  std::vector<double> act(nodes);
  for (const Activation& source : world.queries[0])
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
      const double c = static_cast<double>(decay_at(options.decay, hop)) * sum[v];
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
    const World world = any_query();
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
    const World world = any_query(true);
    const SpreadOptions options = linear(constant(0.5, *rc::gen::inRange<std::uint32_t>(0, 5)));
    World absolute = world;  // the scale of rounding errors
    for (Edge& edge : absolute.graph.edges) edge.weight = std::abs(edge.weight);
    for (Activation& source : absolute.queries[0]) source.value = std::abs(source.value);
    const Sources& all = world.queries[0];
    const auto half = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
    World scaled = world;
    for (Activation& source : scaled.queries[0]) source.value *= -4;
    const std::vector<double> scale = values(absolute, options);
    const std::vector<double> whole = values(world, options);
    const std::vector<double> a = values({world.graph, {{all.begin(), half}}}, options);
    const std::vector<double> b = values({world.graph, {{half, all.end()}}}, options);
    const std::vector<double> times = values(scaled, options);
    for (std::size_t v = 0; v < world.graph.nodes; ++v) {
      RC_ASSERT(std::abs(whole[v] - (a[v] + b[v])) <= 4e-6 * scale[v] + 1e-30);
      RC_ASSERT(times[v] == -4 * whole[v]);
    }
  });
}

/// A permutation of the nodes must permute the answer, within \p error of its largest value.
void expect_permuted(const World& world, const SpreadOptions& options, double error) {
  std::vector<std::uint32_t> place;
  const World moved = renumbered(world, place);
  const std::vector<double> before = values(world, options);
  const std::vector<double> after = values(moved, options);
  double scale = 1;
  for (const double value : before) scale = std::max(scale, std::abs(value));
  for (std::size_t v = 0; v < world.graph.nodes; ++v)
    RC_ASSERT(std::abs(before[v] - after[place[v]]) <= error * scale);
}

TEST(SpreadingAccuracy, NodeNumberingDoesNotMatter) {
  expect_property("a permutation of the nodes permutes the answer, within 1e-6", [] {
    expect_permuted(any_query(), constant_at(0.4, 0), 1e-6);
    expect_permuted(any_query(true), linear(constant_at(0.4, 0)), 1e-6);
  });
  expect_property("at thresholds too where sums are exact, to the bit", [] {
    const double threshold = *rc::gen::element(0.0, 0.125, 0.25, 0.5);
    expect_permuted(any_world(fractions(0, 1, 4), fractions(0, 1, 4), true),
                    constant_at(0.5, threshold, *rc::gen::inRange(0U, 6U)), 0);
  });
  expect_property("of PageRank, too", [] {
    SpreadOptions options = page_rank();
    options.damping = *rc::gen::element(0.85, 0.5, 0.0, 0.99);
    options.tolerance = 1e-9;
    options.max_iterations = 5000;
    expect_permuted(any_world(rc::gen::element(0.0F, 1.0F, 0.5F, 1e-3F, 7.0F, 1e4F, 1e-30F, 3e38F),
                              rc::gen::element(1.0F, 0.25F, 0.1F, 3.0F, 1e-20F, 1e30F), true),
                    options, 1e-6);
  });
}

}  // namespace Kindred::Testing::Graphs::SpreadingAccuracyTest
