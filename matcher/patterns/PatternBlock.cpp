// SPDX-License-Identifier: Apache-2.0
#include "PatternBlock.hpp"

#include <algorithm>
#include <utility>

namespace Kindred::Impl {

namespace {

/// Reserves space for \p count more elements; the capacity at least doubles, so that appending is
/// amortised O(1).
template <class T>
void reserve_more(std::vector<T>& values, std::size_t count) {
  if (values.capacity() - values.size() >= count) return;
  values.reserve(std::max(values.size() + count, 2 * values.size()));
}

}  // namespace

PatternColumns PatternColumns::rows(std::size_t begin, std::size_t count) const {
  PatternColumns part = *this;
  if (begin > 0) {
    part.first_symbol = symbol_ends[begin - 1];
    part.first_border = border_ends[begin - 1];
    part.first_name = name_ends[begin - 1] >> 1U;
  }
  part.symbol_ends = symbol_ends.subspan(begin, count);
  part.border_ends = border_ends.subspan(begin, count);
  part.name_ends = name_ends.subspan(begin, count);
  part.frequency = frequency.subspan(begin, count);
  return part;
}

PatternBlock::PatternBlock(const PatternColumns& columns, std::vector<std::uint16_t> offsets)
    : m_columns(columns), m_offsets(std::move(offsets)), m_is_own(false) {
  for (const std::uint64_t frequency : columns.frequency) m_live += frequency > 0 ? 1 : 0;
}

std::shared_ptr<PatternBlock> PatternBlock::compacted() const {
  auto copy = std::make_shared<PatternBlock>();
  std::size_t symbols = 0;
  std::size_t events = 0;
  std::size_t name_bytes = 0;
  for (std::size_t row = 0; row < size(); ++row) {
    if (frequency(row) == 0) continue;
    symbols += length(row);
    events += borders(row).size();
    name_bytes += name(row).value_or(std::string_view()).size();
  }
  copy->m_symbols.reserve(symbols);
  copy->m_borders.reserve(events);
  copy->m_name_text.reserve(name_bytes);
  copy->m_offsets.reserve(m_live);
  for (auto* column :
       {&copy->m_symbol_ends, &copy->m_border_ends, &copy->m_name_ends, &copy->m_frequency})
    column->reserve(m_live);
  std::vector<std::uint32_t> words;
  for (std::size_t row = 0; row < size(); ++row) {
    if (frequency(row) == 0) continue;
    copy->add(offset_of(row), key(row, words), name(row), frequency(row));
  }
  return copy;
}

void PatternBlock::show_own() noexcept {
  m_columns = {{}, m_symbols,   m_symbol_ends, 0, m_borders,  m_border_ends,
               0,  m_name_text, m_name_ends,   0, m_frequency};
}

std::optional<std::size_t> PatternBlock::row_of(std::uint64_t offset) const noexcept {
  // While the block has no gaps.
  const bool is_here = offset < size() && offset_of(offset) == offset;
  if (m_offsets.empty() || is_here) return is_here ? std::optional(offset) : std::nullopt;
  const auto at = std::lower_bound(m_offsets.begin(), m_offsets.end(), offset);
  if (at == m_offsets.end() || *at != offset) return {};
  return static_cast<std::size_t>(at - m_offsets.begin());
}

void PatternBlock::make_room(std::size_t rows, std::size_t symbols, std::size_t events,
                             std::size_t name_bytes) {
  try {
    reserve_more(m_symbols, symbols);
    reserve_more(m_borders, events);
    reserve_more(m_name_text, name_bytes);
    reserve_more(m_offsets, rows);
    for (auto* column : {&m_symbol_ends, &m_border_ends, &m_name_ends, &m_frequency})
      reserve_more(*column, rows);
  } catch (...) {
    show_own();  // some of the vectors have moved
    throw;
  }
  show_own();
}

void PatternBlock::add(std::uint64_t offset, const PatternKey& key,
                       std::optional<std::string_view> given, std::uint64_t frequency) noexcept {
  m_symbols.insert(m_symbols.end(), key.symbols().begin(), key.symbols().end());
  m_symbol_ends.push_back(m_symbols.size());
  m_borders.insert(m_borders.end(), key.ends().begin(), key.ends().end());
  m_border_ends.push_back(m_borders.size());
  if (given) m_name_text.insert(m_name_text.end(), given->begin(), given->end());
  m_name_ends.push_back(m_name_text.size() << 1U | (given ? 1U : 0U));
  m_offsets.push_back(static_cast<std::uint16_t>(offset));
  m_frequency.push_back(frequency);
  ++m_live;
  show_own();
}

void PatternBlock::forget(std::size_t row) noexcept {
  m_columns.frequency[row] = 0;
  --m_live;
}

void PatternBlock::append_symbols(std::size_t row, std::vector<Symbol>& out) const {
  for_each_symbol(row, [&](Symbol symbol) { out.push_back(symbol); });
}

std::span<const std::uint32_t> PatternBlock::borders(std::size_t row) const noexcept {
  const std::uint64_t begin = row == 0 ? m_columns.first_border : m_columns.border_ends[row - 1];
  return m_columns.borders.subspan(begin, m_columns.border_ends[row] - begin);
}

std::optional<std::string_view> PatternBlock::name(std::size_t row) const noexcept {
  const std::uint64_t end = m_columns.name_ends[row];
  if ((end & 1U) == 0) return {};
  const std::uint64_t begin = row == 0 ? m_columns.first_name : m_columns.name_ends[row - 1] >> 1U;
  return std::string_view(m_columns.name_text.data() + begin, (end >> 1U) - begin);
}

PatternKey PatternBlock::key(std::size_t row, std::vector<std::uint32_t>& words) const {
  const std::span<const std::uint32_t> ends = borders(row);
  words.assign(ends.begin(), ends.end());
  append_symbols(row, words);
  return {words, ends.size()};
}

bool PatternBlock::equals(std::size_t row, const PatternKey& key) const noexcept {
  const std::span<const std::uint32_t> ends = borders(row);
  const std::span<const Symbol> symbols = key.symbols();
  if (length(row) != symbols.size() || !std::ranges::equal(ends, key.ends())) return false;
  const std::uint64_t first = symbols_begin(row);
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    if (symbol(first + i) != symbols[i]) return false;
  }
  return true;
}

}  // namespace Kindred::Impl
