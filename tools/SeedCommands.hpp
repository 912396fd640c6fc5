// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_SEED_COMMANDS_HPP
#define KINDRED_TOOLS_SEED_COMMANDS_HPP

#include "Session.hpp"
#include "io/SeedJson.hpp"

#include <kindred/core/vector/VectorElement.hpp>
#include <kindred/matcher/SeedLayer.hpp>

#include <CLI/CLI.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace Kindred::Tools {

/// \brief Rows of a .npy file, converted to the element type of a layer.
struct SeedRowsInput {
  VectorElement element = VectorElement::float32;
  std::uint64_t rows = 0;
  std::uint32_t hidden = 0;
  std::vector<std::byte> bytes;
};

/// Parses float32, float16 or bfloat16. \throws UsageError for other names
std::optional<VectorElement> seed_element(const std::string& name);
/// \brief Reads all rows of a file, unchanged or rounded to \p element (to nearest, ties to even).
/// \throws InputError, NotFound, CorruptFile
SeedRowsInput read_seed_rows(const std::string& path, std::optional<VectorElement> element,
                             Session& session);
/// Formats rows as a .npy file; bfloat16 is stored as float32, which is exact.
std::string npy_of(const std::vector<std::byte>& bytes, VectorElement element, std::uint64_t rows,
                   std::uint64_t columns);

/// \brief Creates a layer from a state file and a weights file; an empty path omits that file.
/// \throws InputError if the files do not match
SeedLayer load_seed_layer(Session& session, std::uint32_t hidden, const std::string& state_path,
                          const SeedStateFile& state, const std::string& weights_path,
                          std::uint32_t telemetry_epochs);

/// The report's data for labelled states and telemetry, in chronological order.
ReportSeeds report_of(
    const std::vector<std::pair<std::string, SeedState>>& states,
    const std::vector<std::pair<std::string, std::vector<SeedTelemetry>>>& epochs);

void add_seed_step_command(CLI::App& group, const GlobalOptions& global);
void add_seed_telemetry_command(CLI::App& group, const GlobalOptions& global);
void add_seed_report_command(CLI::App& group, const GlobalOptions& global);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_SEED_COMMANDS_HPP
