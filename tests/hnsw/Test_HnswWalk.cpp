// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "SmallGraph.hpp"
#include "hnsw/Walk.hpp"

#include <algorithm>
#include <set>
#include <vector>

namespace HnswWalkTest {

using namespace Kindred;
using namespace Kindred::Impl;
using Testing::SmallGraph;

TEST(Key, OrdersByDistanceThenNode) {
  const float distances[] = {-2.0F, -0.5F, -0.0F, 0.0F, 1e-40F, 1.0F, 3e38F};
  for (std::size_t i = 1; i < std::size(distances); ++i) {
    if (distances[i - 1] == distances[i]) {
      EXPECT_LT(key_of(distances[i - 1], 1), key_of(distances[i], 2));
      EXPECT_EQ(key_of(distances[i - 1], 1), key_of(distances[i], 1));
    } else {
      EXPECT_LT(key_of(distances[i - 1], 2), key_of(distances[i], 1));
    }
    EXPECT_EQ(distance_of(key_of(distances[i], 7)), distances[i]);
    EXPECT_EQ(node_of(key_of(distances[i], 7) | key_expanded), 7U);
  }
}

TEST(Beam, KeepsTheBestAndSelectsTheNext) {
  auto generator = Testing::generator("beam");
  for (int round = 0; round < 50; ++round) {
    const std::size_t capacity = 1 + generator() % 20;
    Beam beam;
    beam.start(capacity);
    std::set<Key> all;
    std::set<std::uint32_t> expanded;
    for (int step = 0; step < 60; ++step) {
      if (beam.has_next() && generator() % 3 == 0) {
        std::vector<Key> best(all.begin(), all.end());
        best.resize(std::min(best.size(), capacity));
        const auto next = std::find_if(best.begin(), best.end(),
                                       [&](Key key) { return expanded.count(node_of(key)) == 0; });
        ASSERT_NE(next, best.end());
        EXPECT_EQ(beam.expand(), node_of(*next));
        expanded.insert(node_of(*next));
      } else {
        const Key key =
            key_of(static_cast<float>(generator() % 10), static_cast<std::uint32_t>(step));
        all.insert(key);
        beam.insert(key);
      }
    }
    std::vector<Key> expected(all.begin(), all.end());
    expected.resize(std::min(expected.size(), capacity));
    std::vector<Key> kept(beam.keys().begin(), beam.keys().end());
    for (Key& key : kept) key &= ~key_expanded;
    EXPECT_EQ(kept, expected);
  }
}

/// The search of Malkov and Yashunin (algorithm 2) as published, with sets.
template <class Rows>
std::vector<Key> exhaustive_search(const HnswStore& store, const Rows& rows,
                                   const typename Rows::Query& query, std::size_t ef,
                                   const std::set<std::uint32_t>& hidden) {
  const auto key = [&](std::uint32_t node) {
    float distance[4];
    rows.distances(query, &node, 1, distance);
    return key_of(distance[0], node);
  };
  std::set<Key> candidates{key(store.entry)};
  std::set<Key> found;
  std::set<std::uint32_t> visited{store.entry};
  if (hidden.count(store.entry) == 0) found.insert(key(store.entry));
  while (!candidates.empty()) {
    const Key nearest = *candidates.begin();
    candidates.erase(candidates.begin());
    if (found.size() == ef && nearest > *found.rbegin()) break;
    const std::size_t m = store.settings.m;
    for (std::size_t k = 0; k < 2 * m; ++k) {
      const std::uint32_t next = store.base[node_of(nearest) * 2 * m + k];
      if (next == no_node) break;
      if (!visited.insert(next).second) continue;
      if (found.size() == ef && key(next) > *found.rbegin()) continue;
      candidates.insert(key(next));
      if (hidden.count(next) == 0) found.insert(key(next));
      if (found.size() > ef) found.erase(std::prev(found.end()));
    }
  }
  return {found.begin(), found.end()};
}

TEST(Walk, FindsTheResultsOfExhaustiveSearch) {
  auto generator = Testing::generator("walk");
  for (int round = 0; round < 40; ++round) {
    const auto traversal = round % 2 == 0 ? HnswTraversal::bytes : HnswTraversal::floats;
    SmallGraph graph(2 + generator() % 150, 2 + generator() % 5, traversal, generator);
    const auto values = Testing::clustered(generator, 1, 7, 3);
    const std::size_t ef = 1 + generator() % 30;
    std::set<std::uint32_t> hidden;
    for (std::uint32_t node = 0; node < graph.store.size(); ++node) {
      if (generator() % 3 == 0) hidden.insert(node);
    }
    graph.store.with_rows([&](const auto& rows) {
      CodedQuery query_buffers;
      query_buffers.prepare(graph.store);
      const auto query = coded_query(graph.store, rows, values, query_buffers);
      WalkBuffers buffers;
      const Links links = graph.store.links();
      Walk walk(links, rows, buffers);
      const Key start = walk.descend(query, 0);
      walk.search(query, 0, start, graph.store.size(), ef);
      std::vector<Key> found(buffers.beam.keys().begin(), buffers.beam.keys().end());
      for (Key& key : found) key &= ~key_expanded;
      EXPECT_EQ(found, exhaustive_search(graph.store, rows, query, ef, {}));
      walk.search_allowed(query, start, graph.store.size(), ef,
                          [&](std::uint32_t node) { return hidden.count(node) == 0; });
      found.assign(buffers.beam.keys().begin(), buffers.beam.keys().end());
      EXPECT_EQ(found, exhaustive_search(graph.store, rows, query, ef, hidden));
    });
  }
}

}  // namespace HnswWalkTest
