// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_SRC_CALIBRATION_PROFILE_HPP
#define KINDRED_BACKENDS_SRC_CALIBRATION_PROFILE_HPP

#include <kindred/backends/Dispatcher.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace Kindred::Impl {

/// \brief A calibration, as stored in a file.
///
/// `{"format": "kindred-profile", "version": 3, "machines": {"<machine>": {"starts": [{"space",
/// "threads", "seconds"}], "transfer": {"bytes_per_second", "latency_seconds"}, "batches": [{"op",
/// "bytes"}], "points": [{"op", "space", "threads", "work", "seconds"}]}}}`. One file can hold
/// several machines, as needed in a shared home folder. Version 1 included the start costs in the
/// points, and version 2 had only teams of all threads; both are rejected.
struct CalibrationProfile {
  struct Point {
    std::string operation;
    Space space = Space::serial;
    int threads = 1;
    double work = 0;
    double seconds = 0;
  };
  struct Transfer {
    double bytes_per_second = 0;
    double latency_seconds = 0;
  };
  /// Best batch size on a device in bytes.
  struct Batch {
    std::string operation;
    std::uint64_t bytes = 0;
  };
  /// Fixed cost of a parallel region or kernel.
  struct Start {
    Space space = Space::serial;
    int threads = 1;
    double seconds = 0;
  };
  std::vector<Start> starts;
  std::optional<Transfer> transfer;
  std::vector<Batch> batches;
  std::vector<Point> points;
};

std::string to_json(const CalibrationProfile& profile, const std::string& machine);
/// \brief Reads the calibration of \p machine, whose `openmp` has teams of the sizes \p teams, from
/// \p text.
/// \throws NotFound if it holds other machines only
/// \throws InvalidArgument with the reason if it is not a valid profile
CalibrationProfile profile_from_json(std::string_view text, const std::string& machine,
                                     std::span<const int> teams);
/// \brief Returns \p text plus the other machines of \p before, if \p before is a valid profile.
std::string merged_profile_json(std::string_view text, std::string_view before);

}  // namespace Kindred::Impl

#endif  // KINDRED_BACKENDS_SRC_CALIBRATION_PROFILE_HPP
