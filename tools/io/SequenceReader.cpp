// SPDX-License-Identifier: Apache-2.0
#include "io/SequenceReader.hpp"

#include "io/JsonLines.hpp"

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

struct SequenceReader::State {
  State(SymbolEncoder& an_encoder, Learning a_learning)
      : encoder(an_encoder), learning(a_learning) {}

  bool keeps(std::string_view field) const {
    return field == "name" || field == "events" || field == "tokens" ||
           (field == "frequency" && sink != nullptr && learning == Learning::on);
  }
  bool read(Sequences& out);
  void append(const JsonRecord& record, Sequences& out);
  std::size_t append_strings(const JsonValue& value, std::size_t depth, bool of_events,
                             std::size_t position, std::vector<Symbol>& out);
  [[noreturn]] void fail(const std::string& why) const {
    if (column) column->fail(why);
    (lines ? *lines : json->lines()).fail(why);
  }

  SymbolEncoder& encoder;
  Learning learning;
  bool skip_bad_lines = false;
  EventSink* sink = nullptr;
  std::size_t strings_max = 0;  // over all records
  // One of them, by form.
  std::optional<JsonLines> json;
  std::optional<LineReader> lines;
  std::optional<ColumnReader> column;
};

SequenceReader::SequenceReader(const std::string& path, SequenceForm form, SymbolEncoder& encoder,
                               Learning learning, ReadProgress progress, Column column)
    : m_state(std::make_unique<State>(encoder, learning)) {
  State& state = *m_state;
  switch (form) {
    case SequenceForm::json:
      state.json.emplace(
          path, [&state](std::string_view field) { return state.keeps(field); },
          std::move(progress));
      break;
    case SequenceForm::lines:
      state.lines.emplace(path, std::move(progress));
      break;
    case SequenceForm::column:
      state.column.emplace(path, std::move(column), std::move(progress));
      break;
  }
}

SequenceReader::~SequenceReader() = default;

bool SequenceReader::buffered() {
  if (m_state->column) return m_state->column->buffered();
  return m_state->lines ? m_state->lines->buffered() : m_state->json->lines().buffered();
}

std::size_t SequenceReader::strings_max() const noexcept { return m_state->strings_max; }

void SequenceReader::keep_events(EventSink& sink) { m_state->sink = &sink; }

void SequenceReader::skip_bad_lines() { m_state->skip_bad_lines = true; }

void SequenceReader::fail(const std::string& why) const { m_state->fail(why); }

/// Appends the strings that are within \p depth arrays. Returns the position of the next one.
std::size_t SequenceReader::State::append_strings(const JsonValue& value, std::size_t depth,
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
    encoder.append(value.text, position++, learning, out);
    if (sink != nullptr) sink->append(value.text, encoder.token(value.text, learning));
  }
  if (sink != nullptr && depth == (of_events ? 1 : 0)) sink->end_event();
  return position;
}

void SequenceReader::State::append(const JsonRecord& record, Sequences& out) {
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
  strings_max = std::max(strings_max, strings);
  out.symbols.close_row();
  out.names.push(name);
  if (sink != nullptr) sink->end_record(frequency);
}

bool SequenceReader::State::read(Sequences& out) {
  if (json) return json->next([&](const JsonRecord& record) { append(record, out); });
  const auto text = column ? column->next() : lines->next();
  if (!text) return false;
  try {
    encoder.append(*text, 0, learning, out.symbols.values);
  } catch (const RecordError& error) {
    fail(error.what());
  }
  out.symbols.close_row();
  out.names.push(*text);
  return true;
}

bool SequenceReader::next(Sequences& out) {
  try {
    return m_state->read(out);
  } catch (const BadLine& bad) {
    if (!m_state->skip_bad_lines) throw;
    out.symbols.values.resize(out.symbols.offsets.back());
    out.skipped.push_back({out.size(), bad.line(), bad.why()});
  }
  out.symbols.close_row();
  out.names.push({});
  if (m_state->sink != nullptr) {  // what it received stays as a record
    m_state->sink->end_event();
    m_state->sink->end_record(1);
  }
  return true;
}

}  // namespace Kindred::Tools
