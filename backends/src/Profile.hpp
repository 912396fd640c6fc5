// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_SRC_PROFILE_HPP
#define KINDRED_BACKENDS_SRC_PROFILE_HPP

#include <kindred/backends/Dispatcher.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace Kindred::Impl {

/// \brief A calibration, as it is kept in a file.
///
/// `{"format": "kindred-profile", "version": 3, "machines": {"<machine>": {"starts": [{"space",
/// "threads", "seconds"}], "transfer": {"bytes_per_second", "latency_seconds"}, "batches": [{"op",
/// "bytes"}], "points": [{"op", "space", "threads", "work", "seconds"}]}}}`: one file may hold
/// several machines, which a shared home folder needs. Version 1 counted the starts of its own
/// calls into the points, version 2 knew only teams of all threads; both are refused.
struct Profile {
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
  /// Bytes that a device best takes at a time.
  struct Batch {
    std::string operation;
    std::uint64_t bytes = 0;
  };
  /// What a parallel region or kernel costs.
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

std::string to_json(const Profile& profile, const std::string& machine);
/// \brief What \p text holds of \p machine, whose `openmp` has teams of the sizes \p teams.
/// \throws NotFound when it is a profile of other machines only
/// \throws InvalidArgument saying what is wrong with it
Profile profile_from_json(std::string_view text, const std::string& machine,
                          std::span<const int> teams);
/// \brief \p text with the other machines of \p before, if that is a profile.
std::string merged_profile_json(std::string_view text, std::string_view before);

}  // namespace Kindred::Impl

#endif  // KINDRED_BACKENDS_SRC_PROFILE_HPP
