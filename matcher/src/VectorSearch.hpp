// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SRC_VECTOR_SEARCH_HPP
#define KINDRED_MATCHER_SRC_VECTOR_SEARCH_HPP

#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/common/Ragged.hpp>
#include <kindred/core/select/TopK.hpp>
#include <kindred/core/vector/VectorScores.hpp>
#include <kindred/memory/Buffer.hpp>

#include <algorithm>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace Kindred::Impl {

/// The rows of an index where \p ExecutionSpace computes.
template <class ExecutionSpace>
struct ResidentRows {
  using memory_space = typename ExecutionSpace::memory_space;

  ResidentRows() = default;
  /// Copies the rows and takes their norms. Fences \p exec_space.
  ResidentRows(const ExecutionSpace& exec_space, MemoryResource& memory,
               std::span<const float> rows, std::size_t dimension_)
      : values(memory, "Kindred::VectorIndex::rows", rows.size()),
        norms(memory, "Kindred::VectorIndex::norms", rows.size() / dimension_),
        dimension(dimension_) {
    upload(exec_space, values.view(), rows.data(), rows.size());
    vector_norms(exec_space, view(), norms.view());
    exec_space.fence("Kindred::VectorIndex::VectorIndex");
  }

  std::uint64_t bytes() const noexcept { return values.bytes() + norms.bytes(); }
  VectorRows<ExecutionSpace> view() const {
    VectorRows<ExecutionSpace> rows;
    rows.values = bytes_of<ExecutionSpace>(values.const_view());
    rows.norms = norms.const_view();
    rows.dimension = dimension;
    return rows;
  }

  Buffer<float, memory_space> values;
  Buffer<double, memory_space> norms;
  std::size_t dimension = 0;
};

/// What calls on one space reuse; a call holds the mutex.
template <class ExecutionSpace>
struct VectorWorkspace {
  using memory_space = typename ExecutionSpace::memory_space;

  /// Empty buffers of \p memory.
  void bind(MemoryResource& memory) {
    filter = {memory, "Kindred::VectorIndex::filter", 0};
    clear(memory);
  }
  /// Gives back what grows with a batch, so that a smaller one finds room.
  void clear(MemoryResource& memory) {
    floats = {memory, "Kindred::VectorIndex::queries", 0};
    wide = {memory, "Kindred::VectorIndex::wide_queries", 0};
    norms = {memory, "Kindred::VectorIndex::query_norms", 0};
    ranks = {memory, "Kindred::VectorIndex::ranks", 0};
    top = {memory, "Kindred::VectorIndex::top", 0};
    partial = {memory, "Kindred::VectorIndex::partial", 0};
    select = {memory, "Kindred::VectorIndex::select", 0};
    ids = {memory, "Kindred::VectorIndex::candidates", 0};
    unit_queries = {memory, "Kindred::VectorIndex::unit_queries", 0};
    offsets = {memory, "Kindred::VectorIndex::offsets", 0};
  }

  std::mutex mutex;
  Buffer<float, memory_space> floats;
  Buffer<double, memory_space> wide;
  Buffer<double, memory_space> norms;
  Buffer<std::uint64_t, memory_space> filter;  ///< a bit a row; empty: all pass
  Buffer<Rank, memory_space> ranks;
  Buffer<Rank, memory_space> top;
  Buffer<Rank, memory_space> partial;
  Buffer<Rank, memory_space> select;
  Buffer<std::uint32_t, memory_space> ids;
  Buffer<std::uint32_t, memory_space> unit_queries;
  Buffer<std::uint64_t, memory_space> offsets;
  std::vector<Rank> host_top;
};

/// Uploads a byte a row (empty: all pass) as bits. Fences \p exec_space.
template <class ExecutionSpace>
void upload_filter(const ExecutionSpace& exec_space, VectorWorkspace<ExecutionSpace>& workspace,
                   std::span<const std::uint8_t> passes) {
  std::vector<std::uint64_t> words(filter_words(passes.size()), 0);
  for (std::size_t row = 0; row < passes.size(); ++row)
    words[row / 64] |= std::uint64_t{passes[row] != 0} << (row % 64);
  workspace.filter.resize_discarding(words.size());
  upload(exec_space, workspace.filter.view(), words.data(), words.size());
}

/// Uploads queries, widens them, takes their norms. Fences \p exec_space once.
template <class ExecutionSpace>
VectorQueries<ExecutionSpace> upload_queries(const ExecutionSpace& exec_space,
                                             VectorWorkspace<ExecutionSpace>& workspace,
                                             std::span<const float> queries,
                                             std::size_t dimension) {
  const std::size_t count = queries.size() / dimension;
  workspace.floats.resize_discarding(queries.size());
  workspace.wide.resize_discarding(queries.size());
  workspace.norms.resize_discarding(count);
  upload(exec_space, workspace.floats.view(), queries.data(), queries.size());
  prepare_queries(exec_space, workspace.floats.const_view(), dimension, workspace.wide.view(),
                  workspace.norms.view());
  return {workspace.floats.const_view(), workspace.wide.const_view(), workspace.norms.const_view(),
          count};
}

