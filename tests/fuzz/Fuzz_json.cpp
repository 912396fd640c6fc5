// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as JSON lines or plain lines: rejected with a position, or read identically
// twice.
#include "TextTarget.hpp"
#include "io/Candidates.hpp"
#include "io/SequenceReader.hpp"

#include <kindred/matcher/CodePoints.hpp>

#include <algorithm>
#include <vector>

namespace Kindred::Testing {

using namespace Tools;

/// Collects the strings and events that the reader delivers.
class CollectedEvents final : public EventSink {
 public:
  explicit CollectedEvents(const SymbolEncoder& encoder) : m_encoder(encoder) {}

  void append(std::string_view text, Symbol symbol) override {
    std::vector<Symbol> points;
    append_code_points(text, points);  // throws for invalid UTF-8, which no reader may deliver
    require(m_encoder.tokens().text(symbol) == text);
    ++strings;
  }
  void end_event() override {}
  void end_record(std::uint32_t frequency) override {
    require(frequency > 0);
    ++records;
  }

  std::size_t strings = 0;
  std::size_t records = 0;

 private:
  const SymbolEncoder& m_encoder;
};

/// Reads everything. Returns the error message, or an empty string.
std::string read(const std::string& path, SequenceForm form, SymbolEncoder& encoder,
                 Learning learning, Sequences& out, EventSink* sink) {
  try {
    SequenceReader reader(path, form, encoder, learning);
    if (sink != nullptr) reader.keep_events(*sink);
    while (reader.next(out)) continue;
  } catch (const InputError& error) {
    return located(error, path);
  }
  return {};
}

void check(const std::string& path, SequenceForm form, Level level) {
  SymbolEncoder encoder(level);
  CollectedEvents collected(encoder);
  Sequences learned;
  const std::string refusal = read(path, form, encoder, Learning::on, learned,
                                   form == SequenceForm::json ? &collected : nullptr);
  require(learned.names.size() == learned.symbols.rows());
  if (form == SequenceForm::json) require(collected.records == learned.size());
  for (const Symbol symbol : learned.symbols.values)
    require(symbol < (level == Level::token ? encoder.tokens().size() : code_point_limit));
  Sequences again;
  const std::string second = read(path, form, encoder, Learning::off, again, nullptr);
  // A field "frequency" is read only with the events of patterns.
  if (refusal.empty()) require(second.empty() && again.symbols.values == learned.symbols.values);
  for (std::size_t row = 0; row < std::min(learned.size(), again.size()); ++row)
    require(again.names[row] == learned.names[row]);
}

void read_text(const std::string& path, std::size_t size) {
  // A reader's buffer is large, so each input goes to only one of them, chosen by its size.
  if (size % 4 == 0) check(path, SequenceForm::lines, Level::character);
  if (size % 4 == 1) check(path, SequenceForm::json, Level::character);
  if (size % 4 == 2) check(path, SequenceForm::json, Level::token);
  if (size % 4 != 3) return;
  try {
    const Candidates candidates = read_candidates(path, 100);
    for (const std::uint64_t id : candidates.ids.values) require(id < 100);
  } catch (const InputError&) {
  }
}

}  // namespace Kindred::Testing
