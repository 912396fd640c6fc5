// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SRC_GRAPH_PAGE_RANK_WORKSPACE_HPP
#define KINDRED_MATCHER_SRC_GRAPH_PAGE_RANK_WORKSPACE_HPP

#include "OutWeights.hpp"

#include <kindred/core/graph/PageRank.hpp>
#include <kindred/core/select/TopK.hpp>
#include <kindred/matcher/SpreadingEngine.hpp>

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace Kindred::Impl {

/// The sources of a query: each node once, ascending, values ≥ 0.
using RestartSources = std::span<const Activation>;

/// The canonical sum of what a query's sources have: what its restart is divided by.
double restart_sum(RestartSources sources);

/// Where the queries of a batch restart, on the host.
struct RestartTable {
  std::vector<std::uint64_t> named;
  std::vector<std::uint32_t> before;
  std::vector<double> shares;

  RestartTable(std::size_t nodes, std::size_t width, std::span<const RestartSources> sources);
};

/// What PageRank is asked for.
struct PageRankRequest {
  PageRankParameters parameters;
  std::uint32_t max_iterations = 200;
  std::size_t top = 10;
  bool is_float = true;  ///< what iterates are stored as, else double
};

/// What PageRank on one space works in, kept between calls.
template <class ExecutionSpace>
class PageRankWorkspace {
 public:
  using memory_space = typename ExecutionSpace::memory_space;

  explicit PageRankWorkspace(MemoryResource& memory) : m_memory(memory) { release(); }

  /// Queries that are worked on together.
  static constexpr std::size_t batch = static_cast<std::size_t>(HopWidth::thirty_two);

  /// Answers \p sources (at most `batch`): the best ranks of each, `rank_none` beyond what exists,
  /// and how it converged. Fences \p exec_space. \throws OutOfMemory; then it holds nothing
  void run(const ExecutionSpace& exec_space, const GraphSide<memory_space>& graph,
           const OutWeights::Placed<ExecutionSpace>& weights,
           std::span<const RestartSources> sources, const PageRankRequest& request, Rank* ranks,
           Convergence* convergence) {
    try {
      if (request.is_float)
        run_as(exec_space, m_floats, graph, weights, sources, request, ranks, convergence);
      else
        run_as(exec_space, m_doubles, graph, weights, sources, request, ranks, convergence);
    } catch (const OutOfMemory&) {
      exec_space.fence("Kindred::SpreadingEngine::page_rank::out_of_memory");
      release();
      throw;
    }
  }

 private:
  template <class Value>
  struct Iterates {
    Buffer<Value, memory_space> current;
    Buffer<Value, memory_space> next;
  };

  template <class T>
  void release(Buffer<T, memory_space>& buffer, const char* label) {
    buffer = Buffer<T, memory_space>(m_memory, label, 0);
  }
  template <class Value>
  void release(Iterates<Value>& iterates) {
    release(iterates.current, "Kindred::SpreadingEngine::page_rank_current");
    release(iterates.next, "Kindred::SpreadingEngine::page_rank_next");
  }
  void release() {
    release(m_floats);
    release(m_doubles);
    release(m_named, "Kindred::SpreadingEngine::page_rank_named");
    release(m_before, "Kindred::SpreadingEngine::page_rank_before");
    release(m_shares, "Kindred::SpreadingEngine::page_rank_shares");
    release(m_partial, "Kindred::SpreadingEngine::page_rank_partial");
    release(m_sums, "Kindred::SpreadingEngine::page_rank_sums");
    release(m_progress, "Kindred::SpreadingEngine::page_rank_progress");
    release(m_last, "Kindred::SpreadingEngine::page_rank_last");
    release(m_keys, "Kindred::SpreadingEngine::page_rank_keys");
    release(m_top, "Kindred::SpreadingEngine::page_rank_top");
    release(m_select, "Kindred::SpreadingEngine::page_rank_select");
  }
  template <class T>
  ArrayView<const T, ExecutionSpace> place(const ExecutionSpace& exec_space,
                                           Buffer<T, memory_space>& buffer,
                                           const std::vector<T>& values) {
    buffer.resize_discarding(values.size());
    upload(exec_space, buffer.view(), values.data(), values.size());
    return buffer.const_view();
  }

  template <class Value>
  void run_as(const ExecutionSpace& exec_space, Iterates<Value>& iterates,
              const GraphSide<memory_space>& graph,
              const OutWeights::Placed<ExecutionSpace>& weights,
              std::span<const RestartSources> sources, const PageRankRequest& request, Rank* ranks,
              Convergence* convergence) {
    if (graph.nodes == 0) return;
    PageRankState<ExecutionSpace, Value> state;
    state.width = sources.size() == 1   ? HopWidth::one
                  : sources.size() <= 8 ? HopWidth::eight
                                        : HopWidth::thirty_two;
    state.nodes = graph.nodes;
    const auto width = static_cast<std::size_t>(state.width);
    const RestartTable restart(graph.nodes, width, sources);
    iterates.current.resize_discarding(graph.nodes * width);
    iterates.next.resize_discarding(graph.nodes * width);
    m_partial.resize_discarding(graph.blocks() * width);
    m_sums.resize_discarding(page_rank_sums(graph.nodes, state.width));
    m_progress.resize_discarding(width);
    m_last.resize_discarding(1);
    state.current = iterates.current.view();
    state.next = iterates.next.view();
    state.out_weights = weights.sums.const_view();
    state.inverses = weights.inverses.const_view();
    state.restart.named = place(exec_space, m_named, restart.named);
    state.restart.before = place(exec_space, m_before, restart.before);
    state.restart.shares = place(exec_space, m_shares, restart.shares);
    state.partial = m_partial.view();
    state.sums = m_sums.view();
    state.progress = m_progress.view();
    state.last = m_last.view();

    PageRankParameters parameters = request.parameters;
    start_page_rank(exec_space, state, sources.size(), parameters);
    std::vector<PageRankProgress> progress(sources.size());
    const auto is_done = [](const PageRankProgress& query) { return query.is_done != 0; };
    // Looking at the progress makes a device wait; an iteration that nobody needs costs less.
    constexpr std::uint32_t step = Arch::is_device<ExecutionSpace> ? 4 : 1;
    do {
      const std::uint32_t end = std::min(request.max_iterations, parameters.iteration - 1 + step);
      for (; parameters.iteration <= end; ++parameters.iteration) {
        page_rank_step(exec_space, graph, state, parameters);
        std::swap(state.current, state.next);
      }
      download(exec_space, progress.data(), m_progress.view(), progress.size());
    } while (parameters.iteration <= request.max_iterations &&
             !std::ranges::all_of(progress, is_done));

    std::uint32_t last = 0;
    for (const PageRankProgress& query : progress) {
      last = std::max(last, query.iterations);
      *convergence++ = {query.iterations, query.residual};
    }
    // Iterations after the last that was needed wrote nothing.
    if ((parameters.iteration - 1 - last) % 2 != 0) std::swap(state.current, state.next);
    rank(exec_space, state, sources.size(), request.top, ranks);
  }

  template <class Value>
  void rank(const ExecutionSpace& exec_space, const PageRankState<ExecutionSpace, Value>& state,
            std::size_t queries, std::size_t top, Rank* ranks) {
    constexpr std::size_t keys_max = std::size_t{1} << 24;
    const std::size_t step = std::clamp<std::size_t>(keys_max / state.nodes, 1, queries);
    for (std::size_t first = 0; first < queries; first += step) {
      const TopKShape shape{std::min(step, queries - first), state.nodes, top};
      m_keys.resize_discarding(shape.rows * state.nodes);
      m_top.resize_discarding(shape.rows * top);
      m_select.resize_discarding(top_k_workspace<ExecutionSpace, Rank>(shape));
      rank_page_rank(exec_space, state, first, shape.rows, m_keys.view());
      top_k<ExecutionSpace, Rank>(exec_space, m_keys.const_view(), shape, m_top.view(),
                                  m_select.view());
      download(exec_space, ranks + first * top, m_top.view(), shape.rows * top);
    }
  }

  MemoryResource& m_memory;
  Iterates<float> m_floats;
  Iterates<double> m_doubles;
  Buffer<std::uint64_t, memory_space> m_named;
  Buffer<std::uint32_t, memory_space> m_before;
  Buffer<double, memory_space> m_shares;
  Buffer<double, memory_space> m_partial;
  Buffer<double, memory_space> m_sums;
  Buffer<PageRankProgress, memory_space> m_progress;
  Buffer<std::uint32_t, memory_space> m_last;
  Buffer<Rank, memory_space> m_keys;
  Buffer<Rank, memory_space> m_top;
  Buffer<Rank, memory_space> m_select;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SRC_GRAPH_PAGE_RANK_WORKSPACE_HPP
