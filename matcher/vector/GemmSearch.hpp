// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_VECTOR_GEMM_SEARCH_HPP
#define KINDRED_MATCHER_VECTOR_GEMM_SEARCH_HPP

#include "BruteForceSearch.hpp"
#include "GrowBuffer.hpp"
#include "TilesOf.hpp"

#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/arch/StartCopy.hpp>
#include <kindred/core/arch/launch/KernelCancel.hpp>
#include <kindred/core/select/TopK.hpp>
#include <kindred/core/vector/FilteredRows.hpp>
#include <kindred/core/vector/RankUnfinished.hpp>
#include <kindred/core/vector/VectorScores.hpp>
#include <kindred/memory/Copies.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace Kindred::Impl {

/// \brief Exact search of many queries: a GEMM of rounded rows and queries bounds every score, and
/// candidates for the best are scored exactly. Keeps its workspace between calls; one call at a
/// time.
///
/// Queries whose norm is not covered, or whose list of survivors overflowed, are scored by brute
/// force. Takes at most 64 MiB, prepared queries and filters counted, for k up to 65536. Complexity
/// O(rows × queries × dimension).
template <class ExecutionSpace, class Tiles = typename TilesOf<ExecutionSpace>::type>
class GemmSearch {
 public:
  using memory_space = typename ExecutionSpace::memory_space;
  using tiles_type = Tiles;
  using rounded_type = RoundedRows<ExecutionSpace, Arch::Float16>;

  /// Constructs empty buffers in \p memory.
  void bind(MemoryResource& memory) {
    m_memory = &memory;
    m_capacity = 0;
    m_most = 0;
    m_tiles.bind(memory);
    m_brute_force.bind(memory);
    m_brute_force.row_limit = brute_force_rows;
    m_rows = {memory, "Kindred::VectorIndex::survivors", 0};
    m_uppers = {memory, "Kindred::VectorIndex::uppers", 0};
    m_counts = {memory, "Kindred::VectorIndex::survivor_counts", 0};
    m_thresholds = {memory, "Kindred::VectorIndex::thresholds", 0};
    m_initial = {memory, "Kindred::VectorIndex::initial_thresholds", 0};
    m_chosen = {memory, "Kindred::VectorIndex::filtered_rows", 0};
    m_offsets = {memory, "Kindred::VectorIndex::passing_offsets", 0};
    m_scored = {memory, "Kindred::VectorIndex::scored", 0};
    m_part = {memory, "Kindred::VectorIndex::unfinished_best", 0};
    m_part_bounds = {memory, "Kindred::VectorIndex::unfinished_bounds", 0};
    m_gathered.bind(memory);
    m_words = {memory, "Kindred::VectorIndex::unfinished_filter", 0};
    m_unfinished = {memory, "Kindred::VectorIndex::unfinished", 0};
    m_partial = {memory, "Kindred::VectorIndex::unfinished_parts", 0};
    m_arrived = {memory, "Kindred::VectorIndex::unfinished_arrived", 0};
  }

  Tiles& tiles() { return m_tiles; }
  BruteForceSearch<ExecutionSpace>& brute_force() { return m_brute_force; }

  /// Number of bytes of the 64 MiB that the caller uses.
  std::size_t reserved = 0;

  /// \brief Number of queries for which a search of the best \p top takes at most 64 MiB; 0 if rows
  /// of this dimension are too long. \param each,all additional bytes per query, and for all
  /// queries together
  static std::size_t queries_max(std::uint64_t dimension, std::size_t top, std::size_t each,
                                 std::size_t all) {
    return Tiles::queries_max(dimension, Tiles::capacity_for(top),
                              memory_most - std::min(memory_most, all), each);
  }

