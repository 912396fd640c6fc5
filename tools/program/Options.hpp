// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_PROGRAM_OPTIONS_HPP
#define KINDRED_TOOLS_PROGRAM_OPTIONS_HPP

#include "program/GlobalOptions.hpp"

#include <CLI/CLI.hpp>

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace Kindred::Tools {

/// \param group their heading in the help
void add_global_options(CLI::App& app, GlobalOptions& options, const char* group);

/// Adds an option for a whole number in [\p least, \p most]. Any other value is a usage error that
/// states the value and the limits.
/// \param names the option, after its short form if it has one: "-k,--top"
CLI::Option* add_count(CLI::App& app, const std::string& names, std::size_t& value,
                       const std::string& help, std::size_t least = 1,
                       std::size_t most = std::numeric_limits<std::size_t>::max());

/// Adds --top, and -k for short: the number of results, of which there may be fewer.
CLI::Option* add_top(CLI::App& app, std::size_t& value,
                     const std::string& help = "Maximum number of results per query (default: 10)",
                     std::size_t most = std::numeric_limits<std::size_t>::max());

/// Adds an option for the path of a file.
CLI::Option* add_file(CLI::App& app, const std::string& name, std::string& path,
                      const std::string& help);

/// Adds an option for a finite number in [\p least, \p most].
CLI::Option* add_number(CLI::App& app, const std::string& name, std::optional<double>& value,
                        const std::string& help, double least,
                        double most = std::numeric_limits<double>::max());

/// \throws UsageError if a trace or a report is requested of \p command, which does not support
/// them
void refuse_reports(const std::string& command, const GlobalOptions& global);

/// \brief Rejects the former option \p old of \p command with a usage error that names its
/// replacement \p now.
///
/// \param command the command that had the option
/// \param whole its full name, including the group
/// \param old name of the former option
/// \param now its replacement
void refuse_renamed(CLI::App& command, const std::string& whole, const std::string& old,
                    const std::string& now);

/// \brief Adds the file that \p command reads as a positional argument.
/// \param command the command
/// \param whole its full name, including the group
/// \param path receives the value
/// \param place name of the argument in the help, such as STORE
/// \param made command that creates such a file
/// \param old former option for the file
void add_input_argument(CLI::App& command, const std::string& whole, std::string& path,
                        const std::string& place, const std::string& made, const std::string& old);

/// \brief Adds a command to \p group that only reads a file. Parameters as of \ref
/// add_input_argument.
void add_store_reader(CLI::App& group, const std::string& place, const std::string& old,
                      const std::string& made, const std::string& name, const std::string& help,
                      const GlobalOptions& global,
                      std::function<void(const GlobalOptions&, const std::string&)> run);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_PROGRAM_OPTIONS_HPP
