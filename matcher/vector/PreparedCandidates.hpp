// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_VECTOR_PREPARED_CANDIDATES_HPP
#define KINDRED_MATCHER_VECTOR_PREPARED_CANDIDATES_HPP

#include <kindred/backends/impl/CudaGraph.hpp>
#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/arch/StartCopy.hpp>
#include <kindred/core/launch/ForEachIndex.hpp>
#include <kindred/core/vector/Candidates.hpp>
#include <kindred/core/vector/VectorScores.hpp>
#include <kindred/memory/Buffer.hpp>
#include <kindred/memory/PinnedArray.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>

#include "VectorSegment.hpp"

namespace Kindred::Impl {

/// Copies words; on a device, this is the transfer.
struct CopyWords {
  const std::uint64_t* from;
  std::uint64_t* to;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t i) const { to[i] = from[i]; }
};

/// \brief Scores the candidates of one query on one space by recorded launches.
///
/// A call writes one block that host and space can access: the bounds of the list, the query and
/// its norm, and the rows. The results return through a second block.
template <class ExecutionSpace>
class PreparedCandidates {
 public:
  using memory_space = typename ExecutionSpace::memory_space;

  PreparedCandidates() = default;
  /// Fences, because results may be available before the launches of the call have ended.
  ~PreparedCandidates() {
    if (!Arch::is_device<ExecutionSpace> || !m_exec_space) return;
    try {
      Arch::fence(*m_exec_space, "Kindred::PreparedScore::~PreparedScore");
    } catch (const Error&) {
      return;  // a lost device runs nothing
    }
  }
  PreparedCandidates(const PreparedCandidates&) = delete;
  PreparedCandidates& operator=(const PreparedCandidates&) = delete;

  /// Allocates space for \p longest candidates of vectors of \p dimension. \throws OutOfMemory
  void bind(const ExecutionSpace& exec_space, MemoryResource& memory, MemoryResource& pinned,
            std::size_t dimension, std::size_t longest, std::size_t top) {
    m_exec_space = instance_beside(exec_space);
    m_dimension = dimension;
    m_shape = {1, longest, std::min(top, longest)};
    m_plan = candidate_plan(*m_exec_space, m_shape);
    m_words = head_words + dimension + longest / 2 + longest % 2;
    m_shared = {pinned, "Kindred::PreparedScore::shared"};
    m_best = {pinned, "Kindred::PreparedScore::best"};
    m_shared.resize_discarding(m_words);
    m_best.resize_discarding(m_shape.top);
    if (Arch::is_device<ExecutionSpace>)
      m_staged = {memory, "Kindred::PreparedScore::staged", m_words};
    m_partial = {memory, "Kindred::PreparedScore::partial", m_plan.workspace(1)};
    m_arrived = {memory, "Kindred::PreparedScore::arrived", 1};
    Arch::start_fill(*m_exec_space, m_arrived.view(), 0U);
    Arch::fence(*m_exec_space, "Kindred::PreparedScore::PreparedScore");
  }

  /// Sets the instance of the next calls; on a device, they run on one of their own.
  void run_on(const ExecutionSpace& exec_space) {
    if constexpr (!Arch::is_device<ExecutionSpace>) m_exec_space = exec_space;
  }
  bool fits(const VectorRows<ExecutionSpace>& rows) const {
    return fits_one_launch(*m_exec_space, rows, m_shape);
  }

  /// The caller writes its candidate rows here before it calls `rank`.
  std::uint32_t* rows() { return reinterpret_cast<std::uint32_t*>(query() + m_dimension); }

  /// \brief The best ranks of the first \p count of `rows()`, padded with `rank_none`. Waits only
  /// for these; the rows are not read any more then. \param segment of \p rows \param count at
  /// least 1
  std::span<const Rank> rank(const std::shared_ptr<const VectorSegment>& segment,
                             const VectorRows<ExecutionSpace>& rows, Metric metric,
                             std::span<const float> query_values, std::size_t count) try {
    m_shared.data()[0] = 0;
    m_shared.data()[1] = count;
    widen(query_values);
    // Recording executes the launches, so it must use this list, not the previous one.
    if (m_recorded.lock() != segment) {
      capture(rows, metric);
      m_recorded = segment;
    }
    std::fill_n(m_best.data(), m_shape.top, unanswered);
    m_graph.replay(*m_exec_space);
    wait();
    return {m_best.data(), m_shape.top};
  } catch (...) {
    // Teams of a host that were cancelled leave their counts behind.
    if constexpr (!Arch::is_device<ExecutionSpace>)
      Arch::start_fill(*m_exec_space, m_arrived.view(), 0U);
    m_recorded.reset();
    throw;
  }

