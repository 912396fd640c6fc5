// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/graph/SourceArrays.hpp>

#include "GraphSupport.hpp"

namespace Kindred::Testing::Graphs::SourceArraysTest {

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
  constexpr std::size_t nodes = 50;
  for (const std::size_t count : {1, 2, 8, 9, 32}) {
    const auto width = static_cast<std::size_t>(width_of(count));
    for (const std::size_t length : {0, 1, 2, 3, 31, 32, 33, 255, 256, 257, 1000}) {
      Queries queries;
      for (std::size_t i = 0; i < count; ++i)
        queries.push_back(random_sources(i % 2 == 0 ? 3 : nodes, i == 1 ? 0 : length, 0.33F));
      for (const SpreadMode mode : spread_modes) {
        SCOPED_TRACE(length);
        const SpreadOptions options{.mode = mode, .hops = 0};
        std::vector<float> expected(nodes * width);
        for (std::size_t i = 0; i < count; ++i) {
          const auto sums = reference_values({nodes}, queries[i], options);
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
  expect({{71, 0.5F}, {~0U, 0.5F}, {5, 0.5F}, {1, NAN}, {1, INFINITY}, {1, -INFINITY}}, 1, 1);
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

}  // namespace Kindred::Testing::Graphs::SourceArraysTest
