// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEQUENCE_SCAN_BATCH_HPP
#define KINDRED_MATCHER_SEQUENCE_SCAN_BATCH_HPP

#include "ScanCall.hpp"
#include "ScanWorkspace.hpp"

#include <kindred/core/arch/Concurrency.hpp>
#include <kindred/core/arch/StartCopy.hpp>
#include <kindred/core/arch/launch/KernelCancel.hpp>
#include <kindred/core/select/TopK.hpp>
#include <kindred/core/sequence/CollectSurvivors.hpp>
#include <kindred/core/sequence/CommonEnds.hpp>
#include <kindred/core/sequence/EditDistance.hpp>
#include <kindred/core/sequence/Lcs.hpp>
#include <kindred/core/sequence/MatchKeys.hpp>
#include <kindred/core/sequence/MatchingBlocks.hpp>
#include <kindred/core/sequence/PairScores.hpp>
#include <kindred/core/sequence/PairValues.hpp>
#include <kindred/core/sequence/Postings.hpp>
#include <kindred/core/sequence/RatcliffObershelp.hpp>
#include <kindred/core/sequence/Similarity.hpp>
#include <kindred/memory/Copies.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace Kindred::Impl {

/// \brief Queries of a call that are scanned together, placed in the memory of the kernels, and the
/// steps of their scan. \see MatchScan, ValueScan
template <class ExecutionSpace>
class ScanBatch {
 public:
  using workspace_type = ScanWorkspace<ExecutionSpace>;
  template <class T>
  using view_type = ArrayView<T, ExecutionSpace>;
  static constexpr bool is_host = workspace_type::is_host;

  /// How many queries of up to \p longest symbols a batch has. \param wide,samples as for `best`
  /// \param more bytes per query that the caller of the batch needs
  static std::size_t size_of(const workspace_type& workspace, const ScanCall& call,
                             std::uint64_t longest, bool wide, bool samples, std::uint64_t more) {
    // On the host about the size of a shared cache.
    constexpr std::uint64_t batch_bytes = is_host ? 16ULL << 20U : 256ULL << 20U;
    constexpr std::uint64_t batch_max = 4096;
    const PatternTiles<ExecutionSpace> tiles = tiles_of(workspace, call);
    const std::uint64_t slots = tiles.slots();
    const std::uint64_t counts = slots * (wide ? 20 : 12);
    const std::uint64_t carry =
        longest > segment_words * word_symbols ? 8 * (tiles.rows + 16ULL * tiles.tiles) : 0;
    const SelectionSampling selection(call.patterns(), call.k());
    std::uint64_t bytes =
        more + QueryArrays::bytes(longest, tiles.vocabulary, QueryBuffers<ExecutionSpace>::lookup);
    if (call.comparison() == Comparison::score) {
      // Of a long query, the most segments that it may have.
      const auto segments = static_cast<std::uint32_t>(longest / word_symbols + 1);
      bytes += slots * sizeof(WideRank) + 8 * pair_score_workspace(workspace.exec_space(), tiles, 1,
                                                                   segments > 4 ? segments : 1);
    } else if (call.comparison() == Comparison::runs) {
      bytes += slots * sizeof(std::uint32_t) + carry;
    } else if (call.comparison() == Comparison::edits) {
      const bool carries = longest > (segment_words - 1) * word_symbols;
      bytes += counts +
               (carries ? 8 * edit_carry_words(tiles, 1, 2, edit_kind(call.options.measure)) : 0);
    } else if (call.comparison() == Comparison::lcs && samples && selection.pays) {
      bytes += (slots / selection.stride + selection.capacity + call.k()) * 2 * sizeof(Rank);
    } else {
      bytes += counts + carry;
    }
    return std::clamp<std::uint64_t>(batch_bytes / bytes, 1, batch_max);
  }