  /// \brief The best rows of every query. Fences \p exec_space.
  /// \param queries must be prepared if \p rows are too long for tiles
  /// \param best `queries × top`, ascending, padded with `rank_none`; write-only
  /// \param rounded copy of \p rows for tiles, or empty
  void search(const ExecutionSpace& exec_space, const VectorRows<ExecutionSpace>& rows,
              const RowFilter<ExecutionSpace>& filter, const QuerySource<ExecutionSpace>& queries,
              Metric metric, std::size_t top, const ArrayView<Rank, ExecutionSpace>& best,
              SearchReport& report, const rounded_type& rounded = {}) {
    const std::uint64_t capacity = Tiles::capacity_for(top);
    const std::size_t pass = begin_passes(exec_space, rows, filter, capacity, queries);
    if (pass == 0) {
      m_brute_force.search(exec_space, rows, filter, queries.take(0, queries.count()), metric, top,
                           best, report);
      Arch::fence(exec_space, "Kindred::VectorIndex::search::gemm");
      return;
    }
    report.path = "gemm";
    const auto order = order_of(exec_space, rows, filter, rounded);
    for (std::size_t first = 0; first < queries.count(); first += pass) {
      Arch::end_if_cancelled(exec_space);
      const auto task = task_of(exec_space, rows, order, filter, queries, metric, capacity, first,
                                std::min(pass, queries.count() - first), rounded);
      search_pass(exec_space, task, top, part_of(best, first * top, task.queries.count() * top),
                  report);
    }
  }

  /// Whether `queue` can search the best \p top rows of this dimension.
  static bool can_queue(std::uint64_t dimension, std::size_t top) {
    return top <= unfinished_top_max && queries_max(dimension, top, 0, 0) > 0;
  }

  /// \brief The same as `search`, without waiting for the launches, unless buffers grow or do not
  /// suit this call. All lists are scored whole, and queries that must be scored by brute force are
  /// found on the space itself: \see rank_unfinished. \p filter is shared by all queries, and its
  /// rows are not listed. `can_queue` must hold.
  void queue(const ExecutionSpace& exec_space, const VectorRows<ExecutionSpace>& rows,
             const RowFilter<ExecutionSpace>& filter, const VectorQueries<ExecutionSpace>& prepared,
             Metric metric, std::size_t top, const ArrayView<Rank, ExecutionSpace>& best,
             const rounded_type& rounded = {}) {
    const QuerySource<ExecutionSpace> queries(prepared, rows.dimension);
    const std::uint64_t capacity = Tiles::capacity_for(top);
    const std::size_t pass = begin_passes(exec_space, rows, {}, capacity, queries);
    const auto order = TileOrder<ExecutionSpace>::of(rows.norms.size());
    for (std::size_t first = 0; first < queries.count(); first += pass) {
      const auto task = task_of(exec_space, rows, order, filter, queries, metric, capacity, first,
                                std::min(pass, queries.count() - first), rounded);
      const auto part = part_of(best, first * top, task.queries.count() * top);
      fill_lists(exec_space, task, top);
      take_best(exec_space, task, top, capacity, part);
      take_unfinished(exec_space, task, top, part);
    }
  }

  /// \brief Appends the ranks that are at most the bound of their query to \p found, unordered.
  /// Fences \p exec_space. \param bounds one per query
  void search_within(const ExecutionSpace& exec_space, const VectorRows<ExecutionSpace>& rows,
                     const RowFilter<ExecutionSpace>& filter,
                     const VectorQueries<ExecutionSpace>& prepared, Metric metric,
                     const ArrayView<const Rank, ExecutionSpace>& bounds,
                     std::vector<std::vector<Rank>>& found, SearchReport& report,
                     const rounded_type& rounded = {}) {
    const QuerySource<ExecutionSpace> queries(prepared, rows.dimension);
    const std::size_t pass = begin_passes(exec_space, rows, filter, within_capacity, queries);
    if (pass == 0) {
      m_brute_force.search_within(exec_space, rows, filter, prepared, metric, bounds, found,
                                  report);
      return;
    }
    report.path = "gemm";
    const auto order = order_of(exec_space, rows, filter, rounded);
    for (std::size_t first = 0; first < queries.count(); first += pass) {
      Arch::end_if_cancelled(exec_space);
      const auto task = task_of(exec_space, rows, order, filter, queries, metric, within_capacity,
                                first, std::min(pass, queries.count() - first), rounded);
      within_pass(exec_space, task, part_of(bounds, first, task.queries.count()), first, found,
                  report);
    }
  }

 private:
  static constexpr std::size_t memory_most = (64U << 20U) - (1U << 18U);
  /// Minimum size of the lists that are scored together.
  static constexpr std::size_t scored_bytes = 4U << 20U;
  /// Maximum number of rows that are listed for a filter.
  static constexpr std::size_t chosen_most = 1U << 20U;
  static constexpr std::uint64_t within_capacity = 8192;
  /// Number of queries scored by brute force together.
  static constexpr std::size_t plain_queries = 64;
  static constexpr std::size_t brute_force_rows = 16384;

