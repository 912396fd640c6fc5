// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_THREADS_ONE_THREAD_HPP
#define KINDRED_TESTS_THREADS_ONE_THREAD_HPP

#include <kindred/core/common/Cancellation.hpp>

#include <thread>

#include "Support.hpp"
#include "ThreadSanitizer.hpp"

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

/// Normally distributed numbers.
inline std::vector<float> random_values(std::mt19937_64& generator, std::size_t count) {
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float& value : values) value = normal(generator);
  return values;
}

/// Runs `body(caller)` on \p callers threads concurrently.
template <class Body>
void by_threads(std::size_t callers, const Body& body) {
  std::vector<std::jthread> threads;
  for (std::size_t caller = 0; caller < callers; ++caller)
    threads.emplace_back([&body, caller] { body(caller); });
}

/// Calls each of \p calls repeatedly, on a thread of its own, until \p change has ended.
template <class Change>
void beside(const std::vector<std::function<void()>>& calls, const Change& change) {
  std::atomic<bool> done{false};
  std::vector<std::jthread> threads;
  for (const auto& call : calls) {
    threads.emplace_back([&] {
      while (!done) call();
    });
  }
  change();
  done = true;
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

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_THREADS_ONE_THREAD_HPP
