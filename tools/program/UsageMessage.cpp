// SPDX-License-Identifier: Apache-2.0
#include "program/UsageMessage.hpp"

#include "program/Errors.hpp"

#include <kindred/matcher/Similarity.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>

namespace Kindred::Tools {

namespace {

/// Names that other programs give to flags of this one.
constexpr std::array<std::pair<std::string_view, std::string_view>, 28> synonyms{
    {{"-o", "--out"},
     {"--output", "--out"},
     {"--out", "--out-ids"},
     {"--output", "--out-ids"},
     {"--threshold", "--at-least"},
     {"--score-cutoff", "--threshold"},
     {"--cutoff", "--threshold"},
     {"--scorer", "--measure"},
     {"--metric", "--measure"},
     {"--measure", "--metric"},
     {"--alpha", "--damping"},
     {"--edges", "--graph"},
     {"-n", "--top"},
     {"--k", "--top"},
     {"--topk", "--top"},
     {"--top-k", "--top"},
     {"--limit", "--top"},
     {"--n-results", "--top"},
     {"--distance", "--metric"},
     {"--ef-search", "--ef"},
     {"--efSearch", "--ef"},
     {"--efConstruction", "--ef-construction"},
     {"-M", "--m"},
     {"--M", "--m"},
     {"--verbose", "--explain"},
     {"-q", "--quiet"},
     {"-j", "--threads"},
     {"--gpu", "--space cuda"}}};

/// Names of tasks that are not commands, and the command for each.
constexpr std::array<std::pair<std::string_view, std::string_view>, 9> named_tasks{
    {{"demo", "kindred-demo"},
     {"pagerank", "spread --mode pagerank"},
     {"dedupe", "match --self"},
     {"dedup", "match --self"},
     {"deduplicate", "match --self"},
     {"cluster", "match --self --clusters single"},
     {"hnsw", "index"},
     {"verify", "vectors verify, graph verify or patterns verify"},
     {"build", "vectors build, index build, graph build or patterns build"}}};

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string_view without_dashes(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of('-'), text.size()));
}

bool is_flag(std::string_view text) { return text.size() > 1 && text.front() == '-'; }

/// The names of the flags that \p command accepts.
std::vector<std::string> flags_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* app = &command; app != nullptr; app = app->get_parent()) {
    for (const CLI::Option* option : app->get_options()) {
      if (option->get_group().empty()) continue;
      for (std::string& name : spellings(*option)) names.push_back(std::move(name));
    }
  }
  return names;
}

/// `--queries FILE`, or the name of an argument.
std::string shown(const CLI::Option& option) {
  if (option.get_positional()) return option.get_name(true);
  const std::string type = option.get_type_name();
  return "--" + option.get_lnames().front() + (type.empty() ? "" : " " + type);
}

std::string see_help(const CLI::App& command) {
  const std::string name = typed_name(command);
  return fmt::format(" (see {}{}{} --help)", program_name(command), name.empty() ? "" : " ", name);
}

std::string begun(const CLI::App& command) {
  const std::string name = typed_name(command);
  return name.empty() ? name : name + ": ";
}

std::string unknown_flag(const CLI::App& command, const std::string& argument) {
  const std::string flag = argument.substr(0, argument.find('='));
  const std::vector<std::string> known = flags_of(command);
  const auto is_known = [&](std::string_view name) {
    return contains(known, name.substr(0, name.find(' ')));
  };
  std::string fix;
  if (is_known(flag)) {
    return fmt::format("{} is given before the command {}; give it after: kindred {} {} …",
                       in_quotes(flag), typed_name(command), typed_name(command), flag);
  }
  for (const auto& [other, name] : synonyms) {
    if (flag == other && is_known(name)) fix = fmt::format("; did you mean {}?", name);
  }
  if (fix.empty()) fix = did_you_mean(flag, known);
  if (fix.empty()) {
    for (const CLI::Option* option : listed_options(command)) {
      if (option->get_positional())
        fix = fmt::format("; the file is an argument: kindred {} {}", typed_name(command),
                          option->get_name(true));
    }
  }
  return fmt::format("{}there is no flag {}{}", begun(command), in_quotes(flag), fix);
}

