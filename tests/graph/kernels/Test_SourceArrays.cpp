// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/graph/SourceArrays.hpp>

#include "GraphSupport.hpp"

namespace SourceArraysTest {

using namespace Kindred;
using namespace Testing::Graphs;

/// The state after the start of spreading, and the faults.
struct Started {
  std::vector<float> value;
  std::vector<float> passed;
  std::vector<std::uint8_t> tier;
  std::vector<std::uint32_t> faults;
};

template <class ExecutionSpace>
Started start(const ExecutionSpace& exec_space, const FlatQueries& lists, std::size_t nodes,
              SpreadMode mode, bool is_short_offset,
              const std::vector<std::uint64_t>& removed = {}) {
  const std::size_t queries = lists.offsets.size() - 1;
  SpaceArrays<ExecutionSpace> arrays(exec_space);
  SpreadState<ExecutionSpace> state;
  state.width = width_of(queries);
  const std::size_t places = nodes * static_cast<std::size_t>(state.width);
  state.value = arrays.template zeros<float>(places);
  state.passed = arrays.template zeros<float>(places);
  state.tier = arrays.template zeros<std::uint8_t>(mode == SpreadMode::engine ? places : 0);
  state.last = arrays.template zeros<std::uint32_t>(hop_marks);
  SourceArrays<ExecutionSpace> sources;
  if (is_short_offset) {
    sources.short_offsets =
        arrays.copy(std::vector<std::int32_t>(lists.offsets.begin(), lists.offsets.end()));
  } else {
    sources.offsets = arrays.copy(lists.offsets);
  }
  sources.nodes = arrays.copy(lists.nodes);
  sources.values = arrays.copy(lists.values);
  sources.removed = arrays.copy(removed);
  const auto faults = arrays.template zeros<std::uint32_t>(queries);
  start_from_arrays<ExecutionSpace>(exec_space, state, sources, nodes, 0, queries, mode, faults);
  return {to_host(exec_space, state.value), to_host(exec_space, state.passed),
          to_host(exec_space, state.tier), to_host(exec_space, faults)};
}

TEST(SourceArrays, AddDuplicatesInInputOrderAndSaturateInEngineMode) {
  auto generator = Testing::generator("SourceArrays.duplicates");
  constexpr std::size_t nodes = 50;
  for (const std::size_t queries : {1, 2, 8, 9, 32}) {
    const auto width = static_cast<std::size_t>(width_of(queries));
    for (const std::size_t length : {0, 1, 2, 3, 31, 32, 33, 255, 256, 257, 1000}) {
      SCOPED_TRACE(length);
      Queries queries_of(queries);
      std::vector<float> sums(nodes * width);
      for (std::size_t query = 0; query < queries; ++query) {
        for (std::size_t i = 0; i < (query == 1 ? 0 : length); ++i) {
          const auto node = static_cast<std::uint32_t>(generator() % (query % 2 == 0 ? 3 : nodes));
          const float value = static_cast<float>(generator() % 1000) / 3000.0F;
          queries_of[query].push_back({node, value});
          sums[node * width + query] += value;
        }
      }
      const FlatQueries lists(queries_of);
      std::vector<float> clamped;
      std::vector<std::uint8_t> tiers;
      for (const float sum : sums) {
        clamped.push_back(std::min(1.0F, sum));
        tiers.push_back(sum > 0 ? 0 : 255);
      }
      on_spaces([&](const auto& exec_space) {
        for (const bool is_short : {false, true}) {
          const Started linear = start(exec_space, lists, nodes, SpreadMode::linear, is_short);
          EXPECT_EQ(linear.value, sums);
          EXPECT_EQ(linear.passed, sums);
          const Started engine = start(exec_space, lists, nodes, SpreadMode::engine, is_short);
          EXPECT_EQ(engine.value, clamped);
          EXPECT_EQ(engine.passed, clamped);
          EXPECT_EQ(engine.tier, tiers);
          EXPECT_EQ(linear.faults, std::vector<std::uint32_t>(queries));
          EXPECT_EQ(engine.faults, linear.faults);
        }
      });
    }
  }
}

TEST(SourceArrays, MarkQueriesWithFaultsAndLeaveTheOthersAlone) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<std::uint64_t> removed{std::uint64_t{1} << 5U};
  struct Case {
    std::uint32_t node;
    float value;
    std::uint32_t in_engine;
    std::uint32_t in_linear;
  };
  for (const Case& fault : std::vector<Case>{{0, 0.5F, 0, 0},
                                             {70, 0.5F, 0, 0},
                                             {71, 0.5F, 1, 1},
                                             {0xFFFFFFFFU, 0.5F, 1, 1},
                                             {5, 0.5F, 1, 1},
                                             {1, -0.5F, 1, 0},
                                             {1, 1.5F, 1, 0},
                                             {1, nan, 1, 1},
                                             {1, infinity, 1, 1},
                                             {1, -infinity, 1, 1}}) {
    const FlatQueries lists({{{2, 0.25F}}, {{2, 0.25F}, {fault.node, fault.value}}, {{2, 0.25F}}});
    for (const SpreadMode mode : spread_modes) {
      on_spaces([&](const auto& exec_space) {
        const Started started = start(exec_space, lists, 71, mode, false, removed);
        EXPECT_THAT(started.faults,
                    ::testing::ElementsAre(
                        0, mode == SpreadMode::engine ? fault.in_engine : fault.in_linear, 0))
            << fault.node << ", " << fault.value;
        for (const std::size_t query : {0, 2}) EXPECT_EQ(started.value[2 * 8 + query], 0.25F);
      });
    }
  }
}

