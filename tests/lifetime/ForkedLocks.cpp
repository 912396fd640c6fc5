// SPDX-License-Identifier: Apache-2.0
// Locks in a process that was forked while other threads held them, or waited for them.
#include <kindred/core/common/Error.hpp>
#include <kindred/core/common/Mutex.hpp>
#include <kindred/core/common/SharedMutex.hpp>

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <thread>
#include <utility>
#include <vector>

#include "Check.hpp"
#include "InChild.hpp"

namespace {

using namespace Kindred;
using Impl::PlainMutex;
using Impl::SharedMutex;

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

void sleep_a_little() { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }

}  // namespace

int main() {
  {
    PlainMutex held;
    PlainMutex free;
    { const std::lock_guard lock(free); }
    Holder holder([&] { return std::unique_lock(held); });
    in_child(
        [&] {
          check_throws([&] { const std::lock_guard lock(held); }, "a mutex of the parent throws");
          check_throws([&] { held.try_lock(); }, "trying it throws");
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
  {
    std::optional<SharedMutex> read(std::in_place, SharedMutex::InChild::usable);
    std::optional<SharedMutex> written(std::in_place, SharedMutex::InChild::usable);
    std::optional<Holder> reader(std::in_place, [&] { return std::shared_lock(*read); });
    std::optional<Holder> writer(std::in_place, [&] { return std::unique_lock(*written); });
    // Writers that wait, and readers behind them.
    std::vector<std::thread> waiting;
    for (SharedMutex* mutex : {&*read, &*written}) {
      waiting.emplace_back([mutex] { const std::unique_lock lock(*mutex); });
      sleep_a_little();
      waiting.emplace_back([mutex] { const std::shared_lock lock(*mutex); });
      sleep_a_little();
    }
    in_child(
        [&] {
          for (int i = 0; i < 2; ++i) {
            { const std::unique_lock lock(*read); }
            const std::shared_lock lock(*read);
          }
          for (int i = 0; i < 2; ++i) {
            check_throws([&] { const std::unique_lock lock(*written); }, "writing throws");
            check_throws([&] { const std::shared_lock lock(*written); }, "reading throws");
          }
          read.reset();  // others wait for them in the parent
          written.reset();
        },
        "in a child, what others only read can be used, and what they were changing throws");
    reader.reset();
    writer.reset();
    for (std::thread& thread : waiting) thread.join();
  }
  return 0;
}
