// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEQUENCE_SCAN_WORKSPACE_HPP
#define KINDRED_MATCHER_SEQUENCE_SCAN_WORKSPACE_HPP

#include "PostingsScan.hpp"
#include "QueryBuffers.hpp"
#include "RunScan.hpp"
#include "ScanAnswers.hpp"
#include "ScanSampling.hpp"
#include "ValueScan.hpp"

#include <kindred/core/arch/Concurrency.hpp>
#include <kindred/core/arch/launch/KernelCancel.hpp>
#include <kindred/core/select/TopK.hpp>
#include <kindred/core/sequence/CollectSurvivors.hpp>
#include <kindred/core/sequence/CommonEnds.hpp>
#include <kindred/core/sequence/EditDistance.hpp>
#include <kindred/core/sequence/Lcs.hpp>
#include <kindred/core/sequence/MatchKeys.hpp>
#include <kindred/core/sequence/PairScores.hpp>
#include <kindred/core/sequence/RatcliffObershelp.hpp>
#include <kindred/core/sequence/Similarity.hpp>
#include <kindred/matcher/SequenceMatcher.hpp>
#include <kindred/memory/Copies.hpp>
#include <kindred/memory/SplitAndRetry.hpp>

#include <algorithm>
#include <atomic>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

namespace Kindred::Impl {

struct EndStreamUse {
  void operator()(std::atomic<bool>* is_used) const noexcept { *is_used = false; }
};
/// The use of the stream of the context by one workspace of a scan at a time; null: it has its own.
using StreamUse = std::unique_ptr<std::atomic<bool>, EndStreamUse>;

/// \brief The buffers and the steps of a scan; used by one call at a time.
template <class ExecutionSpace>
class ScanWorkspace {
 public:
  using memory_space = typename ExecutionSpace::memory_space;
  using tiles_type = TileBuffers<ExecutionSpace>;
  static constexpr bool is_host = std::is_same_v<memory_space, Kokkos::HostSpace>;

  ScanWorkspace(const ExecutionSpace& exec_space, MemoryResource& memory,
                std::shared_ptr<const tiles_type> tiles, int workers, StreamUse stream_use)
      : m_stream_use(std::move(stream_use)),
        m_exec_space(exec_space),
        m_memory(&memory),
        m_tiles(std::move(tiles)),
        m_runs(workers) {}

  const ExecutionSpace& exec_space() const noexcept { return m_exec_space; }
  /// Sets the number of host threads of the next call.
  void run_on(const ExecutionSpace& exec_space) {
    m_exec_space = exec_space;
    m_runs.set_workers(Arch::concurrency(exec_space));
  }

  /// \see SequenceScan::match
  /// \param posted the slots of `call.postings`
  void match(const ScanCall& requested,
             const ArrayView<const std::uint32_t, ExecutionSpace>& posted,
             std::vector<std::vector<Match>>& answers) {
    std::vector<std::size_t> scanned;
    for (const std::size_t row : requested.rows) {
      if (requested.postings == nullptr || !match_listed(requested, row, posted, answers)) {
        scanned.push_back(row);
      }
    }
    match_scanned(requested, scanned, answers);
  }

  /// \see SequenceScan::write_values
  void write_values(const ScanCall& call, const PairRule& rule, const ValueTarget& target) {
    m_values.write(*this, call, rule, target);
  }

 private:
  friend class ValueScan<ExecutionSpace>;

  /// Queries that are scanned in the same way.
  struct ScanGroup {
    bool wide = false;     ///< similarities need `WideRank`
    bool samples = false;  ///< each is a single segment
    std::vector<std::size_t> rows = {};
    std::uint64_t longest = 0;  ///< of the queries
    TileRange tiles = {};       ///< that can matter to any of them

    void add(std::size_t row, std::uint64_t length, const TileRange& range) {
      tiles = rows.empty()
                  ? range
                  : TileRange{std::min(tiles.begin, range.begin), std::max(tiles.end, range.end)};
      rows.push_back(row);
      longest = std::max(longest, length);
    }
  };

