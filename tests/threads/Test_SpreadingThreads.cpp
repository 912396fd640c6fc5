// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <kindred/matcher/GraphFileInfo.hpp>
#include <kindred/matcher/SpreadingEngine.hpp>

#include <atomic>
#include <cmath>
#include <thread>
#include <vector>

#include "OneThread.hpp"
#include "Support.hpp"
#include "TempFolder.hpp"

namespace SpreadingThreadsTest {

using namespace Kindred;
using Testing::one_thread;

/// The values that node 0 passes on in one hop, without decay.
std::vector<Activation> neighbours(const SpreadingEngine& engine) {
  SpreadOptions options;
  options.mode = SpreadMode::linear;
  options.decay = {Decay::Kind::constant, 1};
  options.hops = 1;
  options.top = 100000;
  Ragged<Activation> sources;
  const Activation source{0, 1};
  sources.push_row({&source, 1});
  return engine.spread(sources, options).activations.values;
}

TEST(SpreadingThreads, QueriesRanksAndFilesSeeWholeChangesDuringMerges) {
  // Node 0 has an edge of weight 1/i to both nodes of a pair, or to neither.
  constexpr std::uint32_t pairs = 200;
  GraphOptions options;
  options.merge_share = 0.02;
  const std::vector<Edge> edges{{0, 0, 0.5F}};
  SpreadingEngine engine(one_thread(), GraphSpan{1 + 2 * pairs, edges}, options);
  std::atomic<bool> done{false};
  std::atomic<std::uint64_t> wrong{0};
  std::atomic<std::uint64_t> queries{0};
  std::atomic<std::uint64_t> ranks{0};
  std::atomic<std::uint64_t> saves{0};
  std::vector<std::thread> threads;
  for (int reader = 0; reader < 2; ++reader) {
    threads.emplace_back([&] {
      while (!done) {
        std::vector<int> seen(pairs);
        for (const Activation& node : neighbours(engine)) {
          if (node.node == 0) continue;
          const std::uint32_t pair = (node.node - 1) / 2;
          seen[pair] += node.node % 2 == 0 ? -1 : 1;
          if (node.value != 1.0F / static_cast<float>(pair + 1)) ++wrong;
        }
        for (const int half : seen) wrong += half == 0 ? 0 : 1;
        const GraphStatistics statistics = engine.statistics();
        if (statistics.edges % 2 != 1) ++wrong;
        ++queries;
      }
    });
  }
  threads.emplace_back([&] {
    SpreadOptions ranked;
    ranked.mode = SpreadMode::pagerank;
    ranked.top = 100000;
    Ragged<Activation> sources;
    const Activation source{0, 1};
    sources.push_row({&source, 1});
    while (!done) {
      double mass = 0;
      for (const Activation& node : engine.spread(sources, ranked).activations.values)
        mass += static_cast<double>(node.value);
      if (std::abs(mass - 1) > 1e-4) ++wrong;
      ++ranks;
    }
  });
  threads.emplace_back([&] {
    const Testing::TempFolder folder;
    while (!done) {
      engine.save(folder / "graph");
      const GraphFileInfo info = SpreadingEngine::inspect(folder / "graph", 1);
      if (info.edges % 2 != 1) ++wrong;
      ++saves;
    }
  });
  threads.emplace_back([&] {
    while (!done) {
      engine.merge();
      std::this_thread::yield();
    }
  });
  std::vector<std::thread> writers;
  for (std::uint32_t writer = 0; writer < 2; ++writer) {
    writers.emplace_back([&, writer] {
      for (std::uint32_t pair = writer; pair < pairs; pair += 2) {
        const float weight = 1.0F / static_cast<float>(pair + 1);
        const std::vector<Edge> both{{0, 1 + 2 * pair, weight}, {0, 2 + 2 * pair, weight}};
        engine.add_edges(both);
        if (pair % 3 == 0) engine.remove_edges({{{0, 1 + 2 * pair, {}}, {0, 2 + 2 * pair, {}}}});
        if (pair % 3 == 1) engine.remove_nodes({{1 + 2 * pair, 2 + 2 * pair}});
        if (pair % 10 == 0) engine.add_nodes(1);
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  while (queries < 10 || ranks < 3 || saves < 3) std::this_thread::yield();
  done = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0U);
  std::size_t left = 0;
  for (std::uint32_t pair = 0; pair < pairs; ++pair) left += pair % 3 == 2 ? 2 : 0;
  EXPECT_EQ(neighbours(engine).size(), 1 + left);
  EXPECT_EQ(engine.edges(), 1 + left);
  EXPECT_EQ(engine.nodes(), 1 + 2 * pairs + pairs / 10);
}

}  // namespace SpreadingThreadsTest
