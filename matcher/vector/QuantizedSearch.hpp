// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_VECTOR_QUANTIZED_SEARCH_HPP
#define KINDRED_MATCHER_VECTOR_QUANTIZED_SEARCH_HPP

#include "QuerySource.hpp"
#include "TopLists.hpp"

#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/arch/StartCopy.hpp>
#include <kindred/core/arch/launch/KernelCancel.hpp>
#include <kindred/core/common/QuotientUp.hpp>
#include <kindred/core/select/TopK.hpp>
#include <kindred/core/vector/Prefilter.hpp>
#include <kindred/matcher/SearchReport.hpp>
#include <kindred/memory/Buffer.hpp>
#include <kindred/memory/Copies.hpp>
#include <kindred/memory/PinnedArray.hpp>

#include <algorithm>
#include <bit>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace Kindred::Impl {

/// Sizes of the prefilter's buffers; they affect memory, not results.
struct QuantizedSearchLimits {
  std::uint64_t uppers = 6ULL << 20U;  ///< rows × queries of a chunk
  std::uint64_t list = 1ULL << 20U;    ///< survivors of a block of queries
  std::uint64_t slots = 2ULL << 20U;   ///< best lower bounds of a block of queries
  std::uint64_t planes = 4ULL << 20U;  ///< bytes of queries
  std::uint64_t capacity =
      /// Initial capacity for survivors of a query: the size that one launch of `top_k` sorts.
      2048;
};

/// \brief Exact search that reads int8-quantized rows, and scores exactly what their bounds do not
/// rule out. Exact for every query and row; pairs that cannot be bounded are scored. Keeps its
/// workspace between calls; one call at a time.
///
/// Takes at most 64 MiB for a `top` up to 65536, whatever the rows and queries.
template <class ExecutionSpace>
class QuantizedSearch {
 public:
  using memory_space = typename ExecutionSpace::memory_space;

  explicit QuantizedSearch(const QuantizedSearchLimits& limits = {}) : m_limits(limits) {}

  /// Constructs empty buffers in \p memory and in \p pinned host memory.
  void bind(MemoryResource& memory, MemoryResource& pinned) {
    m_planes = {memory, "Kindred::VectorIndex::planes", 0};
    m_bounds = {memory, "Kindred::VectorIndex::query_bounds", 0};
    m_uppers = {memory, "Kindred::VectorIndex::uppers", 0};
    m_slots = {memory, "Kindred::VectorIndex::slots", 0};
    m_thresholds = {memory, "Kindred::VectorIndex::thresholds", 0};
    m_survivors = {memory, "Kindred::VectorIndex::survivors", 0};
    m_counts = {memory, "Kindred::VectorIndex::survivor_counts", 0};
    m_ranks = {memory, "Kindred::VectorIndex::survivor_ranks", 0};
    m_select = {memory, "Kindred::VectorIndex::survivor_select", 0};
    m_host_counts = {pinned, "Kindred::VectorIndex::host_counts"};
    m_top.bind(memory);
  }

  /// \brief The best rows of every query. Fences \p exec_space.
  /// \param quantized copy of \p rows \param best `queries × top`, ascending, padded with
  /// `rank_none`
  void search(const ExecutionSpace& exec_space, const VectorRows<ExecutionSpace>& rows,
              const QuantizedRows<ExecutionSpace>& quantized,
              const RowFilter<ExecutionSpace>& filter, const VectorQueries<ExecutionSpace>& queries,
              Metric metric, std::size_t top, const ArrayView<Rank, ExecutionSpace>& best,
              SearchReport& report) {
    report.path = "quantized";
    if (quantized.count() == 0) {
      Arch::start_fill(exec_space, best, rank_none);
      return;
    }
    const Shape shape(m_limits, quantized.count(), rows.dimension, queries.count, top);
    for (std::size_t first = 0; first < queries.count; first += shape.block) {
      Arch::end_if_cancelled(exec_space);
      const std::size_t count = std::min<std::size_t>(shape.block, queries.count - first);
      const Call call{exec_space,
                      rows,
                      quantized,
                      part(filter, first),
                      part_of(queries, rows.dimension, first, count),
                      metric,
                      top,
                      Kokkos::subview(best, std::pair(first * top, (first + count) * top))};
      search_block(call, shape, report);
    }
  }

