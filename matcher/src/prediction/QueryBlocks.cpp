// SPDX-License-Identifier: Apache-2.0
#include "QueryBlocks.hpp"

#include <algorithm>

namespace Kindred::Impl {

namespace {

/// Not a lambda, which nvcc would take for constexpr in a host-and-device function.
struct Collect {
  std::vector<Block>* runs;
  void operator()(const Block& run) const { runs->push_back(run); }
};

}  // namespace

QueryBlocks::QueryBlocks(std::span<const Symbol> query)
    : m_query_length(static_cast<std::uint32_t>(query.size())), m_runs(query.size()) {
  m_table.restart(query.size());
  std::vector<std::pair<std::uint32_t, std::uint32_t>> places;  // number, position
  for (std::uint32_t j = 0; j < query.size(); ++j)
    if (query[j] != unknown_symbol) places.emplace_back(m_table.insert(query[j]), j);
  std::sort(places.begin(), places.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : a.second > b.second;
  });
  m_first.assign(m_table.size() + 1, 0);
  for (const auto& [number, position] : places) {
    ++m_first[number + 1];
    m_positions.push_back(position);
  }
  for (std::size_t number = 0; number + 1 < m_first.size(); ++number)
    m_first[number + 1] += m_first[number];
}

Block QueryBlocks::longest(const RunRange& range) {
  Block best{0, 0, 0};
  const auto begin = std::lower_bound(
      m_hits.begin(), m_hits.end(), range.pattern_begin,
      [](const Hit& hit, std::uint32_t position) { return hit.position < position; });
  for (auto hit = begin; hit != m_hits.end() && hit->position < range.pattern_end; ++hit) {
    const std::uint32_t i = hit->position;
    const std::uint64_t row = m_rows + i;
    bool best_ends_here = false;
    // From the right, so that the run which ends at (i - 1, j - 1) is still there.
    for (std::uint32_t p = m_first[hit->number]; p < m_first[hit->number + 1]; ++p) {
      const std::uint32_t j = m_positions[p];
      if (j >= range.query_end) continue;
      if (j < range.query_begin) break;
      // A run from before this range has been written over, unless it ends outside of it.
      const bool extends = i > range.pattern_begin && j > range.query_begin &&
                           m_runs[j - 1].length > 0 && m_runs[j - 1].row + 1 == row;
      const std::uint32_t length = extends ? m_runs[j - 1].length + 1 : 1;
      m_runs[j] = {row, length};
      if (length > best.length || (best_ends_here && length == best.length)) {
        best = {i + 1 - length, j + 1 - length, length};
        best_ends_here = true;
      }
    }
    if (best.length == range.bound) break;
  }
  return best;
}

std::span<const Block> QueryBlocks::find(std::span<const Symbol> pattern) {
  m_hits.clear();
  m_blocks.clear();
  for (std::uint32_t i = 0; i < pattern.size(); ++i) {
    const std::uint32_t number = m_table.find(pattern[i]);
    if (number != SymbolTable::absent) m_hits.push_back({i, number});
  }
  if (m_hits.empty()) return m_blocks;
  matched_runs(*this, static_cast<std::uint32_t>(pattern.size()), m_query_length,
               Collect{&m_blocks});
  m_rows += pattern.size() + 1;
  // No two of them touch: the longer run would have been found.
  std::sort(m_blocks.begin(), m_blocks.end(),
            [](const Block& a, const Block& b) { return a.pattern_begin < b.pattern_begin; });
  return m_blocks;
}

}  // namespace Kindred::Impl
