// SPDX-License-Identifier: Apache-2.0
#include "SymbolMap.hpp"

#include <kindred/backends/impl/Instances.hpp>

#include <algorithm>

namespace Kindred::Impl {

namespace {

/// The number of occurrences of each symbol up to \p largest.
std::vector<std::uint64_t> count_symbols(const Context& context, std::span<const Symbol> symbols,
                                         Symbol largest) {
  const std::size_t size = std::size_t{largest} + 1;
  // A separate table per thread pays off while it is small compared with the symbols of the thread.
  const std::uint64_t least = std::max<std::uint64_t>(1U << 16U, 4 * size);
  const HostWorkers workers = host_workers(context, Space::openmp);
  const std::uint64_t parts = std::clamp<std::uint64_t>(symbols.size() / least, 1, workers.count());
  std::vector<std::uint64_t> counts(size * parts, 0);
  workers.for_each_item(parts, 1, thread_worth, [&](std::size_t, std::size_t part) {
    std::uint64_t* own = counts.data() + part * size;
    const std::uint64_t end = symbols.size() * (part + 1) / parts;
    for (std::uint64_t i = symbols.size() * part / parts; i < end; ++i) ++own[symbols[i]];
  });
  for (std::uint64_t part = 1; part < parts; ++part) {
    for (std::size_t s = 0; s < size; ++s) counts[s] += counts[part * size + s];
  }
  counts.resize(size);
  return counts;
}

}  // namespace

SymbolMap::SymbolMap(const Context& context, std::span<const Symbol> symbols, Symbol largest) {
  if (symbols.empty()) return;
  struct Entry {
    Symbol symbol;
    std::uint64_t count;
  };
  std::vector<Entry> entries;
  const bool by_table = largest < (1U << 20U) || largest / 4 < symbols.size();
  if (by_table) {
    const std::vector<std::uint64_t> counts = count_symbols(context, symbols, largest);
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
  std::vector<Symbol> by_dense;
  by_dense.reserve(entries.size());
  for (const Entry& entry : entries) by_dense.push_back(entry.symbol);
  fill(by_dense, largest, by_table);
}

SymbolMap::SymbolMap(std::span<const Symbol> by_dense) {
  if (by_dense.empty()) return;
  const Symbol largest = *std::max_element(by_dense.begin(), by_dense.end());
  fill(by_dense, largest, largest < (1U << 20U) || largest / 4 < by_dense.size());
}

void SymbolMap::fill(std::span<const Symbol> by_dense, Symbol largest, bool by_table) {
  m_size = static_cast<std::uint32_t>(by_dense.size());
  if (by_table) {
    m_table.assign(std::size_t{largest} + 1, unknown_symbol);
    for (std::uint32_t d = 0; d < m_size; ++d) m_table[by_dense[d]] = d;
  } else {
    for (std::uint32_t d = 0; d < m_size; ++d) m_sorted.emplace_back(by_dense[d], d);
    std::sort(m_sorted.begin(), m_sorted.end());
  }
}

std::vector<Symbol> SymbolMap::by_dense() const {
  std::vector<Symbol> symbols(m_size);
  for (std::size_t s = 0; s < m_table.size(); ++s) {
    if (m_table[s] != unknown_symbol) symbols[m_table[s]] = static_cast<Symbol>(s);
  }
  for (const auto& [symbol, dense] : m_sorted) symbols[dense] = symbol;
  return symbols;
}

Symbol SymbolMap::find(Symbol symbol) const noexcept {
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
