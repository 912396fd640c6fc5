// SPDX-License-Identifier: Apache-2.0
#include "io/ColumnReader.hpp"

#include "program/ParseNumber.hpp"

#include <fmt/format.h>

namespace Kindred::Tools {

char separator_of(std::string_view path) noexcept {
  path = without_compression(path);
  return path.ends_with(".tsv") || path.ends_with(".tab") ? '\t' : ',';
}

ColumnReader::ColumnReader(const std::string& path, Column column, ReadProgress progress)
    : m_lines(path, std::move(progress)), m_column(std::move(column)) {}

void ColumnReader::fail(const std::string& why) const {
  throw BadLine(m_lines.name(), m_returned_line, why);
}

std::optional<std::string_view> ColumnReader::next() {
  while (!m_ready) {
    const auto line = m_lines.next();
    if (!line) {
      if (m_where == Where::quoted) {
        m_where = Where::record;
        // Cannot be skipped: all lines from there on are part of the field.
        throw InputError(
            fmt::format("{}:{}: the file ends within a field in quotes that begins here",
                        m_lines.name(), m_first_line));
      }
      if (m_fields == 0) {
        throw InputError(fmt::format("{}: the file is empty; its first line must name the columns",
                                     m_lines.name()));
      }
      return {};
    }
    take(*line);
  }
  m_ready = false;
  m_returned_line = m_first_line;
  if (!m_error.empty()) fail(std::exchange(m_error, {}));
  const std::size_t begin = m_wanted == 0 ? 0 : m_ends[m_wanted - 1];
  return std::string_view(m_text).substr(begin, m_ends[m_wanted] - begin);
}

bool ColumnReader::buffered() {
  while (!m_ready && m_lines.buffered()) take(*m_lines.next());
  return m_ready;
}

void ColumnReader::take(std::string_view line) {
  if (m_where == Where::record) {
    if (line.empty()) return;
    m_text.clear();
    m_ends.clear();
    m_first_line = m_lines.line();
    m_where = Where::field;
  }
  try {
    take_fields(line);
    if (m_where == Where::quoted) {
      m_text += m_lines.line_end();
      return;
    }
    end_record();
  } catch (const RecordError& error) {
    if (m_fields == 0)  // the header
      throw InputError(fmt::format("{}:{}: {}", m_lines.name(), m_first_line, error.what()));
    m_error = error.what();
  }
  m_where = Where::record;
  m_ready = m_fields > 0;
  if (m_fields == 0) find_column();
}

void ColumnReader::take_fields(std::string_view line) {
  for (const char c : line) {
    switch (m_where) {
      case Where::record:
      case Where::field:
        if (c == '"') {
          m_where = Where::quoted;
          break;
        }
        m_where = Where::unquoted;
        [[fallthrough]];
      case Where::unquoted:
        if (c == m_column.separator) {
          end_field();
        } else if (c == '"') {
          throw RecordError(fmt::format(
              "{} contains a quote, but does not begin with one: write the field in quotes, and "
              "each quote in it twice",
              field_in_message()));
        } else if (c == '\r') {
          throw RecordError(fmt::format(
              "{} contains a carriage return: lines end with \\n or \\r\\n, and a field "
              "that contains the end of a line is written in quotes",
              field_in_message()));
        } else {
          m_text += c;
        }
        break;
      case Where::quoted:
        if (c == '"') {
          m_where = Where::quote;
        } else {
          m_text += c;
        }
        break;
      case Where::quote:
        if (c == '"') {
          m_text += c;
          m_where = Where::quoted;
        } else if (c == m_column.separator) {
          end_field();
        } else {
          throw RecordError(
              fmt::format("{} continues after its closing quote: write each quote in it twice",
                          field_in_message()));
        }
        break;
    }
  }
}

void ColumnReader::end_field() {
  m_ends.push_back(m_text.size());
  m_where = Where::field;
}

void ColumnReader::end_record() {
  end_field();
  if (m_fields == 0 || m_ends.size() == m_fields) return;
  throw RecordError(fmt::format("{} fields; the header has {}{}", m_ends.size(), m_fields,
                                m_ends.size() < m_fields ? ""
                                : m_column.separator == ','
                                    ? "; write a field that contains a comma in quotes"
                                    : "; write a field that contains a tab in quotes"));
}

void ColumnReader::find_column() {
  std::vector<std::string> names;
  std::vector<std::size_t> found;  // numbers of the columns with the name
  std::size_t begin = 0;
  for (const std::size_t end : m_ends) {
    const auto name = std::string_view(m_text).substr(begin, end - begin);
    begin = end;
    names.push_back(in_quotes(name));
    if (name == m_column.name) found.push_back(names.size());
  }
  if (found.empty()) {
    const auto number = parse_count(m_column.name);
    if (number && *number >= 1 && *number <= names.size()) found.push_back(*number);
  }
  const auto refuse = [&](const std::string& why) {
    throw InputError(fmt::format("{}:{}: {}", m_lines.name(), m_first_line, why));
  };
  if (found.empty()) {
    refuse(fmt::format("there is no column {}; the columns are {}{}", in_quotes(m_column.name),
                       fmt::join(names, ", "),
                       names.size() > 1 ? "" : " (commas separate columns, in a *.tsv file tabs)"));
  }
  if (found.size() > 1) {
    refuse(fmt::format("{} columns are called {}; give the number of one, {}", found.size(),
                       in_quotes(m_column.name), fmt::join(found, " or ")));
  }
  m_wanted = found.front() - 1;
  m_fields = m_ends.size();
}

std::string ColumnReader::field_in_message() const {
  return fmt::format("field {}", m_ends.size() + 1);
}

}  // namespace Kindred::Tools
