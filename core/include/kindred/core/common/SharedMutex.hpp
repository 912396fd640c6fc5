// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_COMMON_SHARED_MUTEX_HPP
#define KINDRED_CORE_COMMON_SHARED_MUTEX_HPP

#include <kindred/core/common/Cancellation.hpp>
#include <kindred/core/common/Mutex.hpp>
#include <kindred/core/common/OwnedState.hpp>
#include <kindred/core/common/ThreadSlots.hpp>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <shared_mutex>

namespace Kindred::Impl {

/// \brief A mutex for readers and writers of which none waits forever, and with which readers do
/// not slow each other down.
///
/// `std::shared_mutex` of glibc lets readers in as long as others are there: where there are enough
/// of them, a writer waits forever. Here, a writer that waits keeps later readers out until it has
/// had the lock; they are next when it unlocks. So a thread must not lock it shared a second time.
/// Readers count themselves in a slot of their thread, and writers add up the slots: without
/// a writer, a reader writes to no memory that other threads write to.
///
/// In a child process that was forked after it was made, and in the check of a `Cancellation`,
/// locking it throws.
class SharedMutex {
 public:
  SharedMutex() : m_locks(new Locks) {}
  ~SharedMutex() {
    // Other threads may have waited for it at the time of the fork.
    is_own() ? delete m_locks : keep_until_exit(m_locks);
  }
  SharedMutex(const SharedMutex&) = delete;
  SharedMutex& operator=(const SharedMutex&) = delete;

  /// \throws SpaceUnavailable
  void lock() { own_locks().lock(); }
  void unlock() {
    if (is_own()) m_locks->unlock();
  }

  /// \throws SpaceUnavailable
  void lock_shared() { own_locks().lock_shared(); }
  void unlock_shared() {
    if (is_own()) m_locks->unlock_shared();
  }

  /// \throws Cancelled, SpaceUnavailable
  void lock_cancellable() { own_locks().lock_cancellable(); }
  /// \throws Cancelled, SpaceUnavailable
  void lock_shared_cancellable() { own_locks().lock_shared_cancellable(); }

  // The two steps of `lock_cancellable`; \see PreparedChange
  /// Keeps other writers out. \throws Cancelled, SpaceUnavailable
  void lock_writers_cancellable() { own_locks().lock_writers_cancellable(); }
  /// Called by the thread that keeps writers out: keeps readers out, too. \throws Cancelled
  void lock_readers_cancellable() { own_locks().lock_readers_cancellable(); }
  /// Called by the thread that keeps writers out, but not readers.
  void unlock_writers() {
    if (is_own()) m_locks->unlock_writers();
  }

 private:
  /// The mutex within one process.
  class Locks {
   public:
    void lock() {
      m_next_writer.lock();
      std::unique_lock lock(m_mutex);
      m_has_writer = true;
      m_changed.wait(lock, [this] { return readers() == 0; });
    }
    /// \throws Cancelled
    void lock_cancellable() {
      lock_writers_cancellable();
      try {
        lock_readers_cancellable();
      } catch (...) {
        unlock_writers();
        throw;
      }
    }
    /// \throws Cancelled
    void lock_writers_cancellable() { cancellable_lock(m_next_writer).release(); }
    void unlock_writers() { m_next_writer.unlock(); }
    /// \throws Cancelled
    void lock_readers_cancellable() {
      try {
        std::unique_lock lock(m_mutex);
        m_has_writer = true;
        cancellable_wait(lock, m_changed, [this] { return readers() == 0; });
      } catch (...) {
        let_readers_in();
        throw;
      }
    }
    void unlock() {
      let_readers_in();
      unlock_writers();
    }
    void lock_shared() {
      if (try_lock_shared()) return;
      std::unique_lock lock(m_mutex);
      wait_for_turn(lock, [&](const auto& is_over) { m_changed.wait(lock, is_over); });
    }
    /// \throws Cancelled
    void lock_shared_cancellable() {
      if (try_lock_shared()) return;
      std::unique_lock lock(m_mutex);
      wait_for_turn(lock, [&](const auto& is_over) { cancellable_wait(lock, m_changed, is_over); });
    }
    void unlock_shared() noexcept {
      m_readers.here().count.fetch_sub(1);
      if (!m_has_writer) return;
      { const std::lock_guard lock(m_mutex); }
      m_changed.notify_all();
    }

   private:
    struct Slot {
      std::atomic<std::ptrdiff_t> count{0};
    };

    /// Readers that hold the lock, or look for a writer; one that locked and unlocked on different
    /// threads counts in two slots.
    std::ptrdiff_t readers() const noexcept {
      std::ptrdiff_t sum = 0;
      m_readers.for_each([&](const Slot& slot) { sum += slot.count; });
      return sum;
    }

    bool try_lock_shared() noexcept {
      m_readers.here().count.fetch_add(1);
      if (!m_has_writer) return true;
      unlock_shared();
      return false;
    }

    /// Waits until the present writer has unlocked or given up, which also locks for this reader.
    /// If `wait` throws, the reader gives up.
    template <class Wait>
    void wait_for_turn(std::unique_lock<std::mutex>& lock, const Wait& wait) {
      if (!m_has_writer) {  // it has ended meanwhile
        m_readers.here().count.fetch_add(1);
        return;
      }
      ++m_waiting_readers;
      const std::uint64_t turn = m_turns;
      try {
        wait([&] { return m_turns != turn; });
      } catch (...) {
        if (m_turns == turn) {
          --m_waiting_readers;
        } else {
          lock.unlock();
          unlock_shared();
        }
        throw;
      }
    }

    /// Called by the holder of `m_next_writer`: locks for the readers that have waited.
    void let_readers_in() {
      {
        const std::lock_guard lock(m_mutex);
        m_readers.here().count.fetch_add(static_cast<std::ptrdiff_t>(m_waiting_readers));
        m_waiting_readers = 0;
        ++m_turns;
        m_has_writer = false;
      }
      m_changed.notify_all();
    }

    ThreadSlots<Slot> m_readers;
    std::atomic<bool> m_has_writer{false};  ///< that has the lock or waits for it
    std::timed_mutex m_next_writer;         ///< of the writer
    std::mutex m_mutex;                     ///< of what follows, and of changes of `m_has_writer`
    std::condition_variable m_changed;
    std::size_t m_waiting_readers = 0;
    std::uint64_t m_turns = 0;  ///< that ended
  };

  /// Whether this process made it, not its parent.
  bool is_own() const noexcept { return m_process == process_number(); }
  /// \throws SpaceUnavailable, Busy
  Locks& own_locks() {
    refuse_in_check();
    if (!is_own()) require_same_process();
    return *m_locks;
  }

  const unsigned m_process = process_number();
  Locks* const m_locks;
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

/// \brief A change of what a mutex protects, in two steps: while it is prepared, others read, but
/// nobody else prepares or changes anything; from `begin` on, this thread has the mutex alone.
class PreparedChange {
 public:
  /// \throws Cancelled, SpaceUnavailable
  explicit PreparedChange(SharedMutex& mutex) : m_mutex(mutex) { mutex.lock_writers_cancellable(); }
  ~PreparedChange() { m_has_begun ? m_mutex.unlock() : m_mutex.unlock_writers(); }
  PreparedChange(const PreparedChange&) = delete;
  PreparedChange& operator=(const PreparedChange&) = delete;

  /// Waits for the readers. \throws Cancelled
  void begin() {
    m_mutex.lock_readers_cancellable();
    m_has_begun = true;
  }

 private:
  SharedMutex& m_mutex;
  bool m_has_begun = false;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_COMMON_SHARED_MUTEX_HPP
