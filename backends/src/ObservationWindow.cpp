// SPDX-License-Identifier: Apache-2.0
#include "ObservationWindow.hpp"

#include <algorithm>
#include <new>

namespace Kindred::Impl {

void ObservationWindow::add(float ratio, std::size_t window) noexcept {
  if (!m_values) {
    m_values.reset(new (std::nothrow) float[2 * window]);
    if (!m_values) return;
    m_window = window;
  }
  float* sorted = m_values.get() + m_window;
  if (m_count == m_window) {
    float* oldest = std::lower_bound(sorted, sorted + m_count, m_values[m_next]);
    std::copy(oldest + 1, sorted + m_count, oldest);
    --m_count;
  }
  float* place = std::upper_bound(sorted, sorted + m_count, ratio);
  std::copy_backward(place, sorted + m_count, sorted + m_count + 1);
  *place = ratio;
  m_values[m_next] = ratio;
  m_next = (m_next + 1) % m_window;
  ++m_count;
  update();
}

void ObservationWindow::keep_newest(std::size_t count) noexcept {
  if (count >= m_count) return;
  float* sorted = m_values.get() + m_window;
  for (std::size_t i = 0; i < count; ++i)
    sorted[i] = m_values[(m_next + m_window - count + i) % m_window];
  std::copy(sorted, sorted + count, m_values.get());
  std::sort(sorted, sorted + count);
  m_count = count;
  m_next = count % m_window;
  update();
}

void ObservationWindow::update() noexcept {
  constexpr std::size_t as_predicted = 2;
  const float* sorted = m_values.get() + m_window;
  const std::size_t faster =
      static_cast<std::size_t>(std::lower_bound(sorted, sorted + m_count, 1.0F) - sorted);
  const std::size_t middle = (m_count + as_predicted - 1) / 2;
  if (middle < faster) {
    m_ratio = sorted[middle];
  } else if (middle < faster + as_predicted) {
    m_ratio = 1.0;
  } else {
    m_ratio = sorted[middle - as_predicted];
  }
}

}  // namespace Kindred::Impl