  /// Places the queries of \p call, which must outlive this object. Does not fence.
  ScanBatch(workspace_type& workspace, const ScanCall& call)
      : m_workspace(workspace),
        m_exec_space(workspace.exec_space()),
        m_call(call),
        m_tiles(tiles_of(workspace, call)) {
    const std::vector<std::size_t> rows(call.rows.begin(), call.rows.end());
    const std::uint32_t vocabulary = m_tiles.vocabulary;
    m_tables = workspace.queries.place(m_exec_space, call.queries, rows, vocabulary);
    std::vector<std::uint32_t>& limits = workspace.index_limits.values;
    limits.clear();
    if (!call.index_limits.empty()) {
      for (const std::size_t row : rows) limits.push_back(call.index_limits[row]);
      m_tables.index_limits = workspace.index_limits.place(m_exec_space);
    }
    if (call.options.autojunk)
      workspace.popular.place(m_exec_space, call.queries, rows, vocabulary);
  }

  const PatternTiles<ExecutionSpace>& tiles() const noexcept { return m_tiles; }
  const QueryTables<ExecutionSpace>& tables() const noexcept { return m_tables; }

  /// \brief The keys of the best patterns, `k` per query, best first; `key_none` after the last.
  /// Fences. \tparam Key `WideRank` if similarities need it, otherwise `Rank`
  /// \param samples whether each query is a single segment
  template <class Key>
  std::span<const Key> best(bool samples) {
    auto& selection = m_workspace.template selection<Key>();
    if (m_call.comparison() == Comparison::runs) {
      select_runs<Key>(samples);
    } else if (!select_scanning<Key>(samples)) {
      if (m_call.comparison() == Comparison::score) {
        if constexpr (std::is_same_v<Key, WideRank>) score_pairs(m_call.options.threshold);
      } else {
        count_matched();
        match_keys<ExecutionSpace, Key>(m_exec_space, m_tiles, m_tables, m_call.scale(),
                                        m_call.options.threshold, m_workspace.matched.const_view(),
                                        sized(selection.keys, pairs()));
      }
      rank<Key>(selection.keys.const_view(), {m_tables.queries, m_tiles.slots(), m_call.k()},
                sized(selection.best, m_tables.queries * m_call.k()));
      read_best(selection);
    }
    return selection.answer;
  }

  /// The same for the only query of the batch, by postings. \param slots of the index
  template <class Key>
  std::span<const Key> best_of_postings(const PostingsPlan& plan,
                                        const view_type<const std::uint32_t>& slots) {
    auto& selection = m_workspace.template selection<Key>();
    const view_type<std::uint32_t> matched = sized(m_workspace.matched, m_tiles.slots());
    const view_type<std::uint32_t> list = sized(m_workspace.survivors, m_tiles.slots());
    const view_type<std::uint32_t> counters = sized(m_workspace.counters, 2);
    m_workspace.posting_lists.values = plan.lists;
    count_postings(m_exec_space, m_tiles, slots, m_workspace.posting_lists.place(m_exec_space),
                   plan.bound, list, counters);
    const std::uint32_t count = survivors();
    if (m_call.comparison() == Comparison::lcs) {
      lcs_of_list(m_exec_space, m_tiles, listed_query(), m_workspace.survivors.const_view(), count,
                  matched);
    } else {
      count_runs(shape(0), count);
    }
    rank_list<Key>(0, count, sized(selection.best, m_call.k()));
    read_best(selection);
    return selection.answer;
  }

  /// \brief Writes the values of all pairs. A pair whose similarity is below the threshold may be
  /// taken to match less than it does. Does not fence.
  void write(const PairRule& rule, const PairValues<ExecutionSpace>& values) {
    if (m_call.comparison() == Comparison::score) {
      score_pairs(0.0);
      write_pair_values(m_exec_space, m_tiles, m_tables, rule, m_workspace.wide.keys.const_view(),
                        values);
      return;
    }
    count_matched();
    if (m_call.comparison() == Comparison::runs) count_all_runs();
    write_pair_values(m_exec_space, m_tiles, m_tables, rule, m_workspace.matched.const_view(),
                      values);
  }

