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
  const SpreadState<ExecutionSpace> state =
      empty_state(arrays, nodes, width_of(queries), mode == SpreadMode::engine);
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
  for (const std::size_t count : {1, 2, 8, 9, 32}) {
    const auto width = static_cast<std::size_t>(width_of(count));
    for (const std::size_t length : {0, 1, 2, 3, 31, 32, 33, 255, 256, 257, 1000}) {
      Queries queries;
      for (std::size_t i = 0; i < count; ++i)
        queries.push_back(
            random_sources(i % 2 == 0 ? 3 : nodes, i == 1 ? 0 : length, 0, 0.33F, generator));
      for (const SpreadMode mode : spread_modes) {
        SCOPED_TRACE(length);
        const SpreadOptions options{.mode = mode, .hops = 0};
        std::vector<float> expected(nodes * width);
        for (std::size_t i = 0; i < count; ++i) {
          const auto sums = reference_values({nodes}, queries[i], common_query(options), options);
          for (std::size_t node = 0; node < nodes; ++node) expected[node * width + i] = sums[node];
        }
        std::vector<std::uint8_t> tiers(mode == SpreadMode::engine ? expected.size() : 0);
        for (std::size_t place = 0; place < tiers.size(); ++place)
          tiers[place] = expected[place] > 0 ? 0 : 255;
        on_spaces([&](const auto& exec_space) {
          for (const bool is_short : {false, true}) {
            const Started found = start(exec_space, FlatQueries(queries), nodes, mode, is_short);
            EXPECT_EQ(found.value, expected);
            EXPECT_EQ(found.passed, expected);
            EXPECT_EQ(found.tier, tiers);
            EXPECT_EQ(found.faults, std::vector<std::uint32_t>(count));
          }
        });
      }
    }
  }
}

TEST(SourceArrays, MarkQueriesWithFaultsAndLeaveTheOthersAlone) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const std::vector<std::uint64_t> removed{std::uint64_t{1} << 5U};
  const auto expect = [&](const Sources& sources, std::uint32_t in_engine,
                          std::uint32_t in_linear) {
    for (const Activation& one : sources) {
      const FlatQueries lists({{{2, 0.25F}}, {{2, 0.25F}, one}, {{2, 0.25F}}});
      for (const SpreadMode mode : spread_modes) {
        const std::uint32_t fault = mode == SpreadMode::engine ? in_engine : in_linear;
        on_spaces([&](const auto& exec_space) {
          const Started started = start(exec_space, lists, 71, mode, false, removed);
          EXPECT_THAT(started.faults, ElementsAre(0, fault, 0)) << one.node << ", " << one.value;
          for (const std::size_t query : {0, 2}) EXPECT_EQ(started.value[2 * 8 + query], 0.25F);
        });
      }
    }
  };
  expect({{0, 0.5F}, {70, 0.5F}}, 0, 0);
  expect({{1, -0.5F}, {1, 1.5F}}, 1, 0);
  expect({{71, 0.5F}, {~0U, 0.5F}, {5, 0.5F}, {1, NAN}, {1, infinity}, {1, -infinity}}, 1, 1);
}

TEST(SourceArrays, MarkQueriesWhoseOffsetsLieOutside) {
  using Offsets = std::vector<std::int64_t>;
  using Faults = std::vector<std::uint32_t>;
  for (const auto& [offsets, faults] :
       std::vector<std::pair<Offsets, Faults>>{{{0, 1, 2}, {0, 0}},
                                               {{0, 3, 2}, {1, 1}},
                                               {{-1, 1, 2}, {1, 0}},
                                               {{0, 2, 1}, {0, 1}},
                                               {{1, 1, 3}, {0, 1}}}) {
    FlatQueries lists({{{3, 0.5F}, {4, 0.5F}}});
    lists.offsets = offsets;
    for (const bool is_short : {false, true}) {
      on_spaces([&, &expected = faults](const auto& exec_space) {
        EXPECT_EQ(start(exec_space, lists, 10, SpreadMode::engine, is_short).faults, expected);
      });
    }
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
