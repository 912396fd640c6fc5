// SPDX-License-Identifier: Apache-2.0
// What the program says about itself: help, completion, man.
#include "Commands.hpp"
#include "program/ManPage.hpp"
#include "program/UsageMessage.hpp"

#include <filesystem>
#include <system_error>

namespace Kindred::Tools {

namespace {

/// The commands of \p app with a callback of their own, groups and \p app itself, in the order of
/// the help.
std::vector<const CLI::App*> all_commands(const CLI::App& app) {
  std::vector<const CLI::App*> commands{&app};
  for (const CLI::App* command : commands_of(app)) {
    const auto nested = all_commands(*command);
    commands.insert(commands.end(), nested.begin(), nested.end());
  }
  return commands;
}

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

/// A command or a flag that completes after a command.
struct Word {
  std::string text;
  std::string description;
};

/// A command, and what completes after it.
struct Completed {
  std::string command;
  std::vector<Word> words;
};

/// All commands with their commands, or for `help` and `man` those that they take, and with their
/// flags, including those of every command.
std::vector<Completed> completed_commands(const CLI::App& app) {
  std::vector<Completed> all;
  for (const CLI::App* command : all_commands(app)) {
    Completed& completed = all.emplace_back(Completed{typed_name(*command), {}});
    const bool takes_command = command->get_name() == "help" || command->get_name() == "man";
    for (const CLI::App* nested : commands_of(takes_command ? app : *command)) {
      completed.words.push_back({nested->get_name(), nested->get_description()});
    }
    for (const CLI::App* owner = command; owner != nullptr; owner = owner->get_parent()) {
      for (const CLI::Option* option : owner->get_options()) {
        const bool is_repeated = owner != command && option->get_name() == "--help";
        if (option->get_group().empty() || option->get_positional() || is_repeated) continue;
        for (const std::string& name : spellings(*option))
          completed.words.push_back({name, option->get_description()});
      }
    }
  }
  return all;
}

/// \brief The part of a script for bash or zsh that finds the command among the words before the
/// current one, and sets what completes after it.
///
/// \param word the word number `$i` \param assignment of the words, whose list replaces `{}`
/// \param shown the text of a `Word`
template <class Shown>
std::string selection(const CLI::App& app, std::string_view word, std::string_view assignment,
                      const Shown& shown) {
  const std::vector<Completed> all = completed_commands(app);
  std::vector<std::string> names;
  for (const Completed& completed : all) {
    if (!completed.command.empty()) names.push_back('"' + completed.command + '"');
  }
  std::string out = fmt::format(
      R"x(    name="${{command:+$command }}{}"
    case "$name" in
      {}) command="$name" ;;
    esac
  done
  case "$command" in
)x",
      word, fmt::join(names, " | "));
  for (const Completed& completed : all) {
    std::vector<std::string> words;
    for (const Word& each : completed.words) words.push_back(shown(each));
    fmt::format_to(std::back_inserter(out), "    \"{}\") {} ;;\n", completed.command,
                   fmt::format(fmt::runtime(assignment), fmt::join(words, " ")));
  }
  return out + "  esac\n";
}

// Scripts that complete the commands and flags of \p app in a shell, and file names elsewhere.
std::string bash_completion(const CLI::App& app) {
  return R"x(# Completion of kindred for bash: source <(kindred completion bash)
_kindred() {
  local current="${COMP_WORDS[COMP_CWORD]}" command="" name words="" i
  for ((i = 1; i < COMP_CWORD; ++i)); do
)x" +
         selection(app, "${COMP_WORDS[i]}", "words=\"{}\"",
                   [](const Word& word) { return word.text; }) +
         R"x(  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [[ "$current" != -* ]]; then mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "$current"); fi
}
complete -o filenames -F _kindred kindred
)x";
}

std::string zsh_completion(const CLI::App& app) {
  return R"x(#compdef kindred
# Completion of kindred for zsh: a file _kindred in a folder of $fpath
_kindred() {
  local command="" name i
  local -a words_of
  for ((i = 2; i < CURRENT; ++i)); do
)x" +
         selection(app, "${words[i]}", "words_of=({})",
                   [](const Word& word) {
                     return shell_quoted(word.text, true) + ':' +
                            shell_quoted(word.description, true);
                   }) +
         R"x(  _describe 'command or flag' words_of
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
    for (const CLI::App* nested : commands_of(*command)) {
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
