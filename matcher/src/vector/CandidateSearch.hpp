// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SRC_VECTOR_CANDIDATE_SEARCH_HPP
#define KINDRED_MATCHER_SRC_VECTOR_CANDIDATE_SEARCH_HPP

#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/common/Ragged.hpp>
#include <kindred/core/select/TopK.hpp>
#include <kindred/core/vector/VectorScores.hpp>
#include <kindred/memory/Buffer.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace Kindred::Impl {

/// \brief Lists of candidates as units of one query each: every list without its duplicates, filled
/// up to `Ragged` rows of whole units.
struct CandidateUnits {
  std::vector<std::uint64_t> offsets{0};
  std::vector<std::uint32_t> ids;
  std::vector<std::uint32_t> unit_queries;
  std::size_t longest = 0;

  /// \param host runs the lists in parallel where they are many
  void assign(const HostSpace& host, RaggedSpan<std::uint64_t> lists, std::size_t unit);
};

/// \brief The best of lists of rows, a list a query. What calls reuse; one at a time.
template <class ExecutionSpace>
class CandidateSearch {
 public:
  using memory_space = typename ExecutionSpace::memory_space;

  /// Empty buffers of \p memory.
  void bind(MemoryResource& memory) {
    m_ranks = {memory, "Kindred::VectorIndex::ranks", 0};
    m_top = {memory, "Kindred::VectorIndex::top", 0};
    m_select = {memory, "Kindred::VectorIndex::select", 0};
    m_ids = {memory, "Kindred::VectorIndex::candidates", 0};
    m_unit_queries = {memory, "Kindred::VectorIndex::unit_queries", 0};
    m_offsets = {memory, "Kindred::VectorIndex::offsets", 0};
  }

  /// \brief The ranks of the best `top` rows of every list, each row once. Fences \p exec_space.
  /// \param host prepares the lists \param lists rows, a list a query
  /// \param best `queries × top`, ascending, padded with `rank_none`
  void score(const ExecutionSpace& exec_space, const HostSpace& host,
             const VectorRows<ExecutionSpace>& rows, RaggedSpan<std::uint64_t> lists,
             const VectorQueries<ExecutionSpace>& queries, Metric metric, std::size_t top,
             std::vector<Rank>& best) {
    m_units.assign(host, lists, static_cast<std::size_t>(candidate_unit<ExecutionSpace>()));
    best.assign(queries.count * top, rank_none);
    const std::size_t kept = std::min(top, m_units.longest);
    if (kept == 0) return;
    m_ids.resize_discarding(m_units.ids.size());
    m_ranks.resize_discarding(m_units.ids.size());
    m_unit_queries.resize_discarding(m_units.unit_queries.size());
    m_offsets.resize_discarding(m_units.offsets.size());
    m_top.resize_discarding(queries.count * kept);
    const TopKShape shape{queries.count, m_units.longest, kept};
    m_select.resize_discarding(top_k_workspace<ExecutionSpace, Rank>(shape));
    upload(exec_space, m_ids.view(), m_units.ids.data(), m_units.ids.size());
    upload(exec_space, m_unit_queries.view(), m_units.unit_queries.data(),
           m_units.unit_queries.size());
    upload(exec_space, m_offsets.view(), m_units.offsets.data(), m_units.offsets.size());
    score_candidates(exec_space, metric, rows, m_ids.const_view(), m_unit_queries.const_view(),
                     queries, m_ranks.view());
    top_k(exec_space, m_ranks.const_view(), m_offsets.const_view(), shape, m_top.view(),
          m_select.view());
    m_host_top.resize(queries.count * kept);
    download(exec_space, m_host_top.data(), m_top.view(), m_host_top.size());
    for (std::size_t query = 0; query < queries.count; ++query)
      std::copy_n(m_host_top.begin() + static_cast<std::ptrdiff_t>(query * kept), kept,
                  best.begin() + static_cast<std::ptrdiff_t>(query * top));
  }

 private:
  CandidateUnits m_units;
  Buffer<Rank, memory_space> m_ranks;
  Buffer<Rank, memory_space> m_top;
  Buffer<Rank, memory_space> m_select;
  Buffer<std::uint32_t, memory_space> m_ids;
  Buffer<std::uint32_t, memory_space> m_unit_queries;
  Buffer<std::uint64_t, memory_space> m_offsets;
  std::vector<Rank> m_host_top;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SRC_VECTOR_CANDIDATE_SEARCH_HPP
