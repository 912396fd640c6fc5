// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_KIT_MADE_ONCE_HPP
#define KINDRED_MATCHER_KIT_MADE_ONCE_HPP

#include <kindred/backends/Context.hpp>
#include <kindred/backends/impl/CallbackDelay.hpp>
#include <kindred/core/common/Cancellation.hpp>
#include <kindred/core/common/Mutex.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <thread>

namespace Kindred::Impl {

/// \brief An object that the first caller who needs it makes, for all callers. Thread-safe, also in
/// a forked child.
///
/// Callers that come while it is made wait for it; nothing else is locked. If making it fails, the
/// caller gets the error and the next caller tries again.
template <class T>
class MadeOnce {
 public:
  /// The object, or null as long as it is not made.
  const T* get() const noexcept { return m_made.load(std::memory_order_acquire); }

  /// \brief The object, which is `make()` if there is none yet. \throws Cancelled while waiting;
  /// Busy if the check of a `Cancellation` would wait; SpaceUnavailable in a child that was forked
  /// while another thread made it; what \p make throws
  template <class Make>
  const T& get(const Make& make) {
    if (const T* const made = get()) return *made;
    OneTimeWork::note();                 // also if it waits for another caller
    const CallbackDelay callbacks_wait;  // until the lock is released
    std::unique_lock lock(m_making, std::try_to_lock);
    if (!lock) {
      refuse_in_check();
      const CancelPoint point;
      if (!point.is_needed()) lock.lock();
      while (!lock && !lock.try_lock()) {
        point.check();
        std::this_thread::sleep_for(cancel_interval);
      }
    }
    return made_locked(make);
  }

  /// The same, but null instead of waiting for another caller.
  template <class Make>
  const T* try_get(const Make& make) {
    if (const T* const made = get()) return made;
    const CallbackDelay callbacks_wait;
    const std::unique_lock lock(m_making, std::try_to_lock);
    if (lock) OneTimeWork::note();
    return lock ? &made_locked(make) : nullptr;
  }

 private:
  template <class Make>
  const T& made_locked(const Make& make) {
    if (!m_object) {
      m_object.reset(new T(make()));  // in place, since T may have no moves
      m_made.store(m_object.get(), std::memory_order_release);
    }
    return *m_object;
  }

  PlainMutex m_making;
  std::unique_ptr<const T> m_object;
  std::atomic<const T*> m_made{nullptr};
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_KIT_MADE_ONCE_HPP
