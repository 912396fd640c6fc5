// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_SRC_OBSERVATION_WINDOW_HPP
#define KINDRED_BACKENDS_SRC_OBSERVATION_WINDOW_HPP

#include <cstddef>
#include <memory>

namespace Kindred::Impl {

/// \brief Median ratio of measured to predicted time over the last calls.
///
/// The median counts in two ratios of 1, so that one cold or disturbed call does not change it, but
/// three calls that agree do. Not thread-safe.
class ObservationWindow {
 public:
  /// Adds a ratio > 0. The first call allocates; if that fails, nothing is added. O(\p window)
  void add(float ratio, std::size_t window) noexcept;
  /// Discards all but the newest \p count ratios, so that new ones have more weight.
  void keep_newest(std::size_t count) noexcept;
  /// The median ratio; 1 without observations. O(1)
  double ratio() const noexcept { return m_ratio; }

 private:
  void update() noexcept;

  std::unique_ptr<float[]>
      m_values;  ///< in order of arrival (ring buffer), followed by a sorted copy
  std::size_t m_window = 0;
  std::size_t m_count = 0;
  std::size_t m_next = 0;
  double m_ratio = 1;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_BACKENDS_SRC_OBSERVATION_WINDOW_HPP
