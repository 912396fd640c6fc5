// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_VECTOR_EXACT_SEARCH_HPP
#define KINDRED_MATCHER_VECTOR_EXACT_SEARCH_HPP

#include "BruteForceSearch.hpp"
#include "CandidateRows.hpp"
#include "CandidateSearch.hpp"
#include "GemmSearch.hpp"
#include "IdFilter.hpp"
#include "QuantizedSearch.hpp"
#include "QuerySource.hpp"
#include "RoundedCopy.hpp"
#include "SearchPaths.hpp"
#include "VectorStore.hpp"

#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/arch/StartCopy.hpp>
#include <kindred/core/arch/launch/KernelCancel.hpp>
#include <kindred/core/vector/ScoreMatrix.hpp>
#include <kindred/memory/Copies.hpp>
#include <kindred/memory/LimitAdaptor.hpp>
#include <kindred/memory/PinnedArray.hpp>

#include <algorithm>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace Kindred::Impl {

/// Queries per block, which limits the memory of a block.
inline std::size_t block_queries(const VectorStore& store, std::size_t top,
                                 const IdFilter& filter) {
  constexpr std::size_t block_bytes = 16U << 20U;
  const std::size_t bytes =
      prepared_bytes(store.dimension()) + 5 * sizeof(Rank) * top + filter.bytes_per_query();
  return std::max<std::size_t>(1, block_bytes / bytes);
}

/// Copies with a number of \p host threads suited to the size.
inline void copy_floats(const HostWorkers& host, std::span<const float> from, float* to) {
  constexpr double nanoseconds = 0.4;  // per element
  host.for_each_range(from.size(), nanoseconds, [&](std::size_t begin, std::size_t end) {
    std::copy(from.data() + begin, from.data() + end, to + begin);
  });
}

/// \brief Searches the segments of a store on one space, block by block of queries. Keeps its
/// workspace between calls; used by one call at a time.
template <class ExecutionSpace>
class ExactSearch {
 public:
  using memory_space = typename ExecutionSpace::memory_space;

  /// \param pinned memory of the host
  ExactSearch(MemoryResource& memory, MemoryResource& pinned)
      : m_memory(&memory),
        m_pinned(&pinned),
        m_query_memory(memory, any_size),
        m_path_memory(memory, any_size),
        m_candidate_memory(memory, any_size) {
    clear();
  }
  /// \brief Prepares a call: a search with \p path and the largest number of rows at a time or,
  /// without a path, candidate scoring. Releases what calls of the other kind left, unless there is
  /// enough memory for both.
  void begin(std::optional<SearchPath> path) {
    if (!path) {
      if (m_path_memory.used() > beside_candidates) clear_paths();
      return;
    }
    if (path != m_path) clear_paths();
    m_path = *path;
    m_brute_force.row_limit = BruteForceSearch<ExecutionSpace>::row_limit_max;
    if (m_candidate_memory.used() > beside_path / 2) clear_candidates();
    const bool may_bring = Arch::is_device<ExecutionSpace> && path == SearchPath::gemm;
    if (may_bring && m_query_memory.used() > beside_path / 2) clear_queries();
  }
  /// Switches to the brute-force path, which needs the least memory; returns false if it is already
  /// used.
  bool fall_back() {
    return std::exchange(m_path, SearchPath::brute_force) != SearchPath::brute_force;
  }
  /// Halves the number of rows per pass; returns false if it is already small.
  bool shrink() {
    if (m_brute_force.row_limit <= BruteForceSearch<ExecutionSpace>::row_limit_min) return false;
    m_brute_force.row_limit /= 2;
    return true;
  }
  /// Releases the workspace.
  void clear() {
    clear_queries();
    clear_paths();
    clear_candidates();
  }

  /// Number of queries per call of `search`.
  std::size_t block(const VectorStore& store, std::size_t top, const IdFilter& filter) const {
    return m_path == SearchPath::gemm ? gemm_queries(store, top, filter)
                                      : block_queries(store, top, filter);
  }

