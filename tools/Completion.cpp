// SPDX-License-Identifier: Apache-2.0
#include "Completion.hpp"

#include "UsageMessage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

namespace Kindred::Tools {

namespace {

/// The first line of \p text in single quotes of a shell; colons are escaped for zsh.
std::string shell_quoted(std::string_view text, bool escape_colons) {
  std::string out = "'";
  for (const char c : text.substr(0, text.find('\n'))) {
    if (c == '\'') {
      out += R"('\'')";
    } else {
      if (c == ':' && escape_colons) out += '\\';
      out += c;
    }
  }
  return out + "'";
}

/// The options that complete after \p command, including those of every command.
std::vector<const CLI::Option*> options_of(const CLI::App& command) {
  std::vector<const CLI::Option*> options;
  for (const CLI::App* app = &command; app != nullptr; app = app->get_parent()) {
    for (const CLI::Option* option : app->get_options()) {
      const bool is_repeated = app != &command && option->get_name() == "--help";
      if (!option->get_group().empty() && !option->get_positional() && !is_repeated)
        options.push_back(option);
    }
  }
  return options;
}

std::vector<std::string> spellings(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

/// The names of all commands as alternatives of a shell's `case`.
std::string command_pattern(const CLI::App& app, const char* separator) {
  std::vector<std::string> names;
  for (const CLI::App* command : all_commands(app)) {
    if (command != &app) names.push_back('"' + typed_name(*command) + '"');
  }
  return fmt::format("{}", fmt::join(names, separator));
}

}  // namespace

std::vector<const CLI::App*> all_commands(const CLI::App& app) {
  std::vector<const CLI::App*> commands{&app};
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    const auto nested = all_commands(*command);
    commands.insert(commands.end(), nested.begin(), nested.end());
  }
  return commands;
}

std::string bash_completion(const CLI::App& app) {
  std::string out = fmt::format(
      R"x(# Completion of kindred for bash: source <(kindred completion bash)
_kindred() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" command="" name words="" i
  for ((i = 1; i < COMP_CWORD; ++i)); do
    name="${{command:+$command }}${{COMP_WORDS[i]}}"
    case "$name" in
      {}) command="$name" ;;
    esac
  done
  case "$command" in
)x",
      command_pattern(app, " | "));
  for (const CLI::App* command : all_commands(app)) {
    const bool names_commands = command->get_name() == "help" || command->get_name() == "man";
    std::vector<std::string> words = command_names(names_commands ? app : *command);
    for (const CLI::Option* option : options_of(*command)) {
      for (std::string& name : spellings(*option)) words.push_back(std::move(name));
    }
    fmt::format_to(std::back_inserter(out), "    \"{}\") words=\"{}\" ;;\n", typed_name(*command),
                   fmt::join(words, " "));
  }
  return out + R"x(  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [[ "$current" != -* ]]; then mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "$current"); fi
}
complete -o filenames -F _kindred kindred
)x";
}

std::string zsh_completion(const CLI::App& app) {
  std::string out = fmt::format(
      R"x(#compdef kindred
# Completion of kindred for zsh: a file _kindred in a folder of $fpath
_kindred() {{
  local command="" name i
  local -a words_of
  for ((i = 2; i < CURRENT; ++i)); do
    name="${{command:+$command }}${{words[i]}}"
    case "$name" in
      {}) command="$name" ;;
    esac
  done
  case "$command" in
)x",
      command_pattern(app, "|"));
  for (const CLI::App* command : all_commands(app)) {
    std::vector<std::string> words;
    for (const CLI::App* nested : command->get_subcommands([](const CLI::App*) { return true; })) {
      words.push_back(shell_quoted(nested->get_name() + "\x01" + nested->get_description(), true));
    }
    for (const CLI::Option* option : options_of(*command)) {
      for (const std::string& name : spellings(*option))
        words.push_back(shell_quoted(name + "\x01" + option->get_description(), true));
    }
    for (std::string& word : words) std::replace(word.begin(), word.end(), '\x01', ':');
    fmt::format_to(std::back_inserter(out), "    \"{}\") words_of=({}) ;;\n", typed_name(*command),
                   fmt::join(words, " "));
  }
  return out + R"x(  esac
  _describe 'command or flag' words_of
  _files
}
if [[ "$funcstack[1]" == _kindred ]]; then _kindred "$@"; else compdef _kindred kindred; fi
)x";
}

std::string fish_completion(const CLI::App& app) {
  std::string out = "# Completion of kindred for fish: kindred completion fish | source\n";
  const auto to = std::back_inserter(out);
  for (const CLI::App* command : all_commands(app)) {
    std::string condition = "__fish_use_subcommand";
    if (const std::string name = typed_name(*command); !name.empty()) {
      condition = "__fish_seen_subcommand_from " + name.substr(0, name.find(' '));
      if (const auto space = name.find(' '); space != name.npos)
        condition += "; and __fish_seen_subcommand_from " + name.substr(space + 1);
    }
    for (const CLI::App* nested : command->get_subcommands([](const CLI::App*) { return true; })) {
      fmt::format_to(to, "complete -c kindred -n '{}' -a {} -d {}\n", condition, nested->get_name(),
                     shell_quoted(nested->get_description(), false));
    }
    for (const CLI::Option* option : command->get_options()) {
      if (option->get_group().empty() || option->get_positional()) continue;
      const std::string where =
          command->get_parent() == nullptr ? "" : fmt::format(" -n '{}'", condition);
      std::string names;
      for (const std::string& name : option->get_snames()) names += " -s " + name;
      for (const std::string& name : option->get_lnames()) names += " -l " + name;
      fmt::format_to(to, "complete -c kindred{}{}{} -d {}\n", where, names,
                     option->get_expected_min() > 0 ? " -r" : "",
                     shell_quoted(option->get_description(), false));
    }
  }
  return out;
}

}  // namespace Kindred::Tools