  /// Scans for the queries \p rows the patterns whose lengths can reach the threshold.
  void match_scanned(const ScanCall& call, std::span<const std::size_t> rows,
                     std::vector<std::vector<Match>>& answers) {
    std::vector<ScanGroup> groups;
    for (const std::size_t row : rows) {
      const std::uint64_t length = call.queries.length(row);
      const LengthBound bound = lengths_reaching(call.options, length);
      const TileRange range = call.store.tiles_of(bound);
      answers[row].clear();
      if (range.count() == 0 ||
          match_near(call, row, call.store.rows_in(range, bound.most), answers))
        continue;
      const ScanGroup own = group_of(call, length, bound);
      auto group = std::find_if(groups.begin(), groups.end(), [&](const ScanGroup& other) {
        return other.wide == own.wide && other.samples == own.samples;
      });
      if (group == groups.end()) group = groups.insert(groups.end(), own);
      group->add(row, length, range);
    }
    for (const ScanGroup& group : groups) match_group(call, group, answers);
  }

  /// \brief Looks for the requested number of results among the patterns of about the length of
  /// query \p row: those that can reach a higher threshold than the requested one. Returns whether
  /// that many reach it, which are then the results. \param rows of the tiles that can reach the
  /// requested threshold
  bool match_near(const ScanCall& requested, std::size_t row, std::uint64_t rows,
                  std::vector<std::vector<Match>>& answers) {
    if (requested.comparison() == Comparison::score) return false;
    const HostPatterns& store = requested.store;
    const std::uint64_t length = requested.queries.length(row);
    for (const double ratio : {1.0 / 2, 1.0 / 4, 1.0 / 16}) {
      MatchOptions options = requested.options;
      options.threshold = most_similarity(requested.scale(), ratio);
      if (options.threshold <= requested.options.threshold) return false;
      const LengthBound bound = lengths_reaching(options, length);
      const TileRange tiles = store.tiles_of(bound);
      // If too few reach it, this scan was in vain.
      constexpr std::uint64_t rows_least = 4096;
      if (rows < 4 * store.rows_in(tiles, bound.most) + rows_least) return false;
      if (store.patterns_in(tiles) < requested.k()) continue;
      const ScanCall call{store, requested.queries, requested.rows, options,
                          requested.index_limits};
      ScanGroup group = group_of(call, length, bound);
      group.add(row, length, tiles);
      match_group(call, group, answers);
      if (answers[row].size() == requested.k()) return true;
      answers[row].clear();
    }
    return false;
  }

  /// The group of a query of \p length symbols, without queries.
  static ScanGroup group_of(const ScanCall& call, std::uint64_t length, const LengthBound& bound) {
    ScanGroup group;
    group.wide = call.comparison() == Comparison::score ||
                 std::min(call.store.longest, bound.most) + length > float_similarity_total_max;
    // A query up to this length is a single segment.
    group.samples = !group.wide && length < segment_words * word_symbols;
    return group;
  }

  void match_group(const ScanCall& requested, const ScanGroup& group,
                   std::vector<std::vector<Match>>& answers) {
    ScanCall call = requested;
    call.rows = group.rows;
    call.range = group.tiles;
    const std::uint64_t bytes = query_bytes(call, group.longest, group.wide, group.samples);
    const std::size_t batch = std::clamp<std::uint64_t>(batch_bytes / bytes, 1, batch_max);
    split_and_retry(call.rows.size(), batch, [&](std::size_t begin, std::size_t count) {
      ScanCall some = call;
      some.rows = call.rows.subspan(begin, count);
      if (group.wide) {
        match_batch<WideRank>(some, false, m_wide, answers);
      } else {
        match_batch<Rank>(some, group.samples, m_narrow, answers);
      }
    });
  }

  /// The tiles that \p call scans.
  PatternTiles<ExecutionSpace> tiles_of(const ScanCall& call) const {
    const TileRange range = call.tiles();
    PatternTiles<ExecutionSpace> tiles = m_tiles->view();
    using numbers_view = ArrayView<const std::uint32_t, ExecutionSpace>;
    const std::size_t slot = std::size_t{range.begin} * tile_patterns;
    tiles.offsets = ArrayView<const std::uint64_t, ExecutionSpace>(
        tiles.offsets.data() + range.begin, std::size_t{range.count()} + 1);
    tiles.lengths = numbers_view(tiles.lengths.data() + slot, call.slots());
    tiles.indices = numbers_view(tiles.indices.data() + slot, call.slots());
    tiles.tiles = range.count();
    // Offsets still count from the first tile of all.
    tiles.rows = call.store.tiles.offsets.data()[range.end] / tile_patterns;
    return tiles;
  }

