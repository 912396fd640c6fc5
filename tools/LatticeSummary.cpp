// SPDX-License-Identifier: Apache-2.0
#include "LatticeSummary.hpp"

#include "io/AppendJson.hpp"
#include "report/Html.hpp"

#include <fmt/format.h>

#include <array>
#include <iterator>
#include <utility>

namespace Kindred::Tools {

namespace {

std::array<std::pair<const char*, WideCount>, 2> counts_of(const LatticeSummary& summary) {
  return {{{"vertices", summary.vertices}, {"edges", summary.edges}}};
}
std::array<std::pair<const char*, double>, 3> numbers_of(const LatticeSummary& summary) {
  return {{{"average_degree", summary.average_degree},
           {"clustering", summary.clustering},
           {"density", summary.density}}};
}

}  // namespace

LatticeSummary summary_of(const LatticeStatistics& statistics) {
  return {statistics.nodes,    statistics.edges,          true,
          statistics.diameter, statistics.average_degree, statistics.clustering,
          statistics.density};
}
LatticeSummary summary_of(const GraphStructure& found) {
  return {found.nodes,          found.edges,      found.is_connected(), found.diameter.value_or(0),
          found.average_degree, found.clustering, found.density};
}

void append_json(std::string& out, const LatticeSummary& summary) {
  const auto to = std::back_inserter(out);
  for (const auto& [name, count] : counts_of(summary))
    fmt::format_to(to, "\"{}\": {}, ", name, count);
  fmt::format_to(to, "\"connected\": {}, \"diameter\": {}", summary.connected, summary.diameter);
  for (const auto& [name, number] : numbers_of(summary)) {
    fmt::format_to(to, ", \"{}\": ", name);
    append_json(out, number);
  }
}

void append_text(std::string& out, const LatticeSummary& summary) {
  const auto to = std::back_inserter(out);
  for (const auto& [name, count] : counts_of(summary))
    fmt::format_to(to, "{:18} {}\n", name, count);
  fmt::format_to(to, "{:18} {}\n{:18} {}\n", "connected", summary.connected ? "yes" : "no",
                 "diameter", summary.diameter);
  for (const auto& [name, number] : numbers_of(summary)) {
    fmt::format_to(to, "{:18} ", name);
    append_json(out, number);
    out += '\n';
  }
}

ReportTable report_of(const LatticeSummary& summary) {
  ReportTable table;
  table.title = "Structure";
  table.columns = {{"property", ColumnKind::text}, {"value", ColumnKind::number}};
  const auto add = [&](const char* name, const std::string& value) {
    table.add_row({{name}, number_cell(value, not_known)});
  };
  for (const auto& [name, count] : counts_of(summary)) add(name, fmt::format("{}", count));
  add("connected", summary.connected ? "yes" : "no");
  add("diameter", fmt::format("{}", summary.diameter));
  for (const auto& [name, number] : numbers_of(summary)) add(name, Html::score(number));
  return table;
}

}  // namespace Kindred::Tools
