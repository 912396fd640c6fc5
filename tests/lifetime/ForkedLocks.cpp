// SPDX-License-Identifier: Apache-2.0
// Locks in a process that was forked while other threads held them, or waited for them.
#include <kindred/core/common/Mutex.hpp>

#include <mutex>

#include "../support/Threads.hpp"
#include "InChild.hpp"

int main() {
  using namespace Kindred;
  Impl::PlainMutex held;
  Impl::PlainMutex free;
  { const std::lock_guard lock(free); }
  Testing::Stop stop;
  std::thread holder([&] {
    const std::lock_guard lock(held);
    stop.here();
  });
  check(stop.wait_until_reached(), "a thread locks a mutex");
  in_child(
      [&] {
        check_refused("a mutex of the parent throws", [&] { const std::lock_guard lock(held); });
        check_refused("trying it throws", [&] { held.try_lock(); });
        for (int i = 0; i < 2; ++i) const std::lock_guard lock(free);
        int sum = 0;
        Testing::by_threads(4, [&](std::size_t) {
          for (int i = 0; i < 1000; ++i) {
            const std::lock_guard lock(free);
            ++sum;
          }
        });
        check(sum == 4000, "a free mutex excludes the threads of the child");
      },
      "in a child, a plain mutex that another thread held throws, and a free one works");
  stop.go_on();
  holder.join();
  return 0;
}
