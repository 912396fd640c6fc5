// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_CALIBRATION_HPP
#define KINDRED_MATCHER_CALIBRATION_HPP

#include <kindred/backends/Context.hpp>

#include <functional>

namespace Kindred {

/// \brief One measured point: median seconds of \p operation at \p work on \p space.
struct CalibrationPoint {
  Operation operation = Operation::lcs;
  Space space = Space::serial;
  double work = 0;
  double seconds = 0;
};

struct CalibrationOptions {
  double seconds = 5;                                     ///< about how long all of it may take
  std::function<void(const CalibrationPoint&)> on_point;  ///< progress
};

/// \brief Measures every operation on every usable space over sizes that double, and gives the
/// dispatcher the costs.
///
/// Does not save them: `Context::save_profile`. Generated, seeded data. Fences the instances it
/// uses. \throws OutOfMemory
void calibrate(Context& context, const CalibrationOptions& options = {});

}  // namespace Kindred

#endif  // KINDRED_MATCHER_CALIBRATION_HPP