  /// \brief The number of queries per pass; the passes are as few as possible and equally large.
  /// Releases the buffers of earlier calls if they do not fit this one: lists of another capacity,
  /// or of more queries than there is memory for.
  std::size_t begin_passes(const ExecutionSpace& exec_space, const VectorRows<ExecutionSpace>& rows,
                           const RowFilter<ExecutionSpace>& filter, std::uint64_t capacity,
                           const QuerySource<ExecutionSpace>& queries) {
    std::size_t listed = m_chosen.bytes() + m_offsets.bytes();
    if (counts_passing(filter)) {
      const std::size_t count = rows.norms.size();
      listed = std::max(
          listed, (std::min(count, chosen_most) + filter_words(count) + 1) * sizeof(std::uint32_t));
    }
    const std::size_t beside =
        reserved + queries.resident_bytes() + filter.words.size() * sizeof(std::uint64_t) + listed;
    const std::size_t most = Tiles::queries_max(rows.dimension, capacity,
                                                memory_most - std::min(memory_most, beside), 0);
    if (m_capacity != 0 && (capacity != m_capacity || most < m_most)) {
      Arch::fence(exec_space, "Kindred::VectorIndex::begin_passes");
      bind(*m_memory);
    }
    if (most == 0 || queries.count() == 0) return most;
    const std::size_t passes = quotient_up(queries.count(), most);
    const std::size_t pass = quotient_up(queries.count(), passes);
    m_capacity = capacity;
    m_most = std::max(m_most, pass);
    return pass;
  }

  /// Whether the rows that pass \p filter are counted. Unless there are too many, only these rows
  /// are prefiltered.
  static bool counts_passing(const RowFilter<ExecutionSpace>& filter) {
    return !filter.passes_all() && filter.words_per_query == 0;
  }

  template <class T>
  static ArrayView<T, ExecutionSpace> part_of(const ArrayView<T, ExecutionSpace>& view,
                                              std::size_t begin, std::size_t count) {
    return ArrayView<T, ExecutionSpace>(view.data() + begin, count);
  }

  TileOrder<ExecutionSpace> order_of(const ExecutionSpace& exec_space,
                                     const VectorRows<ExecutionSpace>& rows,
                                     const RowFilter<ExecutionSpace>& filter,
                                     const rounded_type& rounded) {
    const std::size_t count = rows.norms.size();
    m_shared = filter.words_per_query == 0 ? filter : RowFilter<ExecutionSpace>{};
    // Rows that were removed are fewer than what rounding the others again would cost.
    const bool has_copy = rounded.values.size() > 0;
    if (has_copy || !counts_passing(filter)) return TileOrder<ExecutionSpace>::of(count);
    grow(exec_space, m_offsets, filter_words(count) + 1);
    count_filtered_rows(exec_space, filter, count, m_offsets.view());
    std::uint32_t passing = 0;
    download(exec_space, &passing,
             Kokkos::subview(m_offsets.view(), std::pair(m_offsets.size() - 1, m_offsets.size())),
             1);
    if (passing > chosen_most) return TileOrder<ExecutionSpace>::of(count);
    grow(exec_space, m_chosen, std::max(passing, 1U));
    list_filtered_rows(exec_space, filter, count, m_offsets.view(), m_chosen.view());
    return TileOrder<ExecutionSpace>::of(
        passing, part_of<const std::uint32_t>(m_chosen.const_view(), 0, passing));
  }

  TilePass<ExecutionSpace> task_of(const ExecutionSpace& exec_space,
                                   const VectorRows<ExecutionSpace>& rows,
                                   const TileOrder<ExecutionSpace>& order,
                                   const RowFilter<ExecutionSpace>& filter,
                                   const QuerySource<ExecutionSpace>& queries, Metric metric,
                                   std::uint64_t capacity, std::size_t first, std::size_t count,
                                   const rounded_type& rounded) {
    grow(exec_space, m_rows, count * capacity);
    grow(exec_space, m_uppers, count * capacity);
    grow(exec_space, m_counts, 2 * count + 1);
    grow(exec_space, m_thresholds, Tiles::lists_for(count));
    const auto counts = m_counts.view();
    TilePass<ExecutionSpace> task;
    task.metric = metric;
    task.rows = rows;
    task.order = order;
    if (order.chosen.size() == 0 && order.count == rows.norms.size()) task.rounded = rounded;
    // The rows of a shared filter were selected before, unless there are too many.
    if (filter.words_per_query == 0) {
      if (order.chosen.size() == 0 && order.count == rows.norms.size()) task.filter = filter;
    } else {
      task.filter = {
          part_of(filter.words, first * filter.words_per_query, count * filter.words_per_query),
          filter.words_per_query};
    }
    task.queries = queries.part(first, count);
    task.lists = {m_rows.view(),
                  m_uppers.view(),
                  part_of(counts, 0, count),
                  m_thresholds.view(),
                  part_of(counts, count, count),
                  part_of(counts, 2 * count, 1),
                  capacity};
    return task;
  }

