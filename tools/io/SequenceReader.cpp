// SPDX-License-Identifier: Apache-2.0
#include "io/SequenceReader.hpp"

#include "io/JsonLines.hpp"
#include "io/NamedRecord.hpp"
#include "program/Errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

namespace Kindred::Tools {

namespace {

/// A line with events or tokens, whose symbols are appended to their destination while parsing.
class SequenceRecord final : public NamedRecord {
 public:
  SequenceRecord(SymbolEncoder& encoder, Learning learning)
      : m_encoder(encoder), m_learning(learning) {}

  void into(Sequences& out) { m_out = &out; }
  void keep_events(EventSink& sink) { m_sink = &sink; }
  /// Ends a record that was rejected. What its sink received stays as a record.
  void abandon() const {
    if (m_sink == nullptr) return;
    m_sink->end_event();
    m_sink->end_record(1);
  }
  std::size_t strings_max() const noexcept { return m_strings_max; }

 private:
  void begin_record() override {
    m_target_depth = 0;
    m_depth = 0;
    m_strings = 0;
    m_in_frequency = false;
    m_frequency.reset();
  }
  bool other_field(std::string_view key) override {
    m_in_frequency = m_sink != nullptr && m_learning == Learning::on && key == "frequency";
    if (m_in_frequency) {
      if (m_frequency) throw RecordError("\"frequency\" is given twice");
      return true;
    }
    const std::size_t depth = key == "events" ? 2 : key == "tokens" ? 1 : 0;
    if (depth == 0) return false;
    if (m_target_depth != 0)
      throw RecordError("\"events\" or \"tokens\" is given twice; a line has one of them, once");
    m_target_depth = depth;
    return true;
  }
  void begin_other_array() override {
    if (m_in_frequency) refuse_frequency("an array");
    if (++m_depth > m_target_depth) throw RecordError(fmt::format("{} an array in it", form()));
  }
  void end_other_array() override {
    if (m_depth-- == 2 && m_sink != nullptr) m_sink->end_event();
  }
  void other_value(const JsonValue& value) override {
    if (m_in_frequency) {
      if (value.kind != JsonValue::Kind::integer || value.negative || value.magnitude == 0 ||
          value.magnitude > frequency_max)
        refuse_frequency(value.shown());
      m_frequency = static_cast<std::uint32_t>(value.magnitude);
      return;
    }
    if (m_depth != m_target_depth)
      throw RecordError(fmt::format("{} {} where an array is expected", form(), value.shown()));
    if (value.kind != JsonValue::Kind::string)
      throw RecordError(fmt::format("{} {}, which is not a string", form(), value.shown()));
    m_encoder.append(value.text, m_strings++, m_learning, m_out->symbols.values);
    if (m_sink == nullptr) return;
    m_sink->append(value.text, m_encoder.token(value.text, m_learning));
    if (m_target_depth == 1) m_sink->end_event();
  }
  void end_record(const std::optional<std::string>& name) override {
    if (m_target_depth == 0) throw RecordError("there is neither \"events\" nor \"tokens\"");
    m_strings_max = std::max(m_strings_max, m_strings);
    m_out->symbols.close_row();
    m_out->names.push(name);
    if (m_sink != nullptr) m_sink->end_record(m_frequency.value_or(1));
  }
  [[noreturn]] static void refuse_frequency(const std::string& shown) {
    throw RecordError(fmt::format("\"frequency\" must be a whole number in [1, {}], but is {}",
                                  frequency_max, shown));
  }

  std::string form() const {
    return m_target_depth == 2 ? "\"events\" must be an array of arrays of strings, but has"
                               : "\"tokens\" must be an array of strings, but has";
  }

  static constexpr std::uint32_t frequency_max = 0xFFFFFFFFU;

  SymbolEncoder& m_encoder;
  Learning m_learning;
  EventSink* m_sink = nullptr;
  Sequences* m_out = nullptr;
  std::size_t m_target_depth =
      0;  // nesting of the strings: 1 in tokens, 2 in events, 0 before either
  std::size_t m_depth = 0;
  std::size_t m_strings = 0;
  std::size_t m_strings_max = 0;  // over all records
  bool m_in_frequency = false;
  std::optional<std::uint32_t> m_frequency;
};

}  // namespace

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
  State(SequenceForm sequence_form, SymbolEncoder& an_encoder, Learning a_learning)
      : form(sequence_form),
        encoder(an_encoder),
        learning(a_learning),
        record(an_encoder, a_learning) {}

  bool read(Sequences& out);

  SequenceForm form;
  SymbolEncoder& encoder;
  Learning learning;
  bool skip_bad_lines = false;
  // One of them, by form.
  std::optional<JsonLines> json;
  std::optional<LineReader> lines;
  std::optional<ColumnReader> column;
  SequenceRecord record;
};

SequenceReader::SequenceReader(const std::string& path, SequenceForm form, SymbolEncoder& encoder,
                               Learning learning, ReadProgress progress, Column column)
    : m_state(std::make_unique<State>(form, encoder, learning)) {
  switch (form) {
    case SequenceForm::json:
      m_state->json.emplace(path, std::move(progress));
      break;
    case SequenceForm::lines:
      m_state->lines.emplace(path, std::move(progress));
      break;
    case SequenceForm::column:
      m_state->column.emplace(path, std::move(column), std::move(progress));
      break;
  }
}

SequenceReader::~SequenceReader() = default;

bool SequenceReader::buffered() {
  if (m_state->column) return m_state->column->buffered();
  return m_state->lines ? m_state->lines->buffered() : m_state->json->lines().buffered();
}

std::size_t SequenceReader::strings_max() const noexcept { return m_state->record.strings_max(); }

void SequenceReader::keep_events(EventSink& sink) { m_state->record.keep_events(sink); }

void SequenceReader::skip_bad_lines() { m_state->skip_bad_lines = true; }

void SequenceReader::fail(const std::string& why) const {
  if (m_state->column) m_state->column->fail(why);
  (m_state->lines ? *m_state->lines : m_state->json->lines()).fail(why);
}

bool SequenceReader::State::read(Sequences& out) {
  if (form == SequenceForm::json) {
    record.into(out);
    return json->next(record);
  }
  const auto text = column ? column->next() : lines->next();
  if (!text) return false;
  try {
    encoder.append(*text, 0, learning, out.symbols.values);
  } catch (const RecordError& error) {
    if (column) column->fail(error.what());
    lines->fail(error.what());
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
  m_state->record.abandon();
  return true;
}

}  // namespace Kindred::Tools