  /// Workspace size of a batch: on the host about the size of a shared cache.
  static constexpr std::uint64_t batch_bytes = is_host ? 16ULL << 20U : 256ULL << 20U;
  static constexpr std::uint64_t batch_max = 4096;
  /// Number of patterns that a device probes in the time it takes for one.
  static constexpr std::uint64_t probed_least = is_host ? 1024 : 32768;
  /// Buffers that depend on the type of the keys.
  template <class Key>
  struct Selection {
    Buffer<Key, memory_space> keys;
    Buffer<Key, memory_space> best;
    Buffer<Key, memory_space> workspace;
    std::vector<Key> answer;
  };

  /// Workspace of one query of a batch.
  std::uint64_t query_bytes(const ScanCall& call, std::uint64_t longest, bool wide,
                            bool samples) const {
    const PatternTiles<ExecutionSpace> tiles = tiles_of(call);
    const std::uint64_t slots = tiles.slots();
    const std::uint64_t tables =
        QueryArrays::bytes(longest, m_tiles->vocabulary, QueryBuffers<ExecutionSpace>::lookup);
    if (call.comparison() == Comparison::score) {
      // Of a long query, the most segments that it may have.
      const auto segments = static_cast<std::uint32_t>(longest / word_symbols + 1);
      const std::uint64_t words =
          pair_score_workspace(m_exec_space, tiles, 1, segments > 4 ? segments : 1);
      return tables + slots * sizeof(WideRank) + 8 * words;
    }
    if (call.options.measure == Measure::difflib) {
      return tables + slots * sizeof(std::uint32_t) + carry_bytes(tiles, longest);
    }
    if (call.comparison() == Comparison::edits) {
      const std::uint64_t carry = longest > (segment_words - 1) * word_symbols
                                      ? 8 * edit_carry_words(tiles, 1, 2, call.edits())
                                      : 0;
      return tables + slots * (wide ? 20 : 12) + carry;
    }
    const SelectionSampling selection(call.patterns(), call.k());
    if (call.options.measure == Measure::lcs && samples && selection.pays) {
      return tables + (slots / selection.stride + selection.capacity + call.k()) * 2 * sizeof(Rank);
    }
    return tables + slots * (wide ? 20 : 12) + carry_bytes(tiles, longest);
  }
  static std::uint64_t carry_bytes(const PatternTiles<ExecutionSpace>& tiles,
                                   std::uint64_t longest) {
    return longest > segment_words * word_symbols ? 8 * (tiles.rows + 16ULL * tiles.tiles) : 0;
  }

  template <class Key>
  void match_batch(const ScanCall& call, bool samples, Selection<Key>& selection,
                   std::vector<std::vector<Match>>& answers) {
    const PatternTiles<ExecutionSpace> tiles = tiles_of(call);
    const QueryTables<ExecutionSpace> tables = place(call, tiles);
    if (call.options.measure == Measure::difflib) {
      match_runs(call, tiles, tables, samples, selection);
    } else if (call.comparison() == Comparison::score) {
      if constexpr (std::is_same_v<Key, WideRank>) match_scores(call, tiles, tables, selection);
    } else {
      bool selected = false;
      if constexpr (std::is_same_v<Key, Rank>) {
        const SelectionSampling sampling(call.patterns(), call.k());
        if (call.options.measure == Measure::lcs && samples && sampling.pays)
          selected = select_scanning(call, tiles, tables, sampling);
      }
      if (!selected) match_counts(call, tiles, tables, selection);
    }
    read_answers<Key>(call, selection.answer, answers);
  }

  /// The tables of the queries of a call and, if they matter, of their popular symbols.
  QueryTables<ExecutionSpace> place(const ScanCall& call,
                                    const PatternTiles<ExecutionSpace>& tiles) {
    const std::vector<std::size_t> rows(call.rows.begin(), call.rows.end());
    QueryTables<ExecutionSpace> tables =
        m_queries.place(m_exec_space, *m_memory, call.queries, rows, tiles.vocabulary);
    m_limits.clear();
    if (!call.index_limits.empty()) {
      for (const std::size_t row : rows) m_limits.push_back(call.index_limits[row]);
      tables.index_limits = placed(m_exec_space, *m_memory, m_limits, m_placed_limits,
                                   "Kindred::SequenceMatcher::index_limits");
    }
    if (call.options.autojunk) {
      m_runs.place_popular(m_exec_space, *m_memory, call.queries, rows, tiles.vocabulary);
    }
    return tables;
  }

