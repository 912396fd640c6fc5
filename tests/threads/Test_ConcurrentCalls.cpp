// SPDX-License-Identifier: Apache-2.0
// Calls on one object and one context do not wait for each other.
#include <kindred/matcher/VectorIndex.hpp>

#include "EngineCalls.hpp"
#include "OneThread.hpp"

namespace ConcurrentCallsTest {

using namespace Kindred;
using namespace std::chrono_literals;

class ConcurrentCalls : public testing::TestWithParam<Testing::EngineCall> {};

TEST_P(ConcurrentCalls, EndWhileAnotherIsWithinItsAllocation) {
  Testing::Stop stop;
  std::atomic<std::thread::id> stops;  // at its next allocation
  ContextOptions options = Testing::one_thread_options();
  options.before_allocation = [&](std::string_view, std::size_t, const std::string&) {
    auto here = std::this_thread::get_id();
    if (stops.compare_exchange_strong(here, {})) stop.here();
  };
  Context context(options);
  const auto run = GetParam().make(context);
  // The first call makes what all calls share; more queries need a larger workspace.
  const bool grows =
      GetParam().name == "spread, page rank" || GetParam().name.starts_with("search");
  if (grows) run(Space::serial);
  std::thread first([&] {
    stops = std::this_thread::get_id();
    run(Space::serial, grows ? 60 : 0);
  });
  EXPECT_TRUE(stop.wait_until_reached()) << "the first call allocates its workspace";
  auto second = std::async(std::launch::async, [&] { run(Space::serial); });
  EXPECT_EQ(second.wait_for(10s), std::future_status::ready) << "it waits for the first call";
  stop.go_on();
  first.join();
  second.get();
}

/// Bulk operations need no workspace, and the passes of a seed layer follow each other, because
/// each changes its telemetry.
std::vector<Testing::EngineCall> calls_with_workspaces() {
  std::vector<Testing::EngineCall> calls = Testing::engine_calls();
  std::erase_if(calls, [](const auto& call) {
    return call.name.starts_with("bulk") || call.name.starts_with("seeds");
  });
  return calls;
}

INSTANTIATE_TEST_SUITE_P(Calls, ConcurrentCalls, testing::ValuesIn(calls_with_workspaces()),
                         Testing::name_of_engine_call);

TEST(ConcurrentSearches, ASearchThatLacksMemoryIsNotRepeatedWhileOthersLeaveWorkspaces) {
  std::function<void()> at_allocation;
  ContextOptions options = Testing::one_thread_options();
  const auto tested = std::this_thread::get_id();
  options.before_allocation = [&](std::string_view, std::size_t, const std::string&) {
    if (std::this_thread::get_id() == tested && at_allocation) at_allocation();
  };
  Context context(options);
  constexpr std::size_t dimension = 16;
  const std::vector<float> rows = Testing::normal_values(200 * dimension);
  const VectorIndex index(context, rows, dimension);
  const std::span query(rows.data(), dimension);
  std::vector<std::future<SearchResults>> searches;
  bool others_search = true;
  int attempts = 0;
  at_allocation = [&] {
    if (++attempts > 300) return;
    if (others_search) {
      // Once the tested search is repeated alone, others wait for it.
      searches.push_back(std::async(std::launch::async, [&] { return index.search(query); }));
      others_search = searches.back().wait_for(1s) == std::future_status::ready;
    }
    throw OutOfMemory("host", 1, "test", "refused");
  };
  EXPECT_THROW(index.search(query), OutOfMemory);
  EXPECT_LT(attempts, 300);
  at_allocation = {};
  const auto expected = index.search(query).ids;
  for (auto& search : searches) EXPECT_EQ(search.get().ids, expected);
}

}  // namespace ConcurrentCallsTest
