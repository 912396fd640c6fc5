// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_SRC_CIRCUIT_BREAKER_HPP
#define KINDRED_BACKENDS_SRC_CIRCUIT_BREAKER_HPP

#include <kindred/backends/Dispatcher.hpp>

#include <chrono>
#include <cstdint>
#include <vector>

namespace Kindred::Impl {

/// \brief Keeps calls from a space that fails too often, and lets one through from time to time.
///
/// Closed: everything passes, the outcomes of the last `window` calls are kept. Open: nothing
/// passes, until after `breaker_interval` one trial does; its success closes the breaker and
/// forgets the failures, its failure opens it anew. Not thread-safe.
class CircuitBreaker {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit CircuitBreaker(const Dispatcher::Options& options);

  bool open() const noexcept { return m_open; }
  /// Closed, or a trial is due.
  bool admits(Time now) const noexcept { return !m_open || now - m_since >= m_interval; }
  /// The call that is let through an open breaker. If it never ends, the next one comes after
  /// another interval.
  void start_trial(Time now) noexcept;
  void succeeded() noexcept;
  void failed(Time now) noexcept;

 private:
  void record(bool failure) noexcept;

  std::chrono::milliseconds m_interval;
  double m_success_rate_min;
  std::size_t m_failures_min;
  std::vector<std::uint8_t> m_outcomes;  ///< a ring, 1 is a failure
  std::size_t m_count = 0;
  std::size_t m_next = 0;
  std::size_t m_failures = 0;
  bool m_open = false;
  bool m_trial = false;
  Time m_since;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_BACKENDS_SRC_CIRCUIT_BREAKER_HPP