 private:
  /// The tiles that \p call scans.
  static PatternTiles<ExecutionSpace> tiles_of(const workspace_type& workspace,
                                               const ScanCall& call) {
    const TileRange range = call.tiles();
    PatternTiles<ExecutionSpace> tiles = workspace.patterns->view();
    using numbers_view = view_type<const std::uint32_t>;
    const std::size_t slot = std::size_t{range.begin} * tile_patterns;
    tiles.offsets = view_type<const std::uint64_t>(tiles.offsets.data() + range.begin,
                                                   std::size_t{range.count()} + 1);
    tiles.lengths = numbers_view(tiles.lengths.data() + slot, call.slots());
    tiles.indices = numbers_view(tiles.indices.data() + slot, call.slots());
    tiles.tiles = range.count();
    // Offsets still count from the first tile of all.
    tiles.rows = call.store.tiles.offsets.data()[range.end] / tile_patterns;
    return tiles;
  }

  template <class T>
  static view_type<T> sized(Buffer<T, typename ExecutionSpace::memory_space>& buffer,
                            std::uint64_t size) {
    buffer.resize_discarding(size);
    return buffer.view();
  }
  std::uint64_t pairs() const { return m_tables.queries * std::uint64_t{m_tiles.slots()}; }

  /// Counts what all patterns match, or, under `difflib`, their LCS, an upper bound.
  void count_matched() {
    const view_type<std::uint32_t> matched = sized(m_workspace.matched, pairs());
    const double threshold = m_call.options.threshold;
    if (m_call.comparison() == Comparison::ends) {
      const bool is_prefix = m_call.options.measure == Measure::prefix;
      common_ends(m_exec_space, m_tiles, m_tables,
                  is_prefix ? SequenceEnd::prefix : SequenceEnd::postfix, matched);
    } else if (m_call.comparison() == Comparison::edits) {
      edit_matched(m_exec_space, m_tiles, m_tables, edit_kind(m_call.options.measure), threshold,
                   sized(m_workspace.carry,
                         edit_carry_words(m_tiles, m_tables.queries, m_tables.segments_max,
                                          edit_kind(m_call.options.measure))),
                   matched);
    } else {
      lcs_lengths(m_exec_space, m_tiles, m_tables, threshold,
                  sized(m_workspace.carry,
                        lcs_carry_words(m_tiles, m_tables.queries, m_tables.segments_max)),
                  matched);
    }
  }

  /// Computes the keys of all patterns whose similarity, which does not follow from a count,
  /// reaches \p threshold.
  void score_pairs(double threshold) {
    const view_type<std::uint64_t> words =
        sized(m_workspace.carry,
              pair_score_workspace(m_exec_space, m_tiles, m_tables.queries, m_tables.segments_max));
    pair_score_keys(m_exec_space, m_tiles, m_tables, pair_score(m_call.options.measure),
                    m_call.separator(), threshold, words, sized(m_workspace.wide.keys, pairs()));
  }

  template <class Key>
  void rank(const view_type<const Key>& keys, const TopKShape& shape, const view_type<Key>& best) {
    auto& workspace = m_workspace.template selection<Key>().workspace;
    top_k<ExecutionSpace, Key>(m_exec_space, keys, shape, best,
                               sized(workspace, top_k_workspace<ExecutionSpace, Key>(shape)));
  }

  template <class Selection>
  void read_best(Selection& selection) {
    selection.answer.resize(selection.best.size());
    download(m_exec_space, selection.answer.data(), selection.best.view(), selection.best.size());
  }

  /// Puts the \p k best patterns by LCS of every \p stride-th tile into the bounds, one row per
  /// query.
  void sample_best(std::uint32_t stride, std::uint64_t k) {
    const std::uint64_t slots = std::uint64_t{sampled_tiles(m_tiles.tiles, stride)} * tile_patterns;
    const double threshold = m_call.options.threshold;
    lcs_lengths(m_exec_space, m_tiles, m_tables, threshold, {},
                sized(m_workspace.sampled, m_tables.queries * slots), stride);
    match_keys<ExecutionSpace, Rank>(m_exec_space, m_tiles, m_tables, SimilarityScale::total,
                                     threshold, m_workspace.sampled.const_view(),
                                     sized(m_workspace.narrow.keys, m_tables.queries * slots),
                                     stride);
    rank<Rank>(m_workspace.narrow.keys.const_view(), {m_tables.queries, slots, k},
               sized(m_workspace.bounds, m_tables.queries * k));
  }

