// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_COMMON_CANCELLATION_HPP
#define KINDRED_CORE_COMMON_CANCELLATION_HPP

#include <kindred/core/common/Public.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>

namespace KINDRED_PUBLIC Kindred {

class Cancellation;

namespace Impl {

class CancelPoint;

/// Restores the scope of the calling thread when it is destroyed.
class KeepScope {
 public:
  KeepScope() noexcept;
  ~KeepScope();
  KeepScope(const KeepScope&) = delete;
  KeepScope& operator=(const KeepScope&) = delete;

 private:
  Cancellation* m_before;
  bool m_before_may_check;
};

}  // namespace Impl

/// \brief A request to end calls early, of one thread or, without a check, of several: they throw
/// `Cancelled`, and the objects are as they were before the call.
///
/// Calls look for the request between their steps and, on the host, between the work items of long
/// kernels, every few milliseconds. A call that no longer can be undone finishes. On a device, what
/// was launched ends first. Arrays of the caller for results have unspecified values after a
/// cancelled call.
class Cancellation {
 public:
  Cancellation() = default;
  /// \param check called by the thread of the scope during its calls, after `request_check`;
  /// returns whether to cancel. It must not throw. It runs in the midst of a call, whose locks and
  /// threads are in use: objects with a context throw `Busy` there. They may be destroyed
  explicit Cancellation(std::function<bool()> check) : m_check(std::move(check)) {}
  Cancellation(const Cancellation&) = delete;
  Cancellation& operator=(const Cancellation&) = delete;

  /// Cancels the present calls of all threads with a scope, and all later ones. Any thread may call
  /// it, and signal handlers.
  void cancel() noexcept { m_state.store(cancelled); }
  /// Makes the thread of the scope call the check soon. Any thread may call it.
  void request_check() noexcept {
    std::uint8_t expected = none;
    m_state.compare_exchange_strong(expected, wants_check);
  }
  /// Forgets the requests.
  void reset() noexcept { m_state.store(none, std::memory_order_relaxed); }
  bool is_cancelled() const noexcept { return m_state.load() == cancelled; }

  /// \brief While it exists, the calls of the thread that made it can be cancelled. Scopes can be
  /// nested; the innermost one counts.
  class Scope {
   public:
    /// \param cancellation must outlive this object; with a check, only one scope at a time
    explicit Scope(Cancellation& cancellation) noexcept;

   private:
    Impl::KeepScope m_keep;
  };

 private:
  friend class Impl::CancelPoint;
  static constexpr std::uint8_t none = 0;
  static constexpr std::uint8_t wants_check = 1;
  static constexpr std::uint8_t cancelled = 2;
  static_assert(std::atomic<std::uint8_t>::is_always_lock_free);

  std::atomic<std::uint8_t> m_state{none};
  std::function<bool()> m_check;
};

namespace Impl {

/// \brief Where the work of the calling thread can be cancelled. Copies may be used by all threads
/// that do parts of this work.
class CancelPoint {
 public:
  /// Of the scope of the calling thread.
  CancelPoint() noexcept;

  /// Whether the work is to end. May call the check.
  bool is_cancelled() const noexcept {
    if (m_cancellation->m_state.load(std::memory_order_relaxed) == Cancellation::none) return false;
    return is_cancelled_now();
  }
  /// \throws Cancelled
  void check() const {
    if (is_cancelled()) throw_cancelled();
  }
  /// Whether there is a scope.
  bool is_needed() const noexcept;

  /// While it exists, the calling thread does something that can no longer be undone.
  class Suspended {
   public:
    Suspended() noexcept;

   private:
    KeepScope m_keep;
  };

  /// While it exists, the calling thread does a part of the work.
  class Part {
   public:
    explicit Part(const CancelPoint& of) noexcept;

   private:
    KeepScope m_keep;
  };

 private:
  bool is_cancelled_now() const noexcept;
  [[noreturn]] static void throw_cancelled();

  Cancellation* m_cancellation;
};

/// In a loop over many items, of which \p item is one: looks now and then. \throws Cancelled
inline void look_at(std::size_t item) {
  if (item % 1024 == 0) CancelPoint().check();
}

/// \throws Busy within the check of a \ref Cancellation: its thread may hold the lock that it
/// wants, and may be within a kernel of the instance on which it would launch another one
void refuse_in_check();
/// While it exists, the calling thread may lock within a check: to release an object, which no call
/// uses.
class MayLock {
 public:
  MayLock() noexcept;
  ~MayLock();
  MayLock(const MayLock&) = delete;
  MayLock& operator=(const MayLock&) = delete;

 private:
  bool m_before;
};

/// How often a thread that waits for others looks whether its work was cancelled.
inline constexpr std::chrono::milliseconds cancel_interval{20};

/// \brief Locks \p mutex, which another thread may hold for long. \throws Cancelled
template <class Mutex>
std::unique_lock<Mutex> cancellable_lock(Mutex& mutex) {
  std::unique_lock lock(mutex, std::try_to_lock);
  if (lock) return lock;
  const CancelPoint point;
  if (!point.is_needed()) {
    lock.lock();
    return lock;
  }
  while (!lock.try_lock_until(std::chrono::system_clock::now() + cancel_interval)) point.check();
  return lock;
}

}  // namespace Impl

}  // namespace Kindred

#endif  // KINDRED_CORE_COMMON_CANCELLATION_HPP