  /// \brief The best ranks of the queries `first …`, `queries × top`; valid until the next call.
  /// Fences.
  /// \param host copies queries
  std::span<const Rank> search(const ExecutionSpace& exec_space, const HostWorkers& host,
                               const VectorStore& store, std::span<const float> queries,
                               const IdFilter& filter, std::size_t first, Metric metric,
                               std::size_t top, SearchReport& report) {
    const std::size_t dimension = store.dimension();
    const std::size_t count = queries.size() / dimension;
    m_answer.resize_discarding(count * top);
    // A fallback path takes fewer queries at a time.
    const std::size_t step = block(store, top, filter);
    for (std::size_t begin = 0; begin < count; begin += step) {
      Arch::end_if_cancelled(exec_space);
      const std::size_t length = std::min(step, count - begin);
      search_block(exec_space, host, store, queries.subspan(begin * dimension, length * dimension),
                   filter, first + begin, metric, top, m_answer.data() + begin * top, report);
    }
    return {m_answer.data(), count * top};
  }

  /// \brief The ranks of the queries `first …` that are at most \p bound, in order. Fences.
  std::vector<std::vector<Rank>> search_within(const ExecutionSpace& exec_space,
                                               const VectorStore& store,
                                               std::span<const float> queries,
                                               const IdFilter& filter, std::size_t first,
                                               Metric metric, Rank bound, SearchReport& report) {
    const auto prepared = upload_queries(exec_space, queries, store.dimension());
    m_matrix.reserved = beside_tiles(store, false, 0);
    m_bounds.resize_discarding(prepared.count);
    Kokkos::deep_copy(exec_space, m_bounds.view(), bound);
    std::vector<std::vector<Rank>> found(prepared.count);
    for_each_part(exec_space, store, filter, first, prepared.count,
                  [&](const VectorSegment* segment, const auto& rows, const auto& passes) {
                    if (m_path == SearchPath::gemm) {
                      m_matrix.search_within(exec_space, rows, passes, prepared, metric,
                                             m_bounds.const_view(), found, report,
                                             rounded_of(exec_space, store, segment, passes));
                    } else if (m_path == SearchPath::quantized && segment != nullptr) {
                      m_quantized_search.search_within(
                          exec_space, rows, segment->quantized(exec_space, *m_memory), passes,
                          prepared, metric, m_bounds.const_view(), found, report);
                    } else {
                      m_brute_force.search_within(exec_space, rows, passes, prepared, metric,
                                                  m_bounds.const_view(), found, report);
                    }
                  });
    for (std::vector<Rank>& ranks : found) std::sort(ranks.begin(), ranks.end());
    return found;
  }

  /// \brief The best ranks of the lists \p first …, `queries × top`. Fences.
  ///
  /// The host looks up all ids before it allocates memory; a device checks them while it reads the
  /// lists, unless a lookup is required. \throws InvalidArgument for an id without a row
  void score(const ExecutionSpace& exec_space, const HostWorkers& host, const VectorStore& store,
             std::span<const float> queries, const CandidateRows& candidates, std::size_t first,
             Metric metric, std::size_t top, std::vector<Rank>& best, SearchReport& report) {
    std::optional<std::uint64_t> checked_rows;
    if (Arch::is_device<ExecutionSpace>) checked_rows = candidates.checked_rows();
    if (!checked_rows && first == 0) candidates.check(host);
    const std::size_t count = queries.size() / store.dimension();
    const float* values = queries.data();
    if constexpr (Arch::is_device<ExecutionSpace>) {
      m_host_floats.resize_discarding(queries.size());
      copy_floats(host, queries, m_host_floats.data());
      values = m_host_floats.data();
    }
    const auto prepared = upload_queries(exec_space, {values, queries.size()}, store.dimension());
    best.clear();
    for (std::size_t s = 0; s < store.segments().size(); ++s) {
      const RaggedSpan<std::uint32_t> part = candidates.rows(host, s, first, count, m_host_rows);
      report.survivors += part.offsets.back() - part.offsets.front();
      const auto rows = store.segments()[s]->template resident<ExecutionSpace>().view();
      const auto bad_query =
          m_candidates.score(exec_space, host, rows, part, checked_rows, prepared, metric, top,
                             best.empty() ? best : m_host_part);
      if (bad_query) candidates.refuse(first + *bad_query);
      if (s == 0) continue;
      std::vector<Rank> merged(2 * top);
      for (std::size_t query = 0; query < prepared.count; ++query) {
        const auto begin = static_cast<std::ptrdiff_t>(query * top);
        const auto end = static_cast<std::ptrdiff_t>((query + 1) * top);
        std::merge(best.begin() + begin, best.begin() + end, m_host_part.begin() + begin,
                   m_host_part.begin() + end, merged.begin());
        std::copy_n(merged.begin(), top, best.begin() + begin);
      }
    }
  }

