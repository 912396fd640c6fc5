// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_PROPERTIES_HPP
#define KINDRED_TOOLS_PROPERTIES_HPP

#include "Session.hpp"

#include <kindred/core/lattice/LatticeShape.hpp>

#include <functional>
#include <variant>

namespace Kindred::Tools {

/// Statistics by name, in the order in which they are printed.
using Property =
    std::pair<const char*, std::variant<std::string, std::uint64_t, WideCount, bool, double>>;
using Properties = std::vector<Property>;

/// Appends fields to a JSON object: `"name": value, …`.
void append_json(std::string& out, const Properties& properties);
/// Appends one line per property. \param width of the column of names
void append_text(std::string& out, const Properties& properties, int width = 18);
/// One row per property, for the report.
ReportTable table_of(std::string title, const Properties& properties);

/// Prints what is known of the file \p path: as JSON with the first field \p kind, or as text.
void print_properties(const GlobalOptions& global, const char* kind, const std::string& path,
                      const Properties& properties, int width = 18);

/// What a check of every byte of a file found.
struct InspectedFile {
  std::string contents;  ///< such as `50 rows`
  std::uint64_t bytes = 0;
  Properties properties;
};

/// Adds the commands `info` and `verify` for the files that `build` of \p group creates.
/// \param what name of such a file \param inspect reads the file of a path with as many threads
void add_inspections(CLI::App& group, const GlobalOptions& global, const std::string& what,
                     InputKind kind, std::function<InspectedFile(const std::string&, int)> inspect);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_PROPERTIES_HPP
