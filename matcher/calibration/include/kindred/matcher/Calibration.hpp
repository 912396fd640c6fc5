// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_CALIBRATION_HPP
#define KINDRED_MATCHER_CALIBRATION_HPP

#include <kindred/backends/Context.hpp>
#include <kindred/matcher/BulkOperations.hpp>

#include <array>
#include <functional>
#include <vector>

namespace Kindred {

/// \brief One measured point: seconds of \p operation at \p work on \p space, without transfer and
/// without the cost of starts.
struct CalibrationPoint {
  Operation operation;
  Space space = Space::serial;
  int threads = 1;  ///< of the team of `openmp`
  double work = 0;
  double seconds = 0;
};

/// Every operation of the engines, in the order in which reports list them.
std::vector<Operation> engine_operations();

/// Those of lists that a device takes in batches. \see Dispatcher::batch_bytes
inline constexpr std::array<Operation, 6> batched_operations{
    Operations::transform,         Operations::element_wise,    Operations::reduction,
    Operations::random_generation, Operations::matrix_multiply, Operations::matrix_add};

struct CalibrationOptions {
  double seconds = 5;                                     ///< about how long all of it may take
  std::function<void(const CalibrationPoint&)> on_point;  ///< progress
};

/// \brief Measures every operation on every usable space over sizes that double, and gives the
/// dispatcher the costs.
///
/// Runs the engines on generated, seeded data of the shapes of the systems Kindred serves. Measured
/// first are the cost of a start for every team of `openmp`, until its threads are warm, the
/// transfer to a device, and the batch in which a device best takes lists of each operation (at
/// most three tenths of the time). A point is the median of several calls without those that were
/// disturbed, the spaces and the teams of `openmp` taking turns, with starts and transfer taken
/// off. What is not plausible beside the points before it, the priors or one thread is measured
/// again, and no single point ends the doubling of a space: it leaves when it would take more than
/// its share of the time. The dispatcher gets everything at the end, or nothing. Does not save it:
/// `Context::save_profile`. Fences the instances it uses. \throws InvalidArgument for \p
/// options.seconds ≤ 0 or not finite; OutOfMemory where not even the smallest size fits
void calibrate(Context& context, const CalibrationOptions& options = {});

}  // namespace Kindred

#endif  // KINDRED_MATCHER_CALIBRATION_HPP
