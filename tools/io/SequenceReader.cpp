// SPDX-License-Identifier: Apache-2.0
#include "io/SequenceReader.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace Kindred::Tools {

void Sequences::clear() {
  symbols.offsets.assign(1, 0);
  symbols.values.clear();
  names.clear();
  skipped.clear();
}

const SkippedLine* Sequences::skipped_at(std::size_t row) const {
  const auto found = std::lower_bound(
      skipped.begin(), skipped.end(), row,
      [](const SkippedLine& line, std::size_t sought) { return line.row < sought; });
  return found != skipped.end() && found->row == row ? &*found : nullptr;
}

SequenceReader::SequenceReader(const std::string& path, SequenceForm form, SymbolEncoder& encoder,
                               Learning learning, ReadProgress progress, Column column)
    : m_encoder(encoder), m_learning(learning) {
  switch (form) {
    case SequenceForm::json:
      m_json.emplace(
          path, [this](std::string_view field) { return keeps(field); }, std::move(progress));
      break;
    case SequenceForm::lines:
      m_lines.emplace(path, std::move(progress));
      break;
    case SequenceForm::column:
      m_column.emplace(path, std::move(column), std::move(progress));
      break;
  }
}

bool SequenceReader::keeps(std::string_view field) const {
  return field == "name" || field == "events" || field == "tokens" ||
         (field == "frequency" && m_sink != nullptr && m_learning == Learning::on);
}

bool SequenceReader::buffered() {
  if (m_column) return m_column->buffered();
  return m_lines ? m_lines->buffered() : m_json->lines().buffered();
}

void SequenceReader::fail(const std::string& why) const {
  if (m_column) m_column->fail(why);
  (m_lines ? *m_lines : m_json->lines()).fail(why);
}

/// Appends the strings that are within \p depth arrays. Returns the position of the next one.
std::size_t SequenceReader::append_strings(const JsonValue& value, std::size_t depth,
                                           bool of_events, std::size_t position,
                                           std::vector<Symbol>& out) {
  const bool is_array = value.kind == JsonKind::array;
  const char* const wrong = depth > 0 && !is_array   ? " where an array is expected"
                            : depth == 0 && is_array ? " in it"
                            : depth == 0 && value.kind != JsonKind::string
                                ? ", which is not a string"
                                : nullptr;
  if (wrong != nullptr) {
    throw RecordError(fmt::format("{}, but has {}{}",
                                  of_events ? "\"events\" must be an array of arrays of strings"
                                            : "\"tokens\" must be an array of strings",
                                  value.shown(), wrong));
  }
  if (depth > 0) {
    for (const JsonValue& one : value)
      position = append_strings(one, depth - 1, of_events, position, out);
  } else {
    m_encoder.append(value.text, position++, m_learning, out);
    if (m_sink != nullptr) m_sink->append(value.text, m_encoder.token(value.text, m_learning));
  }
  if (m_sink != nullptr && depth == (of_events ? 1 : 0)) m_sink->end_event();
  return position;
}

void SequenceReader::append(const JsonRecord& record, Sequences& out) {
  std::string_view key;
  for (const auto& [field, place] : record.fields()) {
    if (field != "events" && field != "tokens") continue;
    if (!key.empty())
      throw RecordError("\"events\" or \"tokens\" is given twice; a line has one of them, once");
    key = field;
  }
  if (key.empty()) throw RecordError("there is neither \"events\" nor \"tokens\"");
  const std::optional<std::string_view> name = record.name();
  std::uint32_t frequency = 1;
  if (const JsonValue* const given = record.find("frequency")) {
    constexpr std::uint32_t most = 0xFFFFFFFFU;
    if (!given->is_count(most) || given->magnitude == 0) {
      throw RecordError(fmt::format("\"frequency\" must be a whole number in [1, {}], but is {}",
                                    most, given->shown()));
    }
    frequency = static_cast<std::uint32_t>(given->magnitude);
  }
  const bool of_events = key == "events";
  const std::size_t strings =
      append_strings(record.at(key), of_events ? 2 : 1, of_events, 0, out.symbols.values);
  m_strings_max = std::max(m_strings_max, strings);
  out.symbols.close_row();
  out.names.push(name);
  if (m_sink != nullptr) m_sink->end_record(frequency);
}

bool SequenceReader::read(Sequences& out) {
  if (m_json) return m_json->next([&](const JsonRecord& record) { append(record, out); });
  const auto text = m_column ? m_column->next() : m_lines->next();
  if (!text) return false;
  try {
    m_encoder.append(*text, 0, m_learning, out.symbols.values);
  } catch (const RecordError& error) {
    fail(error.what());
  }
  out.symbols.close_row();
  out.names.push(*text);
  return true;
}

bool SequenceReader::next(Sequences& out) {
  try {
    return read(out);
  } catch (const BadLine& bad) {
    if (!m_skips_bad_lines) throw;
    out.symbols.values.resize(out.symbols.offsets.back());
    out.skipped.push_back({out.size(), bad.line(), bad.why()});
  }
  out.symbols.close_row();
  out.names.push({});
  if (m_sink != nullptr) {  // what it received stays as a record
    m_sink->end_event();
    m_sink->end_record(1);
  }
  return true;
}

}  // namespace Kindred::Tools
