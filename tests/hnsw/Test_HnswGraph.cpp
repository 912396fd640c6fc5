// SPDX-License-Identifier: Apache-2.0
#include "HnswSupport.hpp"
#include "hnsw/GraphChanges.hpp"
#include "hnsw/HnswStore.hpp"
#include "hnsw/LinkSelection.hpp"
#include "hnsw/RowCodes.hpp"
#include "hnsw/Walk.hpp"

#include <kindred/core/arch/simd/FloatDistance.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace HnswGraphTest {

using namespace Kindred;
using namespace Testing;
using namespace Kindred::Impl;

/// A graph under construction, with random links between its nodes.
struct SmallGraph {
  SmallGraph(std::size_t count, std::size_t m, HnswTraversal traversal)
      : store(make(m, traversal)) {
    const auto rows = clustered(count, 7, 3);
    store.rows.resize(count * store.row_stride(), 0.0F);
    for (std::size_t i = 0; i < count; ++i)
      std::copy_n(rows.data() + i * 7, 7, store.rows.data() + i * store.row_stride());
    Impl::choose_traversal(store, rows, workers);
    store.codes.resize(count * store.code_stride(), 0);
    store.ids.resize(count, 0);
    store.deleted.resize(count, 0);
    store.levels.resize(count, 0);
    store.upper_first.resize(count, 0);
    store.base.resize(count * 2 * m, Impl::no_node);
    Impl::code_rows(store, 0, count, workers);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t links = random_below(2 * m + 1);
      for (std::size_t k = 0; k < links; ++k)
        store.base[i * 2 * m + k] = static_cast<std::uint32_t>(random_below(count));
    }
    store.entry = static_cast<std::uint32_t>(random_below(count));
    store.top_level = 0;
  }
  static Impl::HnswStore make(std::size_t m, HnswTraversal traversal) {
    return {
        context().memory(Space::serial), 7, {.metric = Metric::l2, .m = m, .traversal = traversal}};
  }

  Impl::HostWorkers workers;
  Impl::HnswStore store;
};

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
  for (int round = 0; round < 50; ++round) {
    const std::size_t capacity = 1 + random_below(20);
    Beam beam;
    beam.start(capacity);
    std::set<Key> all;
    std::set<std::uint32_t> expanded;
    for (int step = 0; step < 60; ++step) {
      if (beam.has_next() && random_below(3) == 0) {
        std::vector<Key> best(all.begin(), all.end());
        best.resize(std::min(best.size(), capacity));
        const auto next = std::find_if(best.begin(), best.end(),
                                       [&](Key key) { return expanded.count(node_of(key)) == 0; });
        ASSERT_NE(next, best.end());
        EXPECT_EQ(beam.expand(), node_of(*next));
        expanded.insert(node_of(*next));
      } else {
        const Key key =
            key_of(static_cast<float>(random_below(10)), static_cast<std::uint32_t>(step));
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
  for (int round = 0; round < 40; ++round) {
    const auto traversal = round % 2 == 0 ? HnswTraversal::bytes : HnswTraversal::floats;
    SmallGraph graph(2 + random_below(150), 2 + random_below(5), traversal);
    const auto values = clustered(1, 7, 3);
    const std::size_t ef = 1 + random_below(30);
    std::set<std::uint32_t> hidden;
    for (std::uint32_t node = 0; node < graph.store.size(); ++node) {
      if (random_below(3) == 0) hidden.insert(node);
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

TEST(LinkSelection, SkipsCandidatesCloserToASelectedNeighbor) {
  SmallGraph graph(60, 4, HnswTraversal::floats);
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

TEST(FloatDistance, MatchesScalarImplementationBitForBit) {
  for (const std::size_t chunks : {0, 1, 2, 3, 8, 48}) {
    const auto query = clustered(1, chunks * 16 + 1, 1);
    const auto rows = clustered(4, chunks * 16 + 1, 1);
    const float* const places[4] = {rows.data(), rows.data() + chunks * 16,
                                    rows.data() + chunks * 32, rows.data() + chunks * 48};
    float expected[4], sums[4];
    Arch::ScalarFloatDistance::dot(query.data(), places, chunks, expected);
    Arch::FloatDistance::dot(query.data(), places, chunks, sums);
    EXPECT_EQ(bits(sums), bits(expected));
    Arch::ScalarFloatDistance::squared(query.data(), places, chunks, 0.25F, expected);
    Arch::FloatDistance::squared(query.data(), places, chunks, 0.25F, sums);
    EXPECT_EQ(bits(sums), bits(expected));
  }
}

}  // namespace HnswGraphTest