  /// \brief The scores of all rows for the given queries, in the order of the ids. Fences.
  /// \param out `queries × store.size()`
  void score_all(const ExecutionSpace& exec_space, const VectorStore& store,
                 std::span<const float> queries, Metric metric, float* out) {
    const auto prepared = upload_queries(exec_space, queries, store.dimension());
    const std::size_t stride = store.size();
    std::size_t column = 0;
    for (const auto& segment : store.segments()) {
      const bool here = !Arch::is_device<ExecutionSpace> || segment->on_device();
      const std::size_t step = score_rows_at_once(store, prepared.count, here, segment->size());
      for (std::size_t begin = 0; begin < segment->size(); begin += step) {
        const std::size_t length = std::min(step, segment->size() - begin);
        const auto rows = here ? segment->resident<ExecutionSpace>().view(begin, length)
                               : stage(exec_space, *segment, begin, length);
        m_live_rows.clear();
        if (!segment->live().empty()) {
          segment->for_each_live(begin, begin + length, [&](std::size_t row) {
            m_live_rows.push_back(static_cast<std::uint32_t>(row - begin));
          });
        }
        const std::size_t count = segment->live().empty() ? length : m_live_rows.size();
        if (count == 0) continue;
        if constexpr (Arch::is_device<ExecutionSpace>) {
          m_live_ids.resize_discarding(m_live_rows.size());
          start_upload(exec_space, m_live_ids.view(), m_live_rows.data(), m_live_rows.size());
          m_scores.resize_discarding(prepared.count * count);
          score_matrix(exec_space, metric, {}, rows, count, prepared, m_scores.view(),
                       {count, m_live_ids.const_view()});
          copy_scores(exec_space, out + column, stride, count, prepared.count);
          // The host's list of rows and the buffers of the next part may still be in use.
          Arch::fence(exec_space, "Kindred::VectorIndex::score_all");
        } else {
          const ArrayView<const std::uint32_t, ExecutionSpace> live(m_live_rows.data(),
                                                                    m_live_rows.size());
          score_matrix(
              exec_space, metric, {}, rows, count, prepared,
              ArrayView<float, ExecutionSpace>(out + column, prepared.count * stride - column),
              {stride, live});
        }
        column += count;
      }
    }
    Arch::fence(exec_space, "Kindred::VectorIndex::score_all");
  }

 private:
  static constexpr std::uint64_t any_size = std::numeric_limits<std::uint64_t>::max();
  /// Size of the buffer for rows that are not on the device.
  static constexpr std::size_t staged_bytes = 16U << 20U;
  /// If parts are merged, ranks per query and result: the best, those of a part, and the workspace
  /// of the merge.
  static constexpr std::size_t merged_ranks = 8;
  static constexpr std::size_t host_floats_bytes = 32U << 20U;  ///< of queries on the host
  /// Of the 64 MiB, how much calls of the other kind may keep: candidates need about 16 MiB
  /// themselves; products use less memory by the kept amount.
  static constexpr std::uint64_t beside_candidates = 40U << 20U;
  static constexpr std::uint64_t beside_path = 4U << 20U;