  /// Processes a query with the postings. Returns false without a result if a scan is cheaper or
  /// the postings cannot be used.
  bool match_listed(const ScanCall& requested, std::size_t row,
                    const ArrayView<const std::uint32_t, ExecutionSpace>& posted,
                    std::vector<std::vector<Match>>& answers) {
    ScanCall call = requested;
    call.rows = std::span(&row, 1);
    const std::span<const Symbol> query = call.queries[row];
    const std::uint64_t words = quotient_up(query.size(), word_symbols);
    const bool lcs = call.options.measure == Measure::lcs;
    if (!info_of(call.options.measure).has_blocks() || call.options.threshold == 0.0 ||
        query.size() > postings_lists_max ||
        (lcs ? words > listed_words_max : m_runs.shape(call, 0).slot_end < call.slots())) {
      return false;
    }
    PostingsPlan plan(*call.postings, call.store, query, call.options.threshold);
    const double scan = static_cast<double>(call.store.symbol_count * words);
    if (call.options.postings != PostingsUse::always && 2 * plan.cost > scan) return false;
    if (!call.index_limits.empty()) plan.bound.index_limit = call.index_limits[row];
    if (call.store.longest + query.size() > float_similarity_total_max) {
      match_list<WideRank>(call, plan, posted, m_wide, answers);
    } else {
      match_list<Rank>(call, plan, posted, m_narrow, answers);
    }
    return true;
  }

  template <class Key>
  void match_list(const ScanCall& call, const PostingsPlan& plan,
                  const ArrayView<const std::uint32_t, ExecutionSpace>& posted,
                  Selection<Key>& selection, std::vector<std::vector<Match>>& answers) {
    const PatternTiles<ExecutionSpace> tiles = m_tiles->view();
    const QueryTables<ExecutionSpace> tables = place(call, tiles);
    sized(m_matched, "Kindred::SequenceMatcher::matched", tiles.slots());
    sized(m_survivors, "Kindred::SequenceMatcher::survivors", tiles.slots());
    sized(m_counters, "Kindred::SequenceMatcher::counters", 2);
    const std::uint32_t count = m_postings.list(m_exec_space, *m_memory, tiles, posted, plan,
                                                m_survivors.view(), m_counters.view());
    if (call.options.measure == Measure::lcs) {
      m_postings.count_lcs(m_exec_space, *m_memory, tiles, call.queries[call.rows[0]],
                           m_survivors.const_view(), count, m_matched.view());
    } else {
      count_runs(tiles, tables, m_runs.shape(call, 0), count);
    }
    sized(selection.best, "Kindred::SequenceMatcher::best", call.k());
    rank_list<Key>(call, tiles, tables, 0, count, selection.best.view(), selection);
    selection.answer.resize(selection.best.size());
    download(m_exec_space, selection.answer.data(), selection.best.view(), selection.best.size());
    read_answers<Key>(call, selection.answer, answers);
  }

  /// Counts all patterns, then ranks all of them.
  template <class Key>
  void match_counts(const ScanCall& call, const PatternTiles<ExecutionSpace>& tiles,
                    const QueryTables<ExecutionSpace>& tables, Selection<Key>& selection) {
    const std::uint64_t slots = tiles.slots();
    count_matched(call, tiles, tables);
    sized(selection.keys, "Kindred::SequenceMatcher::keys", tables.queries * slots);
    match_keys<ExecutionSpace, Key>(m_exec_space, tiles, tables, call.scale(),
                                    call.options.threshold, m_matched.const_view(),
                                    selection.keys.view());
    select_best(call, tables.queries, slots, selection);
  }

  /// Counts what all patterns match, by a measure whose similarity follows from that.
  void count_matched(const ScanCall& call, const PatternTiles<ExecutionSpace>& tiles,
                     const QueryTables<ExecutionSpace>& tables) {
    if (call.comparison() == Comparison::edits) {
      count_edits(call, tiles, tables);
    } else if (call.comparison() == Comparison::ends) {
      sized(m_matched, "Kindred::SequenceMatcher::matched",
            tables.queries * std::uint64_t{tiles.slots()});
      common_ends(
          m_exec_space, tiles, tables,
          call.options.measure == Measure::prefix ? SequenceEnd::prefix : SequenceEnd::postfix,
          m_matched.view());
    } else {
      count_lcs(call, tiles, tables);
    }
  }

