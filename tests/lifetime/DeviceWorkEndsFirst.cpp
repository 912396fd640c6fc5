// SPDX-License-Identifier: Apache-2.0
// The end of the process waits for threads that use the device, and lets none begin to.
#include <kindred/core/arch/Process.hpp>

#include "Check.hpp"

#include <atomic>
#include <chrono>
#include <optional>
#include <thread>

int main() {
  using namespace Kindred;
  std::atomic<bool> has_begun{false};
  std::atomic<bool> has_ended{false};
  std::thread thread([&] {
    std::optional<Arch::DeviceUse> outer(std::in_place);
    has_begun = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    const Arch::DeviceUse within;  // of a call that had begun
    has_ended = true;
    outer.reset();
  });
  while (!has_begun) std::this_thread::yield();
  Arch::start_ending();
  check(has_ended, "the end waits for a thread that uses the device");
  thread.join();
  check_throws("no thread begins to use the device while the process ends",
               [] { const Arch::DeviceUse late; });
  return 0;
}