  /// Bytes that the tiles of products must leave free. \param is_brought whether the queries on the
  /// device belong to other calls \param merging bytes of a merge, if parts are merged
  std::size_t beside_tiles(const VectorStore& store, bool is_brought, std::size_t merging) const {
    return m_candidate_memory.used() + (is_brought ? m_query_memory.used() : 0) +
           (is_one_part(store) ? 0 : staged_bytes + merging);
  }

  void clear_queries() {
    m_floats = {m_query_memory, "Kindred::VectorIndex::queries", 0};
    m_wide = {m_query_memory, "Kindred::VectorIndex::wide_queries", 0};
    m_norms = {m_query_memory, "Kindred::VectorIndex::query_norms", 0};
    m_host_floats = {*m_pinned, "Kindred::VectorIndex::host_queries"};
  }
  void clear_paths() {
    m_filter = {m_path_memory, "Kindred::VectorIndex::filter", 0};
    m_best = {m_path_memory, "Kindred::VectorIndex::best", 0};
    m_part = {m_path_memory, "Kindred::VectorIndex::part", 0};
    m_bounds = {m_path_memory, "Kindred::VectorIndex::bounds", 0};
    m_scores = {m_path_memory, "Kindred::VectorIndex::score_all", 0};
    m_live_ids = {m_path_memory, "Kindred::VectorIndex::live_rows", 0};
    m_live_rows = {};
    m_staged = {};
    m_words = {};
    m_answer = {*m_pinned, "Kindred::VectorIndex::answer"};
    m_top.bind(m_path_memory);
    m_brute_force.bind(m_path_memory);
    m_quantized_search.bind(m_path_memory, *m_pinned);
    m_matrix.bind(m_path_memory);
  }
  void clear_candidates() {
    m_candidates.bind(m_candidate_memory, *m_pinned);
    m_host_part = {};
    m_host_rows.offsets = {};
    m_host_rows.rows = {*m_pinned, "Kindred::VectorIndex::host_candidates"};
  }

  /// Whether all rows are in one segment on the search space.
  static bool is_one_part(const VectorStore& store) {
    return store.segments().size() == 1 &&
           (!Arch::is_device<ExecutionSpace> || store.segments()[0]->on_device());
  }

  /// Number of queries per GEMM pass.
  static std::size_t gemm_queries(const VectorStore& store, std::size_t top,
                                  const IdFilter& filter) {
    if constexpr (!Arch::is_device<ExecutionSpace>) return block_queries(store, top, filter);
    std::size_t each = filter.bytes_per_query();
    if (!is_one_part(store)) each += merged_ranks * sizeof(Rank) * top;
    if (!store.on_device()) each += prepared_bytes(store.dimension());
    const std::size_t all = is_one_part(store) ? 0 : staged_bytes;
    const std::size_t most =
        GemmSearch<ExecutionSpace>::queries_max(store.dimension(), top, each, all);
    if (most == 0) return block_queries(store, top, filter);
    return std::clamp<std::size_t>(host_floats_bytes / (sizeof(float) * store.dimension()), 1,
                                   most);
  }

  void search_block(const ExecutionSpace& exec_space, const HostWorkers& host,
                    const VectorStore& store, std::span<const float> queries,
                    const IdFilter& filter, std::size_t first, Metric metric, std::size_t top,
                    Rank* answer, SearchReport& report) {
    const std::size_t count = queries.size() / store.dimension();
    const auto source = source_of(exec_space, host, store, queries, top);
    // The result is written directly to host memory, unless parts are merged.
    const bool direct = m_path != SearchPath::brute_force && is_one_part(store);
    m_matrix.reserved = beside_tiles(store, source.resident_bytes() == 0,
                                     count * merged_ranks * sizeof(Rank) * top);
    auto best = ArrayView<Rank, ExecutionSpace>(answer, count * top);
    if (!direct) {
      m_best.resize_discarding(count * top);
      best = m_best.view();
      m_top.begin(exec_space, count, top, best);
    }
    for_each_part(exec_space, store, filter, first, count,
                  [&](const VectorSegment* segment, const auto& rows, const auto& passes) {
                    auto part = best;
                    if (!direct) {
                      m_part.resize_discarding(count * top);
                      part = m_part.view();
                    }
                    if (m_path == SearchPath::gemm) {
                      m_matrix.search(exec_space, rows, passes, source, metric, top, part, report,
                                      rounded_of(exec_space, store, segment, passes));
                    } else if (m_path == SearchPath::quantized && segment != nullptr) {
                      m_quantized_search.search(exec_space, rows,
                                                segment->quantized(exec_space, *m_memory), passes,
                                                source.take(0, count), metric, top, part, report);
                    } else {
                      m_brute_force.search(exec_space, rows, passes, source.take(0, count), metric,
                                           top, part, report);
                    }
                    if (!direct)
                      m_top.add_top(exec_space, ArrayView<const Rank, ExecutionSpace>(part));
                  });
    if (!direct) download(exec_space, answer, m_best.view(), count * top);
  }

