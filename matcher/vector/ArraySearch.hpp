// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_VECTOR_ARRAY_SEARCH_HPP
#define KINDRED_MATCHER_VECTOR_ARRAY_SEARCH_HPP

#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/vector/Candidates.hpp>
#include <kindred/core/vector/FindRows.hpp>
#include <kindred/core/vector/ScoreMatrix.hpp>
#include <kindred/core/vector/UnpackRanks.hpp>
#include <kindred/core/vector/VectorScores.hpp>
#include <kindred/matcher/VectorIndex.hpp>
#include <kindred/memory/Buffer.hpp>
#include <kindred/memory/Copies.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "BruteForceSearch.hpp"
#include "GemmSearch.hpp"
#include "GrowBuffer.hpp"
#include "QuerySource.hpp"
#include "RoundedCopy.hpp"
#include "TopLists.hpp"
#include "VectorStore.hpp"
#include "kit/CallOrder.hpp"

namespace Kindred::Impl {

/// \brief Searches of rows that are resident on a device, with arrays of the caller there. They do
/// not fence, bring nothing to the host, and may be launched on any stream.
///
/// All calls on a device share a workspace, \see CallOrder. Memory that grows is released by a call
/// that waits for the device. Used by one call at a time.
template <class ExecutionSpace>
class ArraySearch {
 public:
  using memory_space = typename ExecutionSpace::memory_space;
  using Rows = std::shared_ptr<const VectorStore>;

  explicit ArraySearch(MemoryResource& memory) { bind(memory); }

  /// Waits for all calls and releases the rows that they read. \throws DeviceLost
  void wait() {
    m_calls.wait();
    m_read.reset();
  }

  /// The scores of all rows in the order of their ids.
  void score_all(const ExecutionSpace& exec_space, const Rows& rows, const GivenQueries& queries,
                 Metric metric, float* out, std::size_t stride) {
    begin(exec_space, rows);
    if (m_live->columns.empty()) m_live->columns = columns_of(exec_space, *rows);
    in_order(exec_space, rows, [&](const VectorStore& store) {
      const VectorQueries<ExecutionSpace> prepared =
          m_queries.prepare(exec_space, queries, store.dimension(), true);
      for (std::size_t s = 0; s < store.segments().size(); ++s) {
        const LiveSegment& segment = store.segments()[s];
        const Columns& columns = m_live->columns[s];
        if (segment.live_count() == 0) continue;
        score_matrix(exec_space, metric, {}, segment->resident<ExecutionSpace>().view(),
                     segment.live_count(), prepared,
                     ArrayView<float, ExecutionSpace>(out + columns.first,
                                                      queries.count * stride - columns.first),
                     {stride, columns.rows.const_view(), columns.places.const_view()});
      }
    });
  }

  /// Why a search by \p path cannot be queued; empty if it can.
  static std::string why_not(SearchPath path, std::size_t dimension, std::size_t kept) {
    if (path == SearchPath::quantized)
      return "it waits for the device; arrays on a device use brute_force or gemm";
    if (path == SearchPath::gemm && !GemmSearch<ExecutionSpace>::can_queue(dimension, kept)) {
      return "on a device it ranks at most " + std::to_string(unfinished_top_max) +
             " results per query, of rows that fit into its tiles; use brute_force";
    }
    return {};
  }

  /// The best rows of every query by brute_force or gemm; \p kept at most the number of rows and
  /// `out.top`.
  void search(const ExecutionSpace& exec_space, const Rows& rows, const GivenQueries& queries,
              Metric metric, SearchPath path, std::size_t kept, const RankedOutput& out) {
    in_order(exec_space, rows, [&](const VectorStore& store) {
      if (kept > 0) {
        const VectorQueries<ExecutionSpace> prepared =
            m_queries.prepare(exec_space, queries, store.dimension(), true);
        grow(exec_space, m_best, queries.count * kept);
        // Blocks of queries keep the ranks of a chunk of rows in a few MiB.
        const std::size_t together = path == SearchPath::gemm ? queries.count : 1024;
        for (std::size_t first = 0; first < queries.count; first += together) {
          const std::size_t count = std::min(together, queries.count - first);
          const auto block = part_of(prepared, store.dimension(), first, count);
          rank_parts(exec_space, store, count, kept, first * kept,
                     [&](std::size_t s, const ArrayView<Rank, ExecutionSpace>& best) {
                       const VectorSegment& segment = *store.segments()[s];
                       const auto part = segment.resident<ExecutionSpace>().view();
                       if (path == SearchPath::gemm) {
                         m_gemm.queue(exec_space, part, filter(s), block, metric, kept, best,
                                      rounded_copy(exec_space, store, segment, *m_memory));
                         return;
                       }
                       SearchReport report;
                       m_search.search(exec_space, part, filter(s), block, metric, kept, best,
                                       report);
                     });
        }
      }
      unpack(exec_space, metric, queries.count, kept, out);
    });
  }