std::string unknown_command(const CLI::App& group, const std::string& name) {
  const std::vector<std::string> names = command_names(group);
  std::string fix;
  for (const auto& [task, command] : named_tasks) {
    if (name == task && group.get_parent() == nullptr)
      fix = fmt::format("; did you mean {}?", command);
  }
  if (fix.empty()) fix = did_you_mean(name, names);
  if (fix.empty() && !names.empty()) fix = fmt::format("; there are {}", fmt::join(names, ", "));
  return fmt::format("there is no command {}{}", in_quotes(name), fix);
}

/// Arguments that a command does not take, in the order in which they were given.
std::string unknown_arguments(const CLI::App& command, const std::vector<std::string>& arguments) {
  std::vector<std::string> quoted;
  for (const std::string& argument : arguments) quoted.push_back(in_quotes(argument));
  std::vector<std::string> files;
  std::vector<std::string> places;
  for (const CLI::Option* option : listed_options(command)) {
    const bool is_output =
        !option->get_lnames().empty() && option->get_lnames().front().rfind("out", 0) == 0;
    if (option->get_positional()) {
      places.push_back(option->get_name(true));
    } else if (option->get_type_name().rfind("FILE", 0) == 0 && !is_output) {
      files.push_back(shown(*option));
    }
  }
  std::string fix = "; it takes none";
  if (!places.empty()) {
    fix = fmt::format("; it takes {}", fmt::join(places, " "));
  } else if (!files.empty()) {
    fix = fmt::format("; files are given by flags: {}", fmt::join(files, ", "));
  }
  return fmt::format("{}there {} {}{}", begun(command),
                     quoted.size() == 1 ? "is no argument" : "are no arguments",
                     fmt::join(quoted, ", "), fix);
}

std::string unexpected(const CLI::App& command, const std::vector<std::string>& arguments) {
  const auto flag = std::find_if(arguments.begin(), arguments.end(), is_flag);
  if (flag == arguments.begin()) return unknown_flag(command, *flag);
  if (!command_names(command).empty())
    return begun(command) + unknown_command(command, arguments.front());
  return unknown_arguments(command, {arguments.begin(), flag});
}

/// What is required and was not given.
std::string missing(const CLI::App& command) {
  const std::vector<std::string> commands = command_names(command);
  if (!commands.empty())
    return fmt::format("{}a command is required: {}", begun(command), fmt::join(commands, ", "));
  std::vector<std::string> options;
  for (const CLI::Option* option : listed_options(command)) {
    if (option->get_required() && option->count() == 0) options.push_back(shown(*option));
  }
  return fmt::format("{}{} {} required", begun(command), fmt::join(options, ", "),
                     options.size() == 1 ? "is" : "are");
}

/// A wrong number of values of an option, for which the parser's text is \p why.
std::string mismatched(const CLI::App& command, const std::string& why) {
  const std::string name = why.substr(0, why.find(':'));
  if (why.find("missing") != why.npos) {
    return fmt::format("{}{} needs a value", begun(command), name);
  }
  if (why.find("At Most") != why.npos)
    return fmt::format("{}{} is given more than once", begun(command), name);
  return begun(command) + why;
}

/// An error in the file of --config, for which the parser's text is \p why.
std::string config_message(const CLI::App& app, std::string why) {
  const std::string unknown = "INI was not able to parse ";
  if (why.rfind(unknown, 0) == 0) {
    const std::string name = why.substr(unknown.size());
    const auto dot = name.rfind('.');
    std::vector<std::string> path;
    std::istringstream sections(dot == name.npos ? "" : name.substr(0, dot));
    for (std::string section; std::getline(sections, section, '.');) path.push_back(section);
    const CLI::App& command = find_command(app, "--config", path);
    std::vector<std::string> known;
    for (const std::string& flag : flags_of(command))
      if (flag.rfind("--", 0) == 0) known.push_back(flag.substr(2));
    const std::string key = dot == name.npos ? name : name.substr(dot + 1);
    // Known, but refused: a flag of every command in the section of one.
    why = contains(known, key)
              ? fmt::format("{} is a flag of every command: give it before the first [section]",
                            in_quotes(key))
              : fmt::format("{}there is no flag {}{}", begun(command), in_quotes(key),
                            did_you_mean(key, known));
  }
  return "--config: " + why;
}

}  // namespace