  /// Ranks all patterns by a similarity that does not follow from a count.
  void match_scores(const ScanCall& call, const PatternTiles<ExecutionSpace>& tiles,
                    const QueryTables<ExecutionSpace>& tables, Selection<WideRank>& selection) {
    score_pairs(call, tiles, tables, call.options.threshold, selection);
    select_best(call, tables.queries, tiles.slots(), selection);
  }

  /// Computes the keys of all patterns whose similarity reaches \p threshold.
  void score_pairs(const ScanCall& call, const PatternTiles<ExecutionSpace>& tiles,
                   const QueryTables<ExecutionSpace>& tables, double threshold,
                   Selection<WideRank>& selection) {
    sized(m_carry, "Kindred::SequenceMatcher::carry",
          pair_score_workspace(m_exec_space, tiles, tables.queries, tables.segments_max));
    sized(selection.keys, "Kindred::SequenceMatcher::keys",
          tables.queries * std::uint64_t{tiles.slots()});
    pair_score_keys(m_exec_space, tiles, tables, call.score(), call.separator(), threshold,
                    m_carry.view(), selection.keys.view());
  }

  /// Downloads the best keys of every query.
  template <class Key>
  void select_best(const ScanCall& call, std::uint32_t queries, std::uint64_t slots,
                   Selection<Key>& selection) {
    sized(selection.best, "Kindred::SequenceMatcher::best", queries * call.k());
    best_keys<Key>(selection.keys.const_view(), {queries, slots, call.k()}, selection.best.view(),
                   selection);
    selection.answer.resize(selection.best.size());
    download(m_exec_space, selection.answer.data(), selection.best.view(), selection.best.size());
  }

  void count_lcs(const ScanCall& call, const PatternTiles<ExecutionSpace>& tiles,
                 const QueryTables<ExecutionSpace>& tables) {
    sized(m_matched, "Kindred::SequenceMatcher::matched",
          tables.queries * std::uint64_t{tiles.slots()});
    sized(m_carry, "Kindred::SequenceMatcher::carry",
          lcs_carry_words(tiles, tables.queries, tables.segments_max));
    lcs_lengths(m_exec_space, tiles, tables, call.options.threshold, m_carry.view(),
                m_matched.view());
  }

  void count_edits(const ScanCall& call, const PatternTiles<ExecutionSpace>& tiles,
                   const QueryTables<ExecutionSpace>& tables) {
    sized(m_matched, "Kindred::SequenceMatcher::matched",
          tables.queries * std::uint64_t{tiles.slots()});
    sized(m_carry, "Kindred::SequenceMatcher::carry",
          edit_carry_words(tiles, tables.queries, tables.segments_max, call.edits()));
    edit_matched(m_exec_space, tiles, tables, call.edits(), call.options.threshold, m_carry.view(),
                 m_matched.view());
  }

  /// Puts the \p k best patterns by LCS of every \p stride-th tile into `m_bounds`, one row per
  /// query.
  void sample_best(const ScanCall& call, const PatternTiles<ExecutionSpace>& tiles,
                   const QueryTables<ExecutionSpace>& tables, std::uint32_t stride,
                   std::uint64_t k) {
    const std::uint64_t slots = std::uint64_t{sampled_tiles(tiles.tiles, stride)} * tile_patterns;
    sized(m_sampled, "Kindred::SequenceMatcher::sampled", tables.queries * slots);
    lcs_lengths(m_exec_space, tiles, tables, call.options.threshold, {}, m_sampled.view(), stride);
    sized(m_narrow.keys, "Kindred::SequenceMatcher::keys", tables.queries * slots);
    match_keys<ExecutionSpace, Rank>(m_exec_space, tiles, tables, SimilarityScale::total,
                                     call.options.threshold, m_sampled.const_view(),
                                     m_narrow.keys.view(), stride);
    sized(m_bounds, "Kindred::SequenceMatcher::bounds", tables.queries * k);
    best_keys<Rank>(m_narrow.keys.const_view(), {tables.queries, slots, k}, m_bounds.view(),
                    m_narrow);
  }