  /// \brief Appends the ranks that are at most the bound of their query to \p found, unordered.
  /// Fences \p exec_space. \param bounds one per query
  void search_within(const ExecutionSpace& exec_space, const VectorRows<ExecutionSpace>& rows,
                     const QuantizedRows<ExecutionSpace>& quantized,
                     const RowFilter<ExecutionSpace>& filter,
                     const VectorQueries<ExecutionSpace>& queries, Metric metric,
                     const ArrayView<const Rank, ExecutionSpace>& bounds,
                     std::vector<std::vector<Rank>>& found, SearchReport& report) {
    report.path = "quantized";
    if (quantized.count() == 0) return;
    std::vector<Rank> limits(queries.count);
    download(exec_space, limits.data(), bounds, limits.size());
    const Shape shape(m_limits, quantized.count(), rows.dimension, queries.count, 1);
    for (std::size_t first = 0; first < queries.count; first += shape.block) {
      Arch::end_if_cancelled(exec_space);
      const std::size_t count = std::min<std::size_t>(shape.block, queries.count - first);
      const Call call{exec_space,
                      rows,
                      quantized,
                      part(filter, first),
                      part_of(queries, rows.dimension, first, count),
                      metric,
                      0,
                      {}};
      find_block(call, std::span(limits).subspan(first, count),
                 std::span(found).subspan(first, count), report);
    }
  }

 private:
  static constexpr std::uint64_t block_max = 64;  ///< queries per block
  static constexpr std::uint64_t groups_min = 1024;

  /// Sizes of the work per step.
  struct Shape {
    Shape(const QuantizedSearchLimits& limits, std::uint64_t row_count, std::uint64_t dimension,
          std::uint64_t queries, std::uint64_t top)
        : rows(row_count) {
      const std::uint64_t k = std::min(top, rows);
      groups = std::min(rows, std::max(groups_min, std::bit_ceil(4 * k)));
      // With several chunks, the threshold of the first one is lower than that of all rows and
      // leaves more survivors.
      const bool chunks = rows * std::min(queries, block_max) > limits.uppers;
      const std::uint64_t plenty = (chunks ? 16 : 4) * k;
      capacity = limits.capacity >= plenty ? (chunks ? 2 : 1) * limits.capacity
                                           : std::bit_ceil((chunks ? 9 * k + 3072 : 4 * k + 1024));
      capacity = std::min({capacity, std::bit_ceil(rows), std::bit_floor(limits.list)});
      block = std::min(block_max, limits.list / capacity);
      block = std::min(block, limits.slots / groups);
      block = std::min(block, limits.planes / (2 * query_plane_stride(dimension)));
      block = std::max<std::uint64_t>(block, 1);
    }
    std::uint64_t rows;
    std::uint64_t groups;
    std::uint64_t capacity;
    std::uint64_t block;
  };

  /// A block of queries.
  struct Call {
    const ExecutionSpace& exec_space;
    const VectorRows<ExecutionSpace>& rows;
    const QuantizedRows<ExecutionSpace>& quantized;
    RowFilter<ExecutionSpace> filter;
    VectorQueries<ExecutionSpace> queries;
    Metric metric;
    std::size_t top;
    ArrayView<Rank, ExecutionSpace> best;
  };

  static RowFilter<ExecutionSpace> part(const RowFilter<ExecutionSpace>& filter,
                                        std::size_t first) {
    if (filter.passes_all()) return filter;
    const std::size_t begin = first * filter.words_per_query;
    return {Kokkos::subview(filter.words, std::pair(begin, filter.words.size())),
            filter.words_per_query};
  }

  /// Rows per step: a multiple of 64, the bits of a filter word.
  static std::uint64_t chunk_rows(std::uint64_t rows, std::uint64_t queries, std::uint64_t most) {
    const std::uint64_t fitting = std::max<std::uint64_t>(64, most / queries / 64 * 64);
    return std::min((rows + 63) / 64 * 64, fitting);
  }

  /// Resizes the buffers; no kernel may be using them.
  PrefilterState<ExecutionSpace> state(const Call& call, std::uint64_t chunk, std::uint64_t groups,
                                       std::uint64_t capacity) {
    const std::uint64_t count = call.queries.count;
    const std::uint64_t tile_size = candidate_tile<ExecutionSpace>();
    capacity = quotient_up(capacity, tile_size) * tile_size;
    m_uppers.resize_discarding(count * chunk);
    m_slots.resize_discarding(count * groups);
    m_thresholds.resize_discarding(count);
    m_survivors.resize_discarding(count * capacity);
    m_counts.resize_discarding(count);
    m_ranks.resize_discarding(count * capacity);
    m_host_counts.resize_discarding(count);
    return {m_uppers.view(),
            m_slots.view(),
            m_thresholds.view(),
            m_survivors.view(),
            m_counts.view(),
            chunk,
            groups,
            capacity};
  }

