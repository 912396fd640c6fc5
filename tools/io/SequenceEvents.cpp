// SPDX-License-Identifier: Apache-2.0
#include "io/SequenceEvents.hpp"

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

}  // namespace Kindred::Tools
