// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_COMMON_CANCELLABLE_WAIT_HPP
#define KINDRED_CORE_COMMON_CANCELLABLE_WAIT_HPP

#include <kindred/core/common/Cancellation.hpp>

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace Kindred::Impl {

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

#endif  // KINDRED_CORE_COMMON_CANCELLABLE_WAIT_HPP