 private:
  /// The begin and end of the list, the norm, and a padding word that aligns the query to four
  /// doubles.
  static constexpr std::size_t head_words = 4;
  /// A value that no combination of score and index produces.
  static constexpr Rank unanswered = 0;

  double* query() { return reinterpret_cast<double*>(m_shared.data() + head_words); }

  /// \brief Waits for the complete result. On a device it polls the ranks, because a fence returns
  /// microseconds later. After many polls it uses a fence, which also reports errors.
  void wait() {
    if constexpr (Arch::is_device<ExecutionSpace>) {
      constexpr int looks_most = 1 << 16;
      std::size_t ready = 0;
      for (int looks = 0; looks < looks_most; ++looks) {
        while (std::atomic_ref(m_best.data()[ready]).load(std::memory_order_acquire) !=
               unanswered) {
          if (++ready == m_shape.top) return;
        }
      }
    }
    Arch::fence(*m_exec_space, "Kindred::score");
  }

  /// Converts the query to double and computes its norm, on the host.
  void widen(std::span<const float> values) {
    prepare_queries_here(
        ArrayView<const float, HostSpace>(values.data(), values.size()), m_dimension,
        ArrayView<double, HostSpace>(query(), m_dimension),
        ArrayView<double, HostSpace>(reinterpret_cast<double*>(m_shared.data() + 2), 1));
  }

  void capture(const VectorRows<ExecutionSpace>& rows, Metric metric) {
    std::uint64_t* words = m_shared.data();
    if (Arch::is_device<ExecutionSpace>) words = m_staged.data();
    auto* wide = reinterpret_cast<double*>(words + head_words);
    auto* norm = reinterpret_cast<double*>(words + 2);
    auto* ids = reinterpret_cast<std::uint32_t*>(wide + m_dimension);
    VectorQueries<ExecutionSpace> prepared;
    prepared.values = ArrayView<const double, ExecutionSpace>(wide, m_dimension);
    prepared.norms = ArrayView<const double, ExecutionSpace>(norm, 1);
    prepared.count = 1;
    const ArrayView<const std::uint64_t, ExecutionSpace> offsets(words, 2);
    const ArrayView<const std::uint32_t, ExecutionSpace> candidates(ids, m_shape.longest);
    const ArrayView<Rank, ExecutionSpace> best(m_best.data(), m_shape.top);
    m_graph.capture(*m_exec_space, [this, rows, metric, prepared, offsets, candidates, best] {
      if (Arch::is_device<ExecutionSpace>) {
        Launch::for_each_index(*m_exec_space, "Kindred::PreparedScore::score::stage", m_words,
                               CopyWords{m_shared.data(), m_staged.data()});
      }
      rank_candidates(*m_exec_space, metric, rows, offsets, candidates, {}, prepared, m_plan,
                      m_shape.top, best, m_partial.view(), m_arrived.view());
    });
  }

  KeptInstance<ExecutionSpace> m_exec_space;
  std::size_t m_dimension = 0;
  CandidateShape m_shape;
  CandidatePlan m_plan;
  std::size_t m_words = 0;
  PinnedArray<std::uint64_t> m_shared;
  PinnedArray<Rank> m_best;
  Buffer<std::uint64_t, memory_space> m_staged;
  Buffer<Rank, memory_space> m_partial;
  Buffer<std::uint32_t, memory_space> m_arrived;
  std::weak_ptr<const VectorSegment> m_recorded;  ///< whose rows the launches read
  CudaGraph<ExecutionSpace> m_graph;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_VECTOR_PREPARED_CANDIDATES_HPP
