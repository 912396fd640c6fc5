// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_OUTPUT_FORMAT_HPP
#define KINDRED_TOOLS_IO_OUTPUT_FORMAT_HPP

#include <cstdint>
#include <optional>
#include <string_view>

namespace Kindred::Tools {

/// Format of results on standard output.
enum class OutputFormat : std::uint8_t {
  json,  ///< JSON lines
  csv,   ///< RFC 4180 with a header row; records end with `\n`
  tsv,   ///< the same with tabs
  table  ///< columns of equal width, for reading
};

/// Names of the formats, for messages and help.
inline constexpr const char* output_format_names = "json, csv, tsv, table";

std::optional<OutputFormat> output_format_from_string(std::string_view name) noexcept;

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_OUTPUT_FORMAT_HPP
