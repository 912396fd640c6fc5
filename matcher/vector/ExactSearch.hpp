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
#include "RowCopies.hpp"
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

/// Copies queries with a number of \p host threads suited to their size.
inline void copy_queries(const HostWorkers& host, const GivenQueries& queries,
                         std::size_t dimension, float* to) {
  constexpr double element_nanoseconds = 0.4;
  host.for_each_range(queries.count, element_nanoseconds * static_cast<double>(dimension),
                      [&](std::size_t begin, std::size_t end) {
                        for (std::size_t query = begin; query < end; ++query)
                          std::copy_n(queries.values + query * queries.stride, dimension,
                                      to + query * dimension);
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
                               const VectorStore& store, const GivenQueries& queries,
                               const IdFilter& filter, std::size_t first, Metric metric,
                               std::size_t top, SearchReport& report) {
    m_answer.resize_discarding(queries.count * top);
    // A fallback path takes fewer queries at a time.
    const std::size_t step = block(store, top, filter);
    for (std::size_t begin = 0; begin < queries.count; begin += step) {
      Arch::end_if_cancelled(exec_space);
      const std::size_t count = std::min(step, queries.count - begin);
      const auto source =
          source_of(exec_space, host, store,
                    {queries.values + begin * queries.stride, count, queries.stride}, top);
      // The result is written directly to host memory, unless parts are merged.
      const bool direct = m_path != SearchPath::brute_force && is_one_part(store);
      m_matrix.reserved = beside_tiles(store, source.resident_bytes() == 0,
                                       count * merged_ranks * sizeof(Rank) * top);
      Rank* const answer = m_answer.data() + begin * top;
      auto best = ArrayView<Rank, ExecutionSpace>(answer, count * top);
      if (!direct) {
        m_best.resize_discarding(count * top);
        best = m_best.view();
        m_top.begin(exec_space, count, top, best);
      }
      for (Part part; next_part(exec_space, store, filter, first + begin, count, part);) {
        auto found = best;
        if (!direct) {
          m_part.resize_discarding(count * top);
          found = m_part.view();
        }
        if (m_path == SearchPath::gemm) {
          m_matrix.search(exec_space, part.rows, part.filter, source, metric, top, found, report,
                          rounded_of(exec_space, store, filter, part));
        } else if (m_path == SearchPath::quantized && part.segment != nullptr) {
          m_quantized_search.search(exec_space, part.rows,
                                    part.segment->quantized(exec_space, *m_memory), part.filter,
                                    source.take(0, count), metric, top, found, report);
        } else {
          m_brute_force.search(exec_space, part.rows, part.filter, source.take(0, count), metric,
                               top, found, report);
        }
        if (!direct) m_top.add_top(exec_space, ArrayView<const Rank, ExecutionSpace>(found));
      }
      if (!direct) download(exec_space, answer, m_best.view(), count * top);
    }
    return {m_answer.data(), queries.count * top};
  }

  /// \brief The ranks of the queries `first …` that are at most \p bound, in order. Fences.
  std::vector<std::vector<Rank>> search_within(const ExecutionSpace& exec_space,
                                               const VectorStore& store,
                                               const GivenQueries& queries, const IdFilter& filter,
                                               std::size_t first, Metric metric, Rank bound,
                                               SearchReport& report) {
    const auto prepared = m_queries.prepare(exec_space, queries, store.dimension(), on_host);
    m_matrix.reserved = beside_tiles(store, false, 0);
    m_bounds.resize_discarding(prepared.count);
    Arch::start_fill(exec_space, m_bounds.view(), bound);
    const auto bounds = m_bounds.const_view();
    std::vector<std::vector<Rank>> found(prepared.count);
    for (Part part; next_part(exec_space, store, filter, first, prepared.count, part);) {
      if (m_path == SearchPath::gemm) {
        m_matrix.search_within(exec_space, part.rows, part.filter, prepared, metric, bounds, found,
                               report, rounded_of(exec_space, store, filter, part));
      } else if (m_path == SearchPath::quantized && part.segment != nullptr) {
        m_quantized_search.search_within(exec_space, part.rows,
                                         part.segment->quantized(exec_space, *m_memory),
                                         part.filter, prepared, metric, bounds, found, report);
      } else {
        m_brute_force.search_within(exec_space, part.rows, part.filter, prepared, metric, bounds,
                                    found, report);
      }
    }
    for (std::vector<Rank>& ranks : found) std::sort(ranks.begin(), ranks.end());
    return found;
  }

  /// \brief The best ranks of the lists \p first …, `queries × top`. Fences.
  ///
  /// The host looks up all ids before it allocates memory; a device checks them while it reads the
  /// lists, unless a lookup is required. \throws InvalidArgument for an id without a row
  void score(const ExecutionSpace& exec_space, const HostWorkers& host, const VectorStore& store,
             GivenQueries queries, const CandidateRows& candidates, std::size_t first,
             Metric metric, std::size_t top, std::vector<Rank>& best, SearchReport& report) {
    std::optional<std::uint64_t> checked_rows;
    if (Arch::is_device<ExecutionSpace>) checked_rows = candidates.checked_rows();
    if (!checked_rows && first == 0) candidates.check(host);
    const std::size_t dimension = store.dimension();
    if constexpr (!on_host) queries = pinned_copy(host, queries, dimension);
    const auto prepared = m_queries.prepare(exec_space, queries, dimension, on_host);
    best.clear();
    for (std::size_t s = 0; s < store.segments().size(); ++s) {
      const RaggedSpan<std::uint32_t> part =
          candidates.rows(host, s, first, prepared.count, m_host_rows);
      report.survivors += part.offsets.back() - part.offsets.front();
      const auto rows = store.segments()[s]->resident<ExecutionSpace>().view();
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
  /// \param stride elements of \p out from one query to the next
  void score_all(const ExecutionSpace& exec_space, const VectorStore& store,
                 const GivenQueries& queries, Metric metric, float* out, std::size_t stride) {
    const auto prepared = m_queries.prepare(exec_space, queries, store.dimension(), on_host);
    const std::vector<VectorStore::Numbers> numbers = store.numbers();
    for (std::size_t s = 0; s < numbers.size(); ++s) {
      const LiveSegment& segment = store.segments()[s];
      const bool here = on_host || segment->on_device();
      const std::size_t step = score_rows_at_once(store, prepared.count, here, segment.size());
      std::size_t done = 0;  // rows that were not removed
      for (std::size_t begin = 0; begin < segment.size(); begin += step) {
        const std::size_t length = std::min(step, segment.size() - begin);
        const auto rows = here ? segment->resident<ExecutionSpace>().view(begin, length)
                               : stage(exec_space, *segment, begin, length);
        m_live_rows.clear();
        if (!segment.live().has_all()) {
          segment.for_each_live(begin, begin + length, [&](std::size_t row) {
            m_live_rows.push_back(static_cast<std::uint32_t>(row - begin));
          });
        }
        const std::size_t count = segment.live().has_all() ? length : m_live_rows.size();
        if (count == 0) continue;
        const bool apart = !numbers[s].each.empty();
        const std::size_t column = numbers[s].first + (apart ? 0 : done);
        const std::span<const std::uint32_t> places(numbers[s].each.data() + (apart ? done : 0),
                                                    apart ? count : 0);
        done += count;
        if constexpr (Arch::is_device<ExecutionSpace>) {
          m_live_ids.resize_discarding(m_live_rows.size());
          start_upload(exec_space, m_live_ids.view(), m_live_rows.data(), m_live_rows.size());
          m_scores.resize_discarding(prepared.count * count);
          score_matrix(exec_space, metric, {}, rows, count, prepared, m_scores.view(),
                       {count, m_live_ids.const_view()});
          if (apart) m_host_scores.resize(prepared.count * count);
          float* const to = apart ? m_host_scores.data() : out + column;
          start_row_copies(exec_space, "Kindred::VectorIndex::score_all", to,
                           apart ? count : stride, m_scores.data(), count, prepared.count, count);
          // The host's list of rows and the buffers of the next part may still be in use.
          Arch::fence(exec_space, "Kindred::VectorIndex::score_all");
          for (std::size_t query = 0; query < prepared.count; ++query)
            for (std::size_t i = 0; i < places.size(); ++i)
              out[query * stride + places[i]] = to[query * count + i];
        } else {
          const ArrayView<const std::uint32_t, ExecutionSpace> live(m_live_rows.data(),
                                                                    m_live_rows.size());
          score_matrix(
              exec_space, metric, {}, rows, count, prepared,
              ArrayView<float, ExecutionSpace>(out + column, prepared.count * stride - column),
              {stride, live,
               ArrayView<const std::uint32_t, ExecutionSpace>(places.data(), places.size())});
        }
      }
    }
    Arch::fence(exec_space, "Kindred::VectorIndex::score_all");
  }

 private:
  static constexpr bool on_host = !Arch::is_device<ExecutionSpace>;
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
    m_queries.bind(m_query_memory);
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
    m_host_scores = {};
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

  /// The rows of a search, part by part.
  struct Part {
    std::size_t next_segment = 0;
    std::size_t next_row = 0;
    bool has_begun = false;
    const VectorSegment* segment = nullptr;  ///< null if the rows went through a buffer
    VectorRows<ExecutionSpace> rows;
    RowFilter<ExecutionSpace> filter;
  };
  /// \brief Goes to the next rows, and returns false behind the last ones. Rows that are not on the
  /// device go through a buffer.
  bool next_part(const ExecutionSpace& exec_space, const VectorStore& store, const IdFilter& filter,
                 std::size_t first_query, std::size_t queries, Part& part) {
    // The buffer for the next upload may still be in use.
    if (part.has_begun && !is_one_part(store))
      Arch::fence(exec_space, "Kindred::VectorIndex::part");
    const auto segments = store.segments();
    while (part.next_segment < segments.size() &&
           part.next_row >= segments[part.next_segment].size()) {
      ++part.next_segment;
      part.next_row = 0;
    }
    if (part.next_segment == segments.size()) return false;
    const LiveSegment& segment = segments[part.next_segment];
    const bool here = on_host || segment->on_device();
    const std::size_t row_bytes = store.dimension() * size_of(store.element());
    const std::size_t step =
        here ? segment.size() : std::max<std::size_t>(64, staged_bytes / row_bytes / 64 * 64);
    const std::size_t begin = part.next_row;
    const std::size_t length = std::min(step, segment.size() - begin);
    m_words.clear();
    const std::size_t per_query =
        filter.words(segment, begin, length, first_query, queries, m_words);
    m_filter.resize_discarding(m_words.size());
    start_upload(exec_space, m_filter.view(), m_words.data(), m_words.size());
    part.filter = {m_filter.const_view(), per_query};
    part.segment = here ? &*segment : nullptr;
    part.rows = here ? segment->resident<ExecutionSpace>().view()
                     : stage(exec_space, *segment, begin, length);
    part.next_row = begin + length;
    part.has_begun = true;
    return true;
  }

  /// The rounded copy of a segment, unless the rows that \p filter lets pass are rounded alone.
  RoundedRows<ExecutionSpace, Arch::Float16> rounded_of(const ExecutionSpace& exec_space,
                                                        const VectorStore& store,
                                                        const IdFilter& filter,
                                                        const Part& part) const {
    if (part.segment == nullptr || !filter.passes_all()) return {};
    return rounded_copy(exec_space, store, *part.segment, *m_memory);
  }

  /// Queries in page-locked memory, from which copies are started.
  GivenQueries pinned_copy(const HostWorkers& host, const GivenQueries& queries,
                           std::size_t dimension) {
    m_host_floats.resize_discarding(queries.count * dimension);
    copy_queries(host, queries, dimension, m_host_floats.data());
    return {m_host_floats.data(), queries.count, dimension};
  }

  /// The queries of a block. They are prepared once, except on the GEMM path of a device, which
  /// leaves little memory: then they are floats that are uploaded when needed. If rows are streamed
  /// they are prepared as well, because they would be uploaded again for every 16 MiB of rows.
  QuerySource<ExecutionSpace> source_of(const ExecutionSpace& exec_space, const HostWorkers& host,
                                        const VectorStore& store, const GivenQueries& queries,
                                        std::size_t top) {
    const std::size_t dimension = store.dimension();
    const bool brings = Arch::is_device<ExecutionSpace> && m_path == SearchPath::gemm &&
                        store.on_device() &&
                        GemmSearch<ExecutionSpace>::queries_max(dimension, top, 0, 0) > 0;
    if (!brings) return {m_queries.prepare(exec_space, queries, dimension, on_host), dimension};
    return {pinned_copy(host, queries, dimension).values, queries.count, dimension};
  }

  /// Rows per launch of `scores`: on a device, as many as the buffers of rows and scores hold.
  static std::size_t score_rows_at_once(const VectorStore& store, std::size_t queries, bool here,
                                        std::size_t rows) {
    if constexpr (!Arch::is_device<ExecutionSpace>) return rows;
    std::size_t most = staged_bytes / (sizeof(float) * queries);
    if (!here) most = std::min(most, staged_bytes / (store.dimension() * size_of(store.element())));
    return std::max<std::size_t>(64, most / 64 * 64);
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
  VectorQueryBuffers<ExecutionSpace> m_queries;
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
  std::vector<float> m_host_scores;  ///< of rows whose columns are not consecutive
  TopLists<ExecutionSpace> m_top;
  BruteForceSearch<ExecutionSpace> m_brute_force;
  QuantizedSearch<ExecutionSpace> m_quantized_search;
  GemmSearch<ExecutionSpace> m_matrix;
  CandidateSearch<ExecutionSpace> m_candidates;
  std::vector<Rank> m_host_part;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_VECTOR_EXACT_SEARCH_HPP