  /// \brief Ranks, during the scan, the patterns that reach the k-th best of a sample. Returns
  /// false without a result if that does not pay, or a query has more such patterns than the
  /// capacity.
  template <class Key>
  bool select_scanning([[maybe_unused]] bool samples) {
    if constexpr (std::is_same_v<Key, Rank>) {
      const std::uint64_t queries = m_tables.queries;
      const std::uint64_t k = m_call.k();
      const SelectionSampling sampling(m_call.patterns(), k);
      if (m_call.comparison() != Comparison::lcs || !samples || !sampling.pays) return false;
      sample_best(sampling.stride, k);
      // The candidates, their counters (of which `rank_none` is −1), and the best ones.
      const std::uint64_t capacity = sampling.capacity;
      Rank* const lists = sized(m_workspace.narrow.best, queries * (capacity + 1 + k)).data();
      const view_type<Rank> keys(lists, queries * capacity);
      const view_type<Rank> counters(lists + queries * capacity, queries);
      const view_type<Rank> best(lists + queries * (capacity + 1), queries * k);
      Arch::start_fill(m_exec_space, view_type<Rank>(lists, queries * (capacity + 1)), rank_none);
      lcs_candidates(m_exec_space, m_tiles, m_tables, m_call.options.threshold,
                     LcsCandidates<ExecutionSpace>{m_workspace.bounds.const_view(),
                                                   static_cast<std::uint32_t>(k), keys,
                                                   static_cast<std::uint32_t>(capacity), counters});
      rank<Rank>(keys, {queries, capacity, k}, best);
      auto& answer = m_workspace.narrow.answer;
      answer.resize(queries * (k + 1));
      download(m_exec_space, answer.data(), view_type<Rank>(counters.data(), answer.size()),
               answer.size());
      for (std::uint64_t q = 0; q < queries; ++q) {
        if (answer[q] + 1 > capacity) return false;
      }
      answer.erase(answer.begin(), answer.begin() + static_cast<std::ptrdiff_t>(queries));
      return true;
    } else {
      return false;
    }
  }

  /// Computes the Ratcliff-Obershelp counts of every query with the patterns whose LCS, an upper
  /// bound, is high enough, and ranks these.
  template <class Key>
  void select_runs(bool samples) {
    // Number of patterns that a device probes in the time it takes for one.
    constexpr std::uint64_t probed_least = is_host ? 1024 : 32768;
    const ProbeSampling probe(m_call.patterns(), m_call.k(), probed_least);
    const bool probes = samples && probe.pays;
    count_matched();
    if (probes) sample_best(probe.stride, ProbeSampling::rank);
    auto& selection = m_workspace.template selection<Key>();
    const view_type<Key> best = sized(selection.best, m_tables.queries * m_call.k());
    for (std::uint32_t q = 0; q < m_tables.queries; ++q) {
      Arch::end_if_cancelled(m_exec_space);
      select_query_runs<Key>(q, probes ? &probe : nullptr,
                             view_type<Key>(best.data() + q * m_call.k(), m_call.k()));
    }
    read_best(selection);
  }

  template <class Key>
  void select_query_runs(std::uint32_t q, const ProbeSampling* probe, const view_type<Key>& best) {
    const RunsShape<ExecutionSpace> runs = shape(q);
    const bool all_fit = runs.slot_end == m_call.slots();
    const bool is_bounded = m_call.options.threshold > 0.0;
    std::uint64_t count = is_bounded ? collected(q, {}) : m_call.patterns();
    if constexpr (std::is_same_v<Key, Rank>) {
      if (probe != nullptr && all_fit && count > 4 * probe->probed) {
        const Rank* const bounds = m_workspace.bounds.data() + (q + 1) * ProbeSampling::rank;
        collect(q, view_type<const Rank>(bounds - 1, 1));
        count_runs(runs, 2 * probe->probed);
        rank_list<Key>(q, 2 * probe->probed, best);
        count = collected(q, view_type<const Rank>(best.data() + m_call.k() - 1, 1));
        count_runs(runs, count);
        rank_list<Key>(q, count, best);
        return;
      }
    }
    if (!is_bounded) count = collected(q, {});
    count_runs(runs, count);
    if (!all_fit) count_long_runs(q, runs.slot_end);
    rank_list<Key>(q, count, best);
  }

