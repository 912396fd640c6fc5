// SPDX-License-Identifier: Apache-2.0
#include "io/SequenceReader.hpp"

#include "io/Errors.hpp"
#include "io/JsonLines.hpp"
#include "io/NamedRecord.hpp"

#include <fmt/format.h>

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
  bool m_in_frequency = false;
  std::optional<std::uint32_t> m_frequency;
};

}  // namespace

void Sequences::clear() {
  symbols.offsets.assign(1, 0);
  symbols.values.clear();
  names.clear();
}

struct SequenceReader::State {
  State(const std::string& path, SequenceForm sequence_form, SymbolEncoder& an_encoder,
        Learning a_learning, ReadProgress progress)
      : form(sequence_form),
        encoder(an_encoder),
        learning(a_learning),
        json(path, std::move(progress)),
        record(an_encoder, a_learning) {}

  SequenceForm form;
  SymbolEncoder& encoder;
  Learning learning;
  JsonLines json;
  SequenceRecord record;
};

SequenceReader::SequenceReader(const std::string& path, SequenceForm form, SymbolEncoder& encoder,
                               Learning learning, ReadProgress progress)
    : m_state(std::make_unique<State>(path, form, encoder, learning, std::move(progress))) {}

SequenceReader::~SequenceReader() = default;

bool SequenceReader::buffered() const noexcept { return m_state->json.lines().buffered(); }

void SequenceReader::keep_events(EventSink& sink) { m_state->record.keep_events(sink); }

void SequenceReader::fail(const std::string& why) const { m_state->json.lines().fail(why); }

bool SequenceReader::next(Sequences& out) {
  if (m_state->form == SequenceForm::json) {
    m_state->record.into(out);
    return m_state->json.next(m_state->record);
  }
  LineReader& lines = m_state->json.lines();
  const auto line = lines.next();
  if (!line) return false;
  try {
    m_state->encoder.append(*line, 0, m_state->learning, out.symbols.values);
  } catch (const RecordError& error) {
    lines.fail(error.what());
  }
  out.symbols.close_row();
  out.names.push({});
  return true;
}

}  // namespace Kindred::Tools
