// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_SEED_INPUT_HPP
#define KINDRED_TOOLS_SEED_INPUT_HPP

#include "Session.hpp"
#include "io/SeedFiles.hpp"

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

/// \brief Rows of a .npy file in the elements that a layer takes.
struct SeedRowsInput {
  VectorElement element = VectorElement::float32;
  std::uint64_t rows = 0;
  std::uint32_t hidden = 0;
  std::vector<std::byte> bytes;
};

/// float32, float16 or bfloat16. \throws UsageError
std::optional<VectorElement> seed_element(const std::string& name);
/// \brief All rows of a file: as they are, or rounded to \p element, to nearest, ties to even.
/// \throws InputError, NotFound, CorruptFile
SeedRowsInput read_seed_rows(const std::string& path, std::optional<VectorElement> element,
                             Session& session);
/// The bytes of rows as a .npy file: bfloat16 as float32, which holds it exactly.
std::string npy_of(const std::vector<std::byte>& bytes, VectorElement element, std::uint64_t rows,
                   std::uint64_t columns);

/// \brief A layer in the state of a file, with the weights of another; an empty path has none.
/// \throws InputError where they do not go together
SeedLayer load_seed_layer(Session& session, std::uint32_t hidden, const std::string& state_path,
                          const SeedStateFile& state, const std::string& weights_path,
                          std::uint32_t telemetry_epochs);

/// What a report shows of states and telemetry, each with its label, in order of time.
ReportSeeds report_of(
    const std::vector<std::pair<std::string, SeedState>>& states,
    const std::vector<std::pair<std::string, std::vector<SeedTelemetry>>>& epochs);

void add_seed_step_command(CLI::App& group, const GlobalOptions& global);
void add_seed_telemetry_command(CLI::App& group, const GlobalOptions& global);
void add_seed_report_command(CLI::App& group, const GlobalOptions& global);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_SEED_INPUT_HPP
