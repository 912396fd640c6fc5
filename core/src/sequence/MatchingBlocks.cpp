// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/sequence/MatchingBlocks.hpp>

#include <kindred/core/sequence/Autojunk.hpp>
#include <kindred/core/sequence/impl/LongestRuns.hpp>

#include <algorithm>

namespace Kindred {

/// difflib's own way: run lengths row by row, only where symbols are equal.
class BlockFinder::Runs {
 public:
  Runs(const BlockFinder& finder, std::span<const Symbol> pattern)
      : m_positions(finder.m_positions),
        m_pattern(pattern),
        m_before(finder.m_query.size() + 1, 0),
        m_now(finder.m_query.size() + 1, 0) {}

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

  /// Calls \p emit with every run; returns the symbols in them.
  template <class Emit>
  static std::uint32_t match(const BlockFinder& finder, std::span<const Symbol> pattern,
                             const Emit& emit) {
    Runs runs(finder, pattern);
    const Impl::GrowRun<Symbol> grow{pattern.data(), 1,
                                     finder.m_grows ? finder.m_query.data() : nullptr};
    return Impl::matched_runs(runs, static_cast<std::uint32_t>(pattern.size()),
                              static_cast<std::uint32_t>(finder.m_query.size()), emit, grow);
  }

 private:
  std::pair<const Position*, const Position*> positions(Symbol symbol, std::uint32_t begin,
                                                        std::uint32_t end) const {
    if (symbol == unknown_symbol) return {nullptr, nullptr};
    const auto first =
        std::lower_bound(m_positions.begin(), m_positions.end(), Position{symbol, begin});
    const auto last = std::lower_bound(first, m_positions.end(), Position{symbol, end});
    return {m_positions.data() + (first - m_positions.begin()),
            m_positions.data() + (last - m_positions.begin())};
  }

  const std::vector<Position>& m_positions;
  std::span<const Symbol> m_pattern;
  std::vector<std::uint32_t> m_before;  ///< [j + 1]: run that ends at (i - 1, j)
  std::vector<std::uint32_t> m_now;
};

namespace {

struct Collect {
  std::vector<Block>* runs;
  void operator()(const Block& run) const { runs->push_back(run); }
};

}  // namespace

BlockFinder::BlockFinder(std::span<const Symbol> query, bool autojunk)
    : m_query(query.begin(), query.end()) {
  const std::vector<Symbol> rare = autojunk ? without_popular(query) : std::vector<Symbol>();
  m_grows = !rare.empty();
  const std::span<const Symbol> places = m_grows ? rare : query;
  for (std::size_t j = 0; j < places.size(); ++j) {
    if (places[j] != unknown_symbol)
      m_positions.emplace_back(places[j], static_cast<std::uint32_t>(j));
  }
  std::sort(m_positions.begin(), m_positions.end());
}

std::uint32_t BlockFinder::matched(std::span<const Symbol> pattern) const {
  return Runs::match(*this, pattern, Impl::IgnoreRun{});
}

std::vector<Block> BlockFinder::blocks(std::span<const Symbol> pattern) const {
  std::vector<Block> runs;
  Runs::match(*this, pattern, Collect{&runs});
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

std::vector<Block> matching_blocks(std::span<const Symbol> pattern, std::span<const Symbol> query,
                                   bool autojunk) {
  return BlockFinder(query, autojunk).blocks(pattern);
}

}  // namespace Kindred
