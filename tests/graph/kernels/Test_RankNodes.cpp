// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/arch/Special.hpp>
#include <kindred/core/graph/PageRank.hpp>

#include "GraphSupport.hpp"

namespace RankNodesTest {

using namespace Kindred;
using namespace Testing::Graphs;

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

template <class ExecutionSpace, class State>
Ranks found_by(const ExecutionSpace& exec_space, const State& state, const Case& given,
               std::size_t first, std::size_t top) {
  const TopKShape shape{static_cast<std::size_t>(given.width) - first, given.nodes, top};
  SpaceArrays<ExecutionSpace> arrays(exec_space);
  const auto best = arrays.template zeros<Rank>(shape.rows * top);
  rank_nodes<ExecutionSpace>(
      exec_space, state, first, shape, best,
      arrays.template zeros<Rank>(rank_nodes_workspace<ExecutionSpace, State>(shape)));
  return to_host(exec_space, best);
}

void check(const Case& given, std::size_t first, std::size_t top) {
  SCOPED_TRACE(std::to_string(given.nodes) + " nodes, top " + std::to_string(top));
  const Ranks best = expected(given, first, top);
  on_spaces([&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
    SpaceArrays<ExecutionSpace> arrays(exec_space);
    SpreadState<ExecutionSpace> spread;
    spread.width = given.width;
    spread.value = arrays.copy(given.values);
    PageRankState<ExecutionSpace, float> page_rank;
    page_rank.width = given.width;
    page_rank.nodes = given.nodes;
    page_rank.current = spread.value;
    page_rank.out_weights = arrays.copy(given.weights);
    const auto found = [&] {
      return given.weights.empty() ? found_by(exec_space, spread, given, first, top)
                                   : found_by(exec_space, page_rank, given, first, top);
    };
    ASSERT_EQ(found(), best);
    const Special::Without without(Special::Form::buffer_top_k);
    ASSERT_EQ(found(), best) << "portable";
  });
}

TEST(RankNodes, MatchesSortedRanks) {
  auto generator = Testing::generator("RankNodes.sorted");
  for (const HopWidth width : widths) {
    const auto columns = static_cast<std::size_t>(width);
    for (const std::size_t nodes : {1UL, 5UL, 64UL, 1000UL, 2049UL, 20000UL}) {
      for (const bool is_weighted : {false, true}) {
        Case given{std::vector<float>(nodes * columns), {}, nodes, width};
        // Many are equal, many are 0.
        for (float& value : given.values)
          value = static_cast<float>(static_cast<int>(generator() % 9) - 4);
        if (nodes > 1) given.values[columns] = std::numeric_limits<float>::quiet_NaN();
        for (std::size_t node = 0; is_weighted && node < nodes; ++node)
          given.weights.push_back(static_cast<double>(generator() % 5) - 1);
        for (const std::size_t top : {1UL, 3UL, 70UL}) check(given, columns / 3, top);
      }
    }
  }
}

}  // namespace RankNodesTest
