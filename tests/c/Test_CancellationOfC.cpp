// SPDX-License-Identifier: Apache-2.0
// Calls of kindred.h that a kindred_cancellation ends.
#include "CSupport.hpp"

#include <Generator.hpp>
#include <Support.hpp>

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <memory>
#include <thread>

namespace Kindred::Testing {
namespace {

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

kindred_cancellation* new_cancellation() {
  kindred_cancellation* made = nullptr;
  ok(kindred_cancellation_create(&made));
  return made;
}

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
  /// What ends calls that are repeated.
  kindred_status until_it_fails() const {
    kindred_status status = KINDRED_OK;
    while (status == KINDRED_OK) status = (*this)();
    return status;
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

TEST(CCancellation, ByAnotherThreadEndsASearchOnEverySpace) {
  constexpr std::size_t dimension = 64;
  Floats rows(random_rows("CCancellation rows", 30'000 * dimension), dimension);
  Floats scores(8'000, 1);
  Numbers<std::int64_t> ids(8'000, 1);
  Owned<kindred_index> index;
  ok(kindred_index_create(c_context(), &rows, nullptr, nullptr, &index));
  Owned<kindred_cancellation> cancellation(new_cancellation());
  const SetForThread set(cancellation);
  for (const std::int32_t space : c_spaces()) {
    SCOPED_TRACE(space);
    kindred_search_options options = KINDRED_SEARCH_OPTIONS_INIT;
    options.space = space;
    options.top = 1;
    options.path = KINDRED_PATH_BRUTE_FORCE;
    const auto search = [&](std::int64_t queries) {
      rows.tensor.shape[0] = scores.tensor.shape[0] = ids.tensor.shape[0] = queries;
      return kindred_index_search(index, &rows, &options, &scores, &ids, nullptr, nullptr);
    };
    std::thread canceller([&] {
      std::this_thread::sleep_for(milliseconds(30));
      KINDRED_EXPECT_OK(kindred_cancellation_cancel(cancellation));
    });
    kindred_status status = KINDRED_OK;
    while (status == KINDRED_OK) status = search(8'000);  // seconds on one thread
    canceller.join();
    EXPECT_EQ(status, KINDRED_CANCELLED);
    EXPECT_STREQ(kindred_last_error(), "the call was cancelled");
    ok(kindred_cancellation_reset(cancellation));
    ok(search(3));
    EXPECT_EQ(list_of(ids.values.data(), 3), (std::vector<std::int64_t>{0, 1, 2}));
  }
}

TEST(CCancellation, IsSetPerThread) {
  EXPECT_EQ(set_now(), nullptr);
  Owned<kindred_cancellation> first(new_cancellation());
  Owned<kindred_cancellation> second(new_cancellation());
  EXPECT_FALSE(is_cancelled(first));
  kindred_cancellation* before = second;
  ok(kindred_set_cancellation(first, &before));
  EXPECT_EQ(before, nullptr);
  ok(kindred_set_cancellation(second, &before));
  EXPECT_EQ(before, first.handle);
  std::thread([] { EXPECT_EQ(set_now(), nullptr); }).join();
  EXPECT_EQ(set_now(), second.handle);

  const LongCall call(20'000);
  ok(kindred_cancellation_cancel(second));
  EXPECT_TRUE(is_cancelled(second));
  EXPECT_EQ(call(), KINDRED_CANCELLED);
  EXPECT_EQ(call(), KINDRED_CANCELLED) << "all later calls are cancelled, too";
  std::thread([&] { KINDRED_EXPECT_OK(call()); }).join();
  ok(kindred_set_cancellation(first, nullptr));
  KINDRED_EXPECT_OK(call());
  ok(kindred_set_cancellation(second, nullptr));
  EXPECT_EQ(call(), KINDRED_CANCELLED);
  ok(kindred_cancellation_reset(second));
  EXPECT_FALSE(is_cancelled(second));
  KINDRED_EXPECT_OK(call());

  // A handle that is refused changes nothing.
  ok(kindred_set_cancellation(second, nullptr));
  before = first;
  EXPECT_EQ(kindred_set_cancellation(reinterpret_cast<kindred_cancellation*>(c_context()), &before),
            KINDRED_INVALID);
  EXPECT_EQ(before, first.handle);
  EXPECT_EQ(set_now(), second.handle);
  ok(kindred_set_cancellation(nullptr, nullptr));
}

TEST(CCancellation, OfOneHandleEndsTheCallsOfAllItsThreads) {
  const LongCall call;
  Owned<kindred_cancellation> cancellation(new_cancellation());
  std::atomic<int> started{0};
  std::atomic<int> cancelled{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&] {
      const SetForThread set(cancellation);
      ++started;
      cancelled += call.until_it_fails() == KINDRED_CANCELLED ? 1 : 0;
    });
  while (started < 3) std::this_thread::yield();
  KINDRED_EXPECT_OK(kindred_cancellation_cancel(cancellation));
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(cancelled, 3);
}

TEST(CCancellation, MayBeDestroyedWhileItIsSetAndWhileACallRuns) {
  const LongCall call;
  const LongCall short_call(20'000);
  kindred_cancellation* cancellation = new_cancellation();
  ok(kindred_set_cancellation(cancellation, nullptr));
  std::thread destroyer([&] {
    std::this_thread::sleep_for(milliseconds(20));
    KINDRED_EXPECT_OK(kindred_cancellation_cancel(cancellation));
    KINDRED_EXPECT_OK(kindred_destroy(cancellation));
  });
  EXPECT_EQ(call.until_it_fails(), KINDRED_CANCELLED);
  destroyer.join();
  // The thread keeps what was requested, and no longer has a handle.
  EXPECT_EQ(short_call(), KINDRED_CANCELLED);
  kindred_cancellation* before = cancellation;
  ok(kindred_set_cancellation(nullptr, &before));
  EXPECT_EQ(before, nullptr);
  KINDRED_EXPECT_OK(short_call());
  EXPECT_EQ(kindred_set_cancellation(cancellation, nullptr), KINDRED_INVALID);
  EXPECT_EQ(kindred_cancellation_cancel(cancellation), KINDRED_INVALID);

  // Likewise a thread that ends with a handle that was destroyed.
  cancellation = new_cancellation();
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
  Owned<kindred_cancellation> cancellation(new_cancellation());
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
  } seen{new_cancellation()};
  ok(kindred_cancellation_cancel(seen.cancellation));
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
  ok(kindred_cancellation_reset(seen.cancellation));
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
  Owned<kindred_cancellation> cancellation(new_cancellation());
  of_handler = cancellation.handle;
  const auto before =
      std::signal(SIGUSR1, [](int) { kindred_cancellation_cancel(of_handler.load()); });
  const SetForThread set(cancellation);
  // The handler runs in the midst of the call, on its thread.
  std::thread sender([thread = pthread_self()] {
    std::this_thread::sleep_for(milliseconds(20));
    EXPECT_EQ(pthread_kill(thread, SIGUSR1), 0);
  });
  EXPECT_EQ(call.until_it_fails(), KINDRED_CANCELLED);
  sender.join();
  std::signal(SIGUSR1, before);
}

TEST(CCancellation, EndsCallsOfHandlesAndBatchesAndLeavesThemUsable) {
  std::vector<std::uint64_t> patterns(201);
  std::vector<std::uint64_t> offsets(201);
  std::vector<std::uint32_t> symbols(200 * 100);
  std::vector<std::string> words;
  auto generator = Testing::generator("CCancellation symbols");
  for (std::uint32_t& one : symbols) one = static_cast<std::uint32_t>(generator() % 21);
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    patterns[i] = i;
    offsets[i] = i * 100;
  }
  for (int i = 0; i <= 20; ++i) words.push_back("s" + std::to_string(i));
  const std::vector<kindred_text> texts = c_texts(words);
  const GivenSequences sequences{RaggedSpan<std::uint32_t>{offsets, symbols}};
  kindred_patterns given = KINDRED_PATTERNS_INIT;
  given.count = 200;
  given.patterns = patterns.data();
  given.offsets = offsets.data();
  given.symbols = symbols.data();
  given.dictionary = texts.data();
  given.dictionary_size = texts.size();
  kindred_match_options matching = KINDRED_MATCH_OPTIONS_INIT;
  matching.threshold = 0;
  kindred_lattice_task task = KINDRED_LATTICE_TASK_INIT;
  task.dimensions = 2;
  task.size = 30;
  task.work = KINDRED_LATTICE_MEASURE;
  const std::vector<const kindred_lattice_task*> tasks(10, &task);
  std::uint64_t reported = 0;
  Owned<kindred_matcher> matcher;
  Owned<kindred_memory> memory;
  ok(kindred_matcher_create(c_context(), &sequences, 0, &matcher));
  ok(kindred_memory_create(c_context(), nullptr, &memory));
  const auto expect_calls = [&](kindred_status wanted) {
    kindred_results* results = nullptr;
    EXPECT_EQ(kindred_matcher_match(matcher, &sequences, &matching, &results), wanted);
    ok(kindred_destroy(results));  // freeing objects is not cancelled
    EXPECT_EQ(kindred_memory_learn_all(memory, &given, nullptr), wanted);
    for (const std::int32_t workers : {1, 3}) {
      kindred_lattice_batch_options options = KINDRED_LATTICE_BATCH_OPTIONS_INIT;
      options.workers = workers;
      const auto count = [](void* user, std::uint64_t, const kindred_lattice_result*) {
        ++*static_cast<std::uint64_t*>(user);
        return 0;
      };
      EXPECT_EQ(kindred_run_lattices(c_context(), tasks.data(), tasks.size(), &options, count,
                                     &reported, nullptr),
                wanted);
    }
  };
  Owned<kindred_cancellation> cancellation(new_cancellation());
  const SetForThread set(cancellation);
  ok(kindred_cancellation_cancel(cancellation));
  expect_calls(KINDRED_CANCELLED);
  EXPECT_EQ(size_of(memory), 0U);
  EXPECT_EQ(reported, 0U) << "tasks that were cancelled are not reported";
  ok(kindred_cancellation_reset(cancellation));
  expect_calls(KINDRED_OK);
  EXPECT_EQ(size_of(memory), 200U);
  EXPECT_EQ(reported, 20U);
}

}  // namespace
}  // namespace Kindred::Testing
