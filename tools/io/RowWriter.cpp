// SPDX-License-Identifier: Apache-2.0
#include "io/RowWriter.hpp"

#include "io/AppendJson.hpp"
#include "io/TextFolding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace Kindred::Tools {

namespace {

/// Appends \p text as a field of RFC 4180.
void append_cell(std::string& out, std::string_view text, char separator) {
  const char special[] = {separator, '"', '\n', '\r'};
  if (text.find_first_of(std::string_view(special, sizeof(special))) == text.npos) {
    out += text;
    return;
  }
  out += '"';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

/// \p text on one line: control characters as in JSON.
std::string on_one_line(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) >= 0x20) {
      out += c;
      continue;
    }
    std::string escaped;
    append_json(escaped, std::string_view(&c, 1));
    out.append(escaped, 1, escaped.size() - 2);
  }
  return out;
}

}  // namespace

RowWriter::RowWriter(OutputFormat format, std::vector<std::string> columns, std::string& out)
    : m_format(format), m_columns(std::move(columns)), m_out(out) {}

void RowWriter::cell(std::string text, bool right) {
  m_cells.push_back({std::move(text), right});
  ++m_in_row;
}

void RowWriter::text(std::string_view text) {
  cell(m_format == OutputFormat::table ? on_one_line(text) : std::string(text), false);
}

void RowWriter::number(std::uint64_t number) { cell(std::to_string(number), true); }

template <std::floating_point Float>
void RowWriter::number(Float number) {
  std::string text;
  if (m_format == OutputFormat::table && std::isfinite(number)) {
    text = fmt::format("{:.4f}", number);
  } else {
    append_json(text, number);
  }
  cell(std::move(text), true);
}
template void RowWriter::number(double number);
template void RowWriter::number(float number);

void RowWriter::empty() { cell({}, false); }

void RowWriter::append_record(const std::vector<std::string_view>& fields) {
  const char separator = m_format == OutputFormat::tsv ? '\t' : ',';
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) m_out += separator;
    append_cell(m_out, fields[i], separator);
  }
  m_out += '\n';
}

void RowWriter::write_header() {
  if (std::exchange(m_began, true)) return;
  append_record({m_columns.begin(), m_columns.end()});
}

void RowWriter::end_row() {
  while (m_in_row < m_columns.size()) empty();
  m_in_row = 0;
  if (m_format == OutputFormat::table) return;
  write_header();
  std::vector<std::string_view> fields;
  fields.reserve(m_cells.size());
  for (const Cell& cell : m_cells) fields.emplace_back(cell.text);
  append_record(fields);
  m_cells.clear();
}

void RowWriter::finish() {
  if (m_format == OutputFormat::table) {
    write_table();
  } else {
    write_header();
  }
}

void RowWriter::write_table() {
  const std::size_t columns = m_columns.size();
  std::vector<std::size_t> widths;
  std::vector<bool> right(columns, false);  // a column with a number, whose name is aligned with it
  for (const std::string& name : m_columns) widths.push_back(width_of(name));
  for (std::size_t i = 0; i < m_cells.size(); ++i) {
    widths[i % columns] = std::max(widths[i % columns], width_of(m_cells[i].text));
    if (m_cells[i].right) right[i % columns] = true;
  }
  std::size_t pending = 0;  // spaces before the next text, which the end of a line does not need
  const auto append = [&](std::size_t column, std::string_view text, bool to_the_right) {
    const std::size_t spaces = widths[column] - width_of(text);
    if (to_the_right) pending += spaces;
    if (!text.empty()) {
      m_out.append(pending, ' ').append(text);
      pending = 0;
    }
    if (!to_the_right) pending += spaces;
    pending += 2;
    if (column + 1 < columns) return;
    m_out += '\n';
    pending = 0;
  };
  for (std::size_t c = 0; c < columns; ++c) append(c, m_columns[c], right[c]);
  for (std::size_t i = 0; i < m_cells.size(); ++i)
    append(i % columns, m_cells[i].text, m_cells[i].right);
  m_cells.clear();
}

}  // namespace Kindred::Tools
