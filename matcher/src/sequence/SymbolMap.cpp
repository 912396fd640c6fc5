// SPDX-License-Identifier: Apache-2.0
#include "SymbolMap.hpp"

#include <algorithm>

namespace Kindred::Impl {

SymbolMap::SymbolMap(std::span<const Symbol> symbols) {
  if (symbols.empty()) return;
  const Symbol largest = *std::max_element(symbols.begin(), symbols.end());
  struct Entry {
    Symbol symbol;
    std::uint64_t count;
  };
  std::vector<Entry> entries;
  const bool by_table = largest < (1U << 20U) || largest / 4 < symbols.size();
  if (by_table) {
    std::vector<std::uint64_t> counts(std::size_t{largest} + 1, 0);
    for (const Symbol symbol : symbols) ++counts[symbol];
    for (std::size_t s = 0; s < counts.size(); ++s) {
      if (counts[s] > 0) entries.push_back({static_cast<Symbol>(s), counts[s]});
    }
  } else {
    std::vector<Symbol> sorted(symbols.begin(), symbols.end());
    std::sort(sorted.begin(), sorted.end());
    for (const Symbol symbol : sorted) {
      if (entries.empty() || entries.back().symbol != symbol) entries.push_back({symbol, 0});
      ++entries.back().count;
    }
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return a.count > b.count; });
  m_size = static_cast<std::uint32_t>(entries.size());
  if (by_table) {
    m_table.assign(std::size_t{largest} + 1, unknown_symbol);
    for (std::uint32_t d = 0; d < m_size; ++d) m_table[entries[d].symbol] = d;
  } else {
    for (std::uint32_t d = 0; d < m_size; ++d) m_sorted.emplace_back(entries[d].symbol, d);
    std::sort(m_sorted.begin(), m_sorted.end());
  }
}

Symbol SymbolMap::operator[](Symbol symbol) const noexcept {
  if (symbol < m_table.size()) return m_table[symbol];
  const auto at = std::lower_bound(m_sorted.begin(), m_sorted.end(), std::pair{symbol, Symbol{0}});
  return at != m_sorted.end() && at->first == symbol ? at->second : unknown_symbol;
}

Ragged<Symbol> SymbolMap::translate(RaggedSpan<Symbol> rows) const {
  Ragged<Symbol> dense;
  dense.offsets.reserve(rows.rows() + 1);
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    for (const Symbol symbol : rows[row]) dense.values.push_back((*this)[symbol]);
    dense.close_row();
  }
  return dense;
}

}  // namespace Kindred::Impl
