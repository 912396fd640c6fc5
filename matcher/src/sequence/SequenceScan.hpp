// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SRC_SEQUENCE_SEQUENCE_SCAN_HPP
#define KINDRED_MATCHER_SRC_SEQUENCE_SEQUENCE_SCAN_HPP

#include "PatternStore.hpp"
#include "QueryBuffers.hpp"

#include <kindred/core/select/TopK.hpp>
#include <kindred/core/sequence/Lcs.hpp>
#include <kindred/core/sequence/MatchKeys.hpp>
#include <kindred/core/sequence/RatcliffObershelp.hpp>
#include <kindred/core/sequence/Similarity.hpp>
#include <kindred/matcher/SequenceMatcher.hpp>
#include <kindred/memory/SplitAndRetry.hpp>

#include <algorithm>
#include <memory>
#include <mutex>
#include <type_traits>
#include <vector>

namespace Kindred::Impl {

/// \brief Scores all patterns for batches of queries on one space, with its own reused workspace.
template <class ExecutionSpace>
class SequenceScan {
 public:
  using tiles_type = TileBuffers<ExecutionSpace>;

  /// \param workers host threads, or 0 for as many warps as a device holds
  SequenceScan(MemoryResource& memory, std::shared_ptr<const tiles_type> tiles, int workers)
      : m_memory(&memory), m_tiles(std::move(tiles)), m_workers(workers) {}

  const tiles_type& tiles() const { return *m_tiles; }

  /// Answers query `rows[i]` of \p queries (dense symbols, not empty) into `answers[rows[i]]`.
  /// \param index_limits for every query, the index from which on patterns are no result; empty:
  /// all are
  /// Fences \p exec_space. \throws OutOfMemory when one query does not fit
  void match(const ExecutionSpace& exec_space, const PatternStore& store,
             RaggedSpan<Symbol> queries, const std::vector<std::size_t>& rows,
             const MatchOptions& options, std::span<const std::uint32_t> index_limits,
             std::vector<std::vector<Match>>& answers) {
    const std::lock_guard lock(m_mutex);
    std::uint64_t longest = 0;
    for (const std::size_t row : rows)
      longest = std::max<std::uint64_t>(longest, queries.length(row));
    const bool wide = store.longest + longest > float_similarity_total_max;
    const std::uint64_t bytes =
        QueryArrays::bytes(longest, m_tiles->vocabulary) +
        m_tiles->tiles * std::uint64_t{tile_patterns} * (wide ? 20 : 12) +
        (longest > segment_words * word_symbols ? 8 * (m_tiles->rows + 16ULL * m_tiles->tiles) : 0);
    const std::size_t batch = std::clamp<std::uint64_t>(batch_bytes / bytes, 1, 1024);
    split_and_retry(rows.size(), batch, [&](std::size_t begin, std::size_t count) {
      const std::vector<std::size_t> some(
          rows.begin() + static_cast<std::ptrdiff_t>(begin),
          rows.begin() + static_cast<std::ptrdiff_t>(begin + count));
      if (wide) {
        match_batch<WideRank>(exec_space, store, queries, some, options, index_limits, m_wide,
                              answers);
      } else {
        match_batch<Rank>(exec_space, store, queries, some, options, index_limits, m_narrow,
                          answers);
      }
    });
  }

 private:
  using memory_space = typename ExecutionSpace::memory_space;
  static constexpr bool is_host = std::is_same_v<memory_space, Kokkos::HostSpace>;
  /// Workspace of a batch: on the host about what a shared cache holds.
  static constexpr std::uint64_t batch_bytes = is_host ? 16ULL << 20U : 2ULL << 30U;
  /// Words of a run matrix beyond which a pair is matched on the host, in memory of its length.
  static constexpr std::uint64_t run_words_max = 1ULL << 21U;
  static constexpr std::uint64_t run_workspace_words = 1ULL << 28U;

  /// Buffers that depend on the kind of key.
  template <class Key>
  struct Selection {
    Buffer<Key, memory_space> keys;
    Buffer<Key, memory_space> best;
    Buffer<Key, memory_space> workspace;
    std::vector<Key> answer;
  };

