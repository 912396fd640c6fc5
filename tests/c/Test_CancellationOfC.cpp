// SPDX-License-Identifier: Apache-2.0
// Calls of kindred.h that a kindred_cancellation ends.
#include "CSupport.hpp"

#include <Generator.hpp>
#include <Support.hpp>

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <memory>
#include <thread>

namespace Kindred::Testing {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// Sets a cancellation for the calling thread while it exists.
class SetForThread {
 public:
  explicit SetForThread(kindred_cancellation* cancellation) {
    KINDRED_EXPECT_OK(kindred_set_cancellation(cancellation, &m_before));
  }
  ~SetForThread() { KINDRED_EXPECT_OK(kindred_set_cancellation(m_before, nullptr)); }
  SetForThread(const SetForThread&) = delete;
  SetForThread& operator=(const SetForThread&) = delete;

 private:
  kindred_cancellation* m_before = nullptr;
};

bool is_cancelled(const kindred_cancellation* cancellation) {
  std::int32_t cancelled = -1;
  KINDRED_EXPECT_OK(kindred_cancellation_is_cancelled(cancellation, &cancelled));
  return cancelled == 1;
}

kindred_cancellation* set_now() {
  kindred_cancellation* now = nullptr;
  KINDRED_EXPECT_OK(kindred_set_cancellation(nullptr, &now));
  if (now != nullptr) {
    KINDRED_EXPECT_OK(kindred_set_cancellation(now, nullptr));
  }
  return now;
}

/// A call that computes for long on one thread, without a handle: an alignment of long texts.
class LongCall {
 public:
  explicit LongCall(std::size_t size = 200'000) {
    auto generator = Testing::generator("CCancellation texts");
    std::uniform_int_distribution<std::uint32_t> symbol(0, 25);
    for (auto* side : {&m_pattern, &m_query})
      for (std::size_t i = 0; i < size; ++i) side->push_back(symbol(generator));
  }
  kindred_status operator()() const {
    double similarity = 0;
    const GivenSequences pattern{std::span(m_pattern)};
    const GivenSequences query{std::span(m_query)};
    return kindred_similarity(KINDRED_LCS, &pattern, &query, 0, 0, &similarity);
  }