  /// The rounded copy of a segment, unless the rows that a filter lets pass are rounded alone.
  RoundedRows<ExecutionSpace, Arch::Float16> rounded_of(
      const ExecutionSpace& exec_space, const VectorStore& store, const VectorSegment* segment,
      const RowFilter<ExecutionSpace>& passes) const {
    if (segment == nullptr || !passes.passes_all()) return {};
    return rounded_copy(exec_space, store, *segment, *m_memory);
  }

  /// The queries of a block. They are prepared once, except on the GEMM path of a device, which
  /// leaves little memory: then they are floats that are uploaded when needed. If rows are streamed
  /// they are prepared as well, because they would be uploaded again for every 16 MiB of rows.
  QuerySource<ExecutionSpace> source_of(const ExecutionSpace& exec_space, const HostWorkers& host,
                                        const VectorStore& store, std::span<const float> queries,
                                        std::size_t top) {
    const std::size_t dimension = store.dimension();
    const bool brings = Arch::is_device<ExecutionSpace> && m_path == SearchPath::gemm &&
                        store.on_device() &&
                        GemmSearch<ExecutionSpace>::queries_max(dimension, top, 0, 0) > 0;
    if (!brings) return {upload_queries(exec_space, queries, dimension), dimension};
    m_host_floats.resize_discarding(queries.size());
    copy_floats(host, queries, m_host_floats.data());
    return {m_host_floats.data(), queries.size() / dimension, dimension};
  }

  /// Rows per launch of `scores`: on a device, as many as the buffers of rows and scores hold.
  static std::size_t score_rows_at_once(const VectorStore& store, std::size_t queries, bool here,
                                        std::size_t rows) {
    if constexpr (!Arch::is_device<ExecutionSpace>) return rows;
    std::size_t most = staged_bytes / (sizeof(float) * queries);
    if (!here) most = std::min(most, staged_bytes / (store.dimension() * size_of(store.element())));
    return std::max<std::size_t>(64, most / 64 * 64);
  }
  /// Starts copies of \p count scores per query to \p out.
  void copy_scores(const ExecutionSpace& exec_space, float* out, std::size_t stride,
                   std::size_t count, std::size_t queries) {
    const char* label = "Kindred::VectorIndex::score_all";
    if (count == stride)
      return Arch::start_copy(exec_space, label, out, m_scores.data(),
                              queries * count * sizeof(float));
    for (std::size_t query = 0; query < queries; ++query)
      Arch::start_copy(exec_space, label, out + query * stride, m_scores.data() + query * count,
                       count * sizeof(float));
  }

  VectorQueries<ExecutionSpace> upload_queries(const ExecutionSpace& exec_space,
                                               std::span<const float> queries,
                                               std::size_t dimension) {
    const std::size_t count = queries.size() / dimension;
    m_floats.resize_discarding(queries.size());
    m_wide.resize_discarding(queries.size());
    m_norms.resize_discarding(count);
    start_upload(exec_space, m_floats.view(), queries.data(), queries.size());
    prepare_queries(exec_space, m_floats.const_view(), dimension, m_wide.view(), m_norms.view());
    return {m_floats.const_view(), m_wide.const_view(), m_norms.const_view(), count};
  }

