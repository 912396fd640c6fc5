// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_SEED_FILES_HPP
#define KINDRED_TOOLS_IO_SEED_FILES_HPP

#include <kindred/core/seed/SeedTelemetry.hpp>
#include <kindred/matcher/SeedState.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace Kindred::Tools {

/// \brief A layer's state as the commands keep it: one JSON object.
struct SeedStateFile {
  SeedState state;
  std::uint64_t epoch = 0;
  /// What the schedules of grafting seeds know, a list a seed; empty: they begin anew.
  std::vector<std::optional<std::vector<double>>> schedules;
};

/// \brief Reads `{"lifecycle": [...], "blueprint": [...], "mode": [...], "alpha": [...]}` and what
/// `append_seed_state` writes besides. Only "lifecycle" must be there.
/// \throws InputError with the file, the field and the seed
SeedStateFile read_seed_state(const std::string& path);
void append_seed_state(std::string& out, const SeedStateFile& file);

/// \brief `{"count": [...], "mean": [...], …}`, an entry a seed, and the health of each if asked.
void append_telemetry(std::string& out, std::span<const SeedTelemetry> telemetry,
                      bool health = false);
/// \throws InputError
std::vector<SeedTelemetry> read_telemetry(const std::string& path);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_SEED_FILES_HPP
