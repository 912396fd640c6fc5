// SPDX-License-Identifier: Apache-2.0
// Calls on one object and one context do not wait for each other.
#include <kindred/matcher/VectorIndex.hpp>

#include <condition_variable>
#include <future>

#include "EngineCalls.hpp"
#include "OneThread.hpp"

namespace ConcurrentCallsTest {

using namespace Kindred;
using namespace std::chrono_literals;

/// Stops one thread at its next allocation until the test lets it go on.
class StopAtAllocation {
 public:
  void operator()(std::string_view, std::size_t, const std::string&) {
    std::unique_lock lock(m_mutex);
    if (std::this_thread::get_id() != m_stops) return;
    m_stops = {};
    m_stopped = true;
    m_changed.notify_all();
    m_changed.wait_for(lock, 20s, [this] { return !m_stopped; });
  }
  void stop_this_thread() {
    const std::lock_guard lock(m_mutex);
    m_stops = std::this_thread::get_id();
  }
  bool wait_until_stopped() {
    std::unique_lock lock(m_mutex);
    return m_changed.wait_for(lock, 20s, [this] { return m_stopped; });
  }
  void go_on() {
    const std::lock_guard lock(m_mutex);
    m_stopped = false;
    m_changed.notify_all();
  }

 private:
  std::mutex m_mutex;
  std::condition_variable m_changed;
  std::thread::id m_stops;
  bool m_stopped = false;
};

class ConcurrentCalls : public testing::TestWithParam<Testing::EngineCall> {};

TEST_P(ConcurrentCalls, EndWhileAnotherIsWithinItsAllocation) {
  StopAtAllocation stop;
  ContextOptions options = Testing::one_thread_options();
  options.before_allocation = std::ref(stop);
  Context context(options);
  const auto run = GetParam().make(context);
  // The first call makes what all calls share; more queries need a larger workspace.
  const bool grows =
      GetParam().name == "spread, page rank" || GetParam().name.starts_with("search");
  if (grows) run(Space::serial);
  std::thread first([&] {
    stop.stop_this_thread();
    run(Space::serial, grows ? 60 : 0);
  });
  EXPECT_TRUE(stop.wait_until_stopped()) << "the first call allocates its workspace";
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
  auto generator = Testing::generator("workspaces of others");
  const std::vector<float> rows = Testing::random_values(generator, 200 * dimension);
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