  /// Calls `visit(segment, rows, filter)` for all rows in turn; rows that are not on the device go
  /// through a buffer and are passed without their segment.
  template <class Visit>
  void for_each_part(const ExecutionSpace& exec_space, const VectorStore& store,
                     const IdFilter& filter, std::size_t first_query, std::size_t queries,
                     const Visit& visit) {
    const bool once = is_one_part(store);
    for (const auto& segment : store.segments()) {
      const bool here = !Arch::is_device<ExecutionSpace> || segment->on_device();
      const std::size_t row_bytes = store.dimension() * size_of(store.element());
      const std::size_t step =
          here ? segment->size() : std::max<std::size_t>(64, staged_bytes / row_bytes / 64 * 64);
      for (std::size_t begin = 0; begin < segment->size(); begin += step) {
        const std::size_t length = std::min(step, segment->size() - begin);
        m_words.clear();
        const std::size_t per_query =
            filter.words(*segment, begin, length, first_query, queries, m_words);
        m_filter.resize_discarding(m_words.size());
        start_upload(exec_space, m_filter.view(), m_words.data(), m_words.size());
        const RowFilter<ExecutionSpace> passes{m_filter.const_view(), per_query};
        visit(here ? segment.get() : nullptr,
              here ? segment->resident<ExecutionSpace>().view()
                   : stage(exec_space, *segment, begin, length),
              passes);
        // The buffer for the next upload may still be in use.
        if (!once) Arch::fence(exec_space, "Kindred::VectorIndex::part");
      }
    }
  }

  /// Copies rows that are not on the device to the buffer.
  VectorRows<ExecutionSpace> stage(const ExecutionSpace& exec_space, const VectorSegment& segment,
                                   std::size_t begin, std::size_t length) {
    const ResidentRows<HostSpace>& host = segment.host();
    if (m_staged.count() < length || m_staged.dimension != host.dimension) {
      m_staged = {};
      m_staged = {m_path_memory, host.element, host.dimension, length, true};
    }
    std::vector<std::uint32_t> ids(length);
    for (std::size_t row = 0; row < length; ++row) ids[row] = segment.id(begin + row);
    const std::size_t row_bytes = host.dimension * size_of(host.element);
    upload(exec_space, m_staged.values.view(), host.values.data() + begin * row_bytes,
           length * row_bytes);
    if (host.scales.size() > 0)
      upload(exec_space, m_staged.scales.view(), host.scales.data() + begin, length);
    upload(exec_space, m_staged.norms.view(), host.norms.data() + begin, length);
    upload(exec_space, m_staged.ids.view(), ids.data(), length);
    return m_staged.view(0, length);
  }

  MemoryResource* m_memory;
  MemoryResource* m_pinned;
  LimitAdaptor m_query_memory;  ///< only count the used memory
  LimitAdaptor m_path_memory;
  LimitAdaptor m_candidate_memory;
  SearchPath m_path = SearchPath::brute_force;
  Buffer<float, memory_space> m_floats;
  Buffer<double, memory_space> m_wide;
  Buffer<double, memory_space> m_norms;
  Buffer<std::uint64_t, memory_space> m_filter;
  Buffer<Rank, memory_space> m_best;
  Buffer<Rank, memory_space> m_part;
  Buffer<Rank, memory_space> m_bounds;
  ResidentRows<ExecutionSpace> m_staged;
  PinnedArray<float> m_host_floats;
  PinnedArray<Rank> m_answer;
  CandidateBuffers m_host_rows;
  std::vector<std::uint64_t> m_words;
  Buffer<float, memory_space> m_scores;
  Buffer<std::uint32_t, memory_space> m_live_ids;
  std::vector<std::uint32_t> m_live_rows;
  TopLists<ExecutionSpace> m_top;
  BruteForceSearch<ExecutionSpace> m_brute_force;
  QuantizedSearch<ExecutionSpace> m_quantized_search;
  GemmSearch<ExecutionSpace> m_matrix;
  CandidateSearch<ExecutionSpace> m_candidates;
  std::vector<Rank> m_host_part;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_VECTOR_EXACT_SEARCH_HPP
