// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <kindred/core/graph/Hop.hpp>

#include <algorithm>
#include <limits>

#include "GraphSupport.hpp"

namespace RankGroupsTest {

using namespace Kindred;
using namespace Testing::Graphs;
using Testing::Graphs::Array;

TEST(RankGroups, MembersOfTheBestGroupsIncludeTheBestNodes) {
  auto generator = Testing::generator("RankGroups.members");
  for (const HopWidth width : {HopWidth::one, HopWidth::eight, HopWidth::thirty_two}) {
    const auto columns = static_cast<std::size_t>(width);
    for (const std::size_t nodes : {1UL, 5UL, 64UL, 1000UL}) {
      std::vector<float> values(nodes * columns);  // many are equal, many are 0
      for (float& value : values) value = static_cast<float>(static_cast<int>(generator() % 9) - 4);
      if (nodes > 1) values[columns] = std::numeric_limits<float>::quiet_NaN();
      for (const std::size_t groups : {1UL, 3UL, 64UL, 400UL}) {
        if (groups > nodes) continue;
        for (const std::size_t top : {1UL, 3UL, 70UL}) {
          for (const Space space : Testing::spaces()) {
            Impl::with_instance(Testing::context(), space, [&](const auto& exec_space) {
              using exec_type = std::decay_t<decltype(exec_space)>;
              const auto placed = to_space(exec_space, values);
              SpreadState<exec_type> state;
              state.width = width;
              state.value = placed;
              const auto best_of = [&](std::vector<Rank> keys, std::size_t longest) {
                std::vector<Rank> best(columns * top, rank_none);
                for (std::size_t query = 0; query < columns; ++query) {
                  const auto row = keys.begin() + static_cast<std::ptrdiff_t>(query * longest);
                  std::sort(row, row + static_cast<std::ptrdiff_t>(longest));
                  std::copy_n(row, std::min(top, longest),
                              best.begin() + static_cast<std::ptrdiff_t>(query * top));
                }
                return best;
              };
              const auto host = [&](const auto& keys) {
                std::vector<Rank> copy(keys.extent(0));
                Impl::download(exec_space, copy.data(), keys, copy.size());
                return copy;
              };
              const std::size_t members = top * group_members(nodes, groups);
              const Array<exec_type, Rank> all("Kindred::Testing::keys", nodes * columns);
              const Array<exec_type, Rank> grouped("Kindred::Testing::groups", groups * columns);
              const Array<exec_type, Rank> of_best("Kindred::Testing::members", members * columns);
              rank_nodes<exec_type>(exec_space, state, 0, columns, all);
              rank_groups<exec_type>(exec_space, state, 0, columns, groups, grouped);
              const auto best = to_space(exec_space, best_of(host(grouped), groups));
              rank_members<exec_type>(exec_space, state, 0, groups, top, best, of_best);
              ASSERT_EQ(best_of(host(of_best), members), best_of(host(all), nodes))
                  << to_string(space) << ", " << nodes << " nodes, " << groups << " groups, top "
                  << top;
            });
          }
        }
      }
    }
  }
}

}  // namespace RankGroupsTest
