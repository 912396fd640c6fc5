// SPDX-License-Identifier: Apache-2.0
#include "CircuitBreaker.hpp"

namespace Kindred::Impl {

CircuitBreaker::CircuitBreaker(std::size_t window, std::chrono::milliseconds interval,
                               double success_rate_min, std::size_t failures_min)
    : m_interval(interval),
      m_success_rate_min(success_rate_min),
      m_failures_min(failures_min),
      m_outcomes(window, 0) {}

void CircuitBreaker::start_trial(Time now) noexcept {
  m_trial = true;
  m_since = now;
}

void CircuitBreaker::succeeded() noexcept {
  if (!m_open) {
    record(false);
  } else if (m_trial) {
    m_open = m_trial = false;
    m_count = m_next = m_failures = 0;
  }
}

void CircuitBreaker::failed(Time now) noexcept {
  if (!m_open) {
    record(true);
    const double success_rate =
        1.0 - static_cast<double>(m_failures) / static_cast<double>(m_count);
    m_open = m_failures >= m_failures_min && success_rate < m_success_rate_min;
  }
  if (m_open) {
    m_trial = false;
    m_since = now;
  }
}

void CircuitBreaker::record(bool failure) noexcept {
  if (m_count == m_outcomes.size()) {
    m_failures -= m_outcomes[m_next];
  } else {
    ++m_count;
  }
  m_outcomes[m_next] = failure ? 1 : 0;
  m_failures += m_outcomes[m_next];
  m_next = (m_next + 1) % m_outcomes.size();
}

}  // namespace Kindred::Impl