std::string suggestion(std::string_view wrong, const std::vector<std::string>& known) {
  const std::string_view text = without_dashes(wrong);
  if (text.size() < 2) return {};
  std::vector<std::string> beginning;
  for (const std::string& each : known) {
    if (without_dashes(each).starts_with(text)) beginning.push_back(each);
  }
  if (beginning.size() == 1) return beginning.front();
  try {
    const PreparedQuery query(Measure::lcs, text);
    // A changed character is two operations of the measure, a missing or an additional one is one.
    constexpr double operations_max = 4;
    std::string best;
    double best_similarity = 0.6;
    for (const std::string& each : known) {
      const std::string_view candidate = without_dashes(each);
      const double similarity = query.similarity(candidate);
      const double operations =
          (1 - similarity) * static_cast<double>(text.size() + candidate.size());
      if (operations > operations_max || similarity <= best_similarity) continue;
      best = each;
      best_similarity = similarity;
    }
    return best;
  } catch (const InvalidArgument&) {
    return {};  // not UTF-8
  }
}

std::string did_you_mean(std::string_view wrong, const std::vector<std::string>& known) {
  const std::string found = suggestion(wrong, known);
  return found.empty() ? found : "; did you mean " + found + "?";
}

const CLI::App& selected_command(const CLI::App& app) {
  const auto commands = app.get_subcommands();
  return commands.empty() ? app : selected_command(*commands.front());
}

std::string program_name(const CLI::App& command) {
  return command.get_parent() == nullptr ? command.get_name() : program_name(*command.get_parent());
}

std::string typed_name(const CLI::App& command) {
  if (command.get_parent() == nullptr) return {};
  const std::string group = typed_name(*command.get_parent());
  return group.empty() ? command.get_name() : group + " " + command.get_name();
}

std::vector<const CLI::App*> commands_of(const CLI::App& group) {
  return group.get_subcommands([](const CLI::App*) { return true; });
}

std::vector<std::string> command_names(const CLI::App& group) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands_of(group)) names.push_back(command->get_name());
  return names;
}

std::vector<std::string> spellings(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

std::vector<const CLI::Option*> listed_options(const CLI::App& command) {
  return command.get_options([](const CLI::Option* option) {
    return !option->get_group().empty() && option->get_name() != "--help";
  });
}

const CLI::App& find_command(const CLI::App& app, const char* asked,
                             const std::vector<std::string>& names) {
  const CLI::App* command = &app;
  for (const std::string& name : names) {
    const auto found =
        command->get_subcommands([&](const CLI::App* each) { return each->get_name() == name; });
    if (found.empty())
      throw UsageError(fmt::format("{}: {}", asked, unknown_command(*command, name)));
    command = found.front();
  }
  return *command;
}

std::string usage_message(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = selected_command(app);
  const std::vector<std::string> arguments = app.remaining(true);
  const bool is_required = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  const bool is_extra = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
  std::string text;
  if (!arguments.empty() && (is_required || is_extra)) {
    text = unexpected(command, arguments);
  } else if (is_required) {
    text = missing(command);
  } else if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    text = mismatched(command, error.what());
  } else if (dynamic_cast<const CLI::ConfigError*>(&error) != nullptr ||
             dynamic_cast<const CLI::FileError*>(&error) != nullptr) {
    try {
      return config_message(app, error.what());
    } catch (const UsageError& other) {
      return other.what();
    }
  } else {
    // A value in a configuration may belong to another command than the selected one.
    const std::string why = error.what();
    const bool is_own = contains(flags_of(command), why.substr(0, why.find_first_of(": ")));
    if (!is_own && app.get_config_ptr() != nullptr && app.get_config_ptr()->count() > 0)
      return "--config: " + why;
    text = begun(command) + why;
    if (dynamic_cast<const CLI::ExcludesError*>(&error) != nullptr) text += "; omit one of them";
  }
  return text + see_help(command);
}

}  // namespace Kindred::Tools
