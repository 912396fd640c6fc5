// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_COMMON_SHARED_MUTEX_HPP
#define KINDRED_CORE_COMMON_SHARED_MUTEX_HPP

#include <kindred/core/common/Cancellation.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <shared_mutex>

namespace Kindred::Impl {

/// \brief A mutex for readers and writers of which none waits forever.
///
/// `std::shared_mutex` of glibc lets readers in as long as others are there: where there are enough
/// of them, a writer waits forever. Here, a writer that waits keeps later readers out until it has
/// the lock; they are next when it unlocks. So a thread must not lock it shared a second time.
/// Without a writer that waits, it costs one load more.
class SharedMutex {
 public:
  SharedMutex() = default;
  SharedMutex(const SharedMutex&) = delete;
  SharedMutex& operator=(const SharedMutex&) = delete;

  void lock() {
    const Turn turn(*this);
    const std::lock_guard one_waits(m_next_writer);
    m_mutex.lock();
  }
  void unlock() { m_mutex.unlock(); }

  void lock_shared() {
    wait_for_turn([](auto& lock, auto& ended, const auto& is_over) { ended.wait(lock, is_over); });
    m_mutex.lock_shared();
  }
  void unlock_shared() { m_mutex.unlock_shared(); }

  /// \throws Cancelled
  void lock_cancellable() {
    const Turn turn(*this);
    const auto one_waits = cancellable_lock(m_next_writer);
    cancellable_lock(m_mutex).release();
  }
  /// \throws Cancelled
  void lock_shared_cancellable() {
    wait_for_turn([](auto& lock, auto& ended, const auto& is_over) {
      const CancelPoint point;
      if (!point.is_needed()) return ended.wait(lock, is_over);
      while (!ended.wait_until(lock, std::chrono::system_clock::now() + cancel_interval, is_over)) {
        lock.unlock();
        point.check();
        lock.lock();
      }
    });
    cancellable_shared_lock(m_mutex).release();
  }

 private:
  /// From when a writer begins to wait until it has the lock, or gives up.
  class Turn {
   public:
    explicit Turn(SharedMutex& of) noexcept : m_of(of) { ++m_of.m_waiting; }
    ~Turn() {
      --m_of.m_waiting;
      {
        const std::lock_guard lock(m_of.m_turns_mutex);
        ++m_of.m_turns;
      }
      m_of.m_turn_ended.notify_all();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    SharedMutex& m_of;
  };

  /// If writers wait, until one of them has the lock or gives up. The lock is then shared at the
  /// latest when that one unlocks.
  template <class Wait>
  void wait_for_turn(const Wait& wait) {
    if (m_waiting.load() == 0) return;
    std::unique_lock lock(m_turns_mutex);
    wait(lock, m_turn_ended,
         [this, turns = m_turns] { return m_turns != turns || m_waiting.load() == 0; });
  }

  std::atomic<unsigned> m_waiting{0};  ///< writers
  std::timed_mutex m_next_writer;
  std::shared_timed_mutex m_mutex;
  std::mutex m_turns_mutex;
  std::condition_variable m_turn_ended;
  std::uint64_t m_turns = 0;  ///< that ended
};

/// \throws Cancelled
inline std::unique_lock<SharedMutex> cancellable_lock(SharedMutex& mutex) {
  mutex.lock_cancellable();
  return std::unique_lock(mutex, std::adopt_lock);
}
/// \throws Cancelled
inline std::shared_lock<SharedMutex> cancellable_shared_lock(SharedMutex& mutex) {
  mutex.lock_shared_cancellable();
  return std::shared_lock(mutex, std::adopt_lock);
}

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_COMMON_SHARED_MUTEX_HPP
