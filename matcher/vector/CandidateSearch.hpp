// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_VECTOR_CANDIDATE_SEARCH_HPP
#define KINDRED_MATCHER_VECTOR_CANDIDATE_SEARCH_HPP

#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/arch/StartCopy.hpp>
#include <kindred/core/common/Ragged.hpp>
#include <kindred/core/select/TopK.hpp>
#include <kindred/core/vector/Candidates.hpp>
#include <kindred/core/vector/VectorScores.hpp>
#include <kindred/memory/Buffer.hpp>
#include <kindred/memory/Copies.hpp>
#include <kindred/memory/PinnedArray.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "VectorStore.hpp"

namespace Kindred::Impl {

/// The memory per query for lists of up to \p longest rows, in the units of `block_queries`: rows
/// and results if one launch is sufficient, otherwise whole lists of ranks.
inline std::size_t candidate_ranks(const VectorStore& store, std::size_t longest, std::size_t top) {
  const std::size_t kept = std::min(top, longest);
  const bool at_once = longest <= 2048 && kept <= 1024 && store.dimension() % 4 == 0;
  return at_once ? longest / 10 + kept : 3 * longest + kept;
}

/// \brief Lists for a device that need more than one launch, divided into work items of one query
/// each: every list without duplicates, padded to whole work items.
struct CandidateTiles {
  std::vector<std::uint64_t> offsets{0};
  std::vector<std::uint32_t> ids;
  std::vector<std::uint32_t> work_item_queries;
  std::size_t longest = 0;

  /// \param host processes the lists in parallel if there are many
  void assign(const HostWorkers& host, RaggedSpan<std::uint32_t> lists, std::size_t tile_size);
};

/// The first list that contains a row at or above \p rows; 0xFFFFFFFF if there is none.
std::uint32_t first_outside(const HostWorkers& host, RaggedSpan<std::uint32_t> lists,
                            std::uint64_t rows);

/// \brief The best of lists of rows, one list per query. Keeps its workspace between calls; one
/// call at a time.
template <class ExecutionSpace>
class CandidateSearch {
 public:
  using memory_space = typename ExecutionSpace::memory_space;

  /// Constructs empty buffers in \p memory and in host memory.
  void bind(MemoryResource& memory, MemoryResource& pinned) {
    m_bad_query = {pinned, "Kindred::VectorIndex::bad_query"};
    m_ranks = {memory, "Kindred::VectorIndex::ranks", 0};
    m_top = {memory, "Kindred::VectorIndex::top", 0};
    m_select = {memory, "Kindred::VectorIndex::select", 0};
    m_ids = {memory, "Kindred::VectorIndex::candidates", 0};
    m_work_item_queries = {memory, "Kindred::VectorIndex::work_item_queries", 0};
    m_offsets = {memory, "Kindred::VectorIndex::offsets", 0};
    m_arrived = {memory, "Kindred::VectorIndex::arrived", 0};
  }

  /// \brief The ranks of the best `top` rows of every list, each row once. Fences \p exec_space.
  /// Returns the first query that contains a row at or above \p checked_rows, if there is one; \p
  /// best is then as before.
  /// \param host prepares lists \param lists rows, one list per query
  /// \param best `queries × top`, ascending, padded with `rank_none`
  std::optional<std::size_t> score(const ExecutionSpace& exec_space, const HostWorkers& host,
                                   const VectorRows<ExecutionSpace>& rows,
                                   RaggedSpan<std::uint32_t> lists,
                                   std::optional<std::uint64_t> checked_rows,
                                   const VectorQueries<ExecutionSpace>& queries, Metric metric,
                                   std::size_t top, std::vector<Rank>& best) {
    CandidateShape shape{queries.count, 0, 0};
    for (std::size_t query = 0; query < queries.count; ++query)
      shape.longest = std::max(shape.longest, lists.length(query));
    shape.top = std::min(top, shape.longest);
    if (shape.top == 0) {
      Arch::fence(exec_space, "Kindred::VectorIndex::score");
      best.assign(queries.count * top, rank_none);
      return {};
    }
    m_bad_query.resize_discarding(1);
    std::uint32_t& bad_query = *m_bad_query.data();
    bad_query = no_query;
    CandidateCheck<ExecutionSpace> check;
    if (checked_rows) check = {*checked_rows, m_bad_query.data()};
    m_top.resize_discarding(queries.count * shape.top);
    if (fits_one_launch(exec_space, rows, shape)) {
      rank_at_once(exec_space, rows, lists, check, queries, metric, shape);
    } else {
      if (checked_rows) bad_query = first_outside(host, lists, *checked_rows);
      if (bad_query != no_query) return bad_query;
      rank_work_items(exec_space, host, rows, lists, queries, metric, shape);
    }
    m_host_top.resize(m_top.size());
    download(exec_space, m_host_top.data(), m_top.view(), m_host_top.size());
    if (bad_query != no_query) return bad_query;
    best.assign(queries.count * top, rank_none);
    for (std::size_t query = 0; query < queries.count; ++query)
      std::copy_n(m_host_top.begin() + static_cast<std::ptrdiff_t>(query * shape.top), shape.top,
                  best.begin() + static_cast<std::ptrdiff_t>(query * top));
    return {};
  }

