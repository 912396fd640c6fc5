// SPDX-License-Identifier: Apache-2.0
#include "Commands.hpp"
#include "Completion.hpp"
#include "program/Errors.hpp"
#include "program/Output.hpp"

#include <fmt/format.h>

#include <memory>
#include <string>

namespace Kindred::Tools {

namespace {

std::string completion(const CLI::App& app, const std::string& shell) {
  if (shell == "bash") return bash_completion(app);
  if (shell == "zsh") return zsh_completion(app);
  if (shell == "fish") return fish_completion(app);
  throw UsageError(fmt::format("completion: {} is not one of bash, zsh, fish", in_quotes(shell)));
}

}  // namespace

void add_completion_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "completion", "Print a script that completes commands and flags in a shell");
  const auto shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "bash, zsh or fish")->required();
  command->callback([&app, shell] {
    Output output;
    output.text() = completion(app, *shell);
    output.flush();
  });
}

}  // namespace Kindred::Tools
