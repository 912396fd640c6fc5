// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_GRAPH_PAGE_RANK_WORKSPACE_HPP
#define KINDRED_MATCHER_GRAPH_PAGE_RANK_WORKSPACE_HPP

#include "NodeRanking.hpp"
#include "OutWeights.hpp"

#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/arch/launch/KernelCancel.hpp>
#include <kindred/core/graph/PageRank.hpp>
#include <kindred/matcher/SpreadingEngine.hpp>
#include <kindred/memory/Copies.hpp>

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace Kindred::Impl {

/// The sources of a query: each node once, ascending, values ≥ 0.
using RestartSources = std::span<const Activation>;

/// The reproducible sum of the source values of a query, by which its restart is normalised.
double restart_sum(RestartSources sources);

/// Restart nodes of the queries of a batch, on the host.
struct RestartTable {
  std::vector<std::uint64_t> named;
  std::vector<std::uint32_t> before;
  std::vector<double> shares;

  RestartTable(std::size_t nodes, std::size_t width, std::span<const RestartSources> sources);
};

/// Parameters of PageRank.
struct PageRankRequest {
  PageRankParameters parameters;
  std::uint32_t max_iterations = 200;
  std::size_t top = 10;
  bool is_float = true;  ///< storage of the iterates; false: double
};

/// The workspace of PageRank on one space, kept between calls.
template <class ExecutionSpace>
class PageRankWorkspace {
 public:
  using memory_space = typename ExecutionSpace::memory_space;

  explicit PageRankWorkspace(MemoryResource& memory) : m_memory(memory) { release(); }

  bool is_empty() const { return m_partial.bytes() + m_progress.bytes() == 0; }
  /// Releases its memory. None of its kernels may still run.
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
    release(m_columns, "Kindred::SpreadingEngine::page_rank_columns");
    m_ranking.bind(m_memory);
  }

  /// Number of queries processed together.
  static constexpr std::size_t batch = static_cast<std::size_t>(HopWidth::thirty_two);

  /// Computes the best ranks, padded with `rank_none`, and the convergence for each of \p sources
  /// (at most `batch`). Fences \p exec_space. \throws OutOfMemory; the object is then empty
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
      Arch::fence(exec_space, "Kindred::SpreadingEngine::page_rank::out_of_memory");
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
    std::vector<Column> columns;
    for (std::size_t query = 0; query < sources.size(); ++query)
      columns.push_back({query, sources[query], {}});
    PageRankState<ExecutionSpace, Value> state;
    state.width = width_of(columns.size());
    state.nodes = graph.nodes;
    const auto width = static_cast<std::size_t>(state.width);
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
    state.partial = m_partial.view();
    state.sums = m_sums.view();
    state.progress = m_progress.view();
    state.last = m_last.view();
    place_restart(exec_space, columns, state);

    PageRankParameters parameters = request.parameters;
    start_page_rank(exec_space, state, columns.size(), parameters);
    // Checking the progress stalls a device; an unneeded iteration costs less.
    constexpr std::uint32_t step = Arch::is_device<ExecutionSpace> ? 4 : 1;
    const auto is_done = [](const Column& column) { return column.progress.is_done != 0; };
    while (true) {
      Arch::end_if_cancelled(exec_space);
      const std::uint32_t end = std::min(request.max_iterations, parameters.iteration - 1 + step);
      for (; parameters.iteration <= end; ++parameters.iteration) {
        page_rank_step(exec_space, graph, state, parameters);
        std::swap(state.current, state.next);
      }
      download_progress(exec_space, columns);
      if (parameters.iteration > request.max_iterations || std::ranges::all_of(columns, is_done))
        break;
      const auto left =
          columns.size() - static_cast<std::size_t>(std::ranges::count_if(columns, is_done));
      if (width_of(left) == state.width) continue;
      answer(exec_space, state, columns, is_done, request.top, ranks, convergence);
      keep_others(exec_space, is_done, columns, state);
    }
    std::uint32_t last = 0;
    for (const Column& column : columns) last = std::max(last, column.progress.iterations);
    // Iterations after convergence wrote nothing.
    if ((parameters.iteration - 1 - last) % 2 != 0) std::swap(state.current, state.next);
    const auto is_any = [](const Column&) { return true; };
    answer(exec_space, state, columns, is_any, request.top, ranks, convergence);
  }

  /// An active query.
  struct Column {
    std::size_t query;
    RestartSources sources;
    PageRankProgress progress;
  };

  template <class Value>
  void place_restart(const ExecutionSpace& exec_space, const std::vector<Column>& columns,
                     PageRankState<ExecutionSpace, Value>& state) {
    std::vector<RestartSources> sources;
    for (const Column& column : columns) sources.push_back(column.sources);
    const RestartTable restart(state.nodes, static_cast<std::size_t>(state.width), sources);
    state.restart.named = place(exec_space, m_named, restart.named);
    state.restart.before = place(exec_space, m_before, restart.before);
    state.restart.shares = place(exec_space, m_shares, restart.shares);
  }
  void download_progress(const ExecutionSpace& exec_space, std::vector<Column>& columns) {
    PageRankProgress progress[batch];
    download(exec_space, progress, m_progress.view(), columns.size());
    for (std::size_t i = 0; i < columns.size(); ++i) columns[i].progress = progress[i];
  }
  /// Ranks the nodes of the chosen columns, adjacent queries together.
  template <class Value, class Chosen>
  void answer(const ExecutionSpace& exec_space, const PageRankState<ExecutionSpace, Value>& state,
              const std::vector<Column>& columns, const Chosen& is_chosen, std::size_t top,
              Rank* ranks, Convergence* convergence) {
    for (std::size_t first = 0; first < columns.size();) {
      std::size_t end = first;
      for (; end < columns.size() && is_chosen(columns[end]) &&
             columns[end].query == columns[first].query + (end - first);
           ++end) {
        const PageRankProgress& progress = columns[end].progress;
        convergence[columns[end].query] = {progress.iterations, progress.residual};
      }
      if (end > first)
        rank(exec_space, state, first, end - first, top, ranks + columns[first].query * top);
      first = std::max(end, first + 1);
    }
  }
  /// Compacts the unfinished columns to a smaller width.
  template <class Value, class Done>
  void keep_others(const ExecutionSpace& exec_space, const Done& is_done,
                   std::vector<Column>& columns, PageRankState<ExecutionSpace, Value>& state) {
    std::vector<std::uint32_t> kept;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (!is_done(columns[i])) kept.push_back(static_cast<std::uint32_t>(i));
    }
    std::erase_if(columns, is_done);
    const HopWidth from_width = std::exchange(state.width, width_of(kept.size()));
    std::swap(state.current, state.next);
    take_page_rank_columns<ExecutionSpace, Value>(exec_space, state.next, from_width,
                                                  place(exec_space, m_columns, kept), state);
    place_restart(exec_space, columns, state);
    PageRankProgress progress[batch];
    for (std::size_t i = 0; i < batch; ++i) {
      if (i < columns.size())
        progress[i] = columns[i].progress;
      else
        progress[i].is_done = 1;
    }
    upload(exec_space, m_progress.view(), progress, static_cast<std::size_t>(state.width));
  }

  /// Ranks columns `first … first + count`.
  template <class Value>
  void rank(const ExecutionSpace& exec_space, const PageRankState<ExecutionSpace, Value>& state,
            std::size_t first, std::size_t count, std::size_t top, Rank* ranks) {
    m_ranking.rank(exec_space, state, state.nodes, first, count, 1, top, ranks);
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
  Buffer<std::uint32_t, memory_space> m_columns;
  NodeRanking<ExecutionSpace> m_ranking;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_GRAPH_PAGE_RANK_WORKSPACE_HPP
