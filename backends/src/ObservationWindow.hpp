// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_SRC_OBSERVATION_WINDOW_HPP
#define KINDRED_BACKENDS_SRC_OBSERVATION_WINDOW_HPP

#include <cstddef>
#include <memory>

namespace Kindred::Impl {

/// \brief How many times longer than predicted calls took: the median of the last ones.
///
/// The median, not the mean, and with two "as predicted" counted in: a cold or disturbed call does
/// not move it, three that agree do. Not thread-safe.
class ObservationWindow {
 public:
  /// Takes in a ratio > 0. The first one allocates; without memory for it nothing is taken in.
  /// O(\p window)
  void add(float ratio, std::size_t window) noexcept;
  /// Forgets all but the newest \p count, so that what comes next weighs more.
  void keep_newest(std::size_t count) noexcept;
  /// 1 as long as nothing else is known. O(1)
  double ratio() const noexcept { return m_ratio; }

 private:
  void update() noexcept;

  std::unique_ptr<float[]> m_values;  ///< in order of arrival (a ring), then sorted
  std::size_t m_window = 0;
  std::size_t m_count = 0;
  std::size_t m_next = 0;
  double m_ratio = 1;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_BACKENDS_SRC_OBSERVATION_WINDOW_HPP
