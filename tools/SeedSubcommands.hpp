// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_SEED_SUBCOMMANDS_HPP
#define KINDRED_TOOLS_SEED_SUBCOMMANDS_HPP

#include "program/Options.hpp"

#include <CLI/CLI.hpp>

namespace Kindred::Tools {

// Each function adds a subcommand of `seeds` to its group.
void add_seed_step_command(CLI::App& group, const GlobalOptions& global);
void add_seed_telemetry_command(CLI::App& group, const GlobalOptions& global);
void add_seed_report_command(CLI::App& group, const GlobalOptions& global);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_SEED_SUBCOMMANDS_HPP
