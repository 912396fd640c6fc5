// SPDX-License-Identifier: Apache-2.0
#include "PatternCatalogue.hpp"

#include "common/Hash.hpp"

#include <algorithm>
#include <new>
#include <string>

namespace Kindred::Impl {

namespace {

constexpr std::uint64_t block_indices = PatternBlock::indices_max;

std::uint64_t hash_of(std::string_view name) { return hash64(name.data(), name.size()); }

/// Includes the ends of the events: the same symbols in other events are another pattern.
std::uint64_t hash_of(RaggedSpan<Symbol> events) {
  std::vector<std::uint32_t> key;
  key.reserve(events.rows() + events.values.size());
  for (std::size_t e = 0; e < events.rows(); ++e) {
    key.push_back(static_cast<std::uint32_t>(events.offsets[e + 1]));
  }
  key.insert(key.end(), events.values.begin(), events.values.end());
  return hash64(key.data(), key.size() * sizeof(key[0]));
}

/// The position of the block with that number, or where it would be inserted.
std::size_t position_of(std::span<const NumberedBlock> blocks, std::uint64_t number) noexcept {
  // Correct if no block is missing.
  const std::uint64_t guess = blocks.empty() ? 0 : number - blocks[0].number;
  if (guess < blocks.size() && blocks[guess].number == number) return guess;
  const auto at = std::lower_bound(
      blocks.begin(), blocks.end(), number,
      [](const NumberedBlock& block, std::uint64_t other) { return block.number < other; });
  return static_cast<std::size_t>(at - blocks.begin());
}

}  // namespace

Ragged<Symbol> PatternRow::events() const {
  Ragged<Symbol> events;
  block->append_symbols(row, events.values);
  for (const std::uint32_t border : block->borders(row)) events.offsets.push_back(border);
  return events;
}

CatalogueCut::Place CatalogueCut::place(std::size_t i) const noexcept {
  const auto& [number, block] = blocks[position_of(blocks, indices[i] / block_indices)];
  return {block.get(), *block->row_of(indices[i] % block_indices)};
}

PatternCatalogue::PatternCatalogue(const CatalogueColumns& columns)
    : m_size(columns.size),
      m_by_name(columns.name_slots, columns.name_slot_ends),
      m_by_events(columns.event_slots, columns.event_slot_ends),
      m_patterns_with(columns.patterns_with.begin(), columns.patterns_with.end()),
      m_symbol_frequency(columns.symbol_frequency.begin(), columns.symbol_frequency.end()) {
  const std::size_t rows = columns.rows.frequency.size();
  const auto index_of = [&](std::size_t row) {
    return columns.indices.empty() ? row : columns.indices[row];
  };
  for (std::size_t begin = 0, end = 0; begin < rows; begin = end) {
    const std::uint64_t number = index_of(begin) / block_indices;
    std::vector<std::uint16_t> offsets;
    for (end = begin; end < rows && index_of(end) / block_indices == number; ++end)
      offsets.push_back(static_cast<std::uint16_t>(index_of(end) % block_indices));
    if (offsets.back() + std::size_t{1} == offsets.size()) offsets = {};  // no gaps
    m_blocks.push_back({number, std::make_shared<PatternBlock>(
                                    columns.rows.rows(begin, end - begin), std::move(offsets))});
    m_live += m_blocks.back().block->live();
  }
  for (const std::uint64_t frequency : columns.rows.frequency) m_total_frequency += frequency;
  for (const std::uint64_t frequency : m_symbol_frequency) m_occurrences += frequency;
}

PatternCatalogue::Place PatternCatalogue::place(std::uint64_t index) const noexcept {
  const std::size_t at = position_of(m_blocks, index / block_indices);
  if (at == m_blocks.size() || m_blocks[at].number != index / block_indices) return {};
  PatternBlock* block = m_blocks[at].block.get();
  const auto row = block->row_of(index % block_indices);
  return row ? Place{block, *row} : Place{};
}

std::optional<std::uint64_t> PatternCatalogue::find(std::string_view text) const {
  return m_by_name.find(hash_of(text), [&](std::uint64_t index) {
    const Place at = place(index);
    return at.block != nullptr && at.block->frequency(at.row) > 0 && at.block->name(at.row) == text;
  });
}

std::optional<std::uint64_t> PatternCatalogue::find(RaggedSpan<Symbol> events) const {
  return m_by_events.find(hash_of(events), [&](std::uint64_t index) {
    const Place at = place(index);
    return at.block != nullptr && at.block->frequency(at.row) > 0 &&
           at.block->equals(at.row, events);
  });
}

PatternBlock& PatternCatalogue::block_to_grow() {
  const std::uint64_t number = m_size / block_indices;
  if (m_blocks.empty() || m_blocks.back().number != number) {
    m_blocks.push_back({number, std::make_shared<PatternBlock>()});
  } else if (!m_blocks.back().block->is_own()) {
    m_blocks.back().block = m_blocks.back().block->compacted();
  }
  return *m_blocks.back().block;
}

bool PatternCatalogue::can_count(std::uint64_t length, std::uint64_t times) const noexcept {
  constexpr std::uint64_t limit = std::uint64_t{1} << 63U;
  if (m_total_frequency > limit || m_occurrences > limit) return false;
  return times <= limit - m_total_frequency &&
         (length == 0 || times <= (limit - m_occurrences) / length);
}

std::uint64_t PatternCatalogue::add(RaggedSpan<Symbol> events,
                                    std::optional<std::string_view> given,
                                    std::uint64_t frequency) {
  const std::uint64_t index = m_size;
  Symbol largest = 0;
  for (const Symbol symbol : events.values) largest = std::max(largest, symbol);
  // Everything else that can fail comes before the insertions into the tables, because an entry
  // whose row does not exist or is a different one never matches.
  PatternBlock& block = block_to_grow();
  block.make_room(events.values.size(), events.rows(), given ? given->size() : 0);
  m_sorted.reserve(events.values.size());
  if (!events.values.empty() && largest >= m_patterns_with.size()) {
    m_symbol_frequency.resize(std::size_t{largest} + 1, 0);
    m_patterns_with.resize(std::size_t{largest} + 1, 0);
  }
  m_by_events.insert(hash_of(events), index);
  if (given) m_by_name.insert(hash_of(*given), index);

  block.add(index % block_indices, events, given, frequency);
  ++m_size;
  ++m_live;
  m_total_frequency += frequency;
  count_symbols({&block, block.size() - 1}, 1, frequency);
  return index;
}

void PatternCatalogue::prepare_to_raise(std::uint64_t index) { m_sorted.reserve(length(index)); }

void PatternCatalogue::raise_frequency(std::uint64_t index, std::uint64_t times) noexcept {
  const Place at = place(index);
  count_symbols(at, 0, times);
  at.block->raise_frequency(at.row, times);
  m_total_frequency += times;
}

void PatternCatalogue::prepare_to_forget(std::uint64_t index) {
  const PatternRow pattern = row(index);
  const auto name = pattern.name();
  m_sorted.reserve(length(index));
  m_events_hash = hash_of(RaggedSpan<Symbol>(pattern.events()));
  m_name_hash = name ? std::optional(hash_of(*name)) : std::nullopt;
  m_by_events.prepare_to_erase(m_events_hash);
  if (m_name_hash) m_by_name.prepare_to_erase(*m_name_hash);
}

void PatternCatalogue::forget(std::uint64_t index) noexcept {
  const Place at = place(index);
  const std::uint64_t frequency = at.block->frequency(at.row);
  count_symbols(at, 0 - std::uint64_t{1}, 0 - frequency);
  m_by_events.erase(m_events_hash, index);
  if (m_name_hash) m_by_name.erase(*m_name_hash, index);
  m_total_frequency -= frequency;
  at.block->forget(at.row);
  --m_live;

  const std::size_t position = position_of(m_blocks, index / block_indices);
  if (2 * at.block->live() > at.block->size()) return;
  try {
    if (at.block->live() > 0) {
      m_blocks[position].block = at.block->compacted();
    } else {
      m_blocks.erase(m_blocks.begin() + static_cast<std::ptrdiff_t>(position));
    }
  } catch (const std::bad_alloc&) {
    // Compaction is tried again when the next pattern of the block is forgotten.
  }
}

void PatternCatalogue::count_symbols(const Place& at, std::uint64_t patterns,
                                     std::uint64_t times) noexcept {
  m_occurrences += at.block->length(at.row) * times;
  m_sorted.clear();
  at.block->append_symbols(at.row, m_sorted);
  std::sort(m_sorted.begin(), m_sorted.end());
  for (std::size_t i = 0; i < m_sorted.size(); ++i) {
    const Symbol symbol = m_sorted[i];
    if (i == 0 || m_sorted[i - 1] != symbol) m_patterns_with[symbol] += patterns;
    m_symbol_frequency[symbol] += times;
  }
}

std::uint64_t PatternCatalogue::frequency(std::uint64_t index) const noexcept {
  const Place at = place(index);
  return at.block != nullptr ? at.block->frequency(at.row) : 0;
}

PatternRow PatternCatalogue::row(std::uint64_t index) const {
  return {m_blocks[position_of(m_blocks, index / block_indices)].block, place(index).row};
}

std::size_t PatternCatalogue::length(std::uint64_t index) const {
  const Place at = place(index);
  return at.block->length(at.row);
}

void PatternCatalogue::append_symbols(std::uint64_t index, std::vector<Symbol>& out) const {
  const Place at = place(index);
  at.block->append_symbols(at.row, out);
}

template <class Visit>
void PatternCatalogue::for_each(std::uint64_t begin, std::uint64_t end, const Visit& visit) const {
  for (std::size_t at = position_of(m_blocks, begin / block_indices); at < m_blocks.size(); ++at) {
    const auto& [number, block] = m_blocks[at];
    if (number * block_indices >= end) return;
    for (std::size_t row = 0; row < block->size(); ++row) {
      const std::uint64_t index = number * block_indices + block->offset_of(row);
      if (index >= begin && index < end && block->frequency(row) > 0) visit(index, *block, row);
    }
  }
}

std::vector<std::uint64_t> PatternCatalogue::live_in(std::uint64_t begin, std::uint64_t end) const {
  std::vector<std::uint64_t> indices;
  for_each(begin, end,
           [&](std::uint64_t index, const PatternBlock& /*block*/, std::size_t /*row*/) {
             indices.push_back(index);
           });
  return indices;
}

std::uint64_t PatternCatalogue::symbols() const noexcept {
  std::uint64_t symbols = 0;
  for_each(0, m_size, [&](std::uint64_t /*index*/, const PatternBlock& block, std::size_t row) {
    symbols += block.length(row);
  });
  return symbols;
}

CatalogueCut PatternCatalogue::cut(std::uint64_t begin) const {
  CatalogueCut cut;
  cut.begin = begin;
  cut.end = m_size;
  const std::size_t first = position_of(m_blocks, begin / block_indices);
  cut.blocks.assign(m_blocks.begin() + static_cast<std::ptrdiff_t>(first), m_blocks.end());
  for_each(begin, m_size, [&](std::uint64_t index, const PatternBlock& block, std::size_t row) {
    cut.indices.push_back(index);
    cut.frequency.push_back(block.frequency(row));
  });
  return cut;
}

}  // namespace Kindred::Impl
