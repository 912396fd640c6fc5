// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_SEED_JSON_HPP
#define KINDRED_TOOLS_IO_SEED_JSON_HPP

#include <kindred/core/seed/SeedTelemetry.hpp>
#include <kindred/matcher/SeedState.hpp>

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace Kindred::Tools {

/// Formats \p value for a message; nested values are only described.
std::string json_summary(const nlohmann::json& value);

/// \brief The state of a layer as the commands store it: one JSON object.
struct SeedStateFile {
  SeedState state;
  std::uint64_t epoch = 0;
  /// Schedules of grafting seeds, one list per seed; empty: they start from the beginning.
  std::vector<std::optional<std::vector<double>>> schedules;
};

/// \brief Reads `{"lifecycle": [...], "blueprint": [...], "mode": [...], "alpha": [...]}` and the
/// other fields written by `append_seed_state`. Only "lifecycle" is required.
/// \throws InputError with the file, the field and the seed
SeedStateFile read_seed_state(const std::string& path);
void append_seed_state(std::string& out, const SeedStateFile& file);

/// \brief Appends `{"count": [...], "mean": [...], …}` with one entry per seed, and optionally the
/// health of each seed.
void append_telemetry(std::string& out, std::span<const SeedTelemetry> telemetry,
                      bool health = false);
/// Reads what `append_telemetry` writes. \throws InputError
std::vector<SeedTelemetry> read_telemetry(const std::string& path);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_SEED_JSON_HPP
