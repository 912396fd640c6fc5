// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_PROGRAM_OPTIONS_HPP
#define KINDRED_TOOLS_PROGRAM_OPTIONS_HPP

#include "program/GlobalOptions.hpp"

#include <kindred/core/common/Names.hpp>

#include <CLI/CLI.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <type_traits>
#include <utility>

namespace Kindred::Tools {

/// Names of values of an option, in the order in which messages list them.
template <class T>
using Choices = std::vector<std::pair<std::string, T>>;
/// All names of an enumeration.
template <HasNames Enum>
Choices<Enum> choices_of() {
  Choices<Enum> choices;
  for (const std::string_view name : enum_names<Enum>)
    choices.emplace_back(name, *from_string<Enum>(name));
  return choices;
}

/// \param group their heading in the help
void add_global_options(CLI::App& app, GlobalOptions& options, const char* group);

/// Adds an option whose value \p set takes. What it throws as `RecordError` is reported with the
/// name of the option. \param names the option, after its short form if it has one: "-k,--top"
CLI::Option* add_parsed(CLI::App& app, const std::string& names, const std::string& help,
                        const char* type, std::function<void(const std::string&)> set);

/// \brief Adds an option for one of \p choices, which \p set takes by its place among them. Any
/// other name is a usage error that lists them.
/// \param synonyms other names, and the one of \p names to suggest
CLI::Option* add_name(CLI::App& app, const std::string& name, const std::string& help,
                      std::vector<std::string> names, std::function<void(std::size_t)> set,
                      std::map<std::string, std::string> synonyms = {});
/// The same for a value of any type. \p value is kept unless the option is given.
template <class T, class Value>
CLI::Option* add_choice(CLI::App& app, const std::string& name, Value& value,
                        const std::string& help, Choices<T> choices,
                        std::map<std::string, std::string> synonyms = {}) {
  std::vector<std::string> names;
  for (const auto& choice : choices) names.push_back(choice.first);
  return add_name(
      app, name, help, std::move(names),
      [&value, choices = std::move(choices)](std::size_t place) { value = choices[place].second; },
      std::move(synonyms));
}

/// Adds an option for a whole number in [\p least, \p most], which \p set takes. Any other value is
/// a usage error that states the value and the limits. \param names as of `add_parsed`
CLI::Option* add_whole_number(CLI::App& app, const std::string& names, const std::string& help,
                              std::uint64_t least, std::uint64_t most,
                              std::function<void(std::uint64_t)> set);
template <class Count>
CLI::Option* add_count(CLI::App& app, const std::string& names, Count& value,
                       const std::string& help, std::uint64_t least = 1,
                       std::uint64_t most = std::numeric_limits<Count>::max()) {
  return add_whole_number(app, names, help, least, most,
                          [&value](std::uint64_t number) { value = static_cast<Count>(number); });
}

/// Adds --top, and -k for short: the number of results, of which there may be fewer.
CLI::Option* add_top(CLI::App& app, std::size_t& value,
                     const std::string& help = "Maximum number of results per query (default: 10)",
                     std::size_t most = std::numeric_limits<std::size_t>::max());

/// Adds an option for the path of a file.
CLI::Option* add_file(CLI::App& app, const std::string& name, std::string& path,
                      const std::string& help);
/// The same for one that is required.
CLI::Option* add_input(CLI::App& app, const std::string& name, std::string& path,
                       const std::string& help);
/// The same for a required file that is written.
CLI::Option* add_out(CLI::App& app, std::string& path, const std::string& what);
/// Refuses `-`, which stands for standard input elsewhere. For `CLI::Option::check`.
CLI::Validator named_file();

/// Adds an option for a finite number in [\p least, \p most], which \p set takes.
CLI::Option* add_finite_number(CLI::App& app, const std::string& name, const std::string& help,
                               double least, double most, std::function<void(double)> set);
template <class Number>
CLI::Option* add_number(CLI::App& app, const std::string& name, Number& value,
                        const std::string& help, double least,
                        double most = std::numeric_limits<double>::max()) {
  return add_finite_number(app, name, help, least, most,
                           [&value](double number) { value = number; });
}

/// Lets every two of \p options exclude each other.
void exclude_each_other(const std::vector<CLI::Option*>& options);
/// \throws UsageError unless one of \p options of \p command is given
void require_one(const CLI::App& command, const std::vector<CLI::Option*>& options);

/// \throws UsageError if a trace or a report is requested of \p command, which does not support
/// them
void refuse_reports(const std::string& command, const GlobalOptions& global);

/// \brief Adds the file that \p command reads as a positional argument.
/// \param path receives the value
/// \param place name of the argument in the help, such as STORE
/// \param made command that creates such a file
void add_input_argument(CLI::App& command, std::string& path, const std::string& place,
                        const std::string& made);

/// \brief Adds a command to \p group, which calls \p run with the command if it takes it, the
/// global options and the flags. Returns the command, and its flags to add options for.
template <class Flags, class Run>
std::pair<CLI::App*, std::shared_ptr<Flags>> add_command(CLI::App& group, const std::string& name,
                                                         const std::string& help,
                                                         const GlobalOptions& global, Run run) {
  CLI::App* const command = group.add_subcommand(name, help);
  const auto flags = std::make_shared<Flags>();
  command->callback([=, &global] {
    if constexpr (std::is_invocable_v<Run, const CLI::App&, const GlobalOptions&, Flags&>) {
      run(*command, global, *flags);
    } else {
      run(global, *flags);
    }
  });
  return {command, flags};
}

/// Adds a command with commands of its own, of which one is required.
CLI::App* add_group(CLI::App& app, const std::string& name, const std::string& help);

/// \brief Adds a command to \p group that only reads a file. Parameters as of \ref
/// add_input_argument.
void add_store_reader(CLI::App& group, const std::string& place, const std::string& made,
                      const std::string& name, const std::string& help, const GlobalOptions& global,
                      std::function<void(const GlobalOptions&, const std::string&)> run);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_PROGRAM_OPTIONS_HPP
