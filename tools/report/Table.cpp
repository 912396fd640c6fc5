// SPDX-License-Identifier: Apache-2.0
#include "Table.hpp"

#include "Html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace Kindred::Tools {
namespace {

constexpr std::size_t cell_text_max = 400;  // bytes per cell

const char* class_of(ColumnKind kind) {
  switch (kind) {
    case ColumnKind::code:
      return " class=\"code\"";
    case ColumnKind::number:
      return " class=\"number\"";
    case ColumnKind::bar:
      return " class=\"bar\"";
    default:
      return "";
  }
}

void append_cell(std::string& out, ColumnKind kind, const ReportCell& cell) {
  const std::string text = Html::text(Html::clipped(cell.text, cell_text_max));
  out += "<td";
  if (cell.best) {
    out += kind == ColumnKind::number ? " class=\"number best\"" : " class=\"best\"";
  } else {
    out += class_of(kind);
  }
  if (std::isfinite(cell.value)) out += fmt::format(" data-value=\"{}\"", cell.value);
  out += '>';
  if (kind == ColumnKind::space) {
    out += fmt::format("<span class=\"tag {}\">{}</span>", text, text);
  } else if (kind == ColumnKind::bar) {
    out += fmt::format("<span>{}</span>", text);
    if (std::isfinite(cell.share)) {
      out += fmt::format("<span class=\"track\"><i style=\"width:{:.1f}%\"></i></span>",
                         100 * std::clamp(cell.share, 0.0, 1.0));
    }
  } else {
    out += text;
  }
  out += "</td>";
}

std::string row_html(const std::vector<ReportColumn>& columns,
                     const std::vector<ReportCell>& cells) {
  std::string row = "<tr>";
  for (std::size_t i = 0; i < columns.size(); ++i)
    append_cell(row, columns[i].kind, i < cells.size() ? cells[i] : ReportCell{});
  return row + "</tr>\n";
}

std::string heading_html(const ReportGroup& group, std::size_t columns) {
  return fmt::format(
      "<tr class=\"group\"><th colspan=\"{}\" scope=\"rowgroup\">{} <span "
      "class=\"soft\">{}</span></th></tr>\n",
      columns, Html::text(Html::clipped(group.heading, cell_text_max)),
      Html::text(Html::clipped(group.note, cell_text_max)));
}

}  // namespace

void ReportTable::add_row(std::vector<ReportCell> row) {
  if (groups.empty()) groups.emplace_back();
  groups.back().rows.push_back(std::move(row));
}

void append_table(std::string& out, const ReportTable& table, std::size_t bytes_max) {
  const bool sortable = table.groups.size() <= 1 &&
                        (table.groups.empty() || table.groups.front().heading.empty()) &&
                        table.columns.size() > 1;
  const std::string title = Html::text(table.title);
  out += "<div class=\"part\">\n";
  if (table.folded) {
    out += fmt::format("<details><summary>{}</summary>\n", title);
  } else if (!table.title.empty()) {
    out += fmt::format("<h3>{}</h3>\n", title);
  }
  if (!table.note.empty()) out += fmt::format("<p class=\"soft\">{}</p>\n", Html::text(table.note));
  out += fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\"><table{}>\n<thead>"
      "<tr>",
      title, sortable ? " class=\"sortable\"" : "");
  for (const ReportColumn& column : table.columns)
    out +=
        fmt::format("<th scope=\"col\"{}>{}</th>", class_of(column.kind), Html::text(column.name));
  out += "</tr></thead>\n";
  const std::size_t begin = out.size();
  std::size_t shown = 0;
  std::size_t all = 0;
  bool full = false;
  for (const ReportGroup& group : table.groups) {
    all += group.rows.size();
    if (full) continue;
    out += "<tbody>\n";
    if (!group.heading.empty()) out += heading_html(group, table.columns.size());
    for (const std::vector<ReportCell>& cells : group.rows) {
      const std::string row = row_html(table.columns, cells);
      full = full || out.size() - begin + row.size() > bytes_max;
      if (full) break;
      out += row;
      ++shown;
    }
    out += "</tbody>\n";
    full = full || out.size() - begin > bytes_max;
  }
  out += "</table></div>\n";
  if (shown < all) {
    out +=
        fmt::format("<p class=\"soft\">The first {} of {} rows are shown.</p>\n",
                    Html::count(static_cast<double>(shown)), Html::count(static_cast<double>(all)));
  }
  out += table.folded ? "</details></div>\n" : "</div>\n";
}

}  // namespace Kindred::Tools