  PrefilterQueries<ExecutionSpace> prepare(const Call& call,
                                           const PrefilterState<ExecutionSpace>& state) {
    const std::uint64_t stride = query_plane_stride(call.rows.dimension);
    m_planes.resize_discarding(2 * call.queries.count * stride);
    m_bounds.resize_discarding(call.queries.count);
    prepare_prefilter(call.exec_space, call.queries, call.rows.dimension, m_planes.view(),
                      m_bounds.view(), state);
    return {m_planes.const_view(), m_bounds.const_view(), stride};
  }

  void search_block(const Call& call, const Shape& shape, SearchReport& report) {
    report.prefiltered += call.queries.count * shape.rows;
    const std::uint64_t chunk = chunk_rows(shape.rows, call.queries.count, m_limits.uppers);
    auto now = state(call, chunk, shape.groups, shape.capacity);
    const PrefilterQueries<ExecutionSpace> queries = prepare(call, now);
    prefilter(call, queries, now);
    rank(call, now);
    const std::uint64_t most = read_counts(call, report);
    if (most <= now.capacity) return;
    // Usually caused by ties: the lists are rebuilt with sufficient capacity, or chunk by chunk.
    const std::uint64_t capacity = std::bit_ceil(most);
    if (capacity * call.queries.count > m_limits.list) return search_chunks(call, shape, report);
    now = state(call, chunk, shape.groups, capacity);
    if (chunk >= shape.rows) {
      clear_survivors(call.exec_space, now);
      prefilter_survivors(call.exec_space, 0, shape.rows, now);
    } else {
      prepare(call, now);
      prefilter(call, queries, now);
    }
    rank(call, now);
    Arch::fence(call.exec_space, "Kindred::VectorIndex::search::quantized");
  }

  /// Lists the survivors of all rows: those of the first chunk by its own threshold, then
  /// repeatedly as many rows as were read so far, by the threshold of those.
  void prefilter(const Call& call, const PrefilterQueries<ExecutionSpace>& queries,
                 const PrefilterState<ExecutionSpace>& now) {
    const std::uint64_t rows = call.quantized.count();
    prefilter_chunk(call, queries, now, 0, std::min(now.chunk, rows));
    std::uint64_t length = now.chunk;
    for (std::uint64_t begin = length; begin < rows; begin += length, length = begin) {
      length = std::min(length, rows - begin);
      prefilter_rows(call.exec_space, call.metric, call.quantized, call.rows.dimension,
                     call.rows.norms, begin, length, call.filter, queries, true, now);
      if (begin + length < rows) thresholds(call, now);
    }
  }
  /// Lists the survivors of a chunk.
  void prefilter_chunk(const Call& call, const PrefilterQueries<ExecutionSpace>& queries,
                       const PrefilterState<ExecutionSpace>& now, std::uint64_t begin,
                       std::uint64_t count) {
    prefilter_rows(call.exec_space, call.metric, call.quantized, call.rows.dimension,
                   call.rows.norms, begin, count, call.filter, queries, false, now);
    thresholds(call, now);
    prefilter_survivors(call.exec_space, begin, count, now);
  }
  void thresholds(const Call& call, const PrefilterState<ExecutionSpace>& now) {
    prefilter_thresholds(call.exec_space, std::min<std::uint64_t>(call.top, call.quantized.count()),
                         now);
  }

  void score(const Call& call) {
    score_candidates<ExecutionSpace>(call.exec_space, call.metric, call.rows,
                                     m_survivors.const_view(), {}, call.queries, m_ranks.view());
  }

  /// Ranks the lists and keeps the best.
  void rank(const Call& call, const PrefilterState<ExecutionSpace>& now) {
    score(call);
    const TopKShape shape{call.queries.count, now.capacity, call.top};
    m_select.resize_discarding(top_k_workspace<ExecutionSpace, Rank>(shape));
    top_k(call.exec_space, m_ranks.const_view(), shape, call.best, m_select.view());
  }

  std::span<const std::uint32_t> host_counts(const Call& call) const {
    return {m_host_counts.data(), call.queries.count};
  }

