// SPDX-License-Identifier: Apache-2.0
// Calls on one object and one context do not wait for each other.
#include <gtest/gtest.h>
#include <kindred/core/common/Error.hpp>
#include <kindred/matcher/Lattice.hpp>
#include <kindred/matcher/SequenceMatcher.hpp>
#include <kindred/matcher/SpreadingEngine.hpp>
#include <kindred/matcher/VectorIndex.hpp>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <future>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

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

struct ConcurrentCalls : testing::Test {
  static constexpr std::size_t dimension = 16;

  ConcurrentCalls()
      : context([this] {
          ContextOptions options;
          options.threads = 1;
          options.space = Space::serial;
          options.load_profile = false;
          options.before_allocation = [this](std::string_view space, std::size_t bytes,
                                             const std::string& label) {
            stop(space, bytes, label);
          };
          return options;
        }()) {}

  /// `call()` on one thread ends while another thread is within `call()` on the same object.
  void expect_overlap(const std::function<void()>& call) { expect_overlap(call, call); }
  /// The same with \p call_before on the other thread.
  void expect_overlap(const std::function<void()>& call_before, const std::function<void()>& call) {
    std::thread first([&] {
      stop.stop_this_thread();
      call_before();
    });
    EXPECT_TRUE(stop.wait_until_stopped()) << "the first call allocates its workspace";
    auto second = std::async(std::launch::async, call);
    EXPECT_EQ(second.wait_for(10s), std::future_status::ready) << "it waits for the first call";
    stop.go_on();
    first.join();
    second.get();
  }

  StopAtAllocation stop;
  Context context;
  std::mt19937_64 generator = Testing::generator("concurrent calls");
  std::vector<float> rows = Testing::random_values(generator, 200 * dimension);
};

TEST_F(ConcurrentCalls, OfVectorIndexesOverlap) {
  const VectorIndex index(context, rows, dimension);
  const std::span query(rows.data(), dimension);
  Ragged<std::uint64_t> candidates;
  candidates.push_row(std::vector<std::uint64_t>{1, 5, 7});
  expect_overlap([&] { index.search(query, {.top = 3}); });
  expect_overlap([&] { index.score(query, candidates, {.top = 3}); });
  const VectorIndex scored(context, rows, dimension);
  expect_overlap([&] {
    std::vector<float> out(scored.size());
    scored.score_all(query, out);
  });
}

TEST_F(ConcurrentCalls, OfSequenceMatchersOverlap) {
  Ragged<Symbol> patterns;
  for (int i = 0; i < 200; ++i)
    patterns.push_row(std::vector<Symbol>(20, static_cast<Symbol>(generator() % 9)));
  Ragged<Symbol> query;
  query.push_row(std::vector<Symbol>{1, 2, 3, 4});
  for (const Measure measure : {Measure::lcs, Measure::levenshtein}) {
    const SequenceMatcher matcher(context, patterns);
    expect_overlap([&] { matcher.match(query, {.measure = measure, .threshold = 0, .top = 3}); });
  }
}

TEST_F(ConcurrentCalls, OfSpreadingEnginesOverlap) {
  std::vector<Edge> edges;
  for (std::uint32_t node = 0; node < 300; ++node)
    edges.push_back({node, static_cast<std::uint32_t>(generator() % 300), 0.5F});
  const SpreadingEngine engine(context, {300, edges});
  Ragged<Activation> sources;
  sources.push_row(std::vector<Activation>{{3, 1.0F}});
  expect_overlap([&] { engine.spread(sources, {}); });
  SpreadOptions page_rank;
  page_rank.mode = SpreadMode::pagerank;
  engine.spread(sources, page_rank);  // makes what all calls share
  Ragged<Activation> many;
  for (std::uint32_t node = 0; node < 40; ++node)
    many.push_row(std::vector<Activation>{{node, 1.0F}});
  expect_overlap([&] { engine.spread(many, page_rank); },
                 [&] { engine.spread(sources, page_rank); });
}

TEST_F(ConcurrentCalls, OfLatticesOverlap) {
  const std::vector<std::uint64_t> blocked{30, 31, 32};
  const Lattice lattice(context, 2, 12, {.nodes = blocked});
  const std::vector<LatticePair> pairs{{0, 143}, {5, 77}};
  expect_overlap([&] { (void)lattice.paths(pairs); });
}

TEST(ConcurrentSearches, ASearchThatLacksMemoryIsNotRepeatedWhileOthersLeaveWorkspaces) {
  std::function<void()> at_allocation;
  ContextOptions options;
  options.threads = 1;
  options.space = Space::serial;
  options.load_profile = false;
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
