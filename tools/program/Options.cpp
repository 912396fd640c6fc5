// SPDX-License-Identifier: Apache-2.0
#include "program/Options.hpp"

#include "program/Errors.hpp"
#include "program/ParseNumber.hpp"
#include "program/UsageMessage.hpp"

#include <kindred/core/common/Quotes.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace Kindred::Tools {

CLI::Option* add_parsed(CLI::App& app, const std::string& names, const std::string& help,
                        const char* type, std::function<void(const std::string&)> set) {
  const std::string name = names.substr(names.rfind(',') + 1);
  return app
      .add_option_function<std::string>(
          names,
          [name, set = std::move(set)](const std::string& text) {
            try {
              set(text);
            } catch (const RecordError& error) {
              throw CLI::ValidationError(name, error.what());
            }
          },
          help)
      ->type_name(type);
}

CLI::Option* add_name(CLI::App& app, const std::string& name, const std::string& help,
                      std::vector<std::string> names, std::function<void(std::size_t)> set,
                      std::map<std::string, std::string> synonyms) {
  return add_parsed(app, name, help, "NAME", [=](const std::string& text) {
    const auto found = std::find(names.begin(), names.end(), text);
    if (found != names.end()) return set(static_cast<std::size_t>(found - names.begin()));
    const auto other = synonyms.find(text);
    throw RecordError(fmt::format(
        "{} is not one of {}{}", in_quotes(text), fmt::join(names, ", "),
        other == synonyms.end() ? "" : fmt::format("; did you mean {}?", other->second)));
  });
}

CLI::Option* add_whole_number(CLI::App& app, const std::string& names, const std::string& help,
                              std::uint64_t least, std::uint64_t most,
                              std::function<void(std::uint64_t)> set) {
  return add_parsed(app, names, help, "N", [=](const std::string& text) {
    const auto number = parse_count(text);
    if (number && *number >= least && *number <= most) return set(*number);
    throw RecordError(
        most == std::numeric_limits<std::size_t>::max()
            ? fmt::format("'{}' is not a whole number ≥ {}", text, least)
            : fmt::format("'{}' is not a whole number in [{}, {}]", text, least, most));
  });
}

CLI::Option* add_top(CLI::App& app, std::size_t& value, const std::string& help, std::size_t most) {
  return add_count(app, "-k,--top", value, help, 1, most);
}

CLI::Option* add_finite_number(CLI::App& app, const std::string& name, const std::string& help,
                               double least, double most, std::function<void(double)> set) {
  return add_parsed(app, name, help, "X", [=](const std::string& text) {
    const auto number = parse_number(text);
    if (number && *number >= least && *number <= most) return set(*number);
    throw RecordError(most == std::numeric_limits<double>::max()
                          ? fmt::format("'{}' is not a finite number ≥ {}", text, least)
                          : fmt::format("'{}' is not a number in [{}, {}]", text, least, most));
  });
}

void add_global_options(CLI::App& app, GlobalOptions& options, const char* group) {
  constexpr int threads_max = 512;
  constexpr int devices_max = 1023;
  const std::string other_group = app.option_defaults()->get_group();
  app.option_defaults()->group(group);
  Choices<std::optional<Space>> spaces{{"auto", std::nullopt}};
  for (const auto& [name, space] : choices_of<Space>()) spaces.emplace_back(name, space);
  add_choice(app, "--space", options.space,
             "Where to compute: auto, serial, openmp, cuda (default: auto, by predicted time)",
             std::move(spaces))
      ->type_name("SPACE");
  add_count(app, "--threads", options.threads, "Threads of the space openmp (default: all)", 1,
            threads_max);
  add_whole_number(app, "--device",
                   "GPU of the space cuda, counted from 0 (default: the one that Kokkos selects)",
                   0, devices_max,
                   [&options](std::uint64_t number) { options.device = static_cast<int>(number); });
  app.add_flag("--json", options.json,
               "Print data as JSON if the command also has a human-readable form");
  app.add_flag("--quiet", options.quiet, "Print only errors to stderr");
  add_choice(app, "--color", options.color,
             "Colours of errors and headings: auto, always or never (default: auto, on a terminal "
             "unless the environment sets NO_COLOR)",
             choices_of<ColorChoice>())
      ->type_name("WHEN");
  app.add_flag("--explain", options.explain, "Print one line of JSON per dispatch to stderr");
  add_file(app, "--trace", options.trace, "Write a Chrome trace");
  add_file(app, "--report", options.report, "Write an HTML report")->type_name("FILE.html");
  app.option_defaults()->group(other_group);
}

CLI::Option* add_file(CLI::App& app, const std::string& name, std::string& path,
                      const std::string& help) {
  return app.add_option(name, path, help)->type_name("FILE");
}

CLI::Option* add_input(CLI::App& app, const std::string& name, std::string& path,
                       const std::string& help) {
  return add_file(app, name, path, help)->required();
}

CLI::Option* add_out(CLI::App& app, std::string& path, const std::string& what) {
  return add_input(app, "--out", path, what + "; an existing file is replaced");
}

CLI::Validator named_file() {
  return {[](const std::string& path) {
            return path == "-" ? std::string("- stands for standard input; name a file") : "";
          },
          ""};
}

void exclude_each_other(const std::vector<CLI::Option*>& options) {
  for (std::size_t i = 0; i < options.size(); ++i)
    for (std::size_t k = 0; k < i; ++k) options[i]->excludes(options[k]);
}

void require_one(const CLI::App& command, const std::vector<CLI::Option*>& options) {
  std::vector<std::string> names;
  for (const CLI::Option* option : options) {
    if (option->count() > 0) return;
    names.push_back(option->get_name());
  }
  throw UsageError(
      fmt::format("{}: one of {} must be given", typed_name(command), fmt::join(names, ", ")));
}

void refuse_reports(const std::string& command, const GlobalOptions& global) {
  const char* const flag = !global.report.empty()  ? "--report"
                           : !global.trace.empty() ? "--trace"
                                                   : nullptr;
  if (flag != nullptr)
    throw UsageError(fmt::format("{}: {}: this command computes nothing to report", command, flag));
}

void add_input_argument(CLI::App& command, std::string& path, const std::string& place,
                        const std::string& made) {
  add_input(command, place, path, "A file created by `" + made + "`");
}

CLI::App* add_group(CLI::App& app, const std::string& name, const std::string& help) {
  return app.add_subcommand(name, help)->require_subcommand(1);
}

void add_store_reader(CLI::App& group, const std::string& place, const std::string& made,
                      const std::string& name, const std::string& help, const GlobalOptions& global,
                      std::function<void(const GlobalOptions&, const std::string&)> run) {
  const auto checked = [run = std::move(run)](const CLI::App& command, const GlobalOptions& options,
                                              const std::string& path) {
    refuse_reports(typed_name(command), options);
    run(options, path);
  };
  const auto [command, path] = add_command<std::string>(group, name, help, global, checked);
  add_input_argument(*command, *path, place, made);
}

}  // namespace Kindred::Tools
