// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_REPORT_PARTS_HPP
#define KINDRED_TOOLS_REPORT_PARTS_HPP

#include "Report.hpp"

/// The parts of a page that are more than a table. Each appends HTML.
namespace Kindred::Tools {

/// A plot of each operation, and the times as a table.
void append_sweeps(std::string& out, const std::vector<ReportSweep>& sweeps);

/// States and telemetry of a seed layer, and a table of the seeds.
void append_seeds(std::string& out, const ReportSeeds& layer);

/// The decisions by operation, and each of them.
void append_decisions(std::string& out, const std::vector<DispatchRecord>& decisions);

/// Style and script of a page.
namespace Page {
extern const char* const css;
extern const char* const js;
}  // namespace Page

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_REPORT_PARTS_HPP
