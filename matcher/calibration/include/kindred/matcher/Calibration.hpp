// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_CALIBRATION_HPP
#define KINDRED_MATCHER_CALIBRATION_HPP

#include <kindred/backends/Context.hpp>
#include <kindred/core/common/Public.hpp>
#include <kindred/matcher/BulkOperationInfo.hpp>

#include <array>
#include <functional>
#include <vector>

namespace KINDRED_PUBLIC Kindred {

/// \brief One measured point: seconds of \p operation at \p work on \p space, excluding transfers
/// and launch overhead.
struct CalibrationPoint {
  Operation operation;
  Space space = Space::serial;
  int threads = 1;  ///< used by `openmp`
  double work = 0;
  double seconds = 0;
};

/// All operations of the engines, in the order of the reports.
std::vector<Operation> engine_operations();

/// The list operations that a device processes in batches. \see Dispatcher::batch_bytes
inline constexpr std::array<Operation, 6> batched_operations{
    Operations::transform,         Operations::element_wise,    Operations::reduction,
    Operations::random_generation, Operations::matrix_multiply, Operations::matrix_add};

struct CalibrationOptions {
  double seconds = 5;  ///< approximate time limit for the whole calibration
  std::function<void(const CalibrationPoint&)> on_point = {};  ///< called with each measured point
};

/// \brief Measures every operation on every usable space over doubling sizes, and gives the
/// measured costs to the dispatcher.
///
/// Runs the engines on generated, seeded data of the shapes of the systems Kindred serves. It first
/// measures the launch overhead of `openmp` for each number of threads (until the threads are
/// warm), the transfers to a device, and for each list operation the batch size that suits the
/// device best; this takes at most three tenths of the time. A point is the median of several
/// undisturbed calls, with launch overhead and transfers subtracted; the spaces and thread counts
/// take turns. A value that is implausible compared with the points before it, the priors or one
/// thread is measured again, and no single point ends the doubling on a space: that stops when the
/// next size would take more than the space's share of the time. The dispatcher receives all
/// results at the end, or none. They are not saved; use `Context::save_profile`. Fences the
/// instances it uses.
/// \throws InvalidArgument if \p options.seconds ≤ 0 or not finite; OutOfMemory if not even the
/// smallest size fits
void calibrate(Context& context, const CalibrationOptions& options = {});

}  // namespace Kindred

#endif  // KINDRED_MATCHER_CALIBRATION_HPP
