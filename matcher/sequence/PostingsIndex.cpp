// SPDX-License-Identifier: Apache-2.0
#include "PostingsIndex.hpp"

#include <kindred/core/common/Cancellation.hpp>
#include <kindred/core/sequence/Similarity.hpp>

#include <algorithm>
#include <limits>

namespace Kindred::Impl {

namespace {

// Costs in steps of a scan, measured on the host.
constexpr double posting_steps = 8;
constexpr double slot_steps = 0.5;
/// Per symbol of a listed pattern, whose memory is not contiguous.
constexpr double listed_steps = 20;

/// Calls `visit(slot, symbol, times)` for every symbol of every pattern; `times` is the number of
/// its earlier occurrences in the pattern.
template <class SymbolType, class Visit>
void for_each_symbol(const TileBuffers<HostSpace>& tiles, const Visit& visit) {
  struct Seen {
    std::uint32_t slot = no_pattern;
    std::uint32_t times = 0;
  };
  std::vector<Seen> seen(tiles.vocabulary);
  const SymbolType* symbols = tiles.symbols<SymbolType>();
  const std::uint32_t slots = tiles.tiles * tile_patterns;
  for (std::uint32_t slot = 0; slot < slots; ++slot) {
    look_at(slot);
    std::size_t at = tiles.offsets.data()[slot / tile_patterns] + slot % tile_patterns;
    for (std::uint32_t j = 0; j < tiles.lengths.data()[slot]; ++j, at += tile_patterns) {
      Seen& last = seen[symbols[at]];
      if (last.slot != slot) last = {slot, 0};
      visit(slot, Symbol{symbols[at]}, last.times++);
    }
  }
}

template <class Visit>
void for_each_symbol(const TileBuffers<HostSpace>& tiles, const Visit& visit) {
  with_symbol_type(tiles.view(),
                   [&](auto symbol) { for_each_symbol<decltype(symbol)>(tiles, visit); });
}

/// The length of the shortest pattern, of at least \p shortest symbols, whose length allows the
/// threshold to be reached; above \p longest if none does.
std::uint64_t shortest_similar(std::uint64_t shortest, std::uint64_t longest,
                               std::uint64_t query_length, double threshold) {
  std::uint64_t length = std::max<std::uint64_t>(shortest, 1);
  while (length <= longest &&
         least_matched(threshold, length + query_length) > std::min(length, query_length)) {
    if (length >= query_length) return longest + 1;  // the similarity bound decreases further
    ++length;
  }
  return length;
}

}  // namespace

PostingsIndex::PostingsIndex(MemoryResource& memory, const TileBuffers<HostSpace>& tiles)
    : m_first_list(std::size_t{tiles.vocabulary} + 1, 0) {
  std::vector<std::uint32_t> most(tiles.vocabulary, 0);
  for_each_symbol(tiles, [&](std::uint32_t, Symbol symbol, std::uint32_t times) {
    most[symbol] = std::max(most[symbol], times + 1);
  });
  for (std::uint32_t s = 0; s < tiles.vocabulary; ++s) {
    m_first_list[s + 1] = m_first_list[s] + most[s];
  }
  std::vector<std::uint64_t> next(std::size_t{m_first_list.back()} + 1, 0);
  for_each_symbol(tiles, [&](std::uint32_t, Symbol symbol, std::uint32_t times) {
    ++next[m_first_list[symbol] + times + 1];
  });
  for (std::size_t l = 1; l < next.size(); ++l) next[l] += next[l - 1];
  m_ends.assign(next.begin() + 1, next.end());
  m_slots = Buffer<std::uint32_t, Kokkos::HostSpace>(memory, "Kindred::SequenceMatcher::postings",
                                                     next.back());
  for_each_symbol(tiles, [&](std::uint32_t slot, Symbol symbol, std::uint32_t times) {
    m_slots.data()[next[m_first_list[symbol] + times]++] = slot;
  });
}

PostingsPlan::PostingsPlan(const PostingsIndex& index, const HostPatterns& store,
                           std::span<const Symbol> query, double threshold) {
  bound.threshold = threshold;
  bound.query_length = static_cast<std::uint32_t>(query.size());
  const std::uint32_t* lengths = store.tiles.lengths.data();
  const std::uint32_t unused = unused_slots(store.slot_of.size());
  const std::uint64_t shortest =
      shortest_similar(lengths[unused], store.longest, query.size(), threshold);
  if (shortest > store.longest) return;
  const std::uint64_t least = least_matched(threshold, shortest + query.size());

  std::vector<Symbol> sorted(query.begin(), query.end());
  std::sort(sorted.begin(), sorted.end());
  std::uint32_t times = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    times = i > 0 && sorted[i - 1] == sorted[i] ? times + 1 : 0;
    if (sorted[i] < store.tiles.vocabulary && times < index.lists(sorted[i])) {
      lists.push_back(index.list(sorted[i], times));
    }
  }
  if (lists.size() < least) {
    lists.clear();
    return;
  }
  // Sorted with the longest first: the first `least − 1` lists need not be read, because a pattern
  // that occurs only in these lists has too few common symbols.
  const auto size = [](const PostingList& list) { return list.end - list.begin; };
  std::sort(lists.begin(), lists.end(), [&](const PostingList& a, const PostingList& b) {
    return size(a) != size(b) ? size(a) > size(b) : a.begin < b.begin;
  });
  double postings = 0;
  for (const PostingList& list : lists) postings += static_cast<double>(size(list));
  const double per_pattern = listed_steps * static_cast<double>(store.symbol_count) /
                             static_cast<double>(std::max<std::size_t>(store.slot_of.size(), 1));
  cost = std::numeric_limits<double>::infinity();
  for (std::uint64_t skipped = 0; skipped < least; ++skipped) {
    // Upper bound on the patterns that occur in at least `least − skipped` of the remaining lists.
    const double patterns = postings / static_cast<double>(least - skipped);
    const double now = posting_steps * postings + per_pattern * patterns;
    if (now < cost) {
      cost = now;
      bound.skipped = static_cast<std::uint32_t>(skipped);
    }
    postings -= static_cast<double>(size(lists[skipped]));
  }
  cost += slot_steps * store.tiles.tiles * tile_patterns;
  bound.least = static_cast<std::uint32_t>(least) - bound.skipped;
  lists.erase(lists.begin(), lists.begin() + bound.skipped);
}

}  // namespace Kindred::Impl
