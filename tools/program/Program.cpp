// SPDX-License-Identifier: Apache-2.0
#include "program/Program.hpp"

#include "program/Color.hpp"
#include "program/Errors.hpp"
#include "program/Log.hpp"
#include "program/Options.hpp"
#include "program/Output.hpp"
#include "program/UsageMessage.hpp"

#include <kindred/core/common/Error.hpp>

#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <iostream>
#include <new>
#include <sstream>
#include <stdexcept>

namespace Kindred::Tools {

namespace {

/// The help of a command, with coloured headings where standard output has colours.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    std::istringstream lines(CLI::Formatter::make_help(app, std::move(name), mode));
    std::string help;
    for (std::string line; std::getline(lines, line);) {
      const bool is_heading = !line.empty() && line.front() != ' ' && line.back() == ':';
      const std::string usage = "Usage:";
      if (is_heading) {
        help += heading(line, STDOUT_FILENO);
      } else if (line.rfind(usage, 0) == 0) {
        help += heading(usage, STDOUT_FILENO) + line.substr(usage.size());
      } else {
        help += line;
      }
      help += '\n';
    }
    return help;
  }
};

template <class Type>
bool is(const std::exception& error) noexcept {
  return dynamic_cast<const Type*>(&error) != nullptr;
}

int fail(const std::exception& error) {
  const ExitStatus status = exit_status(error);
  const bool bare_allocation = is<std::bad_alloc>(error) || is<std::length_error>(error);
  const auto* const argument = dynamic_cast<const InvalidArgument*>(&error);
  const auto* const file =
      is<CorruptText>(error) ? nullptr : dynamic_cast<const CorruptFile*>(&error);
  Log::error(bare_allocation       ? fmt::format("out of host memory ({})", error.what())
             : argument != nullptr ? reason_of(*argument)
             : file != nullptr
                 ? fmt::format("{}: byte {}: {}", file->path(), file->offset(), file->why())
                 : std::string(error.what()));
  return static_cast<int>(status);
}

/// Prints the help or the version that \p request asks for.
int print_requested(const CLI::App& app, const CLI::ParseError& request) {
  try {
    std::ostringstream text;
    app.exit(request, text, std::cerr);
    print(text.str());
    return static_cast<int>(ExitStatus::ok);
  } catch (const std::exception& error) {
    return fail(error);
  }
}

}  // namespace

ExitStatus exit_status(const std::exception& error) noexcept {
  if (is<OutOfMemory>(error) || is<std::bad_alloc>(error) || is<std::length_error>(error))
    return ExitStatus::out_of_memory;
  if (is<InputError>(error) || is<CorruptFile>(error) || is<NotFound>(error))
    return ExitStatus::input;
  if (is<UsageError>(error) || is<InvalidArgument>(error) || is<CLI::ParseError>(error))
    return ExitStatus::usage;
  return ExitStatus::runtime;
}

void prepare(CLI::App& app, GlobalOptions& global, const char* group, int argc,
             const char* const* argv, const LoadedLibrary& library) {
  choose_color_from(argc, argv);
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_version_flag(
      "--version", [&library] { return version_text(library); },
      "Print the version and how it was built");
  global.command_line.assign(argv, argv + argc);
  global.library = library;
  add_global_options(app, global, group);
  // Runs before the callback of a command, on whichever side of its name the flag is given.
  app.parse_complete_callback([&global] {
    Log::set_quiet(global.quiet);
    if (global.color) choose_color(*global.color);
  });
}

int parse(CLI::App& app, int argc, const char* const* argv) {
  try {
    app.parse(argc, argv);
    return static_cast<int>(ExitStatus::ok);
  } catch (const CLI::RuntimeError& error) {
    return error.get_exit_code();
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success))
      return print_requested(app, error);
    Log::error(usage_message(app, error));
    return static_cast<int>(ExitStatus::usage);
  } catch (const std::exception& error) {
    return fail(error);
  }
}

}  // namespace Kindred::Tools
