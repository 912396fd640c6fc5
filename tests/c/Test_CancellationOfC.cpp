// SPDX-License-Identifier: Apache-2.0
// Calls of kindred.h that a kindred_cancellation ends.
#include "Given.hpp"
#include "MemorySupport.hpp"

#include <Generator.hpp>

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <csignal>
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

Owned<kindred_cancellation> new_cancellation() { return result_of(kindred_cancellation_create); }

kindred_cancellation* set_now() {
  kindred_cancellation* now = nullptr;
  ok(kindred_set_cancellation(nullptr, &now));
  if (now != nullptr) ok(kindred_set_cancellation(now, nullptr));
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

TEST(CCancellation, IsSetPerThread) {
  const auto is_cancelled = [](const kindred_cancellation* cancellation) {
    return result_of(kindred_cancellation_is_cancelled, cancellation) == 1;
  };
  EXPECT_EQ(set_now(), nullptr);
  auto first = new_cancellation();
  auto second = new_cancellation();
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
  before = first;
  expect_refused(
      kindred_set_cancellation(reinterpret_cast<kindred_cancellation*>(c_context()), &before));
  EXPECT_EQ(before, first.handle);
  EXPECT_EQ(set_now(), second.handle);
  ok(kindred_set_cancellation(nullptr, nullptr));
}

std::atomic<kindred_cancellation*> of_handler{nullptr};

TEST(CCancellation, EndsTheCallsOfAllItsThreadsAlsoByASignalHandler) {
  const LongCall call;
  const auto cancellation = new_cancellation();
  of_handler = cancellation.handle;
  const auto cancel = [](int) { kindred_cancellation_cancel(of_handler.load()); };
  const auto before = std::signal(SIGUSR1, cancel);
  for (const bool by_signal : {false, true}) {
    ok(kindred_cancellation_reset(cancellation));
    std::atomic<int> started{0};
    std::atomic<int> cancelled{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i)
      threads.emplace_back([&] {
        const SetForThread set(cancellation);
        ++started;
        cancelled += call.until_it_fails() == KINDRED_CANCELLED ? 1 : 0;
        EXPECT_STREQ(kindred_last_error(), "the call was cancelled");
      });
    while (started < 3) std::this_thread::yield();
    std::this_thread::sleep_for(milliseconds(20));
    if (by_signal) {  // the handler runs in the midst of a call, on its thread
      EXPECT_EQ(pthread_kill(threads[0].native_handle(), SIGUSR1), 0);
    } else {
      cancel(0);
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(cancelled, 3);
  }
  std::signal(SIGUSR1, before);
}

TEST(CCancellation, MayBeDestroyedWhileItIsSetAndWhileACallRuns) {
  const LongCall call;
  const LongCall short_call(20'000);
  kindred_cancellation* cancellation = nullptr;
  ok(kindred_cancellation_create(&cancellation));
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
  expect_refused(kindred_set_cancellation(cancellation, nullptr));
  expect_refused(kindred_cancellation_cancel(cancellation));

  // Likewise a thread that ends with a handle that was destroyed.
  std::thread([&] {
    KINDRED_EXPECT_OK(kindred_set_cancellation(new_cancellation(), nullptr));
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
  const auto cancellation = new_cancellation();
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
    Owned<kindred_cancellation> cancellation = new_cancellation();
    int calls = 0;
  } seen;
  ok(kindred_cancellation_cancel(seen.cancellation));
  Floats rows(random_rows("CCancellation hnsw", 300L * 8), 8);
  const auto build = [&](kindred_progress_callback progress, kindred_hnsw** made) {
    return kindred_hnsw_build(c_context(), &rows, nullptr, progress, &seen, made);
  };
  const auto set = [](void* user, std::uint64_t) {
    auto& it = *static_cast<Seen*>(user);
    ++it.calls;
    KINDRED_EXPECT_OK(kindred_set_cancellation(it.cancellation, nullptr));
    return 0;
  };
  Owned<kindred_hnsw> hnsw, again;
  // The call runs on without one, and a second one with the cancelled one.
  ok(build(set, &hnsw));
  EXPECT_GT(seen.calls, 0);
  kindred_hnsw* none = nullptr;
  EXPECT_EQ(build(set, &none), KINDRED_CANCELLED);
  EXPECT_EQ(none, nullptr);
  // What is destroyed while it is in use by a call is released after the call.
  ok(kindred_cancellation_reset(seen.cancellation));
  const auto destroy = [](void* user, std::uint64_t) {
    auto& it = *static_cast<Seen*>(user);
    KINDRED_EXPECT_OK(kindred_set_cancellation(nullptr, nullptr));
    KINDRED_EXPECT_OK(kindred_destroy(std::exchange(it.cancellation.handle, nullptr)));
    return 0;
  };
  ok(build(destroy, &again));
  EXPECT_EQ(seen.cancellation.handle, nullptr);
  EXPECT_EQ(set_now(), nullptr);
}

TEST(CCancellation, EndsCallsOfHandlesAndBatchesAndLeavesThemUsable) {
  const Ragged<std::uint32_t> rows = random_sequences("CCancellation", 200, 100);
  const GivenSequences sequences{RaggedSpan<std::uint32_t>(rows)};
  const Patterns given("CCancellation patterns", 200);
  const kindred_lattice_task task =
      Given::lattice_task{.work = KINDRED_LATTICE_MEASURE, .dimensions = 2, .size = 30};
  const std::vector<const kindred_lattice_task*> tasks(10, &task);
  std::uint64_t reported = 0;
  const auto matcher = result_of(kindred_matcher_create, c_context(), &sequences, 0);
  const auto memory = quiet_memory();
  const auto expect_calls = [&](kindred_status wanted) {
    Owned<kindred_results> results;  // freeing objects is not cancelled
    std::vector<kindred_learned> learned;
    EXPECT_EQ(kindred_matcher_match(matcher, &sequences, nullptr, &results), wanted);
    EXPECT_EQ(learn_all(memory, given, Form::numbers, learned), wanted);
    for (const std::int32_t workers : {1, 3}) {
      const kindred_lattice_batch_options options =
          Given::lattice_batch_options{.workers = workers};
      const auto count = [](void* user, std::uint64_t, const kindred_lattice_result*) {
        ++*static_cast<std::uint64_t*>(user);
        return 0;
      };
      EXPECT_EQ(kindred_run_lattices(c_context(), tasks.data(), tasks.size(), &options, count,
                                     &reported, nullptr),
                wanted);
    }
  };
  const auto cancellation = new_cancellation();
  const SetForThread set(cancellation);
  ok(kindred_cancellation_cancel(cancellation));
  expect_calls(KINDRED_CANCELLED);
  EXPECT_EQ(size_of(memory), 0U);
  EXPECT_EQ(reported, 0U) << "tasks that were cancelled are not reported";
  ok(kindred_cancellation_reset(cancellation));
  expect_calls(KINDRED_OK);
  EXPECT_GT(size_of(memory), 0U);
  EXPECT_EQ(reported, 20U);
}

}  // namespace
}  // namespace Kindred::Testing
