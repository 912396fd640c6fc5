// SPDX-License-Identifier: Apache-2.0
#include "io/Events.hpp"

#include "io/InputError.hpp"
#include "io/JsonLines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace Kindred::Tools {

void EventBorders::clear() {
  m_borders.assign(1, 0);
  m_records.assign(1, 0);
}

void PatternEvents::append(std::string_view, Symbol symbol) {
  m_symbols.push_back(symbol);
  if (symbol < m_occurrences.size()) return;
  m_occurrences.resize(symbol + std::size_t{1});
  m_patterns_with.resize(symbol + std::size_t{1});
  m_last_record.resize(symbol + std::size_t{1});
}

void PatternEvents::end_record(std::uint32_t frequency) {
  m_borders.end_record();
  m_frequencies.push_back(frequency);
  m_total_frequency += frequency;
  const auto borders = m_borders[size() - 1];
  for (std::uint64_t i = borders.front(); i < borders.back(); ++i) {
    const Symbol symbol = m_symbols[i];
    m_occurrences[symbol] += frequency;
    if (m_last_record[symbol] == size()) continue;
    m_last_record[symbol] = size();
    ++m_patterns_with[symbol];
  }
}

SymbolStatistics PatternEvents::statistics() const {
  return {size(), m_total_frequency, m_occurrences.size(), m_patterns_with};
}

void QueryEvents::append(std::string_view text, Symbol) {
  m_text += text;
  m_ends.push_back(m_text.size());
}

void QueryEvents::end_record(std::uint32_t frequency) {
  m_frequency = frequency;
  m_borders.end_record();
  ++m_records;
}

Ragged<std::string_view> QueryEvents::operator[](std::size_t record) const {
  const auto borders = m_borders[record];
  Ragged<std::string_view> events;
  for (std::size_t event = 0; event + 1 < borders.size(); ++event) {
    for (std::uint64_t i = borders[event]; i < borders[event + 1]; ++i) {
      const std::uint64_t begin = i == 0 ? 0 : m_ends[i - 1];
      events.values.push_back(std::string_view(m_text).substr(begin, m_ends[i] - begin));
    }
    events.close_row();
  }
  return events;
}

void QueryEvents::clear() {
  m_text.clear();
  m_ends.clear();
  m_borders.clear();
  m_records = 0;
}

namespace {

constexpr double affinity_max = 1e99;

class AffinityRecord final : public JsonRecord {
 public:
  void begin() override {
    m_symbol.reset();
    m_affinity.reset();
  }
  bool field(std::string_view key) override {
    m_field = key == "symbol" ? Field::symbol : key == "affinity" ? Field::affinity : Field::other;
    if ((m_field == Field::symbol && m_symbol) || (m_field == Field::affinity && m_affinity))
      throw RecordError(fmt::format("\"{}\" is given twice", key));
    return m_field != Field::other;
  }
  void begin_array() override { refuse("an array"); }
  void end_array() override {}
  void value(const JsonValue& value) override {
    if (m_field == Field::symbol) {
      if (value.kind != JsonValue::Kind::string) refuse(value.shown());
      m_symbol = value.text;
      return;
    }
    const bool is_number =
        value.kind == JsonValue::Kind::integer || value.kind == JsonValue::Kind::real;
    if (!is_number || !(std::abs(value.real) <= affinity_max)) refuse(value.shown());
    m_affinity = value.real;
  }
  void end() override {
    if (!m_symbol) throw RecordError("\"symbol\" is missing");
    if (!m_affinity) throw RecordError("\"affinity\" is missing");
  }

  const std::string& symbol() const { return *m_symbol; }
  double affinity() const { return *m_affinity; }

 private:
  enum class Field : std::uint8_t { symbol, affinity, other };

  [[noreturn]] void refuse(const std::string& shown) const {
    throw RecordError(
        m_field == Field::symbol
            ? fmt::format("\"symbol\" must be a string and is {}", shown)
            : fmt::format("\"affinity\" must be a number in [-1e99, 1e99] and is {}", shown));
  }

  Field m_field = Field::other;
  std::optional<std::string> m_symbol;
  std::optional<double> m_affinity;
};

}  // namespace

std::vector<double> read_weights(const std::string& path, const Vocabulary& vocabulary,
                                 std::span<const std::uint64_t> occurrences) {
  std::vector<double> affinities(vocabulary.size(), 0.0);
  AffinityRecord record;
  JsonLines lines(path);
  while (lines.next(record)) {
    const Symbol symbol = vocabulary.find(record.symbol());
    if (symbol != unknown_symbol) affinities[symbol] += record.affinity();
  }
  for (double& affinity : affinities) affinity = std::clamp(affinity, -affinity_max, affinity_max);
  std::vector<double> weights = affinity_weights(affinities, occurrences);
  if (weights.empty())
    weights.push_back(weight_floor);  // weights were given, but there are no symbols
  return weights;
}

}  // namespace Kindred::Tools
