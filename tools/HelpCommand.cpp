// SPDX-License-Identifier: Apache-2.0
#include "Commands.hpp"
#include "Suggestion.hpp"
#include "UsageMessage.hpp"
#include "io/Errors.hpp"
#include "io/Output.hpp"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

namespace Kindred::Tools {

namespace {

/// The command with these names. \throws UsageError
const CLI::App& find_command(const CLI::App& app, const std::vector<std::string>& names) {
  const CLI::App* command = &app;
  for (const std::string& name : names) {
    const auto found =
        command->get_subcommands([&](const CLI::App* each) { return each->get_name() == name; });
    if (found.empty()) {
      const std::vector<std::string> known = command_names(*command);
      std::string fix = did_you_mean(name, known);
      if (fix.empty() && !known.empty())
        fix = fmt::format("; there are {}", fmt::join(known, ", "));
      throw UsageError(fmt::format("help: there is no command {}{}", in_quotes(name), fix));
    }
    command = found.front();
  }
  return *command;
}

}  // namespace

void add_help_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("help", "Show the help of a command");
  const auto names = std::make_shared<std::vector<std::string>>();
  command->add_option("COMMAND", *names, "The command, such as search or graph build");
  command->callback([&app, names] {
    Output output;
    const CLI::App& described = find_command(app, *names);
    const std::string name = typed_name(described);
    output.text() = described.get_formatter()->make_help(
        &described, name.empty() ? "kindred" : "kindred " + name, CLI::AppFormatMode::Normal);
    output.flush();
  });
}

}  // namespace Kindred::Tools
