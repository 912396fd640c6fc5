// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_SEED_INPUT_HPP
#define KINDRED_TOOLS_SEED_INPUT_HPP

#include "Session.hpp"
#include "io/SeedJson.hpp"

#include <kindred/core/common/Array.hpp>
#include <kindred/matcher/SeedLayer.hpp>

namespace Kindred::Tools {

/// \brief Rows of a .npy file, converted to the element type of a layer.
struct SeedRowsInput {
  DataType element = DataType::float32;
  std::uint64_t rows = 0;
  std::uint32_t hidden = 0;
  std::vector<std::byte> bytes;

  ConstArray array() const { return array_of<const void>(bytes.data()); }
  /// Rows of the same type and shape in \p memory, of as many bytes.
  Array like(std::vector<std::byte>& memory) const { return array_of<void>(memory.data()); }

 private:
  template <class Void>
  BasicArray<Void> array_of(Void* data) const {
    return {data, element, std::array{static_cast<std::int64_t>(rows), std::int64_t{hidden}}};
  }
};

/// Adds --element: the type that rows are rounded to.
void add_seed_element_flag(CLI::App& command, std::optional<DataType>& element);

/// \brief Reads all rows of a file, unchanged or rounded to \p element (to nearest, ties to even).
/// \throws InputError, NotFound, CorruptFile
SeedRowsInput load_seed_rows(Session& session, const std::string& path,
                             std::optional<DataType> element);
/// The same for a state. \throws InputError
SeedStateFile load_seed_state(Session& session, const std::string& path);

/// \brief Creates a layer from a state file and a weights file; an empty path omits that file.
/// \throws InputError if the files do not match
SeedLayer load_seed_layer(Session& session, std::uint32_t hidden, const std::string& state_path,
                          const SeedStateFile& state, const std::string& weights_path,
                          std::uint32_t telemetry_epochs);

/// The report's data for labelled states and telemetry, in chronological order.
ReportSeeds report_of(
    const std::vector<std::pair<std::string, SeedState>>& states,
    const std::vector<std::pair<std::string, std::vector<SeedTelemetry>>>& epochs);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_SEED_INPUT_HPP