  /// Counts the runs of every pair whose LCS reaches the threshold.
  void count_all_runs() {
    for (std::uint32_t q = 0; q < m_tables.queries; ++q) {
      if (query(q).empty()) continue;
      const RunsShape<ExecutionSpace> runs = shape(q);
      count_runs(runs, collected(q, {}));
      if (runs.slot_end < m_call.slots()) count_long_runs(q, runs.slot_end);
    }
  }

  std::span<const Symbol> query(std::uint32_t q) const { return m_call.queries[m_call.rows[q]]; }

  /// Lists the patterns that may be results of query \p q. \see collect_survivors
  void collect(std::uint32_t q, const view_type<const Rank>& bound) {
    const std::vector<std::uint32_t>& limits = m_workspace.index_limits.values;
    const view_type<std::uint32_t> list = sized(m_workspace.survivors, m_tiles.slots());
    collect_survivors(m_exec_space, m_tiles, q, static_cast<std::uint32_t>(query(q).size()),
                      m_call.options.threshold, limits.empty() ? no_pattern : limits[q],
                      m_workspace.matched.const_view(), bound, list,
                      sized(m_workspace.counters, 2));
  }
  /// The number of listed patterns. Fences.
  std::uint32_t survivors() const {
    std::uint32_t count = 0;
    download(m_exec_space, &count, m_workspace.counters.view(), 1);
    return count;
  }
  std::uint32_t collected(std::uint32_t q, const view_type<const Rank>& bound) {
    collect(q, bound);
    return survivors();
  }

  /// Ranks the listed patterns, about \p count, and keeps the best.
  template <class Key>
  void rank_list(std::uint32_t q, std::uint64_t count, const view_type<Key>& best) {
    const std::uint64_t longest = std::max<std::uint64_t>(count, 1);
    auto& keys = m_workspace.template selection<Key>().keys;
    const std::uint32_t* const matched =
        m_workspace.matched.data() + q * std::uint64_t{m_tiles.slots()};
    list_keys<ExecutionSpace, Key>(
        m_exec_space, m_tiles, m_tables, q, m_call.options.threshold,
        m_workspace.survivors.const_view(), m_workspace.counters.const_view(),
        view_type<const std::uint32_t>(matched, m_tiles.slots()), sized(keys, longest));
    rank<Key>(keys.const_view(), {1, longest, m_call.k()}, best);
  }

  /// How the runs of query \p q, which is not empty, are counted.
  RunsShape<ExecutionSpace> shape(std::uint32_t q) const {
    RunsShape<ExecutionSpace> runs;
    runs.query = q;
    runs.words = quotient_up(query(q).size(), word_symbols);
    if (m_call.options.autojunk) runs.grow_over = m_workspace.popular.grow_over(q);
    runs.slot_end = m_call.run_slots(query(q).size());
    if (runs.slot_end > 0) runs.rows = m_call.lengths()[runs.slot_end - 1];
    return runs;
  }

  /// Counts the runs of the listed patterns, about \p count. \see ratcliff_obershelp
  void count_runs(RunsShape<ExecutionSpace> runs, std::uint64_t count) {
    // The team of the next call may be larger; the workspace is large enough for all threads.
    runs.workers = workers(runs, count, m_workspace.threads_max);
    m_workspace.runs.resize_discarding(runs.workspace_words());
    if constexpr (is_host) runs.workers = workers(runs, count, Arch::concurrency(m_exec_space));
    const bool popular = runs.grow_over.size() > 0;
    ratcliff_obershelp(m_exec_space, m_tiles,
                       popular ? m_workspace.popular.tables(runs.query, m_tables) : m_tables, runs,
                       m_workspace.survivors.const_view(), m_workspace.counters.view(),
                       m_workspace.runs.view(), m_workspace.matched.view());
  }

