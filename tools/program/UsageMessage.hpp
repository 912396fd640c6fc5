// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_PROGRAM_USAGE_MESSAGE_HPP
#define KINDRED_TOOLS_PROGRAM_USAGE_MESSAGE_HPP

#include <CLI/CLI.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace Kindred::Tools {

/// The selected command, including the one in its group.
const CLI::App& selected_command(const CLI::App& app);
/// The name of the program that \p command belongs to.
std::string program_name(const CLI::App& command);
/// The name of \p command as it is typed: `graph build`; empty for the application.
std::string typed_name(const CLI::App& command);
/// The commands of \p group in the order of its help.
std::vector<const CLI::App*> commands_of(const CLI::App& group);
/// Their names.
std::vector<std::string> command_names(const CLI::App& group);
/// The names of \p option as they are typed, short ones first.
std::vector<std::string> spellings(const CLI::Option& option);
/// The options of \p command that its help lists, without those of every command.
std::vector<const CLI::Option*> listed_options(const CLI::App& command);

/// The command of \p app with these names. \param asked command that asks for it, for messages
/// \throws UsageError if there is none
const CLI::App& find_command(const CLI::App& app, const char* asked,
                             const std::vector<std::string>& names);

/// \brief The text of \p known that \p wrong probably stands for, or an empty text.
///
/// These are, in this order: the only one that begins with \p wrong (of 2 characters or more), and
/// the most similar one that one or two changed characters turn into \p wrong.
std::string suggestion(std::string_view wrong, const std::vector<std::string>& known);

/// `; did you mean X?`, or an empty text without a suggestion.
std::string did_you_mean(std::string_view wrong, const std::vector<std::string>& known);

/// What is wrong with the arguments for which the parser of \p app threw \p error, and what to
/// write instead.
std::string usage_message(const CLI::App& app, const CLI::ParseError& error);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_PROGRAM_USAGE_MESSAGE_HPP
