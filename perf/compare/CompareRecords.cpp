// SPDX-License-Identifier: Apache-2.0
#include "compare/CompareRecords.hpp"

#include <kindred/core/common/Error.hpp>

#include <algorithm>
#include <utility>

namespace Kindred::Perf {

namespace {

const Json* row_of(const Json& record, const std::string& name) {
  const Json& rows = record["rows"];
  const auto row =
      std::ranges::find_if(rows, [&](const Json& one) { return one.value("row", "") == name; });
  return row == rows.end() ? nullptr : &*row;
}

std::vector<double> samples_of(const Json& row) {
  return row.value("samples", std::vector<double>());
}

}  // namespace

std::vector<RowComparison> compare_records(const Json& before, const Json& after,
                                           const std::vector<std::string>& only,
                                           const Precision& precision) {
  std::vector<RowComparison> out;
  for (const Json& row : before["rows"]) {
    const auto name = row.value("row", std::string());
    if (!only.empty() && std::ranges::find(only, name) == only.end()) continue;
    const Json* const other = row_of(after, name);
    if (other == nullptr) continue;
    RowComparison one{name, "call", samples_of(row), samples_of(*other), {}, {}};
    if (one.before.empty() || one.after.empty()) continue;
    if (row.value("space", "") != other->value("space", "")) one.remark = "other space";
    out.push_back(std::move(one));
  }
  for (const std::string& name : only) {
    KINDRED_THROW_IF(std::ranges::find(out, name, &RowComparison::row) == out.end(),
                     "--only " + name + ": there is no such row in both records");
  }
  KINDRED_THROW_IF(out.empty(), "the two records have no common row with times of its calls");
  const double error = precision.error / static_cast<double>(out.size()) / 2;
  for (RowComparison& row : out) {
    const MedianInterval a = median_interval(row.before, error);
    const MedianInterval b = median_interval(row.after, error);
    row.ratio = {b.median / a.median, b.low / a.high, b.high / a.low};
    const bool is_certain = std::min(row.before.size(), row.after.size()) >= values_needed(error);
    row.verdict = verdict_of(row.ratio, precision, is_certain);
    if (!is_certain && row.remark.empty())
      row.remark = "needs --repeats " + std::to_string(values_needed(error));
  }
  return out;
}

}  // namespace Kindred::Perf