  /// Ranks, during the scan, the patterns that reach the k-th best of a sample. Returns false
  /// without a result if a query has more such patterns than the capacity.
  bool select_scanning(const ScanCall& call, const PatternTiles<ExecutionSpace>& tiles,
                       const QueryTables<ExecutionSpace>& tables,
                       const SelectionSampling& sampling) {
    const std::uint64_t queries = tables.queries;
    const std::uint64_t k = call.k();
    sample_best(call, tiles, tables, sampling.stride, k);
    // The candidates, their counters (of which `rank_none` is −1), and the best ones.
    sized(m_narrow.best, "Kindred::SequenceMatcher::best", queries * (sampling.capacity + 1 + k));
    Rank* lists = m_narrow.best.data();
    Rank* counters = lists + queries * sampling.capacity;
    using rank_view = ArrayView<Rank, ExecutionSpace>;
    const rank_view keys(lists, queries * sampling.capacity);
    const rank_view best(counters + queries, queries * k);
    Kokkos::deep_copy(m_exec_space, rank_view(lists, queries * (sampling.capacity + 1)), rank_none);
    lcs_candidates(
        m_exec_space, tiles, tables, call.options.threshold,
        LcsCandidates<ExecutionSpace>{m_bounds.const_view(), static_cast<std::uint32_t>(k), keys,
                                      static_cast<std::uint32_t>(sampling.capacity),
                                      rank_view(counters, queries)});
    best_keys<Rank>(keys, {queries, sampling.capacity, k}, best, m_narrow);
    auto& answer = m_narrow.answer;
    answer.resize(queries * (k + 1));
    download(m_exec_space, answer.data(), rank_view(counters, answer.size()), answer.size());
    for (std::uint64_t q = 0; q < queries; ++q) {
      if (answer[q] + 1 > sampling.capacity) return false;
    }
    answer.erase(answer.begin(), answer.begin() + static_cast<std::ptrdiff_t>(queries));
    return true;
  }

  /// Computes the Ratcliff-Obershelp counts of every query with the patterns whose LCS, an upper
  /// bound, is high enough.
  template <class Key>
  void match_runs(const ScanCall& call, const PatternTiles<ExecutionSpace>& tiles,
                  const QueryTables<ExecutionSpace>& tables, bool samples,
                  Selection<Key>& selection) {
    const ProbeSampling probe(call.patterns(), call.k(), probed_least);
    const bool probes = samples && probe.pays;
    count_lcs(call, tiles, tables);
    if (probes) sample_best(call, tiles, tables, probe.stride, ProbeSampling::rank);
    sized(m_survivors, "Kindred::SequenceMatcher::survivors", tiles.slots());
    sized(m_counters, "Kindred::SequenceMatcher::counters", 2);
    sized(selection.best, "Kindred::SequenceMatcher::best", tables.queries * call.k());
    for (std::uint32_t q = 0; q < tables.queries; ++q) {
      Arch::end_if_cancelled(m_exec_space);
      match_query_runs(call, tiles, tables, q, probes ? &probe : nullptr, selection);
    }
    selection.answer.resize(selection.best.size());
    download(m_exec_space, selection.answer.data(), selection.best.view(), selection.best.size());
  }

