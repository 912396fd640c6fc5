// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_CALIBRATION_CALIBRATION_TASKS_HPP
#define KINDRED_MATCHER_CALIBRATION_CALIBRATION_TASKS_HPP

#include <kindred/backends/Context.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace Kindred::Impl {

/// \brief One operation on generated, seeded data of a selectable size.
///
/// A size is the product of the number of stored items and of queries: first the store grows to a
/// few tens of MB, then the number of queries.
class CalibrationTask {
 public:
  /// Runs the call once on a space. It keeps what it needs alive.
  using Run = std::function<DispatchRecord(Space)>;

  CalibrationTask() = default;
  CalibrationTask(const CalibrationTask&) = delete;
  CalibrationTask& operator=(const CalibrationTask&) = delete;
  virtual ~CalibrationTask() = default;

  virtual Operation operation() const = 0;
  virtual std::size_t size_max() const = 0;
  /// \brief Makes what all sizes share, before the first `prepare`. The time that it takes says
  /// nothing about the time of preparing a size.
  /// \throws OutOfMemory
  virtual void set_up(Context&) {}
  /// \throws OutOfMemory
  virtual Run prepare(Context& context, std::size_t size) = 0;
};

/// One task per operation.
std::vector<std::unique_ptr<CalibrationTask>> calibration_tasks();

/// Returns the seconds for a list on a space with the given batch size in bytes.
using BatchedRun = std::function<double(Space, std::uint64_t batch_bytes)>;
/// \brief One of \ref batched_operations on a list of \p arrays of 1 MiB (1.5 of a product).
/// \throws OutOfMemory
BatchedRun prepare_batches(Context& context, Operation operation, std::size_t arrays);

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_CALIBRATION_CALIBRATION_TASKS_HPP
