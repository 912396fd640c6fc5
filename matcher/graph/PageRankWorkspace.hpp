// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_GRAPH_PAGE_RANK_WORKSPACE_HPP
#define KINDRED_MATCHER_GRAPH_PAGE_RANK_WORKSPACE_HPP

#include "HeldMemory.hpp"
#include "NodeRanking.hpp"
#include "OutWeights.hpp"

#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/arch/launch/KernelCancel.hpp>
#include <kindred/core/graph/PageRank.hpp>
#include <kindred/matcher/SpreadingEngine.hpp>
#include <kindred/memory/Copies.hpp>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace Kindred::Impl {

/// The sources of a query: each node once, ascending, values ≥ 0.
using RestartSources = std::span<const Activation>;

/// Restart nodes of the queries of a batch, on the host.
struct RestartTable {
  std::vector<std::uint64_t> named;
  std::vector<std::uint32_t> before;
  std::vector<double> shares;

  RestartTable(std::size_t nodes, std::size_t width, std::span<const RestartSources> sources);
};

/// Queries of PageRank and their results.
struct PageRankCall {
  PageRankParameters parameters;
  std::uint32_t max_iterations = 200;
  std::size_t top = 10;
  bool is_float = true;  ///< storage of the iterates; false: double
  std::span<const RestartSources> sources;
  std::span<Rank> ranks;  ///< the best of each query, padded with `rank_none`
  std::span<Convergence> convergence;

  PageRankCall part(std::size_t begin, std::size_t count) const {
    PageRankCall some = *this;
    some.sources = sources.subspan(begin, count);
    some.ranks = ranks.subspan(begin * top, count * top);
    some.convergence = convergence.subspan(begin, count);
    return some;
  }
};

/// The workspace of PageRank on one space, kept between calls.
template <class ExecutionSpace>
class PageRankWorkspace {
 public:
  using memory_space = typename ExecutionSpace::memory_space;
  using side_type = GraphSide<memory_space>;
  using weights_type = OutWeights::Placed<ExecutionSpace>;

  explicit PageRankWorkspace(MemoryResource& memory)
      : m_memory(memory), m_buffers(std::in_place, memory) {}

  /// Number of queries processed together.
  static constexpr std::size_t batch = static_cast<std::size_t>(HopWidth::thirty_two);

  /// Computes the results of \p call, of at most `batch` queries. Fences \p exec_space. \throws
  /// OutOfMemory; the object is then empty
  void run(const ExecutionSpace& exec_space, const side_type& graph, const weights_type& weights,
           const PageRankCall& call) {
    if (graph.nodes == 0) return;
    try {
      if (call.is_float)
        run_in(exec_space, m_buffers->floats, graph, weights, call);
      else
        run_in(exec_space, m_buffers->doubles, graph, weights, call);
    } catch (const OutOfMemory&) {
      Arch::fence(exec_space, "Kindred::SpreadingEngine::page_rank::out_of_memory");
      m_buffers.emplace(m_memory);
      throw;
    }
  }

 private:
  template <class T>
  using buffer = Buffer<T, memory_space>;
  template <class Value>
  struct Iterates {
    explicit Iterates(MemoryResource& memory)
        : current(memory, "Kindred::SpreadingEngine::page_rank_current", 0),
          next(memory, "Kindred::SpreadingEngine::page_rank_next", 0) {}

    buffer<Value> current;
    buffer<Value> next;
  };
  struct Buffers {
    explicit Buffers(MemoryResource& given) : memory(given) {}

    MemoryResource& memory;
    Iterates<float> floats{memory};
    Iterates<double> doubles{memory};
    buffer<std::uint64_t> named{memory, "Kindred::SpreadingEngine::page_rank_named", 0};
    buffer<std::uint32_t> before{memory, "Kindred::SpreadingEngine::page_rank_before", 0};
    buffer<double> shares{memory, "Kindred::SpreadingEngine::page_rank_shares", 0};
    buffer<double> partial{memory, "Kindred::SpreadingEngine::page_rank_partial", 0};
    buffer<double> sums{memory, "Kindred::SpreadingEngine::page_rank_sums", 0};
    buffer<PageRankProgress> progress{memory, "Kindred::SpreadingEngine::page_rank_progress", 0};
    buffer<std::uint32_t> last{memory, "Kindred::SpreadingEngine::page_rank_last", 0};
    buffer<std::uint32_t> columns{memory, "Kindred::SpreadingEngine::page_rank_columns", 0};
    NodeRanking<ExecutionSpace> ranking{memory};
  };
  /// An active query.
  struct Column {
    std::size_t query;
    RestartSources sources;
    PageRankProgress progress;
  };