TEST(SourceArrays, MarkQueriesWhoseOffsetsLieOutside) {
  struct Case {
    std::vector<std::int64_t> offsets;
    std::vector<std::uint32_t> faults;
  };
  for (const Case& given :
       {Case{{0, 1, 2}, {0, 0}}, Case{{0, 3, 2}, {1, 1}}, Case{{-1, 1, 2}, {1, 0}},
        Case{{0, 2, 1}, {0, 1}}, Case{{1, 1, 3}, {0, 1}}}) {
    FlatQueries lists({{{3, 0.5F}, {4, 0.5F}}});
    lists.offsets = given.offsets;
    on_spaces([&](const auto& exec_space) {
      for (const bool is_short : {false, true})
        EXPECT_EQ(start(exec_space, lists, 10, SpreadMode::engine, is_short).faults, given.faults);
    });
  }
}

TEST(SourceArrays, RanksBecomePaddedRows) {
  on_spaces([&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
    SpaceArrays<ExecutionSpace> arrays(exec_space);
    const auto ranks = arrays.copy(std::vector<Rank>{
        rank_descending(0.5F, 3), rank_descending(0.25F, 1), rank_descending(0.75F, 9), rank_none});
    const auto faults = arrays.copy(std::vector<std::uint32_t>{1, 0, 0, 1});
    const auto nodes = arrays.copy(std::vector<std::uint32_t>(12, 7));
    const auto values = arrays.copy(std::vector<float>(12, 7.0F));
    constexpr std::uint32_t none = 0xFFFFFFFFU;
    std::vector<std::uint32_t> expected_nodes{7, 7, 7, 3, 1, none, 9, none, none, 7, 7, 7};
    std::vector<float> expected_values{7, 7, 7, 0.5F, 0.25F, 0, 0.75F, 0, 0, 7, 7, 7};
    put_ranks<ExecutionSpace>(exec_space, ranks, 2, 1, 2, 3, faults, nodes, values);
    EXPECT_EQ(to_host(exec_space, nodes), expected_nodes);
    EXPECT_EQ(to_host(exec_space, values), expected_values);
    put_ranks<ExecutionSpace>(exec_space, ranks, 2, 3, 1, 3, faults, nodes, values);
    std::fill(expected_nodes.begin() + 9, expected_nodes.end(), none);
    std::fill(expected_values.begin() + 9, expected_values.end(),
              std::bit_cast<float>(canonical_nan_bits));
    EXPECT_EQ(to_host(exec_space, nodes), expected_nodes);
    EXPECT_EQ(bits_of(to_host(exec_space, values)), bits_of(expected_values));
  });
}

}  // namespace SourceArraysTest
