// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_COMMANDS_HPP
#define KINDRED_TOOLS_COMMANDS_HPP

#include "Session.hpp"

namespace Kindred::Tools {

// Each function adds a subcommand, with the callback that runs it, to the application or to a
// group.
void add_info_command(CLI::App& app, const GlobalOptions& global);
void add_calibrate_command(CLI::App& app, const GlobalOptions& global);
void add_match_command(CLI::App& app, const GlobalOptions& global);
void add_patterns_command(CLI::App& app, const GlobalOptions& global);
void add_vectors_command(CLI::App& app, const GlobalOptions& global);
void add_search_command(CLI::App& app, const GlobalOptions& global);
void add_index_command(CLI::App& app, const GlobalOptions& global);
void add_score_command(CLI::App& app, const GlobalOptions& global);
void add_graph_command(CLI::App& app, const GlobalOptions& global);
void add_lattice_command(CLI::App& app, const GlobalOptions& global);
void add_seeds_command(CLI::App& app, const GlobalOptions& global);
void add_seed_step_command(CLI::App& group, const GlobalOptions& global);
void add_seed_report_command(CLI::App& group, const GlobalOptions& global);
void add_bulk_command(CLI::App& app, const GlobalOptions& global);
void add_spread_command(CLI::App& app, const GlobalOptions& global);
void add_help_command(CLI::App& app);
void add_completion_command(CLI::App& app);
void add_man_command(CLI::App& app);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_COMMANDS_HPP
