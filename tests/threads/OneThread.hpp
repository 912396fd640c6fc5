// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_THREADS_ONE_THREAD_HPP
#define KINDRED_TESTS_THREADS_ONE_THREAD_HPP

#include <gtest/gtest.h>
#include <kindred/core/common/Cancellation.hpp>

#include "TestGenerator.hpp"
#include "ThreadSanitizer.hpp"
#include "Threads.hpp"

namespace Kindred::Testing {

inline ContextOptions one_thread_options() {
  return {.threads = 1, .space = Space::serial, .load_profile = false};
}

/// \brief The context for tests of threads, which use the single-threaded space.
///
/// ThreadSanitizer runs these tests too, because the program starts the threads itself. \see
/// thread_sanitizer
inline Context& one_thread() {
  static Context context(one_thread_options());
  return context;
}

/// \brief A cancellation of the calls of a scope on this thread, for which each of their points
/// calls `check()`, which returns whether the call is cancelled.
class CheckedAtEveryPoint {
 public:
  explicit CheckedAtEveryPoint(std::function<bool()> check) : m_check(std::move(check)) {
    m_cancellation.request_check();
  }
  Cancellation& cancellation() { return m_cancellation; }

 private:
  std::function<bool()> m_check;
  Cancellation m_cancellation{[this] {
    m_cancellation.request_check();
    return m_check();
  }};
};

/// Expects that `call()`, which is cancelled before it begins, throws.
template <class Call>
void expect_cancelled(const Call& call) {
  Cancellation cancellation;
  cancellation.cancel();
  const Cancellation::Scope scope(cancellation);
  EXPECT_THROW(call(), Cancelled);
}

/// Expects that `call()` throws `Busy` in the check of a cancellation.
template <class Call>
void expect_busy_in_check(const Call& call) {
  bool is_refused = false;
  CheckedAtEveryPoint checked([&] {
    try {
      call();
    } catch (const Busy&) {
      is_refused = true;
    }
    return false;
  });
  const Cancellation::Scope scope(checked.cancellation());
  Impl::CancelPoint().check();
  EXPECT_TRUE(is_refused) << "its thread may be what others wait for";
}

/// Expects that `call()` ends when another thread cancels it, some milliseconds later.
template <class Call>
void expect_cancelled_meanwhile(const Call& call) {
  Cancellation cancellation;
  const std::jthread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    cancellation.cancel();
  });
  const Cancellation::Scope scope(cancellation);
  EXPECT_THROW(call(), Cancelled);
}

/// \brief A call on a thread of its own that stops in the midst of a kernel, and goes on when this
/// object is destroyed.
class StoppedInKernel {
 public:
  /// \param make prepares the call, which it returns, on that thread
  explicit StoppedInKernel(const std::function<std::function<void()>()>& make)
      : m_thread([this, make] {
          const std::function<void()> call = make();
          const Cancellation::Scope scope(m_cancellation);
          m_cancellation.request_check();
          call();
        }) {}
  ~StoppedInKernel() {
    m_stop.go_on();
    m_thread.join();
  }
  StoppedInKernel(const StoppedInKernel&) = delete;
  StoppedInKernel& operator=(const StoppedInKernel&) = delete;

  bool wait_until_stopped() { return m_stop.wait_until_reached(); }

 private:
  /// The first checks of a call may come before its kernel.
  static constexpr int stops_at = 6;

  bool check() {
    m_cancellation.request_check();
    if (++m_checks == stops_at) m_stop.here();
    return false;
  }

  Cancellation m_cancellation{[this] { return check(); }};
  int m_checks = 0;
  Stop m_stop;
  std::thread m_thread;
};

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_THREADS_ONE_THREAD_HPP
