// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_SRC_CIRCUIT_BREAKER_HPP
#define KINDRED_BACKENDS_SRC_CIRCUIT_BREAKER_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace Kindred::Impl {

/// \brief Avoids a space that fails too often, but lets one call through from time to time.
///
/// Closed: all calls pass, and the outcomes of the last `window` calls are kept. Open: no call
/// passes until one trial after `breaker_interval`; if the trial succeeds, the breaker closes and
/// forgets the failures, otherwise it opens again. Not thread-safe.
class CircuitBreaker {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// \param window number of outcomes that are kept
  /// \param interval after which an open breaker admits a trial
  /// \param success_rate_min the breaker opens at a lower success rate over the window
  /// \param failures_min failures in the window before it can open
  CircuitBreaker(std::size_t window, std::chrono::milliseconds interval,
                 double success_rate_min = 0.95, std::size_t failures_min = 2);

  bool open() const noexcept { return m_open; }
  /// True if the breaker is closed or a trial is due.
  bool admits(Time now) const noexcept { return !m_open || now - m_since >= m_interval; }
  /// Marks the trial of an open breaker as started. If the trial never ends, the next one is
  /// admitted after another interval.
  void start_trial(Time now) noexcept;
  void succeeded() noexcept;
  void failed(Time now) noexcept;

 private:
  void record(bool failure) noexcept;

  std::chrono::milliseconds m_interval;
  double m_success_rate_min;
  std::size_t m_failures_min;
  std::vector<std::uint8_t> m_outcomes;  ///< ring buffer; 1 is a failure
  std::size_t m_count = 0;
  std::size_t m_next = 0;
  std::size_t m_failures = 0;
  bool m_open = false;
  bool m_trial = false;
  Time m_since;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_BACKENDS_SRC_CIRCUIT_BREAKER_HPP