  template <class Key>
  void match_batch(const ExecutionSpace& exec_space, const PatternStore& store,
                   RaggedSpan<Symbol> queries, const std::vector<std::size_t>& rows,
                   const MatchOptions& options, std::span<const std::uint32_t> index_limits,
                   Selection<Key>& selection, std::vector<std::vector<Match>>& answers) {
    const PatternTiles<ExecutionSpace> tiles = m_tiles->view();
    QueryTables<ExecutionSpace> tables =
        m_queries.place(exec_space, *m_memory, queries, rows, tiles.vocabulary);
    m_limits.clear();
    if (!index_limits.empty()) {
      for (const std::size_t row : rows) m_limits.push_back(index_limits[row]);
      tables.index_limits = placed(exec_space, *m_memory, m_limits, m_placed_limits,
                                   "Kindred::SequenceMatcher::index_limits");
    }
    const std::uint64_t slots = tiles.slots();
    sized(m_matched, "Kindred::SequenceMatcher::matched", rows.size() * slots);
    const TopKShape shape{rows.size(), slots,
                          std::min<std::size_t>(options.top, store.slot_of.size())};
    sized(selection.keys, "Kindred::SequenceMatcher::keys", rows.size() * slots);
    sized(selection.best, "Kindred::SequenceMatcher::best", rows.size() * shape.k);
    sized(selection.workspace, "Kindred::SequenceMatcher::top_k_workspace",
          top_k_workspace<ExecutionSpace, Key>(shape));

    if (options.measure == Measure::lcs || options.threshold > 0.0) {
      sized(m_carry, "Kindred::SequenceMatcher::carry",
            lcs_carry_words(tiles, tables.queries, tables.segments_max));
      lcs_lengths(exec_space, tiles, tables, options.threshold, m_carry.view(), m_matched.view());
    }
    if (options.measure == Measure::difflib) {
      if (options.autojunk) {
        m_popular.place(exec_space, *m_memory, queries, rows, tiles.vocabulary);
      }
      for (std::uint32_t q = 0; q < rows.size(); ++q) {
        match_runs(exec_space, store, tiles, tables, q, queries[rows[q]], options);
      }
    }
    match_keys<ExecutionSpace, Key>(exec_space, tiles, tables, options.threshold,
                                    m_matched.const_view(), selection.keys.view());
    top_k<ExecutionSpace, Key>(exec_space, selection.keys.const_view(), shape,
                               selection.best.view(), selection.workspace.view());
    selection.answer.resize(selection.best.size());
    download(exec_space, selection.answer.data(), selection.best.view(), selection.best.size());
    for (std::size_t q = 0; q < rows.size(); ++q) {
      auto& found = answers[rows[q]];
      found.clear();
      for (std::size_t i = 0; i < shape.k; ++i) {
        const Key key = selection.answer[q * shape.k + i];
        if (key == key_none<Key>()) break;
        found.push_back(decode(key, store, queries.length(rows[q])));
      }
    }
  }

  /// Ratcliff-Obershelp of one query: of the patterns whose LCS, never smaller, reaches the
  /// threshold, or of all.
  void match_runs(const ExecutionSpace& exec_space, const PatternStore& store,
                  const PatternTiles<ExecutionSpace>& tiles,
                  const QueryTables<ExecutionSpace>& tables, std::uint32_t q,
                  std::span<const Symbol> query, const MatchOptions& options) {
    const double threshold = options.threshold;
    RunsShape<ExecutionSpace> shape;
    if (options.autojunk) shape.grow_over = m_popular.grow_over(q);
    shape.query = q;
    shape.words = (query.size() + word_symbols - 1) / word_symbols;
    shape.listed = threshold > 0.0;
    // Slots are sorted by length: the matrices of all before `slot_end` fit.
    const std::uint32_t* lengths = store.tiles.lengths.data();
    const auto patterns = static_cast<std::uint32_t>(store.slot_of.size());
    shape.slot_end = static_cast<std::uint32_t>(
        std::upper_bound(lengths, lengths + patterns, run_words_max / shape.words) - lengths);
    if (shape.slot_end > 0) shape.rows = lengths[shape.slot_end - 1];
    shape.workers = workers(exec_space, shape);
    sized(m_counters, "Kindred::SequenceMatcher::counters", 2);
    sized(m_runs, "Kindred::SequenceMatcher::runs", shape.workspace_words());
    if (shape.listed) {
      sized(m_survivors, "Kindred::SequenceMatcher::survivors", tiles.slots());
      collect_survivors(exec_space, tiles, q, shape.slot_end,
                        static_cast<std::uint32_t>(query.size()), threshold,
                        m_limits.empty() ? no_pattern : m_limits[q], m_matched.const_view(),
                        m_survivors.view(), m_counters.view());
    }
    ratcliff_obershelp(exec_space, tiles, options.autojunk ? m_popular.tables(q, tables) : tables,
                       shape, m_survivors.const_view(), m_counters.view(), m_runs.view(),
                       m_matched.view());
    if (shape.slot_end < patterns) {
      match_long_runs(exec_space, store, q, shape.slot_end, query, options);
    }
  }

