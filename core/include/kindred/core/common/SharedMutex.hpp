// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_COMMON_SHARED_MUTEX_HPP
#define KINDRED_CORE_COMMON_SHARED_MUTEX_HPP

#include <kindred/core/common/Cancellation.hpp>

#include <atomic>
#include <mutex>
#include <shared_mutex>

namespace Kindred::Impl {

/// \brief A mutex for readers and writers that never keeps a writer waiting for later readers.
///
/// `std::shared_mutex` of glibc lets readers in as long as others are there: where there are enough
/// of them, a writer waits forever. Here, a writer that waits keeps later readers out until it has
/// the lock. So a thread must not lock it shared a second time. Without a writer that waits, it
/// costs one load more.
class SharedMutex {
 public:
  SharedMutex() = default;
  SharedMutex(const SharedMutex&) = delete;
  SharedMutex& operator=(const SharedMutex&) = delete;

  void lock() {
    const Claim claim(m_writers);
    const std::lock_guard gate(m_gate);
    m_mutex.lock();
  }
  void unlock() { m_mutex.unlock(); }

  void lock_shared() {
    if (m_writers.load() != 0) const std::lock_guard gate(m_gate);
    m_mutex.lock_shared();
  }
  void unlock_shared() { m_mutex.unlock_shared(); }

  /// \throws Cancelled
  void lock_cancellable() {
    const Claim claim(m_writers);
    const auto gate = cancellable_lock(m_gate);
    cancellable_lock(m_mutex).release();
  }
  /// \throws Cancelled
  void lock_shared_cancellable() {
    if (m_writers.load() != 0) const auto gate = cancellable_lock(m_gate);
    cancellable_shared_lock(m_mutex).release();
  }

 private:
  /// Keeps later readers out.
  class Claim {
   public:
    explicit Claim(std::atomic<unsigned>& writers) noexcept : m_writers(writers) { ++m_writers; }
    ~Claim() { --m_writers; }
    Claim(const Claim&) = delete;
    Claim& operator=(const Claim&) = delete;

   private:
    std::atomic<unsigned>& m_writers;
  };

  std::atomic<unsigned> m_writers{0};  ///< that wait
  std::timed_mutex m_gate;             ///< held by the writer that is next
  std::shared_timed_mutex m_mutex;
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
