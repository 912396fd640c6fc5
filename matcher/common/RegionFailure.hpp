// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_COMMON_REGION_FAILURE_HPP
#define KINDRED_MATCHER_COMMON_REGION_FAILURE_HPP

#include <atomic>
#include <exception>
#include <mutex>

namespace Kindred::Impl {

/// \brief The first exception of a parallel region on the host: one that left the region would end
/// the process. For regions that call libraries, which may allocate. Thread-safe.
class RegionFailure {
 public:
  /// Runs a part of the region.
  template <class Body>
  void run(const Body& body) noexcept {
    try {
      body();
    } catch (...) {
      const std::lock_guard lock(m_mutex);
      if (!m_failure) m_failure = std::current_exception();
      m_has_failed.store(true, std::memory_order_relaxed);
    }
  }
  /// Whether the other parts may end.
  bool has_failed() const noexcept { return m_has_failed.load(std::memory_order_relaxed); }
  /// Call it behind the region. \throws what a part has thrown
  void rethrow() const {
    if (m_failure) std::rethrow_exception(m_failure);
  }

 private:
  std::atomic<bool> m_has_failed{false};
  std::mutex m_mutex;
  std::exception_ptr m_failure;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_COMMON_REGION_FAILURE_HPP
