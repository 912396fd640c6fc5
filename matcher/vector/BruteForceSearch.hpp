// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_VECTOR_BRUTE_FORCE_SEARCH_HPP
#define KINDRED_MATCHER_VECTOR_BRUTE_FORCE_SEARCH_HPP

#include "TopLists.hpp"

#include <kindred/core/vector/RanksWithin.hpp>
#include <kindred/core/vector/VectorScores.hpp>
#include <kindred/matcher/SearchReport.hpp>
#include <kindred/memory/Copies.hpp>

#include <algorithm>
#include <vector>

namespace Kindred::Impl {

/// \brief Exact search that scores every row exactly, a chunk of rows at a time. Keeps its
/// workspace between calls; one call at a time.
template <class ExecutionSpace>
class BruteForceSearch {
  static constexpr std::size_t chunk_bytes = 16U << 20U;  ///< of ranks, and of decoded rows

 public:
  using memory_space = typename ExecutionSpace::memory_space;
  static constexpr std::size_t row_limit_max = chunk_bytes / sizeof(Rank);
  static constexpr std::size_t row_limit_min = 1024;

  std::size_t row_limit = row_limit_max;  ///< maximum number of rows at a time

  /// Constructs empty buffers in \p memory.
  void bind(MemoryResource& memory) {
    m_top.bind(memory);
    m_tile = {memory, "Kindred::VectorIndex::tile", 0};
    m_ranks = {memory, "Kindred::VectorIndex::ranks", 0};
    m_lists = {memory, "Kindred::VectorIndex::lists", 0};
    m_counts = {memory, "Kindred::VectorIndex::counts", 0};
  }

  /// \brief The best rows of every query. Does not fence.
  /// \param best `queries × top`, ascending, padded with `rank_none`
  void search(const ExecutionSpace& exec_space, const VectorRows<ExecutionSpace>& rows,
              const RowFilter<ExecutionSpace>& filter, const VectorQueries<ExecutionSpace>& queries,
              Metric metric, std::size_t top, const ArrayView<Rank, ExecutionSpace>& best,
              SearchReport& report) {
    m_top.begin(exec_space, queries.count, top, best);
    const std::size_t chunk = chunk_rows(rows, queries.count);
    for (std::size_t begin = 0; begin < rows.norms.size(); begin += chunk) {
      const std::size_t length = std::min(chunk, rows.norms.size() - begin);
      rank_rows(exec_space, metric, rows, begin, length, filter, queries);
      m_top.add(exec_space, m_ranks.const_view(), length);
    }
    if (report.path.empty()) report.path = "brute_force";
    report.survivors += queries.count * rows.norms.size();
  }

  /// \brief Appends the ranks that are at most the bound of their query to \p found, unordered.
  /// Fences \p exec_space. \param bounds one per query
  void search_within(const ExecutionSpace& exec_space, const VectorRows<ExecutionSpace>& rows,
                     const RowFilter<ExecutionSpace>& filter,
                     const VectorQueries<ExecutionSpace>& queries, Metric metric,
                     const ArrayView<const Rank, ExecutionSpace>& bounds,
                     std::vector<std::vector<Rank>>& found, SearchReport& report) {
    std::vector<std::uint64_t> counts(queries.count);
    const std::size_t chunk = chunk_rows(rows, queries.count);
    for (std::size_t begin = 0; begin < rows.norms.size(); begin += chunk) {
      const std::size_t length = std::min(chunk, rows.norms.size() - begin);
      rank_rows(exec_space, metric, rows, begin, length, filter, queries);
      m_lists.resize_discarding(m_ranks.size());
      m_counts.resize_discarding(queries.count);
      list_ranks_within(exec_space, m_ranks.const_view(), bounds, m_lists.view(), m_counts.view());
      download(exec_space, counts.data(), m_counts.view(), counts.size());
      for (std::size_t query = 0; query < queries.count; ++query) {
        const std::size_t first = query * length;
        const std::size_t before = found[query].size();
        found[query].resize(before + counts[query]);
        download(exec_space, found[query].data() + before,
                 Kokkos::subview(m_lists.view(), std::pair(first, first + counts[query])),
                 counts[query]);
      }
    }
    if (report.path.empty()) report.path = "brute_force";
    report.survivors += queries.count * rows.norms.size();
  }

 private:
  /// Rows whose ranks are computed together.
  std::size_t chunk_rows(const VectorRows<ExecutionSpace>& rows, std::size_t queries) const {
    std::size_t chunk = chunk_bytes / (sizeof(Rank) * queries);
    if (decodes(rows)) chunk = std::min(chunk, chunk_bytes / (sizeof(float) * rows.dimension));
    return std::max(std::min(chunk, row_limit), std::min(row_limit, row_limit_min));
  }
  /// Computes the ranks of the rows \p begin … \p begin + \p length. A shorter last chunk keeps the
  /// buffers, because the previous chunk may still use them.
  void rank_rows(const ExecutionSpace& exec_space, Metric metric,
                 const VectorRows<ExecutionSpace>& rows, std::size_t begin, std::size_t length,
                 const RowFilter<ExecutionSpace>& filter,
                 const VectorQueries<ExecutionSpace>& queries) {
    m_ranks.resize_discarding(queries.count * length);
    if (decodes(rows)) m_tile.resize_discarding(length * rows.dimension);
    score_rows(exec_space, metric, rows, begin, length, m_tile.view(), filter, queries,
               m_ranks.view());
  }
  static bool decodes(const VectorRows<ExecutionSpace>& rows) {
    return rows.element != DataType::float32;
  }

  TopLists<ExecutionSpace> m_top;
  Buffer<float, memory_space> m_tile;
  Buffer<Rank, memory_space> m_ranks;
  Buffer<Rank, memory_space> m_lists;
  Buffer<std::uint64_t, memory_space> m_counts;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_VECTOR_BRUTE_FORCE_SEARCH_HPP
