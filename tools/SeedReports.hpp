// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_SEED_REPORTS_HPP
#define KINDRED_TOOLS_SEED_REPORTS_HPP

#include "program/Options.hpp"
#include "report/Report.hpp"

#include <kindred/matcher/SeedLayer.hpp>

#include <string>
#include <utility>
#include <vector>

namespace Kindred::Tools {

/// The report's data for labelled states and telemetry, in chronological order.
ReportSeeds report_of(
    const std::vector<std::pair<std::string, SeedState>>& states,
    const std::vector<std::pair<std::string, std::vector<SeedTelemetry>>>& epochs);

// Each function adds a subcommand of `seeds` to its group.
void add_seed_report_command(CLI::App& group, const GlobalOptions& global);
void add_seed_step_command(CLI::App& group, const GlobalOptions& global);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_SEED_REPORTS_HPP
