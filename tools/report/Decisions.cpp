// SPDX-License-Identifier: Apache-2.0
#include "Parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>

namespace Kindred::Tools {
namespace {

constexpr std::size_t rows_max = 500;
constexpr std::size_t bytes_max = 250'000;

double regret(const DispatchRecord& record) {
  double best = record.taken;
  for (const double value : record.predicted) best = std::fmin(best, value);
  return record.taken - best;
}

/// The rows to show: all, or those of greatest regret, in chronological order.
std::vector<std::size_t> shown_decisions(const std::vector<DispatchRecord>& decisions) {
  std::vector<std::size_t> order(decisions.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (order.size() <= rows_max) return order;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return regret(decisions[a]) > regret(decisions[b]);
  });
  order.resize(rows_max);
  std::sort(order.begin(), order.end());
  return order;
}

ReportTable summary_of(const std::vector<DispatchRecord>& decisions) {
  struct Sum {
    std::uint64_t calls = 0;
    double taken = 0;
    double regret = 0;
  };
  std::map<std::tuple<Operation, Space, Reason>, Sum> sums;
  for (const DispatchRecord& record : decisions) {
    Sum& sum = sums[{record.operation, record.chosen, record.why}];
    ++sum.calls;
    sum.taken += record.taken;
    sum.regret += regret(record);
  }
  ReportTable table{
      .title = "Calls by operation",
      .note =
          "Where the calls ran, and why. Regret is the time taken beyond the least predicted time.",
      .columns = {{"operation", ColumnKind::text},
                  {"ran on", ColumnKind::space},
                  {"why", ColumnKind::text},
                  {"calls", ColumnKind::number},
                  {"taken", ColumnKind::number},
                  {"regret", ColumnKind::number}}};
  for (const auto& [key, sum] : sums) {
    const auto& [operation, space, why] = key;
    table.add_row({{std::string(to_string(operation))},
                   {std::string(to_string(space))},
                   {std::string(to_string(why))},
                   count_cell((sum.calls)),
                   time_cell(sum.taken),
                   time_cell(sum.regret)});
  }
  return table;
}

ReportTable each_of(const std::vector<DispatchRecord>& decisions) {
  const std::vector<std::size_t> shown = shown_decisions(decisions);
  ReportTable table{
      .title = "Every call", .note = "The least predicted time is marked.", .folded = true};
  if (shown.size() < decisions.size()) {
    table.note += fmt::format(" The {} of {} calls with the greatest regret are listed.",
                              shown.size(), decisions.size());
  }
  std::vector<std::size_t> used;
  for (const Space space : all_spaces) {
    const auto at = static_cast<std::size_t>(space);
    if (std::any_of(shown.begin(), shown.end(),
                    [&](std::size_t i) { return std::isfinite(decisions[i].predicted[at]); }))
      used.push_back(at);
  }
  table.columns = {
      {"#", ColumnKind::number}, {"operation", ColumnKind::text}, {"items", ColumnKind::number}};
  for (const std::size_t at : used)
    table.columns.push_back(
        {"predicted " + std::string(to_string(all_spaces[at])), ColumnKind::number});
  table.columns.insert(table.columns.end(), {{"ran on", ColumnKind::space},
                                             {"taken", ColumnKind::number},
                                             {"why", ColumnKind::text},
                                             {"regret", ColumnKind::number}});
  for (const std::size_t i : shown) {
    const DispatchRecord& record = decisions[i];
    double least = not_known;
    for (const double value : record.predicted) least = std::fmin(least, value);
    std::vector<ReportCell> row{count_cell((i + 1)),
                                {std::string(to_string(record.operation))},
                                count_cell((record.items))};
    for (const std::size_t at : used) {
      row.push_back(time_cell(record.predicted[at]));
      row.back().best = record.predicted[at] == least;
    }
    row.push_back({std::string(to_string(record.chosen))});
    row.push_back(time_cell(record.taken));
    row.push_back({std::string(to_string(record.why))});
    row.push_back(time_cell(regret(record)));
    table.add_row(std::move(row));
  }
  return table;
}

}  // namespace

void append_decisions(std::string& out, const std::vector<DispatchRecord>& decisions) {
  if (decisions.empty()) return;
  append_table(out, summary_of(decisions), bytes_max);
  append_table(out, each_of(decisions), bytes_max);
}

}  // namespace Kindred::Tools
