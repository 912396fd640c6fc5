// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_SYMBOL_TABLE_HPP
#define KINDRED_CORE_SEQUENCE_SYMBOL_TABLE_HPP

#include <kindred/core/sequence/Symbol.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace Kindred::Impl {

/// \brief Maps symbols to small numbers in the order of insertion: a hash table that is cleared in
/// constant time. Not thread-safe.
class SymbolTable {
 public:
  static constexpr std::uint32_t absent = 0xFFFFFFFFU;

  /// Clears the table and reserves capacity for \p count symbols.
  void restart(std::size_t count) {
    const std::size_t slots = std::bit_ceil(2 * count + 2);
    if (slots > m_slots.size()) {
      m_slots.assign(slots, {});
      m_shift = 64 - std::countr_zero(slots);
      m_epoch = 0;
    }
    if (++m_epoch == 0) {
      m_slots.assign(m_slots.size(), {});
      m_epoch = 1;
    }
    m_count = 0;
  }
  /// The number of \p symbol, inserted if new; at most as many symbols as were passed to `restart`.
  std::uint32_t insert(Symbol symbol) {
    Slot& slot = m_slots[place(symbol)];
    if (slot.epoch != m_epoch) slot = {symbol, m_count++, m_epoch};
    return slot.number;
  }
  std::uint32_t find(Symbol symbol) const {
    const Slot& slot = m_slots[place(symbol)];
    return slot.epoch == m_epoch ? slot.number : absent;
  }
  std::uint32_t size() const noexcept { return m_count; }

 private:
  struct Slot {
    Symbol symbol = 0;
    std::uint32_t number = 0;
    std::uint32_t epoch = 0;
  };

  /// The slot of \p symbol, or the empty slot where it would be inserted.
  std::size_t place(Symbol symbol) const {
    std::size_t at = (symbol * 0x9E3779B97F4A7C15ULL) >> m_shift;
    while (m_slots[at].epoch == m_epoch && m_slots[at].symbol != symbol)
      at = (at + 1) & (m_slots.size() - 1);
    return at;
  }

  std::vector<Slot> m_slots{std::vector<Slot>(2)};
  int m_shift = 63;
  std::uint32_t m_epoch = 1;
  std::uint32_t m_count = 0;
};

/// \brief The number of every known symbol of \p symbols, which are inserted into \p table, with
/// its position; ascending.
inline std::vector<std::pair<std::uint32_t, std::uint32_t>> numbered_places(
    std::span<const Symbol> symbols, SymbolTable& table) {
  table.restart(symbols.size());
  std::vector<std::pair<std::uint32_t, std::uint32_t>> places;
  for (std::uint32_t j = 0; j < symbols.size(); ++j)
    if (symbols[j] != unknown_symbol) places.emplace_back(table.insert(symbols[j]), j);
  std::sort(places.begin(), places.end());
  return places;
}

/// \brief The distinct symbols of a sequence with their counts, in order of first occurrence. Not
/// thread-safe.
class SymbolCounts {
 public:
  struct Entry {
    Symbol symbol;
    std::uint32_t count;
  };

  /// Valid until the next call.
  std::span<const Entry> of(std::span<const Symbol> symbols) {
    m_table.restart(symbols.size());
    m_entries.clear();
    for (const Symbol symbol : symbols) {
      const std::uint32_t number = m_table.insert(symbol);
      if (number == m_entries.size()) m_entries.push_back({symbol, 0});
      ++m_entries[number].count;
    }
    return m_entries;
  }

 private:
  SymbolTable m_table;
  std::vector<Entry> m_entries;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEQUENCE_SYMBOL_TABLE_HPP
