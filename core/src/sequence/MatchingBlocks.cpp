// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/sequence/RatcliffObershelp.hpp>

#include <kindred/core/sequence/impl/LongestRuns.hpp>

#include <algorithm>
#include <utility>

namespace Kindred {

namespace {

/// difflib's own way: run lengths row by row, only where symbols are equal.
class SparseRunFinder {
 public:
  SparseRunFinder(std::span<const Symbol> pattern, std::span<const Symbol> query)
      : m_pattern(pattern), m_before(query.size() + 1, 0), m_now(query.size() + 1, 0) {
    for (std::size_t j = 0; j < query.size(); ++j) {
      if (query[j] != unknown_symbol)
        m_positions.emplace_back(query[j], static_cast<std::uint32_t>(j));
    }
    std::sort(m_positions.begin(), m_positions.end());
  }

  Block longest(const Impl::RunRange& range) {
    Block best{0, 0, 0};
    std::pair<const Position*, const Position*> last{nullptr, nullptr};
    for (std::uint32_t i = range.pattern_begin; i < range.pattern_end; ++i) {
      const auto here = positions(m_pattern[i], range.query_begin, range.query_end);
      for (const Position* p = here.first; p != here.second; ++p) {
        const std::uint32_t length = m_before[p->second] + 1;
        m_now[p->second + 1] = length;
        if (length > best.length) best = {i + 1 - length, p->second + 1 - length, length};
      }
      for (const Position* p = last.first; p != last.second; ++p) m_before[p->second + 1] = 0;
      std::swap(m_before, m_now);
      last = here;
    }
    for (const Position* p = last.first; p != last.second; ++p) m_before[p->second + 1] = 0;
    return best;
  }

 private:
  using Position = std::pair<Symbol, std::uint32_t>;

  std::pair<const Position*, const Position*> positions(Symbol symbol, std::uint32_t begin,
                                                        std::uint32_t end) const {
    if (symbol == unknown_symbol) return {nullptr, nullptr};
    const auto first =
        std::lower_bound(m_positions.begin(), m_positions.end(), Position{symbol, begin});
    const auto last = std::lower_bound(first, m_positions.end(), Position{symbol, end});
    return {m_positions.data() + (first - m_positions.begin()),
            m_positions.data() + (last - m_positions.begin())};
  }

  std::span<const Symbol> m_pattern;
  std::vector<Position> m_positions;    ///< of the query, by symbol
  std::vector<std::uint32_t> m_before;  ///< [j + 1]: run that ends at (i - 1, j)
  std::vector<std::uint32_t> m_now;
};

}  // namespace

std::vector<Block> matching_blocks(std::span<const Symbol> pattern, std::span<const Symbol> query) {
  std::vector<Block> runs;
  SparseRunFinder finder(pattern, query);
  Impl::matched_runs(finder, static_cast<std::uint32_t>(pattern.size()),
                     static_cast<std::uint32_t>(query.size()),
                     [&](const Block& run) { runs.push_back(run); });
  std::sort(runs.begin(), runs.end(),
            [](const Block& a, const Block& b) { return a.pattern_begin < b.pattern_begin; });
  std::vector<Block> blocks;
  for (const Block& run : runs) {
    if (!blocks.empty() &&
        blocks.back().pattern_begin + blocks.back().length == run.pattern_begin &&
        blocks.back().query_begin + blocks.back().length == run.query_begin) {
      blocks.back().length += run.length;
    } else {
      blocks.push_back(run);
    }
  }
  return blocks;
}

}  // namespace Kindred