  template <class Key>
  void match_query_runs(const ScanCall& call, const PatternTiles<ExecutionSpace>& tiles,
                        const QueryTables<ExecutionSpace>& tables, std::uint32_t q,
                        const ProbeSampling* probe, Selection<Key>& selection) {
    const ArrayView<Key, ExecutionSpace> best(selection.best.data() + q * call.k(), call.k());
    const auto collect = [&](const ArrayView<const Rank, ExecutionSpace>& bound) {
      collect_survivors(m_exec_space, tiles, q,
                        static_cast<std::uint32_t>(call.queries.length(call.rows[q])),
                        call.options.threshold, m_limits.empty() ? no_pattern : m_limits[q],
                        m_matched.const_view(), bound, m_survivors.view(), m_counters.view());
    };
    const auto survivors = [&] {
      std::uint32_t count = 0;
      download(m_exec_space, &count, m_counters.view(), 1);
      return std::uint64_t{count};
    };
    const auto rank = [&](std::uint64_t count) {
      rank_list<Key>(call, tiles, tables, q, count, best, selection);
    };

    const RunsShape<ExecutionSpace> shape = m_runs.shape(call, q);
    const bool all_fit = shape.slot_end == call.slots();
    std::uint64_t count = call.patterns();
    if (call.options.threshold > 0.0) {
      collect({});
      count = survivors();
    }
    if constexpr (std::is_same_v<Key, Rank>) {
      if (probe != nullptr && all_fit && count > 4 * probe->probed) {
        collect(ArrayView<const Rank, ExecutionSpace>(
            m_bounds.data() + q * ProbeSampling::rank + ProbeSampling::rank - 1, 1));
        count_runs(tiles, tables, shape, 2 * probe->probed);
        rank(2 * probe->probed);
        collect(ArrayView<const Rank, ExecutionSpace>(best.data() + call.k() - 1, 1));
        count = survivors();
        count_runs(tiles, tables, shape, count);
        rank(count);
        return;
      }
    }
    if (call.options.threshold == 0.0) {
      collect({});
      count = survivors();
    }
    count_runs(tiles, tables, shape, count);
    if (!all_fit) m_runs.count_long(m_exec_space, call, q, shape.slot_end, m_matched.view());
    rank(count);
  }

  /// Ranks the survivors, about \p count, and keeps the best.
  template <class Key>
  void rank_list(const ScanCall& call, const PatternTiles<ExecutionSpace>& tiles,
                 const QueryTables<ExecutionSpace>& tables, std::uint32_t q, std::uint64_t count,
                 const ArrayView<Key, ExecutionSpace>& best, Selection<Key>& selection) {
    const std::uint64_t keys = std::max<std::uint64_t>(count, 1);
    sized(selection.keys, "Kindred::SequenceMatcher::keys", keys);
    const ArrayView<const std::uint32_t, ExecutionSpace> matched(
        m_matched.data() + q * std::uint64_t{tiles.slots()}, tiles.slots());
    list_keys<ExecutionSpace, Key>(m_exec_space, tiles, tables, q, call.options.threshold,
                                   m_survivors.const_view(), m_counters.const_view(), matched,
                                   selection.keys.view());
    best_keys<Key>(selection.keys.const_view(), {1, keys, call.k()}, best, selection);
  }

  /// Counts the runs of the survivors, about \p count.
  void count_runs(const PatternTiles<ExecutionSpace>& tiles,
                  const QueryTables<ExecutionSpace>& tables, const RunsShape<ExecutionSpace>& shape,
                  std::uint64_t count) {
    m_runs.count(m_exec_space, *m_memory, tiles, tables, shape, count, m_survivors.const_view(),
                 m_counters.view(), m_matched.view());
  }

  template <class Key>
  void best_keys(const ArrayView<const Key, ExecutionSpace>& keys, const TopKShape& shape,
                 const ArrayView<Key, ExecutionSpace>& best, Selection<Key>& selection) {
    sized(selection.workspace, "Kindred::SequenceMatcher::top_k_workspace",
          top_k_workspace<ExecutionSpace, Key>(shape));
    top_k<ExecutionSpace, Key>(m_exec_space, keys, shape, best, selection.workspace.view());
  }

  template <class T>
  void sized(Buffer<T, memory_space>& buffer, const char* label, std::uint64_t size) {
    Impl::sized(buffer, *m_memory, label, size);
  }

  StreamUse m_stream_use;  // ends last
  ExecutionSpace m_exec_space;
  MemoryResource* m_memory;
  std::shared_ptr<const tiles_type> m_tiles;
  QueryBuffers<ExecutionSpace> m_queries;
  std::vector<std::uint32_t> m_limits;
  Buffer<std::uint32_t, memory_space> m_placed_limits;
  Buffer<std::uint32_t, memory_space> m_matched;
  Buffer<std::uint32_t, memory_space> m_sampled;
  Buffer<Rank, memory_space> m_bounds;
  Buffer<std::uint64_t, memory_space> m_carry;
  Buffer<std::uint32_t, memory_space> m_survivors;
  Buffer<std::uint32_t, memory_space> m_counters;
  PostingsScan<ExecutionSpace> m_postings;
  RunScan<ExecutionSpace> m_runs;
  Selection<Rank> m_narrow;
  Selection<WideRank> m_wide;
  ValueScan<ExecutionSpace> m_values;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SEQUENCE_SCAN_WORKSPACE_HPP
