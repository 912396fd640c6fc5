// SPDX-License-Identifier: Apache-2.0
#include "Commands.hpp"
#include "program/Output.hpp"
#include "program/UsageMessage.hpp"

#include <memory>
#include <string>
#include <vector>

namespace Kindred::Tools {

void add_help_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("help", "Show the help of a command");
  const auto names = std::make_shared<std::vector<std::string>>();
  command->add_option("COMMAND", *names, "The command, such as search or graph build");
  command->callback([&app, names] {
    Output output;
    const CLI::App& described = find_command(app, "help", *names);
    const std::string name = typed_name(described);
    output.text() = described.get_formatter()->make_help(
        &described, name.empty() ? "kindred" : "kindred " + name, CLI::AppFormatMode::Normal);
    output.flush();
  });
}

}  // namespace Kindred::Tools
