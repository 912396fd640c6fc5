// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/GraphFileInfo.hpp>
#include <kindred/matcher/SpreadingEngine.hpp>

#include <cmath>

#include "OneThread.hpp"
#include "TempFolder.hpp"

namespace SpreadingThreadsTest {

using namespace Kindred;
using Testing::one_thread;

std::vector<Activation> from_node_0(const SpreadingEngine& engine, const SpreadOptions& options) {
  Ragged<Activation> sources;
  sources.push_row(std::vector<Activation>{{0, 1}});
  return engine.spread(sources, options).activations.values;
}

/// The values that node 0 passes on in one hop, without decay.
std::vector<Activation> neighbours(const SpreadingEngine& engine) {
  return from_node_0(
      engine,
      {.mode = SpreadMode::linear, .hops = 1, .decay = {Decay::Kind::constant, 1}, .top = 100000});
}

TEST(SpreadingThreads, QueriesRanksAndFilesSeeWholeChangesDuringMerges) {
  // Node 0 has an edge of weight 1/i to both nodes of a pair, or to neither.
  constexpr std::uint32_t pairs = 200;
  const std::vector<Edge> edges{{0, 0, 0.5F}};
  SpreadingEngine engine(one_thread(), GraphSpan{1 + 2 * pairs, edges}, {.merge_share = 0.02});
  std::atomic<std::uint64_t> wrong{0};
  std::atomic<std::uint64_t> queries{0};
  std::atomic<std::uint64_t> ranks{0};
  std::atomic<std::uint64_t> saves{0};
  const auto query = [&] {
    std::vector<int> seen(pairs);
    for (const Activation& node : neighbours(engine)) {
      if (node.node == 0) continue;
      const std::uint32_t pair = (node.node - 1) / 2;
      seen[pair] += node.node % 2 == 0 ? -1 : 1;
      if (node.value != 1.0F / static_cast<float>(pair + 1)) ++wrong;
    }
    for (const int half : seen) wrong += half == 0 ? 0 : 1;
    if (engine.statistics().edges % 2 != 1) ++wrong;
    ++queries;
  };
  const auto rank = [&] {
    double mass = 0;
    for (const Activation& node :
         from_node_0(engine, {.mode = SpreadMode::pagerank, .top = 100000}))
      mass += static_cast<double>(node.value);
    if (std::abs(mass - 1) > 1e-4) ++wrong;
    ++ranks;
  };
  const Testing::TempFolder folder;
  const auto save = [&] {
    engine.save(folder / "graph");
    if (SpreadingEngine::inspect(folder / "graph", 1).edges % 2 != 1) ++wrong;
    ++saves;
  };
  const auto merge = [&] {
    engine.merge();
    std::this_thread::yield();
  };
  Testing::beside({query, query, rank, save, merge}, [&] {
    Testing::by_threads(2, [&](std::size_t writer) {
      for (auto pair = static_cast<std::uint32_t>(writer); pair < pairs; pair += 2) {
        const float weight = 1.0F / static_cast<float>(pair + 1);
        const std::vector<Edge> both{{0, 1 + 2 * pair, weight}, {0, 2 + 2 * pair, weight}};
        engine.add_edges(both);
        if (pair % 3 == 0) engine.remove_edges({{{0, 1 + 2 * pair, {}}, {0, 2 + 2 * pair, {}}}});
        if (pair % 3 == 1) engine.remove_nodes({{1 + 2 * pair, 2 + 2 * pair}});
        if (pair % 10 == 0) engine.add_nodes(1);
      }
    });
    while (queries < 10 || ranks < 3 || saves < 3) std::this_thread::yield();
  });
  EXPECT_EQ(wrong, 0U);
  std::size_t left = 0;
  for (std::uint32_t pair = 0; pair < pairs; ++pair) left += pair % 3 == 2 ? 2 : 0;
  EXPECT_EQ(neighbours(engine).size(), 1 + left);
  EXPECT_EQ(engine.edges(), 1 + left);
  EXPECT_EQ(engine.nodes(), 1 + 2 * pairs + pairs / 10);
}

}  // namespace SpreadingThreadsTest
