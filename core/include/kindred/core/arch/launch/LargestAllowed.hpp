// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_LAUNCH_LARGEST_ALLOWED_HPP
#define KINDRED_CORE_ARCH_LAUNCH_LARGEST_ALLOWED_HPP

#include <atomic>
#include <cstddef>
#include <mutex>

namespace Kindred::Arch {

/// \brief The largest of a kernel's sizes that was allowed so far, where allowing a size replaces
/// the one before. Thread-safe.
class LargestAllowed {
 public:
  /// \brief Calls \p allow unless \p size or more is allowed already. No two calls overlap and none
  /// allows less than an earlier one, so the largest size of all threads stays in force. If it
  /// throws, the size is not allowed.
  template <class Allow>
  void raise_to(std::size_t size, const Allow& allow) {
    if (size <= m_size.load(std::memory_order_acquire)) return;
    const std::lock_guard lock(m_mutex);
    if (size <= m_size.load(std::memory_order_relaxed)) return;
    allow();
    m_size.store(size, std::memory_order_release);
  }

 private:
  std::mutex m_mutex;
  std::atomic<std::size_t> m_size{0};
};

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_LAUNCH_LARGEST_ALLOWED_HPP