  /// Number of host threads, at most \p threads, or warps; a multiple of the team size if there are
  /// enough.
  std::uint32_t workers(const RunsShape<ExecutionSpace>& runs, std::uint64_t count,
                        int threads) const {
    // Total words of the run matrices that exist at the same time, and the limits for matrices so
    // large that only a few fit.
    constexpr std::uint64_t words_max = 1ULL << 24U;
    constexpr std::uint64_t large_words_max = 1ULL << 28U;
    constexpr std::uint64_t large_max = 128;
    const std::uint64_t target =
        threads > 0
            ? static_cast<std::uint64_t>(threads)
            : static_cast<std::uint64_t>(Arch::concurrency(m_exec_space)) / (4 * tile_patterns);
    const std::uint64_t items = quotient_up(count, tile_patterns);
    const std::uint64_t words = std::max<std::uint64_t>(runs.worker_words(), 1);
    const std::uint64_t fitting =
        std::max(words_max / words, std::min(large_words_max / words, large_max));
    std::uint64_t chosen = std::max<std::uint64_t>(1, std::min({target, items, fitting}));
    constexpr std::uint64_t team = 8;
    if (!is_host && chosen > team) chosen -= chosen % team;
    return static_cast<std::uint32_t>(chosen);
  }

  /// Counts the runs of query \p q and the slots from \p slot on, whose matrices would be too
  /// large, on the calling thread.
  void count_long_runs(std::uint32_t q, std::uint32_t slot) {
    const double threshold = m_call.options.threshold;
    const BlockFinder finder(query(q), m_call.options.autojunk);
    const std::uint32_t end = m_call.slots();
    const std::uint64_t first = std::uint64_t{q} * end + slot;
    const auto own =
        Kokkos::subview(m_workspace.matched.view(), std::pair(first, first + end - slot));
    std::vector<std::uint32_t> counts(end - slot);
    download(m_exec_space, counts.data(), own, counts.size());
    for (std::uint32_t s = slot; s < end; ++s) {
      std::uint32_t& count = counts[s - slot];
      const std::uint64_t total = m_call.lengths()[s] + query(q).size();
      if (threshold > 0.0 && similarity(count, total) < threshold) continue;
      count = finder.matched(m_call.pattern(s));
    }
    upload(m_exec_space, own, counts.data(), counts.size());
  }

  /// The query of the batch, by its distinct symbols that patterns contain.
  ListedQuery<ExecutionSpace> listed_query() {
    const std::span<const Symbol> all = query(0);
    std::vector<Symbol>& symbols = m_workspace.listed_symbols.values;
    symbols.assign(all.begin(), all.end());
    std::sort(symbols.begin(), symbols.end());
    symbols.erase(std::unique(symbols.begin(), symbols.end()), symbols.end());
    // Symbols that no pattern contains are at the end.
    symbols.erase(std::lower_bound(symbols.begin(), symbols.end(), m_tiles.vocabulary),
                  symbols.end());
    const std::size_t words = quotient_up(all.size(), word_symbols);
    std::vector<std::uint64_t>& masks = m_workspace.listed_masks.values;
    masks.assign(symbols.size() * words, 0);
    for (std::size_t j = 0; j < all.size(); ++j) {
      if (all[j] >= m_tiles.vocabulary) continue;
      const auto at = std::lower_bound(symbols.begin(), symbols.end(), all[j]);
      masks[static_cast<std::size_t>(at - symbols.begin()) * words + j / word_symbols] |=
          std::uint64_t{1} << (j % word_symbols);
    }
    return {m_workspace.listed_symbols.place(m_exec_space),
            m_workspace.listed_masks.place(m_exec_space), static_cast<std::uint32_t>(words)};
  }

  workspace_type& m_workspace;
  const ExecutionSpace& m_exec_space;
  const ScanCall& m_call;
  PatternTiles<ExecutionSpace> m_tiles;
  QueryTables<ExecutionSpace> m_tables;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SEQUENCE_SCAN_BATCH_HPP
