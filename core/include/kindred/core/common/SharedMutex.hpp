// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_COMMON_SHARED_MUTEX_HPP
#define KINDRED_CORE_COMMON_SHARED_MUTEX_HPP

#include <kindred/core/common/Cancellation.hpp>
#include <kindred/core/common/Mutex.hpp>
#include <kindred/core/common/OwnedState.hpp>

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
/// Without a writer that waits, it costs a few loads more.
///
/// In a child process that was forked after it was made, locking it throws.
class SharedMutex {
 public:
  /// Whether what it protects may be used in a forked child: not if it has a context. Locking then
  /// throws there only if another thread held the lock for a change at the time of the fork.
  enum class InChild : bool { refused, usable };

  explicit SharedMutex(InChild in_child = InChild::refused)
      : m_in_child(in_child), m_process(process_number()), m_locks(new Locks) {}
  ~SharedMutex() {
    Locks* const locks = m_locks.load(std::memory_order_relaxed);
    // Other threads may have waited for it at the time of the fork.
    if (m_process.load(std::memory_order_relaxed) == process_number())
      delete locks;
    else
      keep_until_exit(locks);
  }
  SharedMutex(const SharedMutex&) = delete;
  SharedMutex& operator=(const SharedMutex&) = delete;

  /// \throws SpaceUnavailable
  void lock() {
    Locks& locks = own_locks();
    const Turn turn(locks);
    const std::lock_guard one_waits(locks.next_writer);
    locks.mutex.lock();
    begin_change();
  }
  void unlock() {
    m_is_changing.store(false, std::memory_order_release);
    if (Locks* const locks = locked()) locks->mutex.unlock();
  }

  /// \throws SpaceUnavailable
  void lock_shared() {
    Locks& locks = own_locks();
    locks.wait_for_turn(
        [](auto& lock, auto& ended, const auto& is_over) { ended.wait(lock, is_over); });
    locks.mutex.lock_shared();
  }
  void unlock_shared() {
    if (Locks* const locks = locked()) locks->mutex.unlock_shared();
  }

  /// \throws Cancelled, SpaceUnavailable
  void lock_cancellable() {
    Locks& locks = own_locks();
    const Turn turn(locks);
    const auto one_waits = cancellable_lock(locks.next_writer);
    cancellable_lock(locks.mutex).release();
    begin_change();
  }
  /// \throws Cancelled, SpaceUnavailable
  void lock_shared_cancellable() {
    Locks& locks = own_locks();
    locks.wait_for_turn([](auto& lock, auto& ended, const auto& is_over) {
      const CancelPoint point;
      if (!point.is_needed()) return ended.wait(lock, is_over);
      while (!ended.wait_until(lock, std::chrono::system_clock::now() + cancel_interval, is_over)) {
        lock.unlock();
        point.check();
        lock.lock();
      }
    });
    cancellable_shared_lock(locks.mutex).release();
  }

 private:
  struct Locks {
    /// If writers wait, until one of them has the lock or gives up. The lock is then shared at the
    /// latest when that one unlocks.
    template <class Wait>
    void wait_for_turn(const Wait& wait) {
      if (waiting.load() == 0) return;
      std::unique_lock lock(turns_mutex);
      wait(lock, turn_ended,
           [this, before = turns] { return turns != before || waiting.load() == 0; });
    }

    std::atomic<unsigned> waiting{0};  ///< writers
    std::timed_mutex next_writer;
    std::shared_timed_mutex mutex;
    std::mutex turns_mutex;
    std::condition_variable turn_ended;
    std::uint64_t turns = 0;  ///< that ended
  };

  /// From when a writer begins to wait until it has the lock, or gives up.
  class Turn {
   public:
    explicit Turn(Locks& of) noexcept : m_of(of) { ++m_of.waiting; }
    ~Turn() {
      --m_of.waiting;
      {
        const std::lock_guard lock(m_of.turns_mutex);
        ++m_of.turns;
      }
      m_of.turn_ended.notify_all();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    Locks& m_of;
  };

  /// In the order in which a child that is forked now sees it: before the writes of the change.
  void begin_change() noexcept { m_is_changing.exchange(true, std::memory_order_acq_rel); }
  /// The locks of this process. \throws SpaceUnavailable
  Locks& own_locks() {
    if (m_process.load(std::memory_order_acquire) != process_number()) renew();
    return *m_locks.load(std::memory_order_relaxed);
  }
  /// The locks, if this process has locked them, not its parent.
  Locks* locked() const noexcept {
    const bool is_own = m_process.load(std::memory_order_relaxed) == process_number();
    return is_own ? m_locks.load(std::memory_order_relaxed) : nullptr;
  }
  /// Threads that do not exist in this process may hold the old locks, which nothing destroys.
  void renew() {
    if (m_in_child == InChild::refused) require_same_process();
    const std::lock_guard lock(m_renewing);
    if (m_process.load(std::memory_order_relaxed) == process_number()) return;
    if (m_is_changing.load(std::memory_order_relaxed)) refuse_interrupted_change();
    keep_until_exit(m_locks.exchange(new Locks, std::memory_order_relaxed));
    m_process.store(process_number(), std::memory_order_release);
  }

  const InChild m_in_child;
  std::atomic<unsigned> m_process;  ///< that uses `m_locks`
  std::atomic<Locks*> m_locks;
  std::atomic<bool> m_is_changing{false};
  PlainMutex m_renewing;
};

/// \throws Cancelled, SpaceUnavailable
inline std::unique_lock<SharedMutex> cancellable_lock(SharedMutex& mutex) {
  mutex.lock_cancellable();
  return std::unique_lock(mutex, std::adopt_lock);
}
/// \throws Cancelled, SpaceUnavailable
inline std::shared_lock<SharedMutex> cancellable_shared_lock(SharedMutex& mutex) {
  mutex.lock_shared_cancellable();
  return std::shared_lock(mutex, std::adopt_lock);
}

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_COMMON_SHARED_MUTEX_HPP