  /// Length of the longest list. Fences.
  std::uint64_t read_counts(const Call& call, SearchReport& report) {
    download(call.exec_space, m_host_counts.data(), m_counts.view(), call.queries.count);
    std::uint64_t most = 0;
    for (const std::uint32_t count : host_counts(call)) {
      report.survivors += count;
      most = std::max<std::uint64_t>(most, count);
    }
    return most;
  }

  /// Handles queries with too many survivors for one list by merging the lists of chunks.
  void search_chunks(const Call& call, const Shape& shape, SearchReport& report) {
    const std::uint64_t count = call.queries.count;
    for (const std::uint32_t counted : host_counts(call)) report.survivors -= counted;
    const std::uint64_t chunk = chunk_rows(shape.rows, count, m_limits.list);
    const auto now = state(call, chunk, shape.groups, chunk);
    const PrefilterQueries<ExecutionSpace> queries = prepare(call, now);
    m_top.begin(call.exec_space, count, call.top, call.best);
    for (std::uint64_t begin = 0; begin < shape.rows; begin += chunk) {
      clear_survivors(call.exec_space, now);
      prefilter_chunk(call, queries, now, begin, std::min(chunk, shape.rows - begin));
      score(call);
      m_top.add(call.exec_space, m_ranks.const_view(), now.capacity);
      read_counts(call, report);
    }
  }

  /// The score, negated for l2, of the worst rank that is requested; −∞ for NaN.
  static float threshold_of(Metric metric, Rank bound) {
    const float score = metric == Metric::l2 ? -score_ascending(bound) : score_descending(bound);
    return score == score ? score : -std::numeric_limits<float>::infinity();
  }

  void find_block(const Call& call, std::span<const Rank> bounds,
                  std::span<std::vector<Rank>> found, SearchReport& report) {
    const std::uint64_t rows = call.quantized.count();
    const std::uint64_t count = call.queries.count;
    const std::uint64_t tile_size = candidate_tile<ExecutionSpace>();
    report.prefiltered += count * rows;
    const std::uint64_t chunk = chunk_rows(rows, count, m_limits.list);
    const auto now = state(call, chunk, 0, chunk);
    const PrefilterQueries<ExecutionSpace> queries = prepare(call, now);
    std::vector<float> thresholds;
    for (const Rank bound : bounds) thresholds.push_back(threshold_of(call.metric, bound));
    upload(call.exec_space, m_thresholds.view(), thresholds.data(), count);
    std::vector<Rank> ranks;
    for (std::uint64_t begin = 0; begin < rows; begin += chunk) {
      const std::uint64_t length = std::min(chunk, rows - begin);
      if (begin > 0) clear_survivors(call.exec_space, now);
      prefilter_rows(call.exec_space, call.metric, call.quantized, call.rows.dimension,
                     call.rows.norms, begin, length, call.filter, queries, true, now);
      read_counts(call, report);
      for (std::uint64_t query = 0; query < count; ++query) {
        const std::uint64_t tiles = quotient_up(host_counts(call)[query], tile_size);
        const std::uint64_t first = query * now.capacity;
        const std::pair list(first, first + tiles * tile_size);
        const auto own = Kokkos::subview(m_ranks.view(), list);
        score_candidates<ExecutionSpace>(call.exec_space, call.metric, call.rows,
                                         Kokkos::subview(m_survivors.const_view(), list), {},
                                         part_of(call.queries, call.rows.dimension, query, 1), own);
        ranks.resize(host_counts(call)[query]);
        download(call.exec_space, ranks.data(), own, ranks.size());
        for (const Rank rank : ranks) {
          if (rank <= bounds[query]) found[query].push_back(rank);
        }
      }
    }
  }

  QuantizedSearchLimits m_limits;
  Buffer<std::int8_t, memory_space> m_planes;
  Buffer<PrefilterQuery, memory_space> m_bounds;
  Buffer<float, memory_space> m_uppers;
  Buffer<std::uint32_t, memory_space> m_slots;
  Buffer<float, memory_space> m_thresholds;
  Buffer<std::uint32_t, memory_space> m_survivors;
  Buffer<std::uint32_t, memory_space> m_counts;
  Buffer<Rank, memory_space> m_ranks;
  Buffer<Rank, memory_space> m_select;
  TopLists<ExecutionSpace> m_top;
  PinnedArray<std::uint32_t> m_host_counts;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_VECTOR_QUANTIZED_SEARCH_HPP
