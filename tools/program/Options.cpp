// SPDX-License-Identifier: Apache-2.0
#include "program/Options.hpp"

#include "program/Color.hpp"
#include "program/Errors.hpp"
#include "program/ParseNumber.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

namespace Kindred::Tools {

namespace {

constexpr int threads_max = 512;
constexpr int devices_max = 1023;

[[noreturn]] void refuse(const std::string& name, const std::string& why) {
  throw CLI::ValidationError(name, why);
}

}  // namespace

CLI::Option* add_count(CLI::App& app, const std::string& names, std::size_t& value,
                       const std::string& help, std::size_t least, std::size_t most) {
  const std::string name = names.substr(names.rfind(',') + 1);
  return app
      .add_option_function<std::string>(
          names,
          [name, &value, least, most](const std::string& text) {
            const auto number = parse_count(text);
            if (!number || *number < least || *number > most) {
              refuse(name, most == std::numeric_limits<std::size_t>::max()
                               ? fmt::format("'{}' is not a whole number ≥ {}", text, least)
                               : fmt::format("'{}' is not a whole number in [{}, {}]", text, least,
                                             most));
            }
            value = *number;
          },
          help)
      ->type_name("N");
}

CLI::Option* add_top(CLI::App& app, std::size_t& value, const std::string& help, std::size_t most) {
  return add_count(app, "-k,--top", value, help, 1, most);
}

CLI::Option* add_number(CLI::App& app, const std::string& name, std::optional<double>& value,
                        const std::string& help, double least, double most) {
  return app
      .add_option_function<std::string>(
          name,
          [name, &value, least, most](const std::string& text) {
            const auto number = parse_number(text);
            if (!number || !(*number >= least && *number <= most)) {
              refuse(name,
                     most == std::numeric_limits<double>::max()
                         ? fmt::format("'{}' is not a finite number ≥ {}", text, least)
                         : fmt::format("'{}' is not a number in [{}, {}]", text, least, most));
            }
            value = *number;
          },
          help)
      ->type_name("X");
}

void add_global_options(CLI::App& app, GlobalOptions& options, const char* group) {
  app.add_option_function<std::string>(
         "--space",
         [&options](const std::string& text) {
           options.space = from_string<Space>(text);
           if (!options.space && text != "auto")
             refuse("--space", fmt::format("'{}' is not one of auto, serial, openmp, cuda", text));
         },
         "Where to compute: auto, serial, openmp, cuda (default: auto, by predicted time)")
      ->type_name("SPACE")
      ->group(group);
  app.add_option_function<std::string>(
         "--threads",
         [&options](const std::string& text) {
           const auto number = parse_count(text);
           if (!number || *number < 1 || *number > threads_max) {
             refuse("--threads",
                    fmt::format("'{}' is not a whole number in [1, {}]", text, threads_max));
           }
           options.threads = static_cast<int>(*number);
         },
         "Threads of the space openmp (default: all)")
      ->type_name("N")
      ->group(group);
  app.add_option_function<std::string>(
         "--device",
         [&options](const std::string& text) {
           const auto number = parse_count(text);
           if (!number || *number > devices_max) {
             refuse("--device",
                    fmt::format("'{}' is not a whole number in [0, {}]", text, devices_max));
           }
           options.device = static_cast<int>(*number);
         },
         "GPU of the space cuda, counted from 0 (default: the one that Kokkos selects)")
      ->type_name("N")
      ->group(group);
  app.add_flag("--json", options.json,
               "Print data as JSON if the command also has a human-readable form")
      ->group(group);
  app.add_flag("--quiet", options.quiet, "Print only errors to stderr")->group(group);
  app.add_option_function<std::string>(
         "--color",
         [&options](const std::string& text) {
           if (!color_choice_from_string(text))
             refuse("--color", fmt::format("'{}' is not one of auto, always, never", text));
           options.color = text;
         },
         "Colours of errors and headings: auto, always or never (default: auto, on a terminal "
         "unless the environment sets NO_COLOR)")
      ->type_name("WHEN")
      ->group(group);
  app.add_flag("--explain", options.explain, "Print one line of JSON per dispatch to stderr")
      ->group(group);
  app.add_option("--trace", options.trace, "Write a Chrome trace")->type_name("FILE")->group(group);
  app.add_option("--report", options.report, "Write an HTML report")
      ->type_name("FILE.html")
      ->group(group);
}

CLI::Option* add_file(CLI::App& app, const std::string& name, std::string& path,
                      const std::string& help) {
  return app.add_option(name, path, help)->type_name("FILE");
}

void refuse_reports(const std::string& command, const GlobalOptions& global) {
  const char* const flag = !global.report.empty()  ? "--report"
                           : !global.trace.empty() ? "--trace"
                                                   : nullptr;
  if (flag != nullptr)
    throw UsageError(fmt::format("{}: {}: this command computes nothing to report", command, flag));
}

void refuse_renamed(CLI::App& command, const std::string& whole, const std::string& old,
                    const std::string& now) {
  command
      .add_option_function<std::string>(
          old,
          [whole, old, now](const std::string&) {
            throw UsageError(fmt::format("{}: instead of {} use {}", whole, old, now));
          })
      ->expected(0, 1)
      ->group("");  // hidden from the help
}

void add_input_argument(CLI::App& command, const std::string& whole, std::string& path,
                        const std::string& place, const std::string& made, const std::string& old) {
  command.add_option(place, path, "A file created by `" + made + "`")
      ->type_name("FILE")
      ->required();
  refuse_renamed(command, whole, old, fmt::format("the file alone: kindred {} {}", whole, place));
}

void add_store_reader(CLI::App& group, const std::string& place, const std::string& old,
                      const std::string& made, const std::string& name, const std::string& help,
                      const GlobalOptions& global,
                      std::function<void(const GlobalOptions&, const std::string&)> run) {
  CLI::App* command = group.add_subcommand(name, help);
  const auto path = std::make_shared<std::string>();
  const std::string whole = group.get_name() + " " + name;
  add_input_argument(*command, whole, *path, place, made, old);
  command->callback([&global, path, run = std::move(run), whole] {
    refuse_reports(whole, global);
    run(global, *path);
  });
}

}  // namespace Kindred::Tools