 private:
  std::vector<std::uint32_t> m_pattern;
  std::vector<std::uint32_t> m_query;
};

/// An index whose search of all queries takes seconds on one thread.
struct LongSearch {
  static constexpr std::int64_t dimension = 64;
  static constexpr std::int64_t rows = 30'000;
  static constexpr std::int64_t queries = 8'000;
  LongSearch()
      : values(random_rows("CCancellation rows", rows * dimension)), scores(queries), ids(queries) {
    Tensor tensor(values.data(), KINDRED_FLOAT32, rows, dimension);
    KINDRED_EXPECT_OK(kindred_index_create(c_context(), &tensor, nullptr, nullptr, &index));
  }
  kindred_status run(std::int32_t space, std::int64_t count = queries) {
    kindred_search_options options = KINDRED_SEARCH_OPTIONS_INIT;
    options.space = space;
    options.top = 1;
    options.path = KINDRED_PATH_BRUTE_FORCE;
    Tensor query(values.data(), KINDRED_FLOAT32, count, dimension);
    Tensor score(scores.data(), KINDRED_FLOAT32, count, 1);
    Tensor id(ids.data(), KINDRED_INT64, count, 1);
    return kindred_index_search(index, &query, &options, &score, &id, nullptr, nullptr);
  }
  std::vector<float> values;
  std::vector<float> scores;
  std::vector<std::int64_t> ids;
  Owned<kindred_index> index;
};

TEST(CCancellation, ByAnotherThreadEndsASearchWithin100Milliseconds) {
  LongSearch search;
  Owned<kindred_cancellation> cancellation;
  KINDRED_ASSERT_OK(kindred_cancellation_create(&cancellation));
  const SetForThread set(cancellation);
  for (const std::int32_t space : c_spaces()) {
    SCOPED_TRACE(space);
    // The best of some attempts: other programs use this machine, too.
    auto best = Clock::duration::max();
    for (int attempt = 0; attempt < 5 && best > milliseconds(100); ++attempt) {
      KINDRED_ASSERT_OK(kindred_cancellation_reset(cancellation));
      Clock::time_point cancelled_at;
      std::thread canceller([&] {
        std::this_thread::sleep_for(milliseconds(30));
        cancelled_at = Clock::now();
        KINDRED_EXPECT_OK(kindred_cancellation_cancel(cancellation));
      });
      kindred_status status = KINDRED_OK;
      while (status == KINDRED_OK) status = search.run(space);
      const auto ended_at = Clock::now();
      canceller.join();
      EXPECT_EQ(status, KINDRED_CANCELLED) << kindred_last_error();
      EXPECT_STREQ(kindred_last_error(), "the call was cancelled");
      best = std::min(best, ended_at - cancelled_at);
    }
    if (space != KINDRED_SPACE_CUDA) {
      EXPECT_LT(best, milliseconds(100));
    }
    KINDRED_ASSERT_OK(kindred_cancellation_reset(cancellation));
    KINDRED_ASSERT_OK(search.run(space, 3));
    EXPECT_EQ((std::vector<std::int64_t>(search.ids.begin(), search.ids.begin() + 3)),
              (std::vector<std::int64_t>{0, 1, 2}));
  }
}

TEST(CCancellation, IsSetPerThread) {
  EXPECT_EQ(set_now(), nullptr);
  Owned<kindred_cancellation> first;
  Owned<kindred_cancellation> second;
  KINDRED_ASSERT_OK(kindred_cancellation_create(&first));
  KINDRED_ASSERT_OK(kindred_cancellation_create(&second));
  EXPECT_FALSE(is_cancelled(first));
  kindred_cancellation* before = second;
  KINDRED_ASSERT_OK(kindred_set_cancellation(first, &before));
  EXPECT_EQ(before, nullptr);
  KINDRED_ASSERT_OK(kindred_set_cancellation(second, &before));
  EXPECT_EQ(before, first.handle);
  std::thread([] { EXPECT_EQ(set_now(), nullptr); }).join();
  EXPECT_EQ(set_now(), second.handle);

  const LongCall call(20'000);
  KINDRED_ASSERT_OK(kindred_cancellation_cancel(second));
  EXPECT_TRUE(is_cancelled(second));
  EXPECT_EQ(call(), KINDRED_CANCELLED);
  EXPECT_EQ(call(), KINDRED_CANCELLED) << "all later calls are cancelled, too";
  std::thread([&] { KINDRED_EXPECT_OK(call()); }).join();
  KINDRED_ASSERT_OK(kindred_set_cancellation(first, nullptr));
  KINDRED_EXPECT_OK(call());
  KINDRED_ASSERT_OK(kindred_set_cancellation(second, nullptr));
  EXPECT_EQ(call(), KINDRED_CANCELLED);
  KINDRED_ASSERT_OK(kindred_cancellation_reset(second));
  EXPECT_FALSE(is_cancelled(second));
  KINDRED_EXPECT_OK(call());

  // A handle that is refused changes nothing.
  KINDRED_ASSERT_OK(kindred_set_cancellation(second, nullptr));
  before = first;
  EXPECT_EQ(kindred_set_cancellation(reinterpret_cast<kindred_cancellation*>(c_context()), &before),
            KINDRED_INVALID);
  EXPECT_EQ(before, first.handle);
  EXPECT_EQ(set_now(), second.handle);
  KINDRED_ASSERT_OK(kindred_set_cancellation(nullptr, nullptr));
}

TEST(CCancellation, OfOneHandleEndsTheCallsOfAllItsThreads) {
  const LongCall call;
  Owned<kindred_cancellation> cancellation;
  KINDRED_ASSERT_OK(kindred_cancellation_create(&cancellation));
  std::atomic<int> started{0};
  std::atomic<int> cancelled{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&] {
      const SetForThread set(cancellation);
      ++started;
      kindred_status status = KINDRED_OK;
      while (status == KINDRED_OK) status = call();
      cancelled += status == KINDRED_CANCELLED ? 1 : 0;
    });
  while (started < 3) std::this_thread::yield();
  KINDRED_EXPECT_OK(kindred_cancellation_cancel(cancellation));
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(cancelled, 3);
}

TEST(CCancellation, MayBeDestroyedWhileItIsSetAndWhileACallRuns) {
  const LongCall call;
  const LongCall short_call(20'000);
  kindred_cancellation* cancellation = nullptr;
  KINDRED_ASSERT_OK(kindred_cancellation_create(&cancellation));
  KINDRED_ASSERT_OK(kindred_set_cancellation(cancellation, nullptr));
  std::thread destroyer([&] {
    std::this_thread::sleep_for(milliseconds(20));
    KINDRED_EXPECT_OK(kindred_cancellation_cancel(cancellation));
    KINDRED_EXPECT_OK(kindred_destroy(cancellation));
  });
  kindred_status status = KINDRED_OK;
  while (status == KINDRED_OK) status = call();
  EXPECT_EQ(status, KINDRED_CANCELLED);
  destroyer.join();
  // The thread keeps what was requested, and no longer has a handle.
  EXPECT_EQ(short_call(), KINDRED_CANCELLED);
  kindred_cancellation* before = cancellation;
  KINDRED_ASSERT_OK(kindred_set_cancellation(nullptr, &before));
  EXPECT_EQ(before, nullptr);
  KINDRED_EXPECT_OK(short_call());
  EXPECT_EQ(kindred_set_cancellation(cancellation, nullptr), KINDRED_INVALID);
  EXPECT_EQ(kindred_cancellation_cancel(cancellation), KINDRED_INVALID);

  // Likewise a thread that ends with a handle that was destroyed.
  KINDRED_ASSERT_OK(kindred_cancellation_create(&cancellation));
  std::thread([&] {
    KINDRED_EXPECT_OK(kindred_set_cancellation(cancellation, nullptr));
    KINDRED_EXPECT_OK(kindred_destroy(cancellation));
    KINDRED_EXPECT_OK(short_call());
  }).join();
}

TEST(CCancellation, OfAnEndingThreadIsRefused) {
  /// Destroyed after what the library keeps for the thread, which is made later.
  struct AtTheEnd {
    ~AtTheEnd() {
      const LongCall call(2000);
      status = call();
      set = kindred_set_cancellation(cancellation, nullptr);
    }
    kindred_cancellation* cancellation = nullptr;
    kindred_status& status;
    kindred_status& set;
  };
  Owned<kindred_cancellation> cancellation;
  KINDRED_ASSERT_OK(kindred_cancellation_create(&cancellation));
  kindred_status status = KINDRED_INTERNAL;
  kindred_status set = KINDRED_INTERNAL;
  std::thread([&] {
    thread_local const AtTheEnd at_the_end{cancellation, status, set};
    EXPECT_EQ(at_the_end.cancellation, cancellation.handle);
    KINDRED_EXPECT_OK(kindred_set_cancellation(cancellation, nullptr));
  }).join();
  EXPECT_EQ(status, KINDRED_OK);
  EXPECT_EQ(set, KINDRED_INVALID);
}

TEST(CCancellation, SetByACallbackAppliesToLaterCalls) {
  struct Seen {
    kindred_cancellation* cancellation;
    int calls = 0;
  } seen{nullptr};
  KINDRED_ASSERT_OK(kindred_cancellation_create(&seen.cancellation));
  KINDRED_ASSERT_OK(kindred_cancellation_cancel(seen.cancellation));
  const std::vector<float> rows = random_rows("CCancellation hnsw", 300L * 8);
  Tensor tensor(rows.data(), KINDRED_FLOAT32, 300, 8);
  const auto set = [](void* user, std::uint64_t) {
    auto& it = *static_cast<Seen*>(user);
    ++it.calls;
    KINDRED_EXPECT_OK(kindred_set_cancellation(it.cancellation, nullptr));
    return 0;
  };
  Owned<kindred_hnsw> hnsw;
  // The call runs on without one, and a second one with the cancelled one.
  KINDRED_EXPECT_OK(kindred_hnsw_build(c_context(), &tensor, nullptr, set, &seen, &hnsw));
  EXPECT_GT(seen.calls, 0);
  kindred_hnsw* none = nullptr;
  EXPECT_EQ(kindred_hnsw_build(c_context(), &tensor, nullptr, set, &seen, &none),
            KINDRED_CANCELLED);
  EXPECT_EQ(none, nullptr);
  // What is destroyed while it is in use by a call is released after the call.
  KINDRED_ASSERT_OK(kindred_cancellation_reset(seen.cancellation));
  const auto destroy = [](void* user, std::uint64_t) {
    auto& it = *static_cast<Seen*>(user);
    KINDRED_EXPECT_OK(kindred_set_cancellation(nullptr, nullptr));
    KINDRED_EXPECT_OK(kindred_destroy(it.cancellation));
    it.cancellation = nullptr;
    return 0;
  };
  Owned<kindred_hnsw> again;
  KINDRED_EXPECT_OK(kindred_hnsw_build(c_context(), &tensor, nullptr, destroy, &seen, &again));
  EXPECT_EQ(seen.cancellation, nullptr);
  EXPECT_EQ(set_now(), nullptr);
}

std::atomic<kindred_cancellation*> of_handler{nullptr};

TEST(CCancellation, MayBeRequestedByASignalHandler) {
  const LongCall call;
  Owned<kindred_cancellation> cancellation;
  KINDRED_ASSERT_OK(kindred_cancellation_create(&cancellation));
  of_handler = cancellation.handle;
  const auto before =
      std::signal(SIGUSR1, [](int) { kindred_cancellation_cancel(of_handler.load()); });
  const SetForThread set(cancellation);
  // The handler runs in the midst of the call, on its thread.
  std::thread sender([thread = pthread_self()] {
    std::this_thread::sleep_for(milliseconds(20));
    EXPECT_EQ(pthread_kill(thread, SIGUSR1), 0);
  });
  kindred_status status = KINDRED_OK;
  while (status == KINDRED_OK) status = call();
  EXPECT_EQ(status, KINDRED_CANCELLED);
  sender.join();
  std::signal(SIGUSR1, before);
}

/// Objects of several engines, and calls that are long enough to be cancelled.
class Engines {
 public:
  Engines() {
    auto generator = Testing::generator("CCancellation engines");
    std::uniform_int_distribution<std::uint32_t> symbol(0, 20);
    std::vector<std::uint32_t> symbols(200 * 100);
    for (std::uint32_t& one : symbols) one = symbol(generator);
    std::vector<std::uint64_t> offsets(201);
    for (std::size_t i = 0; i < offsets.size(); ++i) offsets[i] = i * 100;
    const GivenSequences patterns{RaggedSpan<std::uint32_t>{offsets, symbols}};
    KINDRED_EXPECT_OK(kindred_matcher_create(c_context(), &patterns, 0, &m_matcher));
    std::uniform_int_distribution<std::uint32_t> node(0, 2999);
    std::vector<kindred_edge> edges(60'000);
    for (kindred_edge& edge : edges) edge = {node(generator), node(generator), 0.5F};
    KINDRED_EXPECT_OK(kindred_graph_create(c_context(), 3000, edges.data(), edges.size(), nullptr,
                                           nullptr, nullptr, nullptr, &m_graph));
    KINDRED_EXPECT_OK(kindred_memory_create(c_context(), nullptr, &m_memory));
    KINDRED_EXPECT_OK(
        kindred_lattice_create(c_context(), 2, 30, nullptr, 0, nullptr, 0, &m_lattice));
    m_symbols = symbols;
    m_offsets = offsets;
  }
  ~Engines() {
    KINDRED_EXPECT_OK(kindred_destroy(m_matcher));
    KINDRED_EXPECT_OK(kindred_destroy(m_graph));
    KINDRED_EXPECT_OK(kindred_destroy(m_memory));
    KINDRED_EXPECT_OK(kindred_destroy(m_lattice));
  }
  Engines(const Engines&) = delete;
  Engines& operator=(const Engines&) = delete;

  kindred_status match() const {
    Owned<kindred_results> results;
    kindred_match_options options = KINDRED_MATCH_OPTIONS_INIT;
    options.threshold = 0;
    options.space = KINDRED_SPACE_SERIAL;
    const GivenSequences queries{RaggedSpan<std::uint32_t>{m_offsets, m_symbols}};
    return kindred_matcher_match(m_matcher, &queries, &options, &results);
  }
  kindred_status spread() const {
    const std::uint32_t node = 1;
    const float value = 1;
    const std::uint64_t offsets[] = {0, 1};
    Owned<kindred_results> results;
    kindred_spread_options options = KINDRED_SPREAD_OPTIONS_INIT;
    options.mode = KINDRED_SPREAD_PAGERANK;
    options.space = KINDRED_SPACE_SERIAL;
    return kindred_graph_spread(m_graph, &node, &value, offsets, 1, &options, &results);
  }
  kindred_status learn() const {
    std::vector<std::uint64_t> patterns(201);
    for (std::size_t i = 0; i < patterns.size(); ++i) patterns[i] = i;
    std::vector<std::string> words;
    for (int i = 0; i <= 20; ++i) words.push_back("s" + std::to_string(i));
    const std::vector<kindred_text> texts = c_texts(words);
    kindred_patterns given = KINDRED_PATTERNS_INIT;
    given.count = 200;
    given.patterns = patterns.data();
    given.offsets = m_offsets.data();
    given.symbols = m_symbols.data();
    given.dictionary = texts.data();
    given.dictionary_size = texts.size();
    return kindred_memory_learn_all(m_memory, &given, nullptr);
  }
  kindred_status measure() const {
    kindred_graph_structure structure = KINDRED_GRAPH_STRUCTURE_INIT;
    return kindred_lattice_measure(m_lattice, KINDRED_SPACE_SERIAL, &structure);
  }
  kindred_status run_lattices(std::int32_t workers, std::uint64_t* reported) const {
    kindred_lattice_task task = KINDRED_LATTICE_TASK_INIT;
    task.dimensions = 2;
    task.size = 30;
    task.work = KINDRED_LATTICE_MEASURE;
    const std::vector<const kindred_lattice_task*> tasks(10, &task);
    kindred_lattice_batch_options options = KINDRED_LATTICE_BATCH_OPTIONS_INIT;
    options.workers = workers;
    const auto count = [](void* user, std::uint64_t, const kindred_lattice_result*) {
      ++*static_cast<std::uint64_t*>(user);
      return 0;
    };
    return kindred_run_lattices(c_context(), tasks.data(), tasks.size(), &options, count, reported,
                                nullptr);
  }
  std::size_t patterns() const {
    std::size_t size = 0;
    KINDRED_EXPECT_OK(kindred_size(m_memory, &size));
    return size;
  }

 private:
  std::vector<std::uint32_t> m_symbols;
  std::vector<std::uint64_t> m_offsets;
  kindred_matcher* m_matcher = nullptr;
  kindred_graph* m_graph = nullptr;
  kindred_memory* m_memory = nullptr;
  kindred_lattice* m_lattice = nullptr;
};

TEST(CCancellation, EndsCallsOfEveryEngineAndLeavesThemUsable) {
  const Engines engines;
  auto others = std::make_unique<Engines>();
  Owned<kindred_cancellation> cancellation;
  KINDRED_ASSERT_OK(kindred_cancellation_create(&cancellation));
  const SetForThread set(cancellation);
  std::uint64_t reported = 0;
  KINDRED_ASSERT_OK(kindred_cancellation_cancel(cancellation));
  EXPECT_EQ(engines.match(), KINDRED_CANCELLED);
  EXPECT_EQ(engines.spread(), KINDRED_CANCELLED);
  EXPECT_EQ(engines.measure(), KINDRED_CANCELLED);
  EXPECT_EQ(engines.learn(), KINDRED_CANCELLED);
  EXPECT_EQ(engines.patterns(), 0U);
  for (const std::int32_t workers : {1, 3})
    EXPECT_EQ(engines.run_lattices(workers, &reported), KINDRED_CANCELLED);
  EXPECT_EQ(reported, 0U) << "tasks that were cancelled are not reported";
  others.reset();  // freeing objects is not cancelled
  KINDRED_ASSERT_OK(kindred_cancellation_reset(cancellation));
  KINDRED_EXPECT_OK(engines.match());
  KINDRED_EXPECT_OK(engines.spread());
  KINDRED_EXPECT_OK(engines.measure());
  KINDRED_EXPECT_OK(engines.learn());
  EXPECT_EQ(engines.patterns(), 200U);
  for (const std::int32_t workers : {1, 3})
    KINDRED_EXPECT_OK(engines.run_lattices(workers, &reported));
  EXPECT_EQ(reported, 20U);
}

}  // namespace
}  // namespace Kindred::Testing
