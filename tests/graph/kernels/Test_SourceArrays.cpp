// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <kindred/core/graph/SourceArrays.hpp>

#include <bit>
#include <limits>
#include <vector>

#include "GraphSupport.hpp"

namespace SourceArraysTest {

using namespace Kindred;
using namespace Testing::Graphs;

/// Sources of queries, as a caller has them.
struct Lists {
  std::vector<std::int64_t> offsets{0};
  std::vector<std::uint32_t> nodes;
  std::vector<float> values;

  void close() { offsets.push_back(static_cast<std::int64_t>(nodes.size())); }
};

/// The state after the start of spreading, and the faults.
struct Started {
  std::vector<float> value;
  std::vector<float> passed;
  std::vector<std::uint8_t> tier;
  std::vector<std::uint32_t> faults;
};

template <class ExecutionSpace>
Started start(const ExecutionSpace& exec_space, const Lists& lists, std::size_t nodes,
              std::size_t first, std::size_t queries, SpreadMode mode, bool is_short_offset,
              const std::vector<std::uint64_t>& removed = {}) {
  const HopWidth hop_width = width_of(queries);
  const std::size_t places = nodes * static_cast<std::size_t>(hop_width);
  const bool is_engine = mode == SpreadMode::engine;
  const Kokkos::View<float*, typename ExecutionSpace::memory_space> value("value", places);
  const Kokkos::View<float*, typename ExecutionSpace::memory_space> passed("passed", places);
  const Kokkos::View<std::uint8_t*, typename ExecutionSpace::memory_space> tier(
      "tier", is_engine ? places : 0);
  const Kokkos::View<std::uint32_t*, typename ExecutionSpace::memory_space> last("last", hop_marks);
  const Kokkos::View<std::uint32_t*, typename ExecutionSpace::memory_space> faults(
      "faults", lists.offsets.size() - 1);
  SpreadState<ExecutionSpace> state;
  state.width = hop_width;
  state.value = value;
  state.passed = passed;
  state.tier = tier;
  state.last = last;
  const std::vector<std::int32_t> shorts(lists.offsets.begin(), lists.offsets.end());
  const auto offsets = to_space(exec_space, lists.offsets);
  const auto short_offsets = to_space(exec_space, shorts);
  const auto node_array = to_space(exec_space, lists.nodes);
  const auto value_array = to_space(exec_space, lists.values);
  const auto removed_array = to_space(exec_space, removed);
  SourceArrays<ExecutionSpace> sources;
  if (is_short_offset)
    sources.short_offsets = short_offsets;
  else
    sources.offsets = offsets;
  sources.nodes = node_array;
  sources.values = value_array;
  sources.removed = removed_array;
  start_from_arrays<ExecutionSpace>(exec_space, state, sources, nodes, first, queries, mode,
                                    faults);
  Started started{std::vector<float>(places), std::vector<float>(places),
                  std::vector<std::uint8_t>(tier.extent(0)),
                  std::vector<std::uint32_t>(faults.extent(0))};
  Impl::download(exec_space, started.value.data(), value, places);
  Impl::download(exec_space, started.passed.data(), passed, places);
  Impl::download(exec_space, started.tier.data(), tier, tier.extent(0));
  Impl::download(exec_space, started.faults.data(), faults, faults.extent(0));
  return started;
}

template <class Body>
void on_every_space(const Body& body) {
  for (const Space space : Testing::spaces()) {
    SCOPED_TRACE(to_string(space));
    Impl::with_instance(Testing::context(), space, body);
  }
}

TEST(SourceArrays, AddDuplicatesInInputOrderAndSaturateInEngineMode) {
  auto generator = Testing::generator("SourceArrays.duplicates");
  constexpr std::size_t nodes = 50;
  for (const std::size_t queries : {1, 2, 8, 9, 32}) {
    for (const std::size_t length : {0, 1, 2, 3, 31, 32, 33, 255, 256, 257, 1000}) {
      Lists lists;
      std::vector<std::vector<float>> sums(queries, std::vector<float>(nodes));
      for (std::size_t query = 0; query < queries; ++query) {
        for (std::size_t i = 0; i < (query == 1 ? 0 : length); ++i) {
          const auto node = static_cast<std::uint32_t>(generator() % (query % 2 == 0 ? 3 : nodes));
          const float value = static_cast<float>(generator() % 1000) / 3000.0F;
          lists.nodes.push_back(node);
          lists.values.push_back(value);
          sums[query][node] += value;
        }
        lists.close();
      }
      for (const SpreadMode mode : {SpreadMode::engine, SpreadMode::linear}) {
        on_every_space([&](const auto& exec_space) {
          for (const bool is_short : {false, true}) {
            const Started started = start(exec_space, lists, nodes, 0, queries, mode, is_short);
            const auto width = static_cast<std::size_t>(width_of(queries));
            for (std::size_t query = 0; query < queries; ++query) {
              EXPECT_EQ(started.faults[query], 0U);
              for (std::size_t node = 0; node < nodes; ++node) {
                float expected = sums[query][node];
                if (mode == SpreadMode::engine) expected = std::min(1.0F, expected);
                const std::size_t place = node * width + query;
                ASSERT_EQ(started.value[place], expected) << length << ", " << query;
                ASSERT_EQ(started.passed[place], expected);
                if (mode == SpreadMode::engine) {
                  ASSERT_EQ(started.tier[place], expected > 0 ? 0 : 255);
                }
              }
            }
          }
        });
      }
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
    bool in_engine;
    bool in_linear;
  };
  for (const Case& fault : std::vector<Case>{{0, 0.5F, false, false},
                                             {70, 0.5F, false, false},
                                             {71, 0.5F, true, true},
                                             {0xFFFFFFFFU, 0.5F, true, true},
                                             {5, 0.5F, true, true},
                                             {1, -0.5F, true, false},
                                             {1, 1.5F, true, false},
                                             {1, nan, true, true},
                                             {1, infinity, true, true},
                                             {1, -infinity, true, true}}) {
    Lists lists;
    for (int query = 0; query < 3; ++query) {
      lists.nodes.push_back(2);
      lists.values.push_back(0.25F);
      if (query == 1) {
        lists.nodes.push_back(fault.node);
        lists.values.push_back(fault.value);
      }
      lists.close();
    }
    for (const SpreadMode mode : {SpreadMode::engine, SpreadMode::linear}) {
      on_every_space([&](const auto& exec_space) {
        const Started started = start(exec_space, lists, 71, 0, 3, mode, false, removed);
        const bool expected = mode == SpreadMode::engine ? fault.in_engine : fault.in_linear;
        EXPECT_EQ(started.faults, std::vector<std::uint32_t>({0, expected ? 1U : 0U, 0}))
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
    Lists lists{given.offsets, {3, 4}, {0.5F, 0.5F}};
    on_every_space([&](const auto& exec_space) {
      for (const bool is_linear : {false, true}) {
        EXPECT_EQ(start(exec_space, lists, 10, 0, 2, SpreadMode::engine, is_linear).faults,
                  given.faults);
      }
    });
  }
}

TEST(SourceArrays, RanksBecomePaddedRows) {
  on_every_space([&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
    const auto ranks =
        to_space(exec_space, std::vector<Rank>{rank_descending(0.5F, 3), rank_descending(0.25F, 1),
                                               rank_descending(0.75F, 9), rank_none});
    const auto faults = to_space(exec_space, std::vector<std::uint32_t>{1, 0, 0, 1});
    const auto nodes = to_space(exec_space, std::vector<std::uint32_t>(12, 7));
    const auto values = to_space(exec_space, std::vector<float>(12, 7.0F));
    put_ranks<ExecutionSpace>(exec_space, ranks, 2, 1, 2, 3, faults, nodes, values);
    std::vector<std::uint32_t> got_nodes(12);
    std::vector<float> got_values(12);
    Impl::download(exec_space, got_nodes.data(), nodes, 12);
    Impl::download(exec_space, got_values.data(), values, 12);
    constexpr std::uint32_t none = 0xFFFFFFFFU;
    EXPECT_EQ(got_nodes, std::vector<std::uint32_t>({7, 7, 7, 3, 1, none, 9, none, none, 7, 7, 7}));
    EXPECT_EQ(got_values, std::vector<float>({7, 7, 7, 0.5F, 0.25F, 0, 0.75F, 0, 0, 7, 7, 7}));
    put_ranks<ExecutionSpace>(exec_space, ranks, 2, 3, 1, 3, faults, nodes, values);
    Impl::download(exec_space, got_nodes.data(), nodes, 12);
    Impl::download(exec_space, got_values.data(), values, 12);
    for (std::size_t i = 9; i < 12; ++i) {
      EXPECT_EQ(got_nodes[i], none);
      EXPECT_EQ(std::bit_cast<std::uint32_t>(got_values[i]), canonical_nan_bits);
    }
  });
}

}  // namespace SourceArraysTest
