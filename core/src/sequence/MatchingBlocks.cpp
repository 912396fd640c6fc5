// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/sequence/MatchingBlocks.hpp>

#include <kindred/core/common/Cancellation.hpp>
#include <kindred/core/sequence/Autojunk.hpp>
#include <kindred/core/sequence/impl/MatchedRuns.hpp>

#include <algorithm>

namespace Kindred {

/// difflib's own algorithm: run lengths row by row, only where symbols are equal.
class BlockFinder::Runs {
 public:
  Runs(const BlockFinder& finder, Workspace& workspace)
      : m_first(finder.m_first), m_positions(finder.m_positions), m_workspace(workspace) {}

  Block longest(const Impl::RunRange& range) {
    Block best{0, 0, 0};
    std::vector<Workspace::Run>& runs = m_workspace.m_runs;
    const auto begin = std::lower_bound(
        m_workspace.m_hits.begin(), m_workspace.m_hits.end(), range.pattern_begin,
        [](const Workspace::Hit& hit, std::uint32_t position) { return hit.position < position; });
    for (auto hit = begin; hit != m_workspace.m_hits.end() && hit->position < range.pattern_end;
         ++hit) {
      const std::uint32_t i = hit->position;
      const std::uint64_t row = m_workspace.m_rows + i;
      bool best_ends_here = false;
      if (i % 8 == 7) Impl::CancelPoint().check();
      // From the right, so that the run which ends at (i - 1, j - 1) is still stored.
      for (std::uint32_t p = m_first[hit->number + 1]; p-- > m_first[hit->number];) {
        const std::uint32_t j = m_positions[p];
        if (j >= range.query_end) continue;
        if (j < range.query_begin) break;
        // A run from before this range has been overwritten, unless it ends outside the range.
        const bool extends = i > range.pattern_begin && j > range.query_begin &&
                             runs[j - 1].length > 0 && runs[j - 1].row + 1 == row;
        const std::uint32_t length = extends ? runs[j - 1].length + 1 : 1;
        runs[j] = {row, length};
        if (length > best.length || (best_ends_here && length == best.length)) {
          best = {i + 1 - length, j + 1 - length, length};
          best_ends_here = true;
        }
      }
      if (best.length == range.bound) break;
    }
    return best;
  }

 private:
  const std::vector<std::uint32_t>& m_first;
  const std::vector<std::uint32_t>& m_positions;
  Workspace& m_workspace;
};

namespace {

/// Not a lambda, which nvcc would treat as constexpr in a host-and-device function.
struct Collect {
  std::vector<Block>* runs;
  void operator()(const Block& run) const { runs->push_back(run); }
};

}  // namespace

BlockFinder::BlockFinder(std::span<const Symbol> query, bool autojunk)
    : m_query(query.begin(), query.end()) {
  const std::vector<Symbol> rare = autojunk ? without_popular(query) : std::vector<Symbol>();
  m_grows = !rare.empty();
  const std::span<const Symbol> symbols = m_grows ? rare : query;
  for (const auto& [number, position] : Impl::numbered_places(symbols, m_table)) {
    if (number == m_first.size()) m_first.push_back(static_cast<std::uint32_t>(m_positions.size()));
    m_positions.push_back(position);
  }
  m_first.push_back(static_cast<std::uint32_t>(m_positions.size()));
}

template <class Emit>
std::uint32_t BlockFinder::match(std::span<const Symbol> pattern, Workspace& workspace,
                                 const Emit& emit) const {
  workspace.m_runs.resize(m_query.size());
  workspace.m_hits.clear();
  for (std::uint32_t i = 0; i < pattern.size(); ++i) {
    const std::uint32_t number = m_table.find(pattern[i]);
    if (number != Impl::SymbolTable::absent) workspace.m_hits.push_back({i, number});
  }
  if (workspace.m_hits.empty() && !m_grows) return 0;
  Runs runs(*this, workspace);
  const Impl::GrowRun<Symbol> grow{pattern.data(), 1, m_grows ? m_query.data() : nullptr};
  const std::uint32_t matched =
      Impl::matched_runs(runs, static_cast<std::uint32_t>(pattern.size()),
                         static_cast<std::uint32_t>(m_query.size()), emit, grow);
  workspace.m_rows += pattern.size() + 1;
  return matched;
}

std::uint32_t BlockFinder::matched(std::span<const Symbol> pattern) const {
  Workspace workspace;
  return match(pattern, workspace, Impl::IgnoreRun{});
}

std::span<const Block> BlockFinder::blocks(std::span<const Symbol> pattern,
                                           Workspace& workspace) const {
  std::vector<Block>& blocks = workspace.m_blocks;
  blocks.clear();
  match(pattern, workspace, Collect{&blocks});
  std::sort(blocks.begin(), blocks.end(),
            [](const Block& a, const Block& b) { return a.pattern_begin < b.pattern_begin; });
  std::size_t last = 0;
  for (std::size_t i = 1; i < blocks.size(); ++i) {
    Block& before = blocks[last];
    const Block& run = blocks[i];
    if (before.pattern_begin + before.length == run.pattern_begin &&
        before.query_begin + before.length == run.query_begin) {
      before.length += run.length;
    } else {
      blocks[++last] = run;
    }
  }
  if (!blocks.empty()) blocks.resize(last + 1);
  return blocks;
}

std::vector<Block> BlockFinder::blocks(std::span<const Symbol> pattern) const {
  Workspace workspace;
  const auto found = blocks(pattern, workspace);
  return {found.begin(), found.end()};
}

std::vector<Block> matching_blocks(std::span<const Symbol> pattern, std::span<const Symbol> query,
                                   bool autojunk) {
  return BlockFinder(query, autojunk).blocks(pattern);
}

}  // namespace Kindred
