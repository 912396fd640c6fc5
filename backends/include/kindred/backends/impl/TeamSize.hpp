// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_IMPL_TEAM_SIZE_HPP
#define KINDRED_BACKENDS_IMPL_TEAM_SIZE_HPP

#include <algorithm>

namespace Kindred::Impl {

/// \brief The number of threads that is predicted to be fastest: 1, 2, 4, … or \p threads, by
/// `handover + start · t + serial / t`.
/// \param serial_seconds of the work on one thread
/// \param start_seconds that each thread of a team adds to the parallel regions of the call
inline int team_size(int threads, double serial_seconds, double start_seconds) noexcept {
  constexpr double handover = 10e-6;  // to the thread of a team and back
  int best = 1;
  double least = serial_seconds;
  for (int size = 2; size < 2 * threads; size *= 2) {
    const int team = std::min(size, threads);
    const double seconds = handover + start_seconds * team + serial_seconds / team;
    if (seconds < least) {
      least = seconds;
      best = team;
    }
  }
  return best;
}

}  // namespace Kindred::Impl

#endif  // KINDRED_BACKENDS_IMPL_TEAM_SIZE_HPP
