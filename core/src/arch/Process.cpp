// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/arch/Process.hpp>
#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/arch/launch/CurrentDevice.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/core/common/Mutex.hpp>
#include <kindred/core/common/OwnedState.hpp>
#include <kindred/core/common/ThreadSlots.hpp>

#include <Kokkos_Core.hpp>

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <new>
#include <thread>

namespace Kindred::Arch {

namespace {

std::atomic<unsigned> forks{0};  ///< of this process and its parents
std::atomic<bool> is_watched{false};
std::atomic<bool> forked{false};
std::atomic<bool> ending{false};
std::atomic<int> threads_on_device{0};
thread_local int device_uses = 0;

// When the library is loaded, so that no thread can be forked away in the middle of it.
[[maybe_unused]] const int registered = pthread_atfork(nullptr, nullptr, [] {
  forks.fetch_add(1, std::memory_order_relaxed);
  if (is_watched.load(std::memory_order_relaxed)) forked.store(true, std::memory_order_relaxed);
});

struct Kept {
  void* state;
  Kept* next;
};
// States stay reachable, so that no leak is reported. A lock could be held forever after a fork.
std::atomic<Kept*> kept{nullptr};

/// Kokkos::Cuda prints an error when it is destroyed with scratch memory. Other versions of Kokkos
/// may have other members.
template <class Instance>
[[maybe_unused]] void forget_scratch(Instance& instance) noexcept {
  if constexpr (requires {
                  instance.m_scratchSpace = nullptr;
                  instance.m_scratchFlags = nullptr;
                  instance.m_scratchUnified = nullptr;
                }) {
    instance.m_scratchSpace = nullptr;
    instance.m_scratchFlags = nullptr;
    instance.m_scratchUnified = nullptr;
  }
}

}  // namespace

void watch_forks() noexcept { is_watched.store(true, std::memory_order_relaxed); }

bool is_forked() noexcept { return forked.load(std::memory_order_relaxed); }

void start_ending() noexcept {
  ending.store(true);
  const int own = device_uses > 0 ? 1 : 0;  // where a callback within a call ends the process
  for (int i = 0; i < 5000 && threads_on_device.load() > own; ++i)
    std::this_thread::sleep_for(std::chrono::microseconds(200));
}

bool begin_device_use() noexcept {
  if (device_uses == 0) {
    // Counted first: either this thread sees that the process is ending, or the end sees it.
    threads_on_device.fetch_add(1);
    if (ending.load()) {
      threads_on_device.fetch_sub(1);
      return false;
    }
  }
  ++device_uses;
  return true;
}

void end_device_use() noexcept {
  if (--device_uses == 0) threads_on_device.fetch_sub(1);
}

DeviceUse::DeviceUse() {
  if (!begin_device_use())
    throw SpaceUnavailable("the process is ending, and its device computes nothing more");
}

void abandon_kokkos() noexcept {
#if KINDRED_HAS_DEVICE
  forget_scratch(Kokkos::Impl::CudaInternal::singleton());
#endif
}

void require_usable_process() {
  if (Kokkos::is_finalized()) {
    throw SpaceUnavailable(
        "Kokkos was finalised, and nothing can be computed after that: finalise it after the last "
        "call");
  }
  Impl::require_same_process();
  Impl::refuse_in_check();
}

}  // namespace Kindred::Arch

namespace Kindred::Impl {

std::size_t thread_number() noexcept {
  static std::atomic<std::size_t> next{0};
  // Without a dynamic initialiser, whose guard takes a second lookup.
  thread_local constinit std::size_t mine_and_one = 0;
  std::size_t& number = mine_and_one;
  if (number == 0) number = next.fetch_add(1, std::memory_order_relaxed) + 1;
  return number - 1;
}

std::size_t thread_slot_count() noexcept {
  constexpr unsigned most = 64;
  static const std::size_t count =
      std::bit_ceil(std::clamp(std::thread::hardware_concurrency(), 1U, most));
  return count;
}

}  // namespace Kindred::Impl

namespace KINDRED_PUBLIC Kindred {

namespace Impl {

unsigned process_number() noexcept { return Arch::forks.load(std::memory_order_relaxed); }

void require_same_process() {
  if (!Arch::is_forked()) return;
  throw SpaceUnavailable(
      "this process was forked from one that had a Kindred context, whose threads and devices do "
      "not exist here: create the first context after the fork, or start the process with exec "
      "(in Python: multiprocessing's start method \"spawn\")");
}

void refuse_interrupted_change() {
  throw SpaceUnavailable(
      "this process was forked while another thread was changing the object, which remains half "
      "changed here: fork while no call changes it");
}

bool can_release() noexcept {
  return !Arch::is_forked() && !Arch::ending.load(std::memory_order_relaxed) &&
         !Kokkos::is_finalized();
}

void keep_until_exit(void* state) noexcept {
  if (state == nullptr) return;
  Arch::Kept* const entry =
      new (std::nothrow) Arch::Kept{state, Arch::kept.load(std::memory_order_relaxed)};
  if (entry == nullptr) return;
  while (!Arch::kept.compare_exchange_weak(entry->next, entry, std::memory_order_release,
                                           std::memory_order_relaxed)) {
  }
}

void release(void* state, void (*destroy)(void* state)) noexcept {
  if (!can_release() || !Arch::begin_device_use()) return keep_until_exit(state);
  {
    const Arch::KeepCurrentDevice keep;
    const MayLock may_lock;
    destroy(state);
  }
  Arch::end_device_use();
}

}  // namespace Impl

}  // namespace Kindred
