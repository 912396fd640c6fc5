// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_COMMON_MUTEX_HPP
#define KINDRED_CORE_COMMON_MUTEX_HPP

#include <kindred/core/common/Cancellation.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>

namespace Kindred::Impl {

/// \throws SpaceUnavailable in a child process that was forked from one with a context: a lock that
/// another thread held at that time is never unlocked there
void require_same_process();

/// The number of forks between the process that loaded the library and this one.
unsigned process_number() noexcept;

/// \throws SpaceUnavailable because another thread was changing an object at the time of the fork
[[noreturn]] void refuse_interrupted_change();

/// \brief A mutex of an object that has a context: in a forked child, and in the check of a
/// `Cancellation`, locking it throws instead of waiting forever. \see require_same_process,
/// refuse_in_check
template <class Base>
class ProcessMutex : public Base {
 public:
  /// \throws SpaceUnavailable, Busy
  void lock() {
    require_same_process();
    refuse_in_check();
    Base::lock();
  }
  /// \throws SpaceUnavailable, Busy
  bool try_lock() {
    require_same_process();
    refuse_in_check();
    return Base::try_lock();
  }
};
using Mutex = ProcessMutex<std::mutex>;
using TimedMutex = ProcessMutex<std::timed_mutex>;

/// \brief A mutex of an object that needs no context, and may be used in a forked child. Locking it
/// throws there if another thread held it at the time of the fork: that thread does not exist, and
/// has left its change half done.
class PlainMutex {
 public:
  /// \throws SpaceUnavailable
  void lock() {
    const unsigned own = process_number() + 1;
    unsigned holder = unlocked;
    while (!m_holder.compare_exchange_weak(holder, own, std::memory_order_acquire,
                                           std::memory_order_relaxed)) {
      if (holder == unlocked) continue;
      if (holder != own) refuse_interrupted_change();
      m_holder.wait(holder, std::memory_order_relaxed);
      holder = unlocked;
    }
  }
  /// \throws SpaceUnavailable
  bool try_lock() {
    const unsigned own = process_number() + 1;
    unsigned holder = unlocked;
    if (m_holder.compare_exchange_strong(holder, own, std::memory_order_acquire,
                                         std::memory_order_relaxed))
      return true;
    if (holder != own) refuse_interrupted_change();
    return false;
  }
  void unlock() noexcept {
    m_holder.store(unlocked, std::memory_order_release);
    m_holder.notify_one();
  }

 private:
  static constexpr unsigned unlocked = 0;
  std::atomic<unsigned> m_holder{unlocked};  ///< the number of its process, plus 1
};

/// \brief Waits until `is_over()`, which is called with \p lock held, is true. \throws Cancelled,
/// with \p lock held
template <class Predicate>
void cancellable_wait(std::unique_lock<std::mutex>& lock, std::condition_variable& changed,
                      const Predicate& is_over) {
  const CancelPoint point;
  if (!point.is_needed()) return changed.wait(lock, is_over);
  // ThreadSanitizer of GCC 12 knows only waits for the system clock.
  while (!changed.wait_until(lock, std::chrono::system_clock::now() + cancel_interval, is_over)) {
    lock.unlock();  // the check may take as long as it likes
    const bool is_cancelled = point.is_cancelled();
    lock.lock();
    if (is_cancelled) point.check();
  }
}

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_COMMON_MUTEX_HPP