  /// Why `score` cannot rank lists of \p length ids; empty if it can.
  static std::string why_not(const ExecutionSpace& exec_space, const VectorStore& store,
                             std::size_t queries, std::size_t length, std::size_t top) {
    const CandidateShape shape{queries, length, std::min(top, length)};
    if (shape.top == 0) return {};
    for (const LiveSegment& segment : store.segments()) {
      if (fits_one_launch(exec_space, segment->resident<ExecutionSpace>().view(), shape)) continue;
      return "the best " + std::to_string(top) + " of lists of " + std::to_string(length) +
             " vectors of " + std::to_string(store.dimension()) +
             " elements do not fit into one launch on a device; use shorter lists, a smaller top, "
             "or a dimension that is a multiple of 4";
    }
    return {};
  }

  /// The best candidates of every query. Ids without a row are skipped.
  void score(const ExecutionSpace& exec_space, const Rows& rows, const GivenQueries& queries,
             const IdLists& lists, Metric metric, const RankedOutput& out) {
    const CandidateShape shape{queries.count, lists.length,
                               std::min<std::size_t>(out.top, lists.length)};
    in_order(exec_space, rows, [&](const VectorStore& store) {
      if (shape.top > 0) {
        const CandidatePlan plan = candidate_plan(exec_space, shape);
        grow(exec_space, m_partial, plan.workspace(queries.count));
        grow_zeros(exec_space, m_arrived, queries.count);
        if (score_at_once(exec_space, store, queries, lists, metric, shape, plan, out)) return;
        const VectorQueries<ExecutionSpace> prepared =
            m_queries.prepare(exec_space, queries, store.dimension(), true);
        grow(exec_space, m_best, queries.count * shape.top);
        grow(exec_space, m_found, lists.queries * lists.length);
        grow(exec_space, m_offsets, lists.queries + 1);
        grow_zeros(exec_space, m_skipped, 1);
        rank_parts(exec_space, store, queries.count, shape.top, 0,
                   [&](std::size_t s, const ArrayView<Rank, ExecutionSpace>& best) {
                     const VectorSegment& segment = *store.segments()[s];
                     const auto part = segment.resident<ExecutionSpace>().view();
                     find_rows(exec_space, lists, ids_of<ExecutionSpace>(segment), m_found.view(),
                               m_offsets.view());
                     rank_candidates(exec_space, metric, part, m_offsets.const_view(),
                                     m_found.const_view(), filter(s), prepared, plan, shape.top,
                                     best, m_partial.view(), m_arrived.view(),
                                     {segment.size(), m_skipped.data()});
                   });
      }
      unpack(exec_space, metric, queries.count, shape.top, out);
    });
  }

 private:
  /// Constructs empty buffers in \p memory.
  void bind(MemoryResource& memory) {
    m_memory = &memory;
    m_queries.bind(memory);
    m_best = {memory, "Kindred::VectorIndex::best", 0};
    m_part = {memory, "Kindred::VectorIndex::part", 0};
    m_found = {memory, "Kindred::VectorIndex::candidates", 0};
    m_offsets = {memory, "Kindred::VectorIndex::offsets", 0};
    m_partial = {memory, "Kindred::VectorIndex::partial", 0};
    m_arrived = {memory, "Kindred::VectorIndex::arrived", 0};
    m_skipped = {memory, "Kindred::VectorIndex::skipped", 0};
    m_top.bind(memory);
    m_search.bind(memory);
    m_gemm.bind(memory);
  }

  /// Where `score_all` stores the scores of a segment. \see ScoreColumns, VectorStore::Numbers
  struct Columns {
    Buffer<std::uint32_t, memory_space> rows;  ///< empty if none was removed
    std::size_t first = 0;
    Buffer<std::uint32_t, memory_space> places;
  };
  /// The rows that were not removed, per segment.
  struct LiveRows {
    std::vector<Buffer<std::uint64_t, memory_space>> bits;  ///< each empty if none was removed
    std::vector<Columns> columns;                           ///< made when `score_all` needs them
  };
  /// What a call reads until its launches have ended.
  struct Read {
    Rows rows;
    std::shared_ptr<const LiveRows> live;
  };

  template <class Space>
  static SegmentIds ids_of(const VectorSegment& segment) {
    return {segment.resident<Space>().ids.data(), segment.id(0), segment.size(),
            segment.is_contiguous()};
  }
  /// Scores in one launch where that is possible; returns false, with nothing launched, where not.
  bool score_at_once(const ExecutionSpace& exec_space, const VectorStore& store,
                     const GivenQueries& queries, const IdLists& lists, Metric metric,
                     const CandidateShape& shape, const CandidatePlan& plan,
                     const RankedOutput& out) {
    if (store.segments().size() != 1) return false;
    const VectorSegment& segment = *store.segments()[0];
    const auto rows = segment.resident<ExecutionSpace>().view();
    if (!fits_given_candidates(exec_space, rows, shape, queries)) return false;
    rank_given_candidates(exec_space, metric, rows, ids_of<ExecutionSpace>(segment), lists,
                          filter(0), queries, plan, shape.top, out, m_partial.view(),
                          m_arrived.view());
    return true;
  }

