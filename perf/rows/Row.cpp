// SPDX-License-Identifier: Apache-2.0
#include "rows/Row.hpp"

#include <kindred/core/common/Error.hpp>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace Kindred::Perf {

bool Row::has_tag(const std::string& tag) const {
  return std::ranges::find(tags, tag) != tags.end();
}

std::size_t RowSizes::scaled(double count, double least) const {
  return static_cast<std::size_t>(std::max(least, std::floor(count * scale)));
}

std::vector<Row> all_rows(const RowSizes& sizes) {
  using Collection = std::pair<const char*, std::vector<Row> (*)(const RowSizes&)>;
  constexpr Collection collections[] = {{"h200", h200_rows},          {"peers", peer_rows},
                                        {"scaling", sequence_rows},   {"kato", kato_rows},
                                        {"memory", memory_rows},      {"hnsw", hnsw_rows},
                                        {"published", published_rows}};
  std::vector<Row> all;
  for (const auto& [collection, rows_of] : collections) {
    for (Row& row : rows_of(sizes)) {
      if (!row.has_tag(collection)) row.tags.emplace_back(collection);
      all.push_back(std::move(row));
    }
  }
  return all;
}

std::vector<Row> selected_rows(const RowSizes& sizes, const RowFilter& filter) {
  std::vector<Row> rows = all_rows(sizes);
  for (const std::string& name : filter.only)
    KINDRED_THROW_IF(std::ranges::find(rows, name, &Row::name) == rows.end(),
                     "--only " + name + ": there is no such row; `kindred-perf rows` lists them");
  std::set<std::string> known;
  for (const Row& row : rows) known.insert(row.tags.begin(), row.tags.end());
  for (const std::string& tag : filter.tags) {
    std::string names;
    for (const std::string& name : known) names += (names.empty() ? "" : ", ") + name;
    KINDRED_THROW_IF(known.count(tag) == 0, "--tag " + tag + ": it must be one of " + names);
  }
  std::erase_if(rows, [&](const Row& row) {
    const bool is_named = std::ranges::find(filter.only, row.name) != filter.only.end();
    if (!filter.only.empty() && !is_named) return true;
    if (row.on_request && !is_named) return true;
    return !std::ranges::all_of(filter.tags, [&](const auto& tag) { return row.has_tag(tag); });
  });
  return rows;
}

Row row_named(const RowSizes& sizes, const std::string& name) {
  for (Row& row : all_rows(sizes))
    if (row.name == name) return std::move(row);
  throw InvalidArgument("there is no row " + name);
}

}  // namespace Kindred::Perf