  template <class Value>
  void run_in(const ExecutionSpace& exec_space, Iterates<Value>& iterates, const side_type& graph,
              const weights_type& weights, const PageRankCall& call) {
    std::vector<Column> columns;
    for (std::size_t query = 0; query < call.sources.size(); ++query)
      columns.push_back({query, call.sources[query], {}});
    PageRankState<ExecutionSpace, Value> state;
    state.width = width_of(columns.size());
    state.nodes = graph.nodes;
    const auto width = static_cast<std::size_t>(state.width);
    state.current = sized(iterates.current, graph.nodes * width);
    state.next = sized(iterates.next, graph.nodes * width);
    state.out_weights = weights.sums.const_view();
    state.inverses = weights.inverses.const_view();
    state.partial = sized(m_buffers->partial, graph.blocks() * width);
    state.sums = sized(m_buffers->sums, page_rank_sums(graph.nodes, state.width));
    state.progress = sized(m_buffers->progress, width);
    state.last = sized(m_buffers->last, 1);
    place_restart(exec_space, columns, state);

    PageRankParameters parameters = call.parameters;
    start_page_rank(exec_space, state, columns.size(), parameters);
    // Checking the progress stalls a device; an unneeded iteration costs less.
    constexpr std::uint32_t step = Arch::is_device<ExecutionSpace> ? 4 : 1;
    const auto is_done = [](const Column& column) { return column.progress.is_done != 0; };
    while (true) {
      Arch::end_if_cancelled(exec_space);
      const std::uint32_t end = std::min(call.max_iterations, parameters.iteration - 1 + step);
      for (; parameters.iteration <= end; ++parameters.iteration) {
        page_rank_step(exec_space, graph, state, parameters);
        std::swap(state.current, state.next);
      }
      PageRankProgress progress[batch];
      download(exec_space, progress, m_buffers->progress.view(), columns.size());
      for (std::size_t i = 0; i < columns.size(); ++i) columns[i].progress = progress[i];
      if (parameters.iteration > call.max_iterations || std::ranges::all_of(columns, is_done))
        break;
      const auto left =
          columns.size() - static_cast<std::size_t>(std::ranges::count_if(columns, is_done));
      if (width_of(left) == state.width) continue;
      answer(exec_space, state, columns, is_done, call);
      keep_others(exec_space, is_done, columns, state);
    }
    std::uint32_t last = 0;
    for (const Column& column : columns) last = std::max(last, column.progress.iterations);
    // Iterations after convergence wrote nothing.
    if ((parameters.iteration - 1 - last) % 2 != 0) std::swap(state.current, state.next);
    answer(
        exec_space, state, columns, [](const Column&) { return true; }, call);
  }

  template <class Value>
  void place_restart(const ExecutionSpace& exec_space, const std::vector<Column>& columns,
                     PageRankState<ExecutionSpace, Value>& state) {
    std::vector<RestartSources> sources;
    for (const Column& column : columns) sources.push_back(column.sources);
    const RestartTable restart(state.nodes, static_cast<std::size_t>(state.width), sources);
    state.restart.named = placed_in(exec_space, m_buffers->named, restart.named);
    state.restart.before = placed_in(exec_space, m_buffers->before, restart.before);
    state.restart.shares = placed_in(exec_space, m_buffers->shares, restart.shares);
  }
  /// Ranks the nodes of the chosen columns, adjacent queries together.
  template <class Value, class Chosen>
  void answer(const ExecutionSpace& exec_space, const PageRankState<ExecutionSpace, Value>& state,
              const std::vector<Column>& columns, const Chosen& is_chosen,
              const PageRankCall& call) {
    for (std::size_t first = 0; first < columns.size();) {
      const std::size_t query = columns[first].query;
      std::size_t end = first;
      for (; end < columns.size() && is_chosen(columns[end]) &&
             columns[end].query == query + (end - first);
           ++end) {
        const PageRankProgress& progress = columns[end].progress;
        call.convergence[columns[end].query] = {progress.iterations, progress.residual};
      }
      if (end > first)
        m_buffers->ranking.rank(exec_space, state, state.nodes, first, end - first, 1, call.top,
                                call.ranks.data() + query * call.top);
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
    take_page_rank_columns<ExecutionSpace, Value>(
        exec_space, state.next, from_width, placed_in(exec_space, m_buffers->columns, kept), state);
    place_restart(exec_space, columns, state);
    PageRankProgress progress[batch];
    for (std::size_t i = 0; i < batch; ++i) {
      if (i < columns.size())
        progress[i] = columns[i].progress;
      else
        progress[i].is_done = 1;
    }
    upload(exec_space, m_buffers->progress.view(), progress, static_cast<std::size_t>(state.width));
  }

  MemoryResource& m_memory;
  std::optional<Buffers> m_buffers;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_GRAPH_PAGE_RANK_WORKSPACE_HPP