  /// \brief The positions at which thresholds are raised: first after as many rows as a list has
  /// space for, then whenever the number of rows has grown by a fixed share, so that the rows in
  /// between fit into a list besides the best ones, even if they are clustered. When tiles are
  /// small compared with this distance, thresholds are raised at ends of tiles.
  struct Schedule {
    std::uint64_t next;
    std::uint64_t tile;

    std::vector<TilePart> parts(std::uint64_t begin, std::uint64_t end) {
      std::vector<TilePart> out;
      while (begin < end) {
        const bool raise = next <= end;
        begin = std::min(next, end);
        out.push_back({begin, raise});
        if (!raise) continue;
        next += next / Tiles::raise_share;
        next = round_up(next, next < 4 * tile ? 128 : tile);
      }
      return out;
    }
  };

  /// Fills the lists of the queries. Does not fence.
  void fill_lists(const ExecutionSpace& exec_space, const TilePass<ExecutionSpace>& task,
                  std::size_t top) {
    m_tiles.begin(exec_space, task, {});
    const std::uint64_t positions = task.order.positions();
    const std::uint64_t capacity = task.lists.capacity;
    Schedule schedule{capacity, m_tiles.tile_rows()};
    for (std::uint64_t begin = 0; begin < positions; begin += m_tiles.tile_rows()) {
      const std::uint64_t end = std::min(positions, begin + m_tiles.tile_rows());
      const auto parts = schedule.parts(begin, end);
      // In the first tile every raise is worthwhile, later only for a list that is half full.
      const std::uint64_t least = begin == 0 ? 0 : capacity / 2;
      m_tiles.prefilter(
          exec_space, task, begin, parts, [&](std::uint64_t first, std::uint64_t count) {
            raise_thresholds(exec_space, first, count, top, least, m_tiles.slacks(), task.lists);
          });
    }
    raise_thresholds(exec_space, 0, task.queries.count(), top, 0, m_tiles.slacks(), task.lists);
  }

  void search_pass(const ExecutionSpace& exec_space, const TilePass<ExecutionSpace>& task,
                   std::size_t top, const ArrayView<Rank, ExecutionSpace>& best,
                   SearchReport& report) {
    const std::uint64_t capacity = task.lists.capacity;
    fill_lists(exec_space, task, top);
    download_counts(exec_space, task);
    report.prefiltered += task.queries.count() * task.order.count;
    report.survivors += survivors(task);
    take_best(exec_space, task, top, longest_list(task), best);
    std::vector<std::size_t> unfinished;
    const bool not_numbers = m_host_counts.back() != 0;
    for (std::size_t query = 0; query < task.queries.count(); ++query) {
      const std::uint32_t count = m_host_counts[query];
      if (count > capacity || (not_numbers && count < top)) unfinished.push_back(query);
    }
    if (!unfinished.empty()) m_tiles.release(exec_space);
    for (std::size_t at = 0; at < unfinished.size(); at += plain_queries) {
      const auto part =
          std::span(unfinished).subspan(at, std::min(plain_queries, unfinished.size() - at));
      const auto [queries, filter] = gather(exec_space, task, part);
      grow(exec_space, m_part, part.size() * top);
      m_brute_force.search(exec_space, task.rows, filter, queries, task.metric, top, m_part.view(),
                           report);
      for (std::size_t i = 0; i < part.size(); ++i) {
        Arch::start_copy(exec_space, "Kindred::VectorIndex::search::gemm",
                         part_of(best, part[i] * top, top), part_of(m_part.view(), i * top, top));
      }
    }
    Arch::fence(exec_space, "Kindred::VectorIndex::search::gemm");
  }

  /// Downloads the counts of the lists, their widths, and whether a row contained NaN.
  void download_counts(const ExecutionSpace& exec_space, const TilePass<ExecutionSpace>& task) {
    m_host_counts.resize(2 * task.queries.count() + 1);
    download(exec_space, m_host_counts.data(), m_counts.view(), m_host_counts.size());
  }

