// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_SEQUENCE_EVENTS_HPP
#define KINDRED_TOOLS_IO_SEQUENCE_EVENTS_HPP

#include "io/SequenceReader.hpp"
#include "io/SymbolEncoder.hpp"

#include <kindred/core/common/Ragged.hpp>
#include <kindred/matcher/Prediction.hpp>

#include <span>

namespace Kindred::Tools {

/// \brief Boundaries of the events of records. Empty events are omitted.
class EventBorders {
 public:
  /// Ends the current event before string \p position, counted over all records.
  void end_event(std::uint64_t position) {
    if (position > m_borders.back()) m_borders.push_back(position);
  }
  void end_record() { m_records.push_back(m_borders.size() - 1); }
  /// Boundaries of the events of a record: one more than it has events.
  std::span<const std::uint64_t> operator[](std::size_t record) const {
    const std::uint64_t first = m_records[record];
    return std::span(m_borders).subspan(first, m_records[record + 1] - first + 1);
  }
  void clear();

 private:
  std::vector<std::uint64_t> m_borders{0};
  std::vector<std::uint64_t> m_records{0};  // indices into m_borders
};

/// \brief The events of patterns, and statistics over all of them.
class PatternEvents final : public EventSink {
 public:
  void append(std::string_view text, Symbol symbol) override;
  void end_event() override { m_borders.end_event(m_symbols.size()); }
  void end_record(std::uint32_t frequency) override;

  std::size_t size() const noexcept { return m_frequencies.size(); }
  /// Event i is `values[offsets[i] … offsets[i + 1])`.
  RaggedSpan<Symbol> operator[](std::size_t record) const { return {m_borders[record], m_symbols}; }
  std::uint32_t frequency(std::size_t record) const { return m_frequencies[record]; }
  SymbolStatistics statistics() const;
  /// Per symbol: the sum over patterns of its occurrences times the pattern's frequency.
  std::span<const std::uint64_t> occurrences() const noexcept { return m_occurrences; }

 private:
  std::vector<Symbol> m_symbols;
  EventBorders m_borders;
  std::vector<std::uint32_t> m_frequencies;
  std::uint64_t m_total_frequency = 0;
  // Indexed by symbol.
  std::vector<std::uint64_t> m_patterns_with;
  std::vector<std::uint64_t> m_occurrences;
  std::vector<std::uint64_t> m_last_record;  // last record with the symbol, counted from 1
};

/// \brief The events of queries as texts, since a query may contain strings that no pattern has.
class QueryEvents final : public EventSink {
 public:
  void append(std::string_view text, Symbol symbol) override;
  void end_event() override { m_borders.end_event(m_ends.size()); }
  void end_record(std::uint32_t frequency) override;

  std::size_t size() const noexcept { return m_records; }
  /// Frequency of the last record; 1 unless it is read as a pattern.
  std::uint32_t frequency() const noexcept { return m_frequency; }
  /// Valid until the next event is appended.
  Ragged<std::string_view> operator[](std::size_t record) const;
  void clear();

 private:
  std::string m_text;
  std::vector<std::uint64_t> m_ends;  // of the strings in m_text
  EventBorders m_borders;
  std::size_t m_records = 0;
  std::uint32_t m_frequency = 1;
};

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_SEQUENCE_EVENTS_HPP