  /// The slots from \p slot on, whose run matrices would be too large, on the calling thread.
  void match_long_runs(const ExecutionSpace& exec_space, const PatternStore& store, std::uint32_t q,
                       std::uint32_t slot, std::span<const Symbol> query,
                       const MatchOptions& options) {
    const BlockFinder finder(query, options.autojunk);
    const auto patterns = static_cast<std::uint32_t>(store.slot_of.size());
    const std::uint64_t first = std::uint64_t{q} * m_tiles->view().slots() + slot;
    const auto own = Kokkos::subview(m_matched.view(), std::pair(first, first + patterns - slot));
    std::vector<std::uint32_t> counts(patterns - slot);
    download(exec_space, counts.data(), own, counts.size());
    for (std::uint32_t s = slot; s < patterns; ++s) {
      std::uint32_t& count = counts[s - slot];
      const std::uint64_t total = store.tiles.lengths.data()[s] + query.size();
      if (options.threshold > 0.0 && similarity(count, total) < options.threshold) continue;
      count = finder.matched(store.pattern(s));
    }
    upload(exec_space, own, counts.data(), counts.size());
  }

  std::uint32_t workers(const ExecutionSpace& exec_space,
                        const RunsShape<ExecutionSpace>& shape) const {
    const std::uint64_t wanted =
        m_workers > 0 ? static_cast<std::uint64_t>(m_workers)
                      : static_cast<std::uint64_t>(exec_space.concurrency()) / (4 * tile_patterns);
    const std::uint64_t items = (shape.slot_end + tile_patterns - 1) / tile_patterns;
    const std::uint64_t fitting =
        run_workspace_words / std::max<std::uint64_t>(shape.worker_words(), 1);
    return static_cast<std::uint32_t>(
        std::max<std::uint64_t>(1, std::min({wanted, items, fitting})));
  }

  template <class T>
  void sized(Buffer<T, memory_space>& buffer, const char* label, std::uint64_t size) {
    Impl::sized(buffer, *m_memory, label, size);
  }

  /// A key holds the similarity, which tells the count.
  static Match decode(Rank key, const PatternStore& store, std::uint64_t query_length) {
    const std::uint32_t index = rank_index(key);
    const auto bits = 0x7FFFFFFEU - static_cast<std::uint32_t>(key >> 32U);
    return decode(static_cast<double>(Kokkos::bit_cast<float>(bits)), index, store, query_length);
  }
  static Match decode(const WideRank& key, const PatternStore& store, std::uint64_t query_length) {
    return decode(Kokkos::bit_cast<double>(~key.score), static_cast<std::uint32_t>(key.index),
                  store, query_length);
  }
  static Match decode(double value, std::uint32_t index, const PatternStore& store,
                      std::uint64_t query_length) {
    const std::uint64_t total = store.tiles.lengths.data()[store.slot_of[index]] + query_length;
    const auto count = static_cast<std::uint32_t>(value * static_cast<double>(total) / 2.0 + 0.5);
    return {index, similarity(count, total), count};
  }

  MemoryResource* m_memory;
  std::shared_ptr<const tiles_type> m_tiles;
  int m_workers;
  std::mutex m_mutex;
  QueryBuffers<ExecutionSpace> m_queries;
  PopularSymbols<ExecutionSpace> m_popular;
  std::vector<std::uint32_t> m_limits;
  Buffer<std::uint32_t, memory_space> m_placed_limits;
  Buffer<std::uint32_t, memory_space> m_matched;
  Buffer<std::uint64_t, memory_space> m_carry;
  Buffer<std::uint32_t, memory_space> m_survivors;
  Buffer<std::uint32_t, memory_space> m_counters;
  Buffer<std::uint64_t, memory_space> m_runs;
  Selection<Rank> m_narrow;
  Selection<WideRank> m_wide;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SRC_SEQUENCE_SEQUENCE_SCAN_HPP
