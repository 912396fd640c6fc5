// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_REPORT_PARTS_HPP
#define KINDRED_TOOLS_REPORT_PARTS_HPP

#include "Html.hpp"
#include "Report.hpp"

/// The parts of a page that are more than a table. Each appends HTML.
namespace Kindred::Tools {

// Cells of columns of numbers.
inline ReportCell time_cell(double seconds) { return number_cell(Html::time(seconds), seconds); }
ReportCell count_cell(auto count) {
  const auto value = static_cast<double>(count);
  return number_cell(Html::count(value), value);
}

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
