// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEQUENCE_RUN_SCAN_HPP
#define KINDRED_MATCHER_SEQUENCE_RUN_SCAN_HPP

#include "QueryBuffers.hpp"
#include "ScanCall.hpp"

#include <kindred/core/arch/Concurrency.hpp>
#include <kindred/core/sequence/MatchingBlocks.hpp>
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

/// \brief The buffers and the steps of a scan that counts the runs of patterns and queries, by
/// Ratcliff-Obershelp; used by one call at a time.
template <class ExecutionSpace>
class RunScan {
 public:
  using memory_space = typename ExecutionSpace::memory_space;
  using numbers_view = ArrayView<std::uint32_t, ExecutionSpace>;

  /// \param workers host threads of any call; 0 on a device
  explicit RunScan(int workers) : m_workers_max(workers), m_workers(workers) {}
  /// Sets the number of host threads of the next call.
  void set_workers(int workers) noexcept { m_workers = workers; }

  /// Places the queries \p rows of a call without their popular symbols.
  void place_popular(const ExecutionSpace& exec_space, MemoryResource& memory,
                     RaggedSpan<Symbol> queries, const std::vector<std::size_t>& rows,
                     std::uint32_t vocabulary) {
    m_popular.place(exec_space, memory, queries, rows, vocabulary);
  }

  /// How the patterns of a call are compared with the query in row \p q of the tables.
  RunsShape<ExecutionSpace> shape(const ScanCall& call, std::uint32_t q) const {
    RunsShape<ExecutionSpace> runs;
    runs.query = q;
    runs.words = quotient_up(call.queries.length(call.rows[q]), word_symbols);
    if (call.options.autojunk) runs.grow_over = m_popular.grow_over(q);
    // Slots are sorted by length, so the matrices of all slots before `slot_end` fit.
    const std::uint32_t* lengths = call.lengths();
    runs.slot_end = static_cast<std::uint32_t>(
        std::upper_bound(lengths, lengths + call.slots(), run_words_max / runs.words) - lengths);
    if (runs.slot_end > 0) runs.rows = lengths[runs.slot_end - 1];
    return runs;
  }

  /// Counts the runs of the patterns in \p list, about \p count. \see ratcliff_obershelp
  void count(const ExecutionSpace& exec_space, MemoryResource& memory,
             const PatternTiles<ExecutionSpace>& tiles, const QueryTables<ExecutionSpace>& tables,
             RunsShape<ExecutionSpace> runs, std::uint64_t count,
             const ArrayView<const std::uint32_t, ExecutionSpace>& list,
             const numbers_view& counters, const numbers_view& matched) {
    // The team of the next call may be larger; the workspace is large enough for all threads.
    runs.workers = workers(exec_space, runs, count, m_workers_max);
    sized(m_workspace, memory, "Kindred::SequenceMatcher::runs", runs.workspace_words());
    runs.workers = workers(exec_space, runs, count, m_workers);
    const bool popular = runs.grow_over.size() > 0;
    ratcliff_obershelp(exec_space, tiles, popular ? m_popular.tables(runs.query, tables) : tables,
                       runs, list, counters, m_workspace.view(), matched);
  }

  /// Matches the slots from \p slot on, whose run matrices would be too large, on the calling
  /// thread.
  static void count_long(const ExecutionSpace& exec_space, const ScanCall& call, std::uint32_t q,
                         std::uint32_t slot, const numbers_view& matched) {
    const std::span<const Symbol> query = call.queries[call.rows[q]];
    const BlockFinder finder(query, call.options.autojunk);
    const std::uint32_t end = call.slots();
    const std::uint64_t first = std::uint64_t{q} * end + slot;
    const auto own = Kokkos::subview(matched, std::pair(first, first + end - slot));
    std::vector<std::uint32_t> counts(end - slot);
    download(exec_space, counts.data(), own, counts.size());
    for (std::uint32_t s = slot; s < end; ++s) {
      std::uint32_t& count = counts[s - slot];
      const std::uint64_t total = call.lengths()[s] + query.size();
      const double threshold = call.options.threshold;
      if (threshold > 0.0 && similarity(count, total) < threshold) continue;
      count = finder.matched(call.pattern(s));
    }
    upload(exec_space, own, counts.data(), counts.size());
  }

 private:
  static constexpr bool is_host = std::is_same_v<memory_space, Kokkos::HostSpace>;
  /// Larger run matrices, in words, are avoided: the pair is matched on the host, in memory
  /// proportional to its length.
  static constexpr std::uint64_t run_words_max = 1ULL << 21U;
  /// Total words of the run matrices that exist at the same time, and the limits for matrices so
  /// large that only a few fit.
  static constexpr std::uint64_t run_workspace_words = 1ULL << 24U;
  static constexpr std::uint64_t large_run_workspace_words = 1ULL << 28U;
  static constexpr std::uint64_t large_run_workers = 128;

  /// Number of host threads, at most \p threads, or warps; a multiple of the team size if there are
  /// enough.
  static std::uint32_t workers(const ExecutionSpace& exec_space,
                               const RunsShape<ExecutionSpace>& shape, std::uint64_t count,
                               int threads) {
    const std::uint64_t target =
        threads > 0
            ? static_cast<std::uint64_t>(threads)
            : static_cast<std::uint64_t>(Arch::concurrency(exec_space)) / (4 * tile_patterns);
    const std::uint64_t items = quotient_up(count, tile_patterns);
    const std::uint64_t words = std::max<std::uint64_t>(shape.worker_words(), 1);
    const std::uint64_t fitting =
        std::max(run_workspace_words / words,
                 std::min(large_run_workspace_words / words, large_run_workers));
    std::uint64_t chosen = std::max<std::uint64_t>(1, std::min({target, items, fitting}));
    constexpr std::uint64_t team = 8;
    if (!is_host && chosen > team) chosen -= chosen % team;
    return static_cast<std::uint32_t>(chosen);
  }

  int m_workers_max;  ///< of any call; 0 on a device
  int m_workers;      ///< of this call
  PopularSymbols<ExecutionSpace> m_popular;
  Buffer<std::uint64_t, memory_space> m_workspace;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SEQUENCE_RUN_SCAN_HPP
