// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEQUENCE_VALUE_SCAN_HPP
#define KINDRED_MATCHER_SEQUENCE_VALUE_SCAN_HPP

#include "ScanBatch.hpp"

#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/arch/Special.hpp>
#include <kindred/core/sequence/LaneValues.hpp>
#include <kindred/memory/SplitAndRetry.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace Kindred::Impl {

/// \brief Writes the values of the queries of a call and all patterns to a matrix of the caller.
template <class ExecutionSpace>
class ValueScan {
 public:
  /// All arguments must outlive this object.
  ValueScan(ScanWorkspace<ExecutionSpace>& workspace, const ScanCall& call, const PairRule& rule,
            const ValueTarget& target)
      : m_workspace(workspace), m_call(call), m_rule(rule), m_target(target) {}

  /// \see ScanBatch::write. Fences.
  void run() {
    ScanCall call = m_call;
    std::vector<std::size_t> left;
    if constexpr (is_host) {
      if (write_in_lanes()) return;
      left = write_short();
      call.rows = left;
    }
    std::uint64_t longest = 0;
    for (const std::size_t row : call.rows)
      longest = std::max<std::uint64_t>(longest, call.queries.length(row));
    const std::size_t batch = ScanBatch<ExecutionSpace>::size_of(
        m_workspace, call, longest, false, false, is_staged() ? row_bytes() : 0);
    split_and_retry(call.rows.size(), batch, [&](std::size_t begin, std::size_t count) {
      write_batch(call.part(begin, count));
    });
  }

 private:
  static constexpr bool is_host = ScanWorkspace<ExecutionSpace>::is_host;

  bool is_staged() const { return !is_host && !m_target.on_device; }
  std::uint64_t row_bytes() const { return m_call.patterns() * size_of(m_target.type); }
  ArrayView<const std::uint32_t, ExecutionSpace> slot_of() const {
    return ArrayView<const std::uint32_t, ExecutionSpace>(m_call.store.slot_of.data(),
                                                          m_call.store.slot_of.size());
  }

  /// Writes the values of many queries with masks of the patterns, which repay their cost. Returns
  /// false if the scans below are faster.
  bool write_in_lanes() {
    const bool counts =
        m_call.comparison() == Comparison::lcs || m_call.comparison() == Comparison::edits;
    const std::uint32_t longest = m_call.store.longest;
    if (!counts || m_call.rows.size() < lane_queries_min ||
        !suits_lanes(m_call.recurrence(), longest))
      return false;
    const PatternTiles<ExecutionSpace> tiles = m_workspace.patterns->view();
    m_workspace.values.resize_discarding(
        lane_pair_workspace(m_workspace.exec_space(), tiles, longest, m_call.recurrence()));
    std::vector<std::uint32_t>& symbols = m_workspace.lane_symbols;
    std::vector<std::uint64_t>& begins = m_workspace.lane_begins;
    constexpr std::size_t together = 4096;
    for (std::size_t begin = 0; begin < m_call.rows.size(); begin += together) {
      const ScanCall some = m_call.part(begin, together);
      symbols.clear();
      begins.assign(1, 0);
      for (const std::size_t row : some.rows) {
        for (const Symbol symbol : m_call.queries[row])
          symbols.push_back(std::min(symbol, tiles.vocabulary));
        begins.push_back(symbols.size());
      }
      const LaneQueries queries{
          ArrayView<const std::uint32_t, HostSpace>(symbols.data(), symbols.size()),
          ArrayView<const std::uint64_t, HostSpace>(begins.data(), begins.size())};
      lane_pair_values(m_workspace.exec_space(), tiles, longest, queries, m_call.recurrence(),
                       m_rule, slot_of(), m_workspace.values.view(), values(some));
    }
    return true;
  }

  /// Writes the values of the queries that the scan for short texts takes; returns the others.
  std::vector<std::size_t> write_short() {
    std::vector<std::size_t> left;
    std::vector<std::size_t> taken;
    const bool jaro = m_call.options.measure == Measure::jaro_winkler;
    const bool counts =
        m_call.comparison() == Comparison::lcs || m_call.comparison() == Comparison::edits || jaro;
    // Where lookups have 64 entries, the scans of all texts use them, which pays for longer ones.
    const std::uint32_t longest = !counts ? 0
                                  : Special::has_machine<Special::Machine::byte_lookups>()
                                      ? std::min(short_query_max(), 2 * plane_symbols)
                                      : short_query_max();
    for (const std::size_t row : m_call.rows) {
      const std::span<const Symbol> query = m_call.queries[row];
      const bool fits = longest > 0 && query.size() <= longest && !(jaro && query.empty()) &&
                        (query.size() <= short_codes_max ||
                         m_workspace.distinct.of(query).size() <= short_codes_max);
      (fits ? taken : left).push_back(row);
    }
    ScanCall call = m_call;
    call.rows = taken;
    constexpr std::size_t together = 1024;  // their tables take a few megabytes
    for (std::size_t begin = 0; begin < taken.size(); begin += together) {
      const ScanCall some = call.part(begin, together);
      const ScanBatch<ExecutionSpace> batch(m_workspace, some);
      m_workspace.values.resize_discarding(short_pair_workspace(
          m_workspace.exec_space(), batch.tiles(), batch.tables().queries, m_target.type));
      short_pair_values(m_workspace.exec_space(), batch.tiles(), batch.tables(),
                        m_call.recurrence(), m_rule, slot_of(), m_workspace.values.view(),
                        values(some));
    }
    return left;
  }

  void write_batch(const ScanCall& call) {
    ScanBatch<ExecutionSpace> batch(m_workspace, call);
    if (is_staged()) m_workspace.values.resize_discarding(call.rows.size() * row_bytes());
    batch.write(m_rule, values(call));
    if (!is_staged()) {
      Arch::fence(m_workspace.exec_space(), "Kindred::SequenceMatcher::score_all");
      return;
    }
    // The rows of a batch follow one another; there may be gaps between those of the caller.
    const bool together = m_target.row_stride == m_call.patterns();
    const std::uint64_t bytes = row_bytes() * (together ? call.rows.size() : 1);
    for (std::size_t q = 0; q < (together ? 1 : call.rows.size()); ++q) {
      download(m_workspace.exec_space(),
               static_cast<std::byte*>(m_target.data) +
                   call.rows[q] * m_target.row_stride * size_of(m_target.type),
               Kokkos::subview(m_workspace.values.view(), std::pair(q * bytes, (q + 1) * bytes)),
               bytes);
    }
  }

  /// Where the kernels write the values of a batch: to the rows of the target, or to rows that
  /// follow one another.
  PairValues<ExecutionSpace> values(const ScanCall& call) {
    std::vector<std::uint64_t>& begins = m_workspace.row_begins.values;
    begins.clear();
    for (std::size_t q = 0; q < call.rows.size(); ++q)
      begins.push_back(is_staged() ? q * m_call.patterns() : call.rows[q] * m_target.row_stride);
    return {is_staged() ? m_workspace.values.data() : m_target.data, m_target.type,
            m_workspace.row_begins.place(m_workspace.exec_space())};
  }

  ScanWorkspace<ExecutionSpace>& m_workspace;
  const ScanCall& m_call;
  const PairRule& m_rule;
  const ValueTarget& m_target;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SEQUENCE_VALUE_SCAN_HPP
