// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_OPTIONS_HPP
#define KINDRED_TOOLS_OPTIONS_HPP

#include <kindred/backends/Space.hpp>

#include <CLI/CLI.hpp>

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <string>

namespace Kindred::Tools {

/// Options that every command takes, before or after its name.
struct GlobalOptions {
  std::optional<Space> space;  ///< nothing: the dispatcher chooses
  int threads = 0;             ///< 0: all
  std::optional<int> device;   ///< GPU of the space cuda; nothing: the one Kokkos takes
  bool quiet = false;          ///< stderr carries errors only
  bool explain = false;        ///< a line of JSON per dispatch on stderr
  bool json = false;           ///< data as JSON where the command has a form for people too
  std::string trace;           ///< file of the Chrome trace, empty for none
  std::string report;          ///< file of the HTML report, empty for none
};

void add_global_options(CLI::App& app, GlobalOptions& options);

/// A whole number in [\p least, \p most]. A value outside, or none, is a usage error that tells
/// both.
CLI::Option* add_count(CLI::App& app, const std::string& name, std::size_t& value,
                       const std::string& help, std::size_t least = 1,
                       std::size_t most = std::numeric_limits<std::size_t>::max());

/// A finite number in [\p least, \p most].
CLI::Option* add_number(CLI::App& app, const std::string& name, std::optional<double>& value,
                        const std::string& help, double least,
                        double most = std::numeric_limits<double>::max());

/// \throws UsageError where a trace or a report is asked of \p command, which has none
void refuse_reports(const std::string& command, const GlobalOptions& global);

/// \brief Refuses \p old, which \p command took before, with a usage error that names \p now.
///
/// \param command whose whole name is \p whole
void refuse_renamed(CLI::App& command, const std::string& whole, const std::string& old,
                    const std::string& now);

/// \brief The file that \p command reads, as its argument. \param place its name in the help: STORE
/// \param made what makes such a file \param old the option that named it before
void add_input_argument(CLI::App& command, const std::string& whole, std::string& path,
                        const std::string& place, const std::string& made, const std::string& old);

/// \brief A command of \p group that does nothing but read a file. Parameters as above.
void add_store_reader(CLI::App& group, const std::string& place, const std::string& old,
                      const std::string& made, const std::string& name, const std::string& help,
                      const GlobalOptions& global,
                      std::function<void(const GlobalOptions&, const std::string&)> run);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_OPTIONS_HPP
