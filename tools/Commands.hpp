// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_COMMANDS_HPP
#define KINDRED_TOOLS_COMMANDS_HPP

#include "Session.hpp"

namespace Kindred::Tools {

/// Adds a subcommand, with the callback that runs it, to the application or to a group.
using AddCommand = void(CLI::App& app, const GlobalOptions& global);

AddCommand add_info_command, add_calibrate_command, add_match_command, add_patterns_command,
    add_vectors_command, add_search_command, add_index_command, add_score_command,
    add_graph_command, add_lattice_command, add_seeds_command, add_seed_step_command,
    add_seed_report_command, add_bulk_command, add_spread_command;
void add_help_command(CLI::App& app);
void add_completion_command(CLI::App& app);
void add_man_command(CLI::App& app);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_COMMANDS_HPP
