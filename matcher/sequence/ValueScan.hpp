// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEQUENCE_VALUE_SCAN_HPP
#define KINDRED_MATCHER_SEQUENCE_VALUE_SCAN_HPP

#include "QueryBuffers.hpp"
#include "ScanCall.hpp"

#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/arch/Special.hpp>
#include <kindred/core/sequence/CollectSurvivors.hpp>
#include <kindred/core/sequence/LaneValues.hpp>
#include <kindred/core/sequence/PairValues.hpp>
#include <kindred/core/sequence/RatcliffObershelp.hpp>
#include <kindred/core/sequence/SymbolTable.hpp>
#include <kindred/memory/Copies.hpp>
#include <kindred/memory/SplitAndRetry.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace Kindred::Impl {

template <class ExecutionSpace>
class ScanWorkspace;

/// \brief The scans of a workspace whose results are a matrix of the values of all pairs; used by
/// one call at a time.
template <class ExecutionSpace>
class ValueScan {
 public:
  using workspace_type = ScanWorkspace<ExecutionSpace>;

  /// \see SequenceScan::write_values
  void write(workspace_type& scan, const ScanCall& requested, const PairRule& rule,
             const ValueTarget& target) {
    ScanCall call = requested;
    std::vector<std::size_t> left;
    if constexpr (is_host) {
      if (write_in_lanes(scan, requested, rule, target)) return;
      left = write_short(scan, requested, rule, target);
      call.rows = left;
    }
    std::uint64_t longest = 0;
    for (const std::size_t row : call.rows)
      longest = std::max<std::uint64_t>(longest, call.queries.length(row));
    const std::uint64_t staged =
        is_host || target.on_device ? 0 : call.patterns() * size_of(target.type);
    const std::uint64_t bytes = scan.query_bytes(call, longest, false, false) + staged;
    const std::size_t batch = std::clamp<std::uint64_t>(workspace_type::batch_bytes / bytes, 1,
                                                        workspace_type::batch_max);
    split_and_retry(call.rows.size(), batch, [&](std::size_t begin, std::size_t count) {
      ScanCall some = call;
      some.rows = call.rows.subspan(begin, count);
      write_batch(scan, some, rule, target);
    });
  }

 private:
  using memory_space = typename ExecutionSpace::memory_space;
  static constexpr bool is_host = std::is_same_v<memory_space, Kokkos::HostSpace>;

  /// Writes the values of many queries with masks of the patterns, which repay their cost. Returns
  /// false if the scans below are faster.
  bool write_in_lanes(workspace_type& scan, const ScanCall& call, const PairRule& rule,
                      const ValueTarget& target) {
    const bool counts =
        call.comparison() == Comparison::lcs || call.comparison() == Comparison::edits;
    if (!counts || call.rows.size() < lane_queries_min ||
        !suits_lanes(call.recurrence(), call.store.longest))
      return false;
    const PatternTiles<ExecutionSpace> tiles = scan.m_tiles->view();
    const ArrayView<const std::uint32_t, ExecutionSpace> slot_of(call.store.slot_of.data(),
                                                                 call.store.slot_of.size());
    scan.sized(
        m_staged, "Kindred::SequenceMatcher::values",
        lane_pair_workspace(scan.m_exec_space, tiles, call.store.longest, call.recurrence()));
    constexpr std::size_t together = 4096;
    for (std::size_t begin = 0; begin < call.rows.size(); begin += together) {
      ScanCall some = call;
      some.rows = call.rows.subspan(begin, std::min(together, call.rows.size() - begin));
      m_symbols.clear();
      m_begins.assign(1, 0);
      for (const std::size_t row : some.rows) {
        for (const Symbol symbol : call.queries[row])
          m_symbols.push_back(std::min(symbol, tiles.vocabulary));
        m_begins.push_back(m_symbols.size());
      }
      const LaneQueries queries{
          ArrayView<const std::uint32_t, HostSpace>(m_symbols.data(), m_symbols.size()),
          ArrayView<const std::uint64_t, HostSpace>(m_begins.data(), m_begins.size())};
      lane_pair_values(scan.m_exec_space, tiles, call.store.longest, queries, call.recurrence(),
                       rule, slot_of, m_staged.view(), caller_values(scan, some, target));
    }
    return true;
  }

  /// Writes the values of the queries that the scan for short texts takes; returns the others.
  std::vector<std::size_t> write_short(workspace_type& scan, const ScanCall& call,
                                       const PairRule& rule, const ValueTarget& target) {
    std::vector<std::size_t> left;
    std::vector<std::size_t> taken;
    const bool jaro = call.options.measure == Measure::jaro_winkler;
    const bool counts =
        call.comparison() == Comparison::lcs || call.comparison() == Comparison::edits || jaro;
    // Where lookups have 64 entries, the scans of all texts use them, which pays for longer ones.
    const std::uint32_t longest = !counts ? 0
                                  : Special::has_machine<Special::Machine::byte_lookups>()
                                      ? std::min(short_query_max(), 2 * plane_symbols)
                                      : short_query_max();
    for (const std::size_t row : call.rows) {
      const std::span<const Symbol> query = call.queries[row];
      const bool fits =
          longest > 0 && query.size() <= longest && !(jaro && query.empty()) &&
          (query.size() <= short_codes_max || m_distinct.of(query).size() <= short_codes_max);
      (fits ? taken : left).push_back(row);
    }
    const PatternTiles<ExecutionSpace> tiles = scan.m_tiles->view();
    const ArrayView<const std::uint32_t, ExecutionSpace> slot_of(call.store.slot_of.data(),
                                                                 call.store.slot_of.size());
    constexpr std::size_t together = 1024;  // their tables take a few megabytes
    for (std::size_t begin = 0; begin < taken.size(); begin += together) {
      ScanCall some = call;
      some.rows = std::span<const std::size_t>(taken).subspan(begin).first(
          std::min(together, taken.size() - begin));
      const QueryTables<ExecutionSpace> tables = scan.place(some, tiles);
      scan.sized(m_staged, "Kindred::SequenceMatcher::values",
                 short_pair_workspace(scan.m_exec_space, tiles, tables.queries, target.type));
      short_pair_values(scan.m_exec_space, tiles, tables, call.recurrence(), rule, slot_of,
                        m_staged.view(), caller_values(scan, some, target));
    }
    return left;
  }

