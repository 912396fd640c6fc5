// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_SUPPORT_THREADS_HPP
#define KINDRED_TESTS_SUPPORT_THREADS_HPP

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <future>
#include <thread>
#include <vector>

namespace Kindred::Testing {

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

/// A place where one thread stops until another lets it go on, or for 20 seconds.
class Stop {
 public:
  void here() {
    m_reached.set_value();
    m_goes_on.get_future().wait_for(std::chrono::seconds(20));
  }
  bool wait_until_reached() {
    return m_reached.get_future().wait_for(std::chrono::seconds(20)) == std::future_status::ready;
  }
  void go_on() { m_goes_on.set_value(); }

 private:
  std::promise<void> m_reached;
  std::promise<void> m_goes_on;
};

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_SUPPORT_THREADS_HPP
