// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/arch/Special.hpp>
#include <kindred/core/graph/PageRank.hpp>

#include "GraphSupport.hpp"

namespace Kindred::Testing::Graphs::RankNodesTest {

struct Case {
  std::vector<float> values;    ///< nodes × width
  std::vector<double> weights;  ///< of a `PageRankState`; none: a `SpreadState`
  std::size_t nodes;
  HopWidth width;
};

/// The best \p top nodes of the queries from the first one on.
Ranks expected(const Case& given, std::size_t first, std::size_t top) {
  const auto width = static_cast<std::size_t>(given.width);
  Ranks best;
  for (std::size_t query = first; query < width; ++query) {
    std::vector<float> values(given.nodes);
    for (std::size_t node = 0; node < given.nodes; ++node) {
      values[node] = given.values[node * width + query];
      if (!given.weights.empty() && given.weights[node] > 0)
        values[node] = static_cast<float>(static_cast<double>(values[node]) * given.weights[node]);
    }
    const Ranks ranks = ranked(values, top);
    best.insert(best.end(), ranks.begin(), ranks.end());
  }
  return best;
}

void check(const Case& given, std::size_t first, std::size_t top) {
  SCOPED_TRACE(std::to_string(given.nodes) + " nodes, top " + std::to_string(top));
  const Ranks best = expected(given, first, top);
  const TopKShape shape{static_cast<std::size_t>(given.width) - first, given.nodes, top};
  on_spaces([&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
    SpaceArrays<ExecutionSpace> arrays(exec_space);
    const auto found = [&]<class State>(const State& state) {
      const auto ranks = arrays.template zeros<Rank>(shape.rows * top);
      rank_nodes<ExecutionSpace>(
          exec_space, state, first, shape, ranks,
          arrays.template zeros<Rank>(rank_nodes_workspace<ExecutionSpace, State>(shape)));
      return to_host(exec_space, ranks);
    };
    const auto expect_best = [&](const auto& state) {
      ASSERT_EQ(found(state), best);
      const Special::Without without(Special::Form::buffer_top_k);
      ASSERT_EQ(found(state), best) << "portable";
    };
    const auto values = arrays.copy(given.values);
    if (given.weights.empty()) {
      SpreadState<ExecutionSpace> spread;
      spread.width = given.width;
      spread.value = values;
      expect_best(spread);
    } else {
      PageRankState<ExecutionSpace, float> page_rank;
      page_rank.width = given.width;
      page_rank.nodes = given.nodes;
      page_rank.current = values;
      page_rank.out_weights = arrays.copy(given.weights);
      expect_best(page_rank);
    }
  });
}

TEST(RankNodes, MatchesSortedRanks) {
  for (const HopWidth width : widths) {
    const auto columns = static_cast<std::size_t>(width);
    for (const std::size_t nodes : {1UL, 5UL, 64UL, 1000UL, 2049UL, 20000UL}) {
      for (const bool is_weighted : {false, true}) {
        Case given{std::vector<float>(nodes * columns), {}, nodes, width};
        // Many are equal, many are 0.
        for (float& value : given.values)
          value = static_cast<float>(static_cast<int>(random_below(9)) - 4);
        if (nodes > 1) given.values[columns] = NAN;
        for (std::size_t node = 0; is_weighted && node < nodes; ++node)
          given.weights.push_back(static_cast<double>(random_below(5)) - 1);
        for (const std::size_t top : {1UL, 3UL, 70UL}) check(given, columns / 3, top);
      }
    }
  }
}

}  // namespace Kindred::Testing::Graphs::RankNodesTest
