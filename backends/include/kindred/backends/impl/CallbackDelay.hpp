// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_IMPL_CALLBACK_DELAY_HPP
#define KINDRED_BACKENDS_IMPL_CALLBACK_DELAY_HPP

#include <kindred/core/arch/Process.hpp>
#include <kindred/core/common/Cancellation.hpp>
#include <kindred/core/common/SharedMutex.hpp>

#include <functional>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace Kindred::Impl {

/// \brief Calls a callback of the program. What it throws is dropped: the call that it reports is
/// done.
template <class Callback>
void call_back(const Callback& callback) noexcept {
  try {
    callback();
  } catch (...) {
    return;
  }
}

/// \brief While one exists, the callbacks of contexts that become due on its thread wait; the
/// outermost one of the thread calls them at its end, in order.
///
/// A callback may use any object, so it must not be called while its thread holds a lock of an
/// engine. \see EngineLock
class CallbackDelay {
 public:
  CallbackDelay() noexcept;
  ~CallbackDelay();
  CallbackDelay(const CallbackDelay&) = delete;
  CallbackDelay& operator=(const CallbackDelay&) = delete;

  /// The outermost one of this thread, or null.
  static CallbackDelay* present() noexcept;
  /// Calls \p callback at the end; without memory for it, it is not called.
  template <class Callback>
  void add(Callback&& callback) noexcept {
    try {
      // The waiting thread and those that work for it may both have something to report.
      const std::lock_guard lock(m_mutex);
      m_callbacks.emplace_back(std::forward<Callback>(callback));
    } catch (const std::bad_alloc&) {
      return;  // the call has its result; only the message about it is lost
    }
  }

  /// While it exists, the calling thread works for a thread that waits, under its delay.
  class Part {
   public:
    explicit Part(CallbackDelay* of) noexcept;
    ~Part();
    Part(const Part&) = delete;
    Part& operator=(const Part&) = delete;

   private:
    CallbackDelay* m_before;
  };

 private:
  bool m_is_outermost;
  std::mutex m_mutex;  ///< of the callbacks
  std::vector<std::function<void()>> m_callbacks;
};

/// \brief A lock of an engine. While it is held, callbacks wait; they are called after its release.
template <class Mutex>
class EngineLock {
 public:
  /// \throws SpaceUnavailable in a forked process, where the thread that holds the lock may not
  /// exist; Cancelled
  explicit EngineLock(Mutex& mutex) : m_lock(locked(mutex)) {}

  /// Releases the lock early; callbacks still wait.
  void unlock() { m_lock.unlock(); }

 private:
  static std::unique_lock<Mutex> locked(Mutex& mutex) {
    Arch::require_usable_process();
    return cancellable_lock(mutex);
  }

  CallbackDelay m_delay;  // destroyed after the lock
  std::unique_lock<Mutex> m_lock;
};
/// Locks \p mutex, a timed one. \throws SpaceUnavailable, Cancelled
template <class Mutex>
EngineLock<Mutex> engine_lock(Mutex& mutex) {
  return EngineLock<Mutex>(mutex);
}

}  // namespace Kindred::Impl

#endif  // KINDRED_BACKENDS_IMPL_CALLBACK_DELAY_HPP