/// \brief The ranks of the best `top` rows of every query, into `workspace.host_top`; rows are
/// scored in chunks. Fences \p exec_space.
template <class ExecutionSpace>
void search_batch(const ExecutionSpace& exec_space, VectorWorkspace<ExecutionSpace>& workspace,
                  const VectorRows<ExecutionSpace>& rows, std::span<const float> queries,
                  Metric metric, std::size_t top, std::size_t row_chunk) {
  const auto prepared = upload_queries(exec_space, workspace, queries, rows.dimension);
  const std::size_t count = rows.norms.size();
  const std::size_t lists = (count + row_chunk - 1) / row_chunk;
  workspace.ranks.resize_discarding(prepared.count * std::min(row_chunk, count));
  workspace.top.resize_discarding(prepared.count * top);
  if (lists > 1) workspace.partial.resize_discarding(prepared.count * lists * top);
  for (std::size_t list = 0; list < lists; ++list) {
    const std::size_t begin = list * row_chunk;
    const std::size_t length = std::min(row_chunk, count - begin);
    workspace.ranks.resize_discarding(prepared.count * length);
    score_rows(exec_space, metric, rows, begin, length, {},
               RowFilter<ExecutionSpace>{workspace.filter.const_view(), 0}, prepared,
               workspace.ranks.view());
    const TopKShape shape{prepared.count, length, top};
    workspace.select.resize_discarding(top_k_workspace<ExecutionSpace, Rank>(shape));
    top_k(exec_space, workspace.ranks.const_view(), shape, workspace.top.view(),
          workspace.select.view());
    if (lists > 1) {
      place_partial(exec_space, workspace.top.const_view(), top, list, lists,
                    workspace.partial.view());
    }
  }
  if (lists > 1) {
    const TopKShape shape{prepared.count, lists * top, top};
    // The buffer may be in use by the last chunk, and growing it gives it back.
    exec_space.fence("Kindred::VectorIndex::search::chunks");
    workspace.select.resize_discarding(merge_top_k_workspace<ExecutionSpace, Rank>(shape, lists));
    merge_top_k(exec_space, workspace.partial.const_view(), lists, shape, workspace.top.view(),
                workspace.select.view());
  }
  workspace.host_top.resize(prepared.count * top);
  download(exec_space, workspace.host_top.data(), workspace.top.view(), workspace.host_top.size());
}

/// \brief Lists of candidates as units of one query each: every list without its duplicates, filled
/// up to `Ragged` rows of whole units.
struct CandidateUnits {
  std::vector<std::uint64_t> offsets{0};
  std::vector<std::uint32_t> ids;
  std::vector<std::uint32_t> unit_queries;
  std::size_t longest = 0;

  /// \param host runs the lists in parallel where they are many \param filter drops the ids whose
  /// byte is 0, if not empty
  void assign(const HostSpace& host, RaggedSpan<std::uint64_t> lists,
              std::span<const std::uint8_t> filter, std::size_t unit);
};

/// \brief The ranks of the best `top` candidates of every query, into `workspace.host_top`. Fences
/// \p exec_space.
template <class ExecutionSpace>
void score_batch(const ExecutionSpace& exec_space, VectorWorkspace<ExecutionSpace>& workspace,
                 const VectorRows<ExecutionSpace>& rows, std::span<const float> queries,
                 const CandidateUnits& candidates, Metric metric, std::size_t top) {
  const auto prepared = upload_queries(exec_space, workspace, queries, rows.dimension);
  workspace.ids.resize_discarding(candidates.ids.size());
  workspace.ranks.resize_discarding(candidates.ids.size());
  workspace.unit_queries.resize_discarding(candidates.unit_queries.size());
  workspace.offsets.resize_discarding(candidates.offsets.size());
  workspace.top.resize_discarding(prepared.count * top);
  const TopKShape shape{prepared.count, candidates.longest, top};
  workspace.select.resize_discarding(top_k_workspace<ExecutionSpace, Rank>(shape));
  upload(exec_space, workspace.ids.view(), candidates.ids.data(), candidates.ids.size());
  upload(exec_space, workspace.unit_queries.view(), candidates.unit_queries.data(),
         candidates.unit_queries.size());
  upload(exec_space, workspace.offsets.view(), candidates.offsets.data(),
         candidates.offsets.size());
  score_candidates(exec_space, metric, rows, workspace.ids.const_view(),
                   workspace.unit_queries.const_view(), prepared, workspace.ranks.view());
  top_k(exec_space, workspace.ranks.const_view(), workspace.offsets.const_view(), shape,
        workspace.top.view(), workspace.select.view());
  workspace.host_top.resize(prepared.count * top);
  download(exec_space, workspace.host_top.data(), workspace.top.view(), workspace.host_top.size());
}

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SRC_VECTOR_SEARCH_HPP
