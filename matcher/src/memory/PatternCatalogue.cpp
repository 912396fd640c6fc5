// SPDX-License-Identifier: Apache-2.0
#include "PatternCatalogue.hpp"

#include "Hash.hpp"

#include <algorithm>
#include <string>

namespace Kindred::Impl {

namespace {

std::uint64_t hash_of(std::string_view name) { return hash64(name.data(), name.size()); }

/// Borders stand beside the symbols: the same symbols in other events are another pattern.
std::uint64_t hash_of(RaggedSpan<Symbol> events) {
  std::vector<std::uint32_t> key;
  key.reserve(events.rows() + events.values.size());
  for (std::size_t e = 0; e < events.rows(); ++e) {
    key.push_back(static_cast<std::uint32_t>(events.offsets[e + 1]));
  }
  key.insert(key.end(), events.values.begin(), events.values.end());
  return hash64(key.data(), key.size() * sizeof(key[0]));
}

}  // namespace

PatternCatalogue::PatternCatalogue(const CatalogueColumns& columns)
    : m_narrow(columns.narrow),
      m_wide(columns.wide),
      m_symbol_ends(columns.symbol_ends),
      m_borders(columns.borders),
      m_border_ends(columns.border_ends),
      m_name_text(columns.name_text),
      m_name_ends(columns.name_ends),
      m_frequency(columns.frequency),
      m_by_name(columns.name_slots, columns.name_slot_ends),
      m_by_events(columns.event_slots, columns.event_slot_ends),
      m_patterns_with(columns.patterns_with.begin(), columns.patterns_with.end()),
      m_symbol_frequency(columns.symbol_frequency.begin(), columns.symbol_frequency.end()) {
  for (const std::uint64_t frequency : columns.frequency) {
    m_live += frequency > 0 ? 1 : 0;
    m_total_frequency += frequency;
  }
}

std::optional<std::uint64_t> PatternCatalogue::find(std::string_view text) const {
  return m_by_name.find(hash_of(text), [&](std::uint64_t index) {
    return index < size() && is_live(index) && name(index) == text;
  });
}

std::optional<std::uint64_t> PatternCatalogue::find(RaggedSpan<Symbol> events) const {
  return m_by_events.find(hash_of(events), [&](std::uint64_t index) {
    return index < size() && is_live(index) && equals(index, events);
  });
}

bool PatternCatalogue::equals(std::uint64_t index, RaggedSpan<Symbol> events) const {
  const std::uint64_t first_border = begin_of(m_border_ends, index);
  if (m_border_ends[index] - first_border != events.rows()) return false;
  if (length(index) != events.values.size()) return false;
  for (std::size_t e = 0; e < events.rows(); ++e) {
    if (m_borders[first_border + e] != events.offsets[e + 1]) return false;
  }
  const std::uint64_t first = begin_of(m_symbol_ends, index);
  for (std::size_t i = 0; i < events.values.size(); ++i) {
    if (symbol(first + i) != events.values[i]) return false;
  }
  return true;
}

std::uint64_t PatternCatalogue::add(RaggedSpan<Symbol> events,
                                    std::optional<std::string_view> given,
                                    std::uint64_t frequency) {
  const std::uint64_t index = size();
  Symbol largest = 0;
  for (const Symbol symbol : events.values) largest = std::max(largest, symbol);
  // Everything that can fail comes first, but for the tables: a slot whose row is not there, or is
  // another one, is no hit.
  m_wide.make_room(events.values.size());
  m_symbol_ends.make_room(1);
  m_borders.make_room(events.rows());
  m_border_ends.make_room(1);
  m_name_text.make_room(given ? given->size() : 0);
  m_name_ends.make_room(1);
  m_frequency.make_room(1);
  m_sorted.reserve(events.values.size());
  if (!events.values.empty() && largest >= m_patterns_with.size()) {
    m_symbol_frequency.resize(std::size_t{largest} + 1, 0);
    m_patterns_with.resize(std::size_t{largest} + 1, 0);
  }
  m_by_events.insert(hash_of(events), index);
  if (given) m_by_name.insert(hash_of(*given), index);

  for (const Symbol symbol : events.values) m_wide.push_back(symbol);
  m_symbol_ends.push_back(begin_of(m_symbol_ends, index) + events.values.size());
  for (std::size_t e = 0; e < events.rows(); ++e) {
    m_borders.push_back(static_cast<std::uint32_t>(events.offsets[e + 1]));
  }
  m_border_ends.push_back(begin_of(m_border_ends, index) + events.rows());
  for (const char c : given.value_or(std::string_view())) m_name_text.push_back(c);
  m_name_ends.push_back(m_name_text.size() << 1U | (given ? 1U : 0U));
  m_frequency.push_back(frequency);
  ++m_live;
  m_total_frequency += frequency;
  count_symbols(index, 1, frequency);
  return index;
}

void PatternCatalogue::prepare_to_change(std::uint64_t index) { m_sorted.reserve(length(index)); }

void PatternCatalogue::raise_frequency(std::uint64_t index, std::uint64_t times) noexcept {
  count_symbols(index, 0, times);
  m_frequency[index] += times;
  m_total_frequency += times;
}

void PatternCatalogue::forget(std::uint64_t index) noexcept {
  count_symbols(index, 0 - std::uint64_t{1}, 0 - m_frequency[index]);
  m_total_frequency -= m_frequency[index];
  m_frequency[index] = 0;
  --m_live;
}

void PatternCatalogue::count_symbols(std::uint64_t index, std::uint64_t patterns,
                                     std::uint64_t times) noexcept {
  m_sorted.clear();
  append_symbols(index, m_sorted);
  std::sort(m_sorted.begin(), m_sorted.end());
  for (std::size_t i = 0; i < m_sorted.size(); ++i) {
    const Symbol symbol = m_sorted[i];
    if (i == 0 || m_sorted[i - 1] != symbol) m_patterns_with[symbol] += patterns;
    m_symbol_frequency[symbol] += times;
  }
}

std::optional<std::string_view> PatternCatalogue::name(std::uint64_t index) const {
  const std::uint64_t end = m_name_ends[index];
  if ((end & 1U) == 0) return {};
  const std::uint64_t begin = begin_of(m_name_ends, index) >> 1U;
  if (end >> 1U == begin) return std::string_view();
  // A row lies in one part whole.
  return std::string_view(&m_name_text[begin], (end >> 1U) - begin);
}

std::size_t PatternCatalogue::length(std::uint64_t index) const noexcept {
  return m_symbol_ends[index] - begin_of(m_symbol_ends, index);
}

void PatternCatalogue::append_symbols(std::uint64_t index, std::vector<Symbol>& out) const {
  const std::uint64_t begin = begin_of(m_symbol_ends, index);
  for (std::uint64_t at = begin; at < m_symbol_ends[index]; ++at) out.push_back(symbol(at));
}

Ragged<Symbol> PatternCatalogue::events(std::uint64_t index) const {
  Ragged<Symbol> events;
  append_symbols(index, events.values);
  for (std::uint64_t b = begin_of(m_border_ends, index); b < m_border_ends[index]; ++b) {
    events.offsets.push_back(m_borders[b]);
  }
  return events;
}

}  // namespace Kindred::Impl
