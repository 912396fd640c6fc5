// SPDX-License-Identifier: Apache-2.0
// What the program says about itself: help, completion, man.
#include "Commands.hpp"
#include "Completion.hpp"
#include "program/ManPage.hpp"
#include "program/UsageMessage.hpp"

#include <filesystem>
#include <system_error>

namespace Kindred::Tools {

namespace {

/// Writes the pages of all commands to \p folder.
void write_pages(const CLI::App& app, const std::string& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed)
    throw UsageError(fmt::format("--out {}: cannot be created: {}", folder, failed.message()));
  for (const CLI::App* command : all_commands(app)) {
    const std::string text = man_page(*command);
    AtomicFile file((std::filesystem::path(folder) / (man_page_name(*command) + ".1")).string());
    file.write(text.data(), text.size());
    AtomicFile::publish({&file});
  }
}

}  // namespace

void add_help_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("help", "Show the help of a command");
  const auto names = std::make_shared<std::vector<std::string>>();
  command->add_option("COMMAND", *names, "The command, such as search or graph build");
  command->callback([&app, names] {
    const CLI::App& described = find_command(app, "help", *names);
    const std::string name = typed_name(described);
    print(described.get_formatter()->make_help(
        &described, name.empty() ? "kindred" : "kindred " + name, CLI::AppFormatMode::Normal));
  });
}

void add_completion_command(CLI::App& app) {
  using Script = std::string (*)(const CLI::App&);
  CLI::App* command = app.add_subcommand(
      "completion", "Print a script that completes commands and flags in a shell");
  const auto script = std::make_shared<Script>();
  add_choice(*command, "SHELL", *script, "bash, zsh or fish",
             Choices<Script>{
                 {"bash", bash_completion}, {"zsh", zsh_completion}, {"fish", fish_completion}})
      ->required()
      ->type_name("");
  command->callback([&app, script] { print((*script)(app)); });
}

void add_man_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("man", "Print the manual page of a command");
  const auto names = std::make_shared<std::vector<std::string>>();
  const auto folder = std::make_shared<std::string>();
  command->add_option("COMMAND", *names, "The command, such as search or graph build");
  command
      ->add_option("--out", *folder, "Output folder of the pages of all commands, instead of one")
      ->type_name("DIR");
  command->callback([&app, names, folder] {
    if (!folder->empty()) return write_pages(app, *folder);
    print(man_page(find_command(app, "man", *names)));
  });
}

}  // namespace Kindred::Tools