  /// Number of lists scored together, in memory shared with other steps.
  struct Scored {
    VectorQueries<ExecutionSpace> queries;
    ArrayView<std::uint32_t, ExecutionSpace> ids;
    ArrayView<Rank, ExecutionSpace> ranks;
    ArrayView<Rank, ExecutionSpace> best;
    ArrayView<Rank, ExecutionSpace> select;
  };

  static std::size_t scored_bytes_needed(const TilePass<ExecutionSpace>& task, std::size_t count,
                                         std::size_t width, std::size_t top) {
    using allocator = BumpAllocator<ExecutionSpace>;
    const std::size_t select =
        top == 0 ? 0 : top_k_workspace<ExecutionSpace, Rank>({count, width, top});
    return task.queries.bytes_needed(count) +
           allocator::template bytes<std::uint32_t>(count * width) +
           allocator::template bytes<Rank>(count * width) +
           allocator::template bytes<Rank>(count * top) + allocator::template bytes<Rank>(select);
  }

  /// The length of the longest list that lost no rows, and the number of rows in all of these.
  std::uint64_t longest_list(const TilePass<ExecutionSpace>& task) const {
    std::uint64_t longest = 0;
    for (std::size_t query = 0; query < task.queries.count(); ++query) {
      const std::uint64_t count = m_host_counts[query];
      if (count <= task.lists.capacity) longest = std::max(longest, count);
    }
    return longest;
  }
  std::uint64_t survivors(const TilePass<ExecutionSpace>& task) const {
    std::uint64_t sum = 0;
    for (std::size_t query = 0; query < task.queries.count(); ++query) {
      const std::uint64_t count = m_host_counts[query];
      if (count <= task.lists.capacity) sum += count;
    }
    return sum;
  }

  /// \brief Calls `visit(first, count, scored)` for lists that were scored exactly, as many
  /// together as fit into memory. \param top number of elements of a list that are selected
  /// afterwards \param longest number of elements that are read of a list
  template <class Visit>
  void for_each_scored(const ExecutionSpace& exec_space, const TilePass<ExecutionSpace>& task,
                       std::size_t top, std::uint64_t longest, const Visit& visit) {
    const auto tile_size = static_cast<std::size_t>(candidate_tile<ExecutionSpace>());
    const std::size_t width = round_up(std::max<std::uint64_t>(longest, 1), tile_size);
    std::span<std::byte> memory = m_tiles.spare_memory();
    if (memory.size() < std::max(scored_bytes, scored_bytes_needed(task, 1, width, top))) {
      const std::size_t all = scored_bytes_needed(task, task.queries.count(), width, top);
      grow(exec_space, m_scored,
           std::max(scored_bytes_needed(task, 1, width, top), std::min(scored_bytes, all)));
      memory = {m_scored.data(), m_scored.bytes()};
    }
    std::size_t step = task.queries.count();
    while (step > 1 && scored_bytes_needed(task, step, width, top) > memory.size())
      step = (step + 1) / 2;
    for (std::size_t first = 0; first < task.queries.count(); first += step) {
      const std::size_t count = std::min(step, task.queries.count() - first);
      BumpAllocator<ExecutionSpace> allocator(memory.data());
      Scored scored;
      scored.queries = task.queries.take(exec_space, first, count, allocator);
      scored.ids = allocator.template take<std::uint32_t>(count * width);
      scored.ranks = allocator.template take<Rank>(count * width);
      scored.best = allocator.template take<Rank>(count * top);
      if (top > 0) {
        scored.select = allocator.template take<Rank>(
            top_k_workspace<ExecutionSpace, Rank>({count, width, top}));
      }
      list_survivors(exec_space, task.lists, first, count, width, scored.ids);
      score_candidates<ExecutionSpace>(exec_space, task.metric, task.rows, scored.ids, {},
                                       scored.queries, scored.ranks);
      visit(first, count, scored);
    }
  }

  /// Scores the lists and selects the best rows of each.
  void take_best(const ExecutionSpace& exec_space, const TilePass<ExecutionSpace>& task,
                 std::size_t top, std::uint64_t longest,
                 const ArrayView<Rank, ExecutionSpace>& best) {
    for_each_scored(exec_space, task, top, longest,
                    [&](std::size_t first, std::size_t count, const Scored& scored) {
                      const TopKShape shape{count, scored.ranks.size() / count, top};
                      top_k(exec_space, ArrayView<const Rank, ExecutionSpace>(scored.ranks), shape,
                            scored.best, scored.select);
                      Arch::start_copy(exec_space, "Kindred::VectorIndex::search::gemm",
                                       part_of(best, first * top, count * top), scored.best);
                    });
  }

