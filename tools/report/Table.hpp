// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_REPORT_TABLE_HPP
#define KINDRED_TOOLS_REPORT_TABLE_HPP

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace Kindred::Tools {

/// Stands for a value that was not measured or predicted.
inline constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

enum class ColumnKind : std::uint8_t {
  text,
  code,    ///< text in a font of fixed width
  number,  ///< aligned to the right, sorted by value
  bar,     ///< a number with a bar
  space    ///< the name of a space, in its colour
};

struct ReportColumn {
  std::string name;
  ColumnKind kind = ColumnKind::text;
};

struct ReportCell {
  std::string text;
  double value = not_known;  ///< by which a column is sorted; NaN: by its text
  double share = not_known;  ///< length of the bar, in [0, 1]; NaN: none
  bool best = false;         ///< is marked
};

/// \brief Rows below a heading.
struct ReportGroup {
  std::string heading;  ///< empty: none
  std::string note;     ///< follows the heading in a soft colour
  std::vector<std::vector<ReportCell>> rows;
};

struct ReportTable {
  std::string title{};
  std::string note{};
  std::vector<ReportColumn> columns{};
  std::vector<ReportGroup> groups{};  ///< one without a heading can be sorted by a reader
  bool folded = false;                ///< is opened by a click

  /// Appends a row to the last group, or to a first one without a heading.
  void add_row(std::vector<ReportCell> row);
};

/// A cell of a column of numbers.
inline ReportCell number_cell(std::string text, double value) {
  return {std::move(text), value, not_known, false};
}
/// A cell with the digits of a number.
inline ReportCell digits_cell(std::uint64_t number) {
  return {std::to_string(number), static_cast<double>(number), not_known, false};
}
/// A cell of a column of bars. \param share length of the bar, in [0, 1]
inline ReportCell bar_cell(std::string text, double value, double share) {
  return {std::move(text), value, share, false};
}

/// Appends the table as HTML. \param bytes_max rows that make it larger are omitted, and counted
void append_table(std::string& out, const ReportTable& table, std::size_t bytes_max);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_REPORT_TABLE_HPP
