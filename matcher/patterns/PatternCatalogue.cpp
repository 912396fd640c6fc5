// SPDX-License-Identifier: Apache-2.0
#include "PatternCatalogue.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <new>
#include <string>
#include <utility>

namespace Kindred::Impl {

namespace {

constexpr std::uint64_t block_indices = PatternBlock::indices_max;

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

/// Reserves space in \p block for \p patterns.
void make_room(PatternBlock& block, std::span<const NewPattern> patterns) {
  std::size_t symbols = 0;
  std::size_t events = 0;
  std::size_t name_bytes = 0;
  for (const NewPattern& pattern : patterns) {
    symbols += pattern.key.symbols().size();
    events += pattern.key.events;
    name_bytes += pattern.name ? pattern.name->size() : 0;
  }
  block.make_room(patterns.size(), symbols, events, name_bytes);
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
      m_symbol_frequency(columns.symbol_frequency.begin(), columns.symbol_frequency.end()),
      m_seen(columns.symbol_frequency.size(), 0) {
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

std::optional<std::uint64_t> PatternCatalogue::find(std::string_view name,
                                                    std::uint64_t hash) const {
  return m_by_name.find(hash, [&](std::uint64_t index) {
    const Place at = place(index);
    return at.block != nullptr && at.block->frequency(at.row) > 0 && at.block->name(at.row) == name;
  });
}

std::optional<std::uint64_t> PatternCatalogue::find(const PatternKey& key,
                                                    std::uint64_t hash) const {
  return m_by_events.find(hash, [&](std::uint64_t index) {
    const Place at = place(index);
    return at.block != nullptr && at.block->frequency(at.row) > 0 && at.block->equals(at.row, key);
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

void PatternCatalogue::prepare_to_count(std::size_t symbols) {
  // The capacity at least doubles, so that learning is amortised O(symbols).
  const auto reserve = [symbols](auto& counts) {
    if (symbols > counts.capacity()) counts.reserve(std::max(symbols, 2 * counts.capacity()));
  };
  reserve(m_patterns_with);
  reserve(m_symbol_frequency);
  reserve(m_seen);
}

void PatternCatalogue::count_up_to(std::size_t symbols) noexcept {
  if (symbols <= m_patterns_with.size()) return;
  m_symbol_frequency.resize(symbols, 0);
  m_patterns_with.resize(symbols, 0);
  m_seen.resize(symbols, 0);
}

std::uint64_t PatternCatalogue::add(const PatternKey& key, std::optional<std::string_view> given,
                                    std::uint64_t frequency,
                                    const std::function<void()>& add_texts) {
  const std::uint64_t index = m_size;
  std::size_t symbols = 0;
  for (const Symbol symbol : key.symbols()) symbols = std::max(symbols, std::size_t{symbol} + 1);
  // Everything else that can fail comes before the insertions into the tables, because an entry
  // whose row does not exist or is a different one never matches.
  PatternBlock& block = block_to_grow();
  block.make_room(1, key.symbols().size(), key.events, given ? given->size() : 0);
  prepare_to_count(symbols);
  m_by_events.insert(hash_of(key), index);
  if (given) m_by_name.insert(hash_of(*given), index);
  add_texts();

  count_up_to(symbols);
  block.add(index % block_indices, key, given, frequency);
  ++m_size;
  ++m_live;
  m_total_frequency += frequency;
  count_symbols({&block, block.size() - 1}, 1, frequency);
  return index;
}

std::size_t PatternCatalogue::space_in_last_block() const noexcept {
  const bool can_grow = !m_blocks.empty() && m_blocks.back().number == m_size / block_indices;
  return can_grow ? block_indices - m_size % block_indices : 0;
}

std::vector<NumberedBlock> PatternCatalogue::blocks_of(const HostWorkers& workers,
                                                       std::span<const NewPattern> patterns) const {
  constexpr double pattern_nanoseconds = 200;
  const std::uint64_t first = m_size + space_in_last_block();
  const std::uint64_t end = m_size + patterns.size();
  if (first >= end) return {};
  const std::uint64_t first_number = first / block_indices;
  std::vector<NumberedBlock> blocks((end - 1) / block_indices - first_number + 1);
  workers.for_each_item(
      blocks.size(), 1, pattern_nanoseconds * block_indices, [&](std::size_t, std::size_t i) {
        const std::uint64_t number = first_number + i;
        std::uint64_t index = std::max(first, number * block_indices);
        const auto rows =
            patterns.subspan(index - m_size, std::min(end, (number + 1) * block_indices) - index);
        auto block = std::make_shared<PatternBlock>();
        make_room(*block, rows);
        for (const NewPattern& pattern : rows)
          block->add(index++ % block_indices, pattern.key, pattern.name, pattern.frequency);
        blocks[i] = {number, std::move(block)};
      });
  return blocks;
}

void PatternCatalogue::prepare_to_add(std::span<const NewPattern> patterns, std::size_t blocks) {
  if (patterns.empty()) return;
  std::array<std::size_t, HashTable::part_count> by_events{};
  std::array<std::size_t, HashTable::part_count> by_name{};
  std::size_t symbols = 0;
  for (const NewPattern& pattern : patterns) {
    ++by_events[HashTable::part_of(pattern.hash)];
    if (pattern.name) ++by_name[HashTable::part_of(pattern.name_hash)];
    symbols = std::max(symbols, pattern.symbols_end);
  }
  for (std::size_t part = 0; part < HashTable::part_count; ++part) {
    m_by_events.reserve(part, by_events[part]);
    m_by_name.reserve(part, by_name[part]);
  }
  prepare_to_count(symbols);
  m_blocks.reserve(m_blocks.size() + blocks);
  const std::size_t here = std::min(space_in_last_block(), patterns.size());
  if (here > 0) make_room(block_to_grow(), patterns.first(here));
}

void PatternCatalogue::add(std::span<const NewPattern> patterns,
                           std::vector<NumberedBlock> blocks) noexcept {
  const std::size_t here = std::min(space_in_last_block(), patterns.size());
  for (std::size_t i = 0; i < here; ++i) {
    m_blocks.back().block->add((m_size + i) % block_indices, patterns[i].key, patterns[i].name,
                               patterns[i].frequency);
  }
  std::move(blocks.begin(), blocks.end(), std::back_inserter(m_blocks));
  for (const NewPattern& pattern : patterns) {
    m_by_events.insert(pattern.hash, m_size);
    if (pattern.name) m_by_name.insert(pattern.name_hash, m_size);
    ++m_size;
    m_total_frequency += pattern.frequency;
    m_occurrences += pattern.key.symbols().size() * pattern.frequency;
    count_up_to(pattern.symbols_end);
    const std::uint32_t mark = next_mark();
    for (const Symbol symbol : pattern.key.symbols())
      count_symbol(symbol, mark, 1, pattern.frequency);
  }
  m_live += patterns.size();
}

void PatternCatalogue::set_frequency(std::uint64_t index, std::uint64_t frequency) noexcept {
  const Place at = place(index);
  const std::uint64_t more = frequency - at.block->frequency(at.row);  // modulo 2^64
  count_symbols(at, 0, more);
  at.block->set_frequency(at.row, frequency);
  m_total_frequency += more;
}

void PatternCatalogue::prepare_to_forget(std::uint64_t index) {
  const PatternRow pattern = row(index);
  const auto name = pattern.name();
  std::vector<std::uint32_t> words;
  m_events_hash = hash_of(pattern.block->key(pattern.row, words));
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

void PatternCatalogue::clear() noexcept {
  m_blocks.clear();
  m_by_name = {};
  m_by_events = {};
  std::fill(m_patterns_with.begin(), m_patterns_with.end(), 0);
  std::fill(m_symbol_frequency.begin(), m_symbol_frequency.end(), 0);
  m_live = m_total_frequency = m_occurrences = 0;
}

std::uint32_t PatternCatalogue::next_mark() noexcept {
  if (++m_mark == 0) {  // all marks have been used
    std::fill(m_seen.begin(), m_seen.end(), 0);
    m_mark = 1;
  }
  return m_mark;
}

void PatternCatalogue::count_symbol(Symbol symbol, std::uint32_t mark, std::uint64_t patterns,
                                    std::uint64_t times) noexcept {
  m_symbol_frequency[symbol] += times;
  if (m_seen[symbol] == mark) return;
  m_seen[symbol] = mark;
  m_patterns_with[symbol] += patterns;
}

void PatternCatalogue::count_symbols(const Place& at, std::uint64_t patterns,
                                     std::uint64_t times) noexcept {
  m_occurrences += at.block->length(at.row) * times;
  const std::uint32_t mark = next_mark();
  at.block->for_each_symbol(at.row,
                            [&](Symbol symbol) { count_symbol(symbol, mark, patterns, times); });
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
