// SPDX-License-Identifier: Apache-2.0
// Locks in a process that was forked while other threads held them, or waited for them.
#include <kindred/core/common/Mutex.hpp>

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include "Check.hpp"
#include "InChild.hpp"

namespace {

using namespace Kindred;
using Impl::PlainMutex;

/// Calls \p call on another thread, which then waits until `end`.
class Holder {
 public:
  template <class Lock>
  explicit Holder(Lock lock) {
    m_thread = std::thread([this, lock] {
      const auto held = lock();
      m_holds = true;
      while (!m_ends) std::this_thread::yield();
    });
    while (!m_holds) std::this_thread::yield();
  }
  ~Holder() {
    m_ends = true;
    m_thread.join();
  }

 private:
  std::atomic<bool> m_holds{false};
  std::atomic<bool> m_ends{false};
  std::thread m_thread;
};

}  // namespace

int main() {
  {
    PlainMutex held;
    PlainMutex free;
    { const std::lock_guard lock(free); }
    Holder holder([&] { return std::unique_lock(held); });
    in_child(
        [&] {
          check_throws("a mutex of the parent throws", [&] { const std::lock_guard lock(held); });
          check_throws("trying it throws", [&] { held.try_lock(); });
          for (int i = 0; i < 2; ++i) const std::lock_guard lock(free);
          int sum = 0;
          std::vector<std::thread> threads;
          for (int t = 0; t < 4; ++t) {
            threads.emplace_back([&] {
              for (int i = 0; i < 1000; ++i) {
                const std::lock_guard lock(free);
                ++sum;
              }
            });
          }
          for (std::thread& thread : threads) thread.join();
          check(sum == 4000, "a free mutex excludes the threads of the child");
        },
        "in a child, a plain mutex that another thread held throws, and a free one works");
  }
  return 0;
}
