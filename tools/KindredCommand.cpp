// SPDX-License-Identifier: Apache-2.0
#include "KindredCommand.hpp"

#include "Color.hpp"
#include "Commands.hpp"
#include "HelpFormatter.hpp"
#include "Log.hpp"
#include "UsageMessage.hpp"
#include "VersionText.hpp"
#include "demo/Demo.hpp"
#include "io/Errors.hpp"
#include "io/Output.hpp"

#include <kindred/core/common/Error.hpp>

#include <fmt/format.h>

#include <cstdlib>
#include <iostream>
#include <memory>
#include <new>
#include <sstream>
#include <stdexcept>

namespace Kindred::Tools {

namespace {

template <class Type>
bool is(const std::exception& error) noexcept {
  return dynamic_cast<const Type*>(&error) != nullptr;
}

/// Adds --config. The file is only read where it is named, by the flag or the environment: one in
/// the working directory, which others may have written, is not.
void add_config_option(CLI::App& app) {
  const char* const path = std::getenv("KINDRED_CONFIG");
  const bool is_set = path != nullptr && *path != '\0';
  app.set_config("--config", is_set ? path : "",
                 "Defaults of flags in TOML: those of every command first, then a section for each "
                 "command, such as [search] or [index.build] (default: $KINDRED_CONFIG)",
                 is_set)
      ->type_name("FILE")
      ->group("For every command");
  app.allow_config_extras(CLI::config_extras_mode::error);
}

/// Accepts the global options also after the name of a command and of a command in a group.
void take_global_options(CLI::App& app) {
  for (CLI::App* command : app.get_subcommands({})) {
    command->fallthrough();
    command->footer(
        "For every command: --space, --threads, --device, --json, --quiet, --color, --explain, "
        "--trace, --report, --config (see kindred --help)");
    take_global_options(*command);
  }
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
int print(const CLI::App& app, const CLI::ParseError& request) {
  try {
    std::ostringstream text;
    app.exit(request, text, std::cerr);
    Output output;
    output.text() = text.str();
    output.flush();
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

int run(int argc, const char* const* argv, const LoadedLibrary& library) {
  CLI::App app(
      "Finds similar items (sequences, vectors), linked items (graphs) and the best "
      "candidates.\nData goes to standard output, everything else to stderr. Exit status: 0 ok, 1 "
      "runtime, 2 usage,\n3 bad file or data, 4 out of memory.",
      "kindred");
  choose_color_from(argc, argv);
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_version_flag(
      "--version", [&library] { return version_text(library); },
      "Print the version and how it was built");
  app.require_subcommand(1);
  add_config_option(app);
  GlobalOptions global;
  global.command_line.assign(argv, argv + argc);
  global.library = library;
  add_global_options(app, global);
  // Runs before the callback of the command, on whichever side of its name the flag is given.
  app.parse_complete_callback([&global] {
    Log::set_quiet(global.quiet);
    if (const auto color = color_choice_from_string(global.color)) choose_color(*color);
  });
  add_info_command(app, global);
  add_demo_command(app, global);
  add_calibrate_command(app, global);
  add_match_command(app, global);
  add_patterns_command(app, global);
  add_vectors_command(app, global);
  add_search_command(app, global);
  add_score_command(app, global);
  add_index_command(app, global);
  add_graph_command(app, global);
  add_spread_command(app, global);
  add_seeds_command(app, global);
  add_lattice_command(app, global);
  add_bulk_command(app, global);
  add_help_command(app);
  add_completion_command(app);
  add_man_command(app);
  take_global_options(app);
  try {
    app.parse(argc, argv);
    return static_cast<int>(ExitStatus::ok);
  } catch (const CLI::RuntimeError& error) {
    return error.get_exit_code();
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success))
      return print(app, error);
    Log::error(usage_message(app, error));
    return static_cast<int>(ExitStatus::usage);
  } catch (const std::exception& error) {
    return fail(error);
  }
}

}  // namespace Kindred::Tools