  /// Scores all rows for the queries whose lists are not enough, of prepared queries.
  void take_unfinished(const ExecutionSpace& exec_space, const TilePass<ExecutionSpace>& task,
                       std::size_t top, const ArrayView<Rank, ExecutionSpace>& best) {
    const std::size_t teams = unfinished_teams(exec_space);
    const std::size_t count = task.queries.count();
    grow(exec_space, m_unfinished, 1 + count);
    grow(exec_space, m_partial, teams * top);
    grow_zeros(exec_space, m_arrived, teams);
    rank_unfinished(exec_space, task.metric, task.rows, task.filter, task.queries.take(0, count),
                    task.lists, top, best,
                    {m_unfinished.view(), m_partial.view(), m_arrived.view()});
  }

  void within_pass(const ExecutionSpace& exec_space, const TilePass<ExecutionSpace>& task,
                   const ArrayView<const Rank, ExecutionSpace>& bounds, std::size_t first_query,
                   std::vector<std::vector<Rank>>& found, SearchReport& report) {
    const std::size_t count = task.queries.count();
    std::vector<Rank> host_bounds(count);
    std::vector<double> norms(count);
    download(exec_space, host_bounds.data(), bounds, count);
    download(exec_space, norms.data(), task.queries.take(0, count).norms, count);
    std::vector<float> initial(count);
    std::vector<std::size_t> unfinished;
    for (std::size_t query = 0; query < count; ++query) {
      // A bound that includes NaN: rows with NaN are not prefiltered.
      const bool all = host_bounds[query] >> 32U == 0xFFFFFFFFU;
      if (all || !tile_covers(norms[query])) unfinished.push_back(query);
      initial[query] = all ? std::numeric_limits<float>::infinity()
                           : threshold_of(task.metric, host_bounds[query], norms[query]);
    }
    grow(exec_space, m_initial, count);
    upload(exec_space, m_initial.view(), initial.data(), count);
    m_tiles.begin(exec_space, task, m_initial.const_view());
    const std::uint64_t positions = task.order.positions();
    report.prefiltered += count * task.order.count;
    for (std::uint64_t begin = 0; begin < positions;) {
      const std::uint64_t tile_end = std::min(positions, begin + m_tiles.tile_rows());
      const std::uint64_t end = std::min(tile_end, begin + within_capacity);
      const TilePart part{end, false};
      m_tiles.prefilter(exec_space, task, begin, std::span(&part, 1), [](auto, auto) {});
      begin = end;
      download_counts(exec_space, task);
      take_within(exec_space, task, host_bounds, first_query, found, report);
      for (std::size_t query = 0; query < count; ++query) {
        if (m_host_counts[query] <= task.lists.capacity) m_host_counts[query] = 0;
      }
      upload(exec_space, m_counts.view(), m_host_counts.data(), count);
    }
    if (!unfinished.empty()) m_tiles.release(exec_space);
    for (std::size_t at = 0; at < unfinished.size(); at += plain_queries) {
      const auto part =
          std::span(unfinished).subspan(at, std::min(plain_queries, unfinished.size() - at));
      const auto [queries, filter] = gather(exec_space, task, part);
      std::vector<Rank> part_bounds;
      for (const std::size_t query : part) part_bounds.push_back(host_bounds[query]);
      grow(exec_space, m_part_bounds, part.size());
      upload(exec_space, m_part_bounds.view(), part_bounds.data(), part.size());
      std::vector<std::vector<Rank>> lists(part.size());
      m_brute_force.search_within(exec_space, task.rows, filter, queries, task.metric,
                                  m_part_bounds.const_view(), lists, report);
      for (std::size_t i = 0; i < part.size(); ++i) {
        auto& to = found[first_query + part[i]];
        to.insert(to.end(), lists[i].begin(), lists[i].end());
      }
    }
  }

