// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "SmallGraph.hpp"
#include "hnsw/GraphChanges.hpp"
#include "hnsw/LinkSelection.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace HnswInsertionTest {

using namespace Kindred;
using namespace Kindred::Impl;
using Testing::SmallGraph;

TEST(LinkSelection, SkipsCandidatesCloserToASelectedNeighbor) {
  auto generator = Testing::generator("selection");
  SmallGraph graph(60, 4, HnswTraversal::floats, generator);
  const FloatRows rows = graph.store.float_rows();
  std::vector<float> values(rows.query_elements());
  const auto distance = [&](std::uint32_t a, std::uint32_t b) {
    float out[4];
    rows.distances(rows.query_of(a, values.data()), &b, 1, out);
    return out[0];
  };
  std::vector<Key> candidates;
  for (std::uint32_t node = 1; node < 60; ++node)
    candidates.push_back(key_of(distance(0, node), node));
  std::sort(candidates.begin(), candidates.end());
  LinkSelection<FloatRows> selection;
  selection.prepare(rows, 8);
  for (const std::size_t limit : {1, 3, 8}) {
    std::vector<std::uint32_t> expected;
    for (const Key key : candidates) {
      if (expected.size() == limit) break;
      const bool near = std::any_of(expected.begin(), expected.end(), [&](std::uint32_t taken) {
        return distance(node_of(key), taken) < distance_of(key);
      });
      if (!near) expected.push_back(node_of(key));
    }
    const auto chosen = selection.choose(rows, candidates, limit);
    EXPECT_EQ(std::vector<std::uint32_t>(chosen.begin(), chosen.end()), expected);
  }
}

TEST(Rounds, DependOnlyOnTheSizeOfTheGraph) {
  EXPECT_EQ(round_size(0), 1U);
  EXPECT_EQ(round_size(31), 1U);
  EXPECT_EQ(round_size(320), 20U);
  EXPECT_EQ(round_size(1U << 30U), 4096U);
}

TEST(Levels, HaveTheExpectedFrequencies) {
  for (const std::size_t m : {2, 16}) {
    std::array<double, 64> at_least{};
    constexpr int draws = 100000;
    for (std::uint64_t id = 0; id < draws; ++id) {
      for (int level = level_of(7, id, m); level >= 0; --level)
        ++at_least[static_cast<std::size_t>(level)];
    }
    double expected = draws;
    for (std::size_t level = 0; expected > 500; ++level, expected /= static_cast<double>(m))
      EXPECT_NEAR(at_least[level], expected, 5 * std::sqrt(expected));
  }
}

}  // namespace HnswInsertionTest
