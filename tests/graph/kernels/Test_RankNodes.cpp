// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <kindred/core/arch/Special.hpp>
#include <kindred/core/graph/Hop.hpp>
#include <kindred/core/graph/PageRank.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "GraphSupport.hpp"

namespace RankNodesTest {

using namespace Kindred;
using namespace Testing::Graphs;
using Testing::Graphs::Array;

struct Case {
  std::vector<float> values;    ///< nodes × width
  std::vector<double> weights;  ///< of a `PageRankState`; none: a `SpreadState`
  std::size_t nodes;
  HopWidth width;
};

/// The best \p top nodes of the queries from the first one on.
std::vector<Rank> expected(const Case& given, std::size_t first, std::size_t top) {
  const auto width = static_cast<std::size_t>(given.width);
  std::vector<Rank> best;
  for (std::size_t query = first; query < width; ++query) {
    std::vector<Rank> ranks(std::max(top, given.nodes), rank_none);
    for (std::size_t node = 0; node < given.nodes; ++node) {
      float value = given.values[node * width + query];
      if (!given.weights.empty() && given.weights[node] > 0)
        value = static_cast<float>(static_cast<double>(value) * given.weights[node]);
      if (value != 0) ranks[node] = rank_descending(value, static_cast<std::uint32_t>(node));
    }
    std::sort(ranks.begin(), ranks.end());
    best.insert(best.end(), ranks.begin(), ranks.begin() + static_cast<std::ptrdiff_t>(top));
  }
  return best;
}

template <class ExecutionSpace, class State>
std::vector<Rank> ranked(const ExecutionSpace& exec_space, const State& state, const Case& given,
                         std::size_t first, std::size_t top) {
  const TopKShape shape{static_cast<std::size_t>(given.width) - first, given.nodes, top};
  const Array<ExecutionSpace, Rank> best("Kindred::Testing::best", shape.rows * top);
  const Array<ExecutionSpace, Rank> workspace("Kindred::Testing::workspace",
                                              rank_nodes_workspace<ExecutionSpace, State>(shape));
  rank_nodes<ExecutionSpace>(exec_space, state, first, shape, best, workspace);
  std::vector<Rank> copy(best.extent(0));
  Impl::download(exec_space, copy.data(), best, copy.size());
  return copy;
}

void check(const Case& given, std::size_t first, std::size_t top) {
  const std::vector<Rank> best = expected(given, first, top);
  for (const Space space : Testing::spaces()) {
    Impl::with_instance(Testing::context(), space, [&](const auto& exec_space) {
      using exec_type = std::decay_t<decltype(exec_space)>;
      const auto values = to_space(exec_space, given.values);
      const auto weights = to_space(exec_space, given.weights);
      SpreadState<exec_type> spread;
      spread.width = given.width;
      spread.value = values;
      PageRankState<exec_type, float> page_rank;
      page_rank.width = given.width;
      page_rank.nodes = given.nodes;
      page_rank.current = values;
      page_rank.out_weights = weights;
      const auto found = [&] {
        return given.weights.empty() ? ranked(exec_space, spread, given, first, top)
                                     : ranked(exec_space, page_rank, given, first, top);
      };
      const auto where = [&] {
        return std::string(to_string(space)) + ", " + std::to_string(given.nodes) + " nodes, top " +
               std::to_string(top);
      };
      ASSERT_EQ(found(), best) << where();
      const Special::Without without(Special::Form::buffer_top_k);
      ASSERT_EQ(found(), best) << where() << ", portable";
    });
  }
}

TEST(RankNodes, MatchesSortedRanks) {
  auto generator = Testing::generator("RankNodes.sorted");
  for (const HopWidth width : {HopWidth::one, HopWidth::eight, HopWidth::thirty_two}) {
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
