// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEQUENCE_MATCH_SCAN_HPP
#define KINDRED_MATCHER_SEQUENCE_MATCH_SCAN_HPP

#include "QueryMasks.hpp"
#include "ScanBatch.hpp"

#include <kindred/core/sequence/Similarity.hpp>
#include <kindred/core/sequence/impl/MatchKey.hpp>
#include <kindred/memory/SplitAndRetry.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace Kindred::Impl {

/// \brief Finds the best patterns of the queries of a call: by the postings where that is cheaper,
/// otherwise by scans of the patterns whose lengths can reach the threshold.
template <class ExecutionSpace>
class MatchScan {
 public:
  using postings_view = ArrayView<const std::uint32_t, ExecutionSpace>;

  /// All arguments must outlive this object. \param posted the slots of `call.postings`
  MatchScan(ScanWorkspace<ExecutionSpace>& workspace, const ScanCall& call,
            const postings_view& posted, std::vector<std::vector<Match>>& answers)
      : m_workspace(workspace), m_call(call), m_posted(posted), m_answers(answers) {}

  /// Queries that are scanned in the same way.
  struct Group {
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

  /// \brief Answers the queries of the call for which a part of the patterns, or their postings,
  /// suffice. Returns the others. Fences.
  std::vector<Group> groups() {
    std::vector<Group> groups;
    for (const std::size_t row : m_call.rows) {
      m_answers[row].clear();
      if (m_call.postings != nullptr && match_listed(row)) continue;
      const std::uint64_t length = m_call.queries.length(row);
      const LengthBound bound = lengths_reaching(m_call.options, length);
      const TileRange range = m_call.store.tiles_of(bound);
      if (range.count() == 0 || match_near(row, m_call.store.rows_in(range, bound.most))) continue;
      const Group own = group_of(length, bound);
      auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& other) {
        return other.wide == own.wide && other.samples == own.samples;
      });
      if (group == groups.end()) group = groups.insert(groups.end(), own);
      group->add(row, length, range);
    }
    return groups;
  }

  /// Writes the matches of the queries of \p group, of every row r of the call to `answers[r]`.
  /// Fences.
  void match(const MatchOptions& options, const Group& group) {
    const ScanCall call{m_call.store,        m_call.queries, group.rows, options,
                        m_call.index_limits, nullptr,        group.tiles};
    const std::size_t batch = ScanBatch<ExecutionSpace>::size_of(m_workspace, call, group.longest,
                                                                 group.wide, group.samples, 0);
    split_and_retry(group.rows.size(), batch, [&](std::size_t begin, std::size_t count) {
      const ScanCall some = call.part(begin, count);
      ScanBatch<ExecutionSpace> scan(m_workspace, some);
      if (group.wide) {
        read(some, scan.template best<WideRank>(false));
      } else {
        read(some, scan.template best<Rank>(group.samples));
      }
    });
  }

 private:
  /// The group of a query of \p length symbols, without queries.
  Group group_of(std::uint64_t length, const LengthBound& bound) const {
    Group group;
    group.wide = m_call.comparison() == Comparison::score ||
                 std::min(m_call.store.longest, bound.most) + length > float_similarity_total_max;
    // A query up to this length is a single segment.
    group.samples = !group.wide && length < segment_words * word_symbols;
    return group;
  }

  /// \brief Looks for the requested number of results among the patterns of about the length of
  /// query \p row: those that can reach a higher threshold than the requested one. Returns whether
  /// that many reach it, which are then the results. \param rows of the tiles that can reach the
  /// requested threshold
  bool match_near(std::size_t row, std::uint64_t rows) {
    if (m_call.comparison() == Comparison::score) return false;
    const HostPatterns& store = m_call.store;
    const std::uint64_t length = m_call.queries.length(row);
    for (const double ratio : {1.0 / 2, 1.0 / 4, 1.0 / 16}) {
      MatchOptions options = m_call.options;
      options.threshold = most_similarity(m_call.scale(), ratio);
      if (options.threshold <= m_call.options.threshold) return false;
      const LengthBound bound = lengths_reaching(options, length);
      const TileRange tiles = store.tiles_of(bound);
      // If too few reach it, this scan was in vain.
      constexpr std::uint64_t rows_least = 4096;
      if (rows < 4 * store.rows_in(tiles, bound.most) + rows_least) return false;
      if (store.patterns_in(tiles) < m_call.k()) continue;
      Group group = group_of(length, bound);
      group.add(row, length, tiles);
      match(options, group);
      if (m_answers[row].size() == m_call.k()) return true;
      m_answers[row].clear();
    }
    return false;
  }

  /// Processes a query with the postings. Returns false without a result if a scan is cheaper or
  /// the postings cannot be used.
  bool match_listed(std::size_t row) {
    const std::span<const Symbol> query = m_call.queries[row];
    const std::uint64_t words = quotient_up(query.size(), word_symbols);
    const MatchOptions& options = m_call.options;
    if (query.size() > postings_lists_max ||
        (options.measure == Measure::lcs ? words > listed_words_max
                                         : m_call.run_slots(query.size()) < m_call.slots()))
      return false;
    PostingsPlan plan(*m_call.postings, m_call.store, query, options.threshold);
    const double scan = static_cast<double>(m_call.store.symbol_count * words);
    if (options.postings != PostingsUse::always && 2 * plan.cost > scan) return false;
    if (!m_call.index_limits.empty()) plan.bound.index_limit = m_call.index_limits[row];
    ScanCall call = m_call;
    call.rows = std::span(&row, 1);
    ScanBatch<ExecutionSpace> batch(m_workspace, call);
    if (m_call.store.longest + query.size() > float_similarity_total_max) {
      read(call, batch.template best_of_postings<WideRank>(plan, m_posted));
    } else {
      read(call, batch.template best_of_postings<Rank>(plan, m_posted));
    }
    return true;
  }

  /// Writes the matches of the queries of \p call to the answers. \param keys `k` per query, best
  /// first; `key_none` after the last
  template <class Key>
  void read(const ScanCall& call, std::span<const Key> keys) {
    const Measure measure = call.options.measure;
    const bool is_score = call.comparison() == Comparison::score;
    for (std::size_t q = 0; q < call.rows.size(); ++q) {
      const std::span<const Symbol> query = call.queries[call.rows[q]];
      const QueryMasks masks(is_score ? query : std::span<const Symbol>());
      auto& found = m_answers[call.rows[q]];
      found.clear();
      for (const Key& key : keys.subspan(q * call.k(), call.k())) {
        if (key == key_none<Key>()) break;
        const std::uint32_t index = key_index(key);
        const double value = key_similarity(key);
        const std::uint32_t slot = call.store.slot_of[index];
        if (is_score) {
          // What these matched is not in the key. It is counted again, for the results only.
          const PairResult pair =
              masks.score(pair_score(measure), call.store.pattern(slot), call.separator());
          found.push_back({index, value, pair.matched, 1.0 - value});
          continue;
        }
        // The count is recovered from the similarity.
        const std::uint64_t length = call.store.tiles.lengths.data()[slot];
        const bool is_total = call.scale() == SimilarityScale::total;
        const double most = is_total ? static_cast<double>(length + query.size()) / 2.0
                                     : static_cast<double>(std::max(length, query.size()));
        const auto count = static_cast<std::uint32_t>(value * most + 0.5);
        const double similarity = Kindred::similarity(call.scale(), count, length, query.size());
        found.push_back({index, similarity, count,
                         distance_of(measure, similarity, count, length, query.size())});
      }
    }
  }

  ScanWorkspace<ExecutionSpace>& m_workspace;
  const ScanCall& m_call;
  const postings_view& m_posted;
  std::vector<std::vector<Match>>& m_answers;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SEQUENCE_MATCH_SCAN_HPP