  /// Computes the values of a batch.
  void write_batch(workspace_type& scan, const ScanCall& call, const PairRule& rule,
                   const ValueTarget& target) {
    const PatternTiles<ExecutionSpace> tiles = scan.m_tiles->view();
    const QueryTables<ExecutionSpace> tables = scan.place(call, tiles);
    const bool staged = !is_host && !target.on_device;
    ValueTarget own = target;
    if (staged) {
      own.row_stride = call.patterns();
      scan.sized(m_staged, "Kindred::SequenceMatcher::values",
                 tables.queries * call.patterns() * size_of(target.type));
      own.data = m_staged.data();
    }
    const PairValues<ExecutionSpace> values =
        staged ? staged_values(scan, call, own) : caller_values(scan, call, own);
    if (call.comparison() == Comparison::score) {
      scan.score_pairs(call, tiles, tables, 0.0, scan.m_wide);
      write_pair_values(scan.m_exec_space, tiles, tables, rule, scan.m_wide.keys.const_view(),
                        values);
    } else {
      if (call.comparison() == Comparison::runs) {
        count_all_runs(scan, call, tiles, tables);
      } else {
        scan.count_matched(call, tiles, tables);
      }
      write_pair_values(scan.m_exec_space, tiles, tables, rule, scan.m_matched.const_view(),
                        values);
    }
    if (staged) {
      // The rows of a batch follow one another; those of the caller may lie apart.
      const bool together = target.row_stride == call.patterns();
      const std::uint64_t row_bytes =
          call.patterns() * size_of(target.type) * (together ? call.rows.size() : 1);
      for (std::size_t q = 0; q < (together ? 1 : call.rows.size()); ++q) {
        download(scan.m_exec_space,
                 static_cast<std::byte*>(target.data) +
                     call.rows[q] * target.row_stride * size_of(target.type),
                 Kokkos::subview(m_staged.view(), std::pair(q * row_bytes, (q + 1) * row_bytes)),
                 row_bytes);
      }
    } else {
      Arch::fence(scan.m_exec_space, "Kindred::SequenceMatcher::score_all");
    }
  }

  /// The rows of \p target that belong to the queries of a batch.
  PairValues<ExecutionSpace> caller_values(workspace_type& scan, const ScanCall& call,
                                           const ValueTarget& target) {
    m_row_begins.clear();
    for (const std::size_t row : call.rows) m_row_begins.push_back(row * target.row_stride);
    return placed_values(scan, target);
  }
  /// The same where the rows of a batch follow one another.
  PairValues<ExecutionSpace> staged_values(workspace_type& scan, const ScanCall& call,
                                           const ValueTarget& target) {
    m_row_begins.clear();
    for (std::size_t q = 0; q < call.rows.size(); ++q)
      m_row_begins.push_back(q * target.row_stride);
    return placed_values(scan, target);
  }
  PairValues<ExecutionSpace> placed_values(workspace_type& scan, const ValueTarget& target) {
    return {target.data, target.type,
            placed(scan.m_exec_space, *scan.m_memory, m_row_begins, m_placed_begins,
                   "Kindred::SequenceMatcher::row_begins")};
  }

  /// Computes the Ratcliff-Obershelp counts of every pair whose LCS reaches the threshold.
  void count_all_runs(workspace_type& scan, const ScanCall& call,
                      const PatternTiles<ExecutionSpace>& tiles,
                      const QueryTables<ExecutionSpace>& tables) {
    scan.count_lcs(call, tiles, tables);
    scan.sized(scan.m_survivors, "Kindred::SequenceMatcher::survivors", tiles.slots());
    scan.sized(scan.m_counters, "Kindred::SequenceMatcher::counters", 2);
    for (std::uint32_t q = 0; q < tables.queries; ++q) {
      const auto length = static_cast<std::uint32_t>(call.queries.length(call.rows[q]));
      if (length == 0) continue;
      const RunsShape<ExecutionSpace> shape = scan.m_runs.shape(call, q);
      collect_survivors(scan.m_exec_space, tiles, q, length, call.options.threshold, no_pattern,
                        scan.m_matched.const_view(), {}, scan.m_survivors.view(),
                        scan.m_counters.view());
      std::uint32_t count = 0;
      download(scan.m_exec_space, &count, scan.m_counters.view(), 1);
      scan.count_runs(tiles, tables, shape, count);
      if (shape.slot_end < call.slots())
        scan.m_runs.count_long(scan.m_exec_space, call, q, shape.slot_end, scan.m_matched.view());
    }
  }

  SymbolCounts m_distinct;
  // The queries of a scan in lanes.
  std::vector<std::uint32_t> m_symbols;
  std::vector<std::uint64_t> m_begins;
  std::vector<std::uint64_t> m_row_begins;
  Buffer<std::uint64_t, memory_space> m_placed_begins;
  /// Values that are not yet in the order, or the memory, of the caller.
  Buffer<std::byte, memory_space> m_staged;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SEQUENCE_VALUE_SCAN_HPP