  /// Scores the survivors of a part of the rows and keeps those within the bounds.
  void take_within(const ExecutionSpace& exec_space, const TilePass<ExecutionSpace>& task,
                   const std::vector<Rank>& bounds, std::size_t first_query,
                   std::vector<std::vector<Rank>>& found, SearchReport& report) {
    const std::uint64_t scored_rows = survivors(task);
    report.survivors += scored_rows;
    if (scored_rows == 0) return;
    for_each_scored(exec_space, task, 0, longest_list(task),
                    [&](std::size_t first, std::size_t count, const Scored& scored) {
                      m_host_ranks.resize(scored.ranks.size());
                      download(exec_space, m_host_ranks.data(), scored.ranks, m_host_ranks.size());
                      for (std::size_t i = 0; i < m_host_ranks.size(); ++i) {
                        const std::size_t query = first + i * count / m_host_ranks.size();
                        if (m_host_ranks[i] != rank_none && m_host_ranks[i] <= bounds[query])
                          found[first_query + query].push_back(m_host_ranks[i]);
                      }
                    });
  }

  /// A lower bound of `tile_upper` for rows whose exact rank is at most \p bound.
  static float threshold_of(Metric metric, Rank bound, double norm) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    double least = -infinity;
    double size = 0;
    if (metric == Metric::l2) {
      const auto score = static_cast<double>(score_ascending(bound));
      least = (norm * norm - score * score) / (2 * norm) * tile_norm;
      size = (norm * norm + score * score) / (2 * norm) * tile_norm;
    } else {
      const auto score = static_cast<double>(score_descending(bound));
      least = metric == Metric::ip ? score / norm * tile_norm : score * tile_norm;
      size = std::abs(least) + (metric == Metric::ip ? 0x1p-149 / norm * tile_norm : 0.0);
    }
    least -= size * 0x1p-20;
    if (!(least > -0x1p127)) return -std::numeric_limits<float>::infinity();
    return least > 0x1p127 ? 0x1p127F : static_cast<float>(least);
  }

  /// Makes contiguous copies of some queries and their filters.
  std::pair<VectorQueries<ExecutionSpace>, RowFilter<ExecutionSpace>> gather(
      const ExecutionSpace& exec_space, const TilePass<ExecutionSpace>& task,
      std::span<const std::size_t> chosen) {
    const std::size_t dimension = task.rows.dimension;
    const std::size_t count = chosen.size();
    const auto floats = m_gathered.floats(exec_space, count * dimension);
    const std::size_t words = task.filter.words_per_query;
    grow(exec_space, m_words, count * words);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t query = chosen[i];
      task.queries.copy(exec_space, query, part_of(floats, i * dimension, dimension));
      if (words > 0) {
        Arch::start_copy(exec_space, "Kindred::VectorIndex::search::gemm",
                         part_of(m_words.view(), i * words, words),
                         part_of(task.filter.words, query * words, words));
      }
    }
    return {
        m_gathered.prepare(exec_space, ArrayView<const float, ExecutionSpace>(floats), dimension),
        words == 0 ? m_shared : RowFilter<ExecutionSpace>{m_words.const_view(), words}};
  }

  MemoryResource* m_memory = nullptr;
  /// Of the lists for which the buffers were allocated; 0: there are none.
  std::uint64_t m_capacity = 0;
  std::size_t m_most = 0;  ///< number of queries for which the buffers were allocated
  Tiles m_tiles;
  BruteForceSearch<ExecutionSpace> m_brute_force;
  RowFilter<ExecutionSpace> m_shared;  ///< shared filter of the call
  Buffer<std::uint32_t, memory_space> m_rows;
  Buffer<std::uint32_t, memory_space> m_uppers;
  Buffer<std::uint32_t, memory_space> m_counts;
  Buffer<float, memory_space> m_thresholds;
  Buffer<float, memory_space> m_initial;
  Buffer<std::uint32_t, memory_space> m_chosen;
  Buffer<std::uint32_t, memory_space> m_offsets;
  Buffer<std::byte, memory_space> m_scored;
  Buffer<Rank, memory_space> m_part;
  Buffer<Rank, memory_space> m_part_bounds;
  VectorQueryBuffers<ExecutionSpace> m_gathered;
  Buffer<std::uint64_t, memory_space> m_words;
  Buffer<std::uint32_t, memory_space> m_unfinished;
  Buffer<Rank, memory_space> m_partial;
  Buffer<std::uint32_t, memory_space> m_arrived;
  std::vector<std::uint32_t> m_host_counts;
  std::vector<Rank> m_host_ranks;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_VECTOR_GEMM_SEARCH_HPP