 private:
  static constexpr std::uint32_t no_query = 0xFFFFFFFFU;

  void rank_at_once(const ExecutionSpace& exec_space, const VectorRows<ExecutionSpace>& rows,
                    RaggedSpan<std::uint32_t> lists, const CandidateCheck<ExecutionSpace>& check,
                    const VectorQueries<ExecutionSpace>& queries, Metric metric,
                    const CandidateShape& shape) {
    const CandidatePlan plan = candidate_plan(exec_space, shape);
    const std::uint64_t first = lists.offsets.front();
    m_host_offsets.assign(lists.offsets.begin(), lists.offsets.end());
    for (std::uint64_t& offset : m_host_offsets) offset -= first;
    m_offsets.resize_discarding(m_host_offsets.size());
    m_ids.resize_discarding(m_host_offsets.back());
    m_ranks.resize_discarding(plan.workspace(queries.count));
    if (m_arrived.size() < queries.count) {
      m_arrived.resize_discarding(queries.count);
      Arch::start_fill(exec_space, m_arrived.view(), 0U);
    }
    start_upload(exec_space, m_offsets.view(), m_host_offsets.data(), m_host_offsets.size());
    start_upload(exec_space, m_ids.view(), lists.values.data() + first, m_ids.size());
    rank_candidates(exec_space, metric, rows, m_offsets.const_view(), m_ids.const_view(),
                    RowFilter<ExecutionSpace>{}, queries, plan, shape.top, m_top.view(),
                    m_ranks.view(), m_arrived.view(), check);
  }

  void rank_work_items(const ExecutionSpace& exec_space, const HostWorkers& host,
                       const VectorRows<ExecutionSpace>& rows, RaggedSpan<std::uint32_t> lists,
                       const VectorQueries<ExecutionSpace>& queries, Metric metric,
                       const CandidateShape& shape) {
    m_tiles.assign(host, lists, static_cast<std::size_t>(candidate_tile<ExecutionSpace>()));
    m_ids.resize_discarding(m_tiles.ids.size());
    m_ranks.resize_discarding(m_tiles.ids.size());
    m_work_item_queries.resize_discarding(m_tiles.work_item_queries.size());
    m_offsets.resize_discarding(m_tiles.offsets.size());
    const TopKShape select{shape.queries, m_tiles.longest, shape.top};
    m_select.resize_discarding(top_k_workspace<ExecutionSpace, Rank>(select));
    upload(exec_space, m_ids.view(), m_tiles.ids.data(), m_tiles.ids.size());
    upload(exec_space, m_work_item_queries.view(), m_tiles.work_item_queries.data(),
           m_tiles.work_item_queries.size());
    upload(exec_space, m_offsets.view(), m_tiles.offsets.data(), m_tiles.offsets.size());
    score_candidates(exec_space, metric, rows, m_ids.const_view(), m_work_item_queries.const_view(),
                     queries, m_ranks.view());
    top_k(exec_space, m_ranks.const_view(), m_offsets.const_view(), select, m_top.view(),
          m_select.view());
  }

  CandidateTiles m_tiles;
  Buffer<Rank, memory_space> m_ranks;
  Buffer<Rank, memory_space> m_top;
  Buffer<Rank, memory_space> m_select;
  Buffer<std::uint32_t, memory_space> m_ids;
  Buffer<std::uint32_t, memory_space> m_work_item_queries;
  Buffer<std::uint64_t, memory_space> m_offsets;
  Buffer<std::uint32_t, memory_space> m_arrived;
  std::vector<std::uint64_t> m_host_offsets;
  std::vector<Rank> m_host_top;
  PinnedArray<std::uint32_t> m_bad_query;  ///< of the current call
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_VECTOR_CANDIDATE_SEARCH_HPP