  /// Makes what a call reads of \p rows, unless the last call did.
  void begin(const ExecutionSpace& exec_space, const Rows& rows) {
    if (m_read != nullptr && m_read->rows == rows) return;
    // An address is not used again as long as it is referred to.
    if (m_live == nullptr || m_live_of.lock() != rows) m_live = live_rows(exec_space, *rows);
    m_live_of = rows;
    m_read = std::make_shared<const Read>(Read{rows, m_live});
  }
  /// Calls `body(store)`, whose launches are ordered behind those of earlier calls. The rows live
  /// until they have ended.
  template <class Body>
  void in_order(const ExecutionSpace& exec_space, const Rows& rows, const Body& body) {
    try {
      begin(exec_space, rows);
      m_calls.run(exec_space, "Kindred::VectorIndex::arrays", m_read, [&] { body(*rows); });
    } catch (const Cancelled&) {
      bind(*m_memory);  // what a call leaves in the buffers is incomplete
      throw;
    }
  }
  template <class T>
  Buffer<T, memory_space> copy_of(const ExecutionSpace& exec_space, const char* label,
                                  const std::vector<T>& values) const {
    Buffer<T, memory_space> copy(*m_memory, label, values.size());
    upload(exec_space, copy.view(), values.data(), values.size());
    return copy;
  }
  std::shared_ptr<LiveRows> live_rows(const ExecutionSpace& exec_space,
                                      const VectorStore& store) const {
    auto live = std::make_shared<LiveRows>();
    for (const LiveSegment& segment : store.segments()) {
      live->bits.push_back(
          copy_of(exec_space, "Kindred::VectorIndex::live", segment.live().words(segment.size())));
    }
    return live;
  }
  std::vector<Columns> columns_of(const ExecutionSpace& exec_space,
                                  const VectorStore& store) const {
    std::vector<Columns> all;
    const std::vector<VectorStore::Numbers> numbers = store.numbers();
    for (std::size_t s = 0; s < numbers.size(); ++s) {
      const LiveSegment& segment = store.segments()[s];
      Columns& columns = all.emplace_back();
      columns.first = numbers[s].first;
      columns.places = copy_of(exec_space, "Kindred::VectorIndex::places", numbers[s].each);
      if (segment.live().has_all()) continue;
      std::vector<std::uint32_t> rows;
      segment.for_each_live(0, segment.size(), [&](std::size_t row) {
        rows.push_back(static_cast<std::uint32_t>(row));
      });
      columns.rows = copy_of(exec_space, "Kindred::VectorIndex::live_rows", rows);
    }
    return all;
  }

  void unpack(const ExecutionSpace& exec_space, Metric metric, std::size_t queries,
              std::size_t kept, const RankedOutput& out) {
    unpack_ranks(exec_space, metric, ArrayView<const Rank, ExecutionSpace>(m_best.const_view()),
                 queries, kept, out);
  }
  RowFilter<ExecutionSpace> filter(std::size_t segment) const {
    return {m_live->bits[segment].const_view(), 0};
  }

  /// Calls `rank(segment, best)` for every segment and merges the results in `m_best` from \p first
  /// on.
  template <class Body>
  void rank_parts(const ExecutionSpace& exec_space, const VectorStore& store, std::size_t queries,
                  std::size_t kept, std::size_t first, const Body& rank) {
    const ArrayView<Rank, ExecutionSpace> best(m_best.data() + first, queries * kept);
    const auto segments = store.segments();
    if (segments.size() == 1) return rank(0, best);
    m_top.begin(exec_space, queries, kept, best);
    for (std::size_t s = 0; s < segments.size(); ++s) {
      grow(exec_space, m_part, queries * kept);
      rank(s, m_part.view());
      m_top.add_top(exec_space, m_part.const_view());
    }
  }

  MemoryResource* m_memory = nullptr;
  VectorQueryBuffers<ExecutionSpace> m_queries;
  Buffer<Rank, memory_space> m_best;
  Buffer<Rank, memory_space> m_part;
  Buffer<std::uint32_t, memory_space> m_found;
  Buffer<std::uint64_t, memory_space> m_offsets;
  Buffer<Rank, memory_space> m_partial;
  Buffer<std::uint32_t, memory_space> m_arrived;
  Buffer<std::uint32_t, memory_space> m_skipped;  ///< written by kernels, never read
  TopLists<ExecutionSpace> m_top;
  BruteForceSearch<ExecutionSpace> m_search;
  GemmSearch<ExecutionSpace> m_gemm;
  std::shared_ptr<LiveRows> m_live;  ///< of the last call, whose rows are `m_live_of`
  std::weak_ptr<const VectorStore> m_live_of;
  std::shared_ptr<const Read> m_read;  ///< by the last call; null once it has ended
  CallOrder<ExecutionSpace> m_calls;   ///< destroyed first: they use the members above
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_VECTOR_ARRAY_SEARCH_HPP
