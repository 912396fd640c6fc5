// SPDX-License-Identifier: Apache-2.0
#include "Commands.hpp"

#include <cstdlib>

namespace Kindred::Tools {

namespace {

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

}  // namespace

int run(int argc, const char* const* argv, const LoadedLibrary& library) {
  CLI::App app(
      "Finds similar items (sequences, vectors), linked items (graphs) and the best "
      "candidates.\nData goes to standard output, everything else to stderr. Exit status: 0 ok, 1 "
      "runtime, 2 usage,\n3 bad file or data, 4 out of memory.",
      "kindred");
  app.require_subcommand(1);
  add_config_option(app);
  GlobalOptions global;
  prepare(app, global, "For every command", argc, argv, library);
  for (AddCommand* const add :
       {add_info_command, add_calibrate_command, add_match_command, add_patterns_command,
        add_vectors_command, add_search_command, add_score_command, add_index_command,
        add_graph_command, add_spread_command, add_seeds_command, add_lattice_command,
        add_bulk_command})
    add(app, global);
  for (const auto add : {add_help_command, add_completion_command, add_man_command}) add(app);
  take_global_options(app);
  return parse(app, argc, argv);
}

}  // namespace Kindred::Tools
