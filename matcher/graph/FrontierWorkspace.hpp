// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_GRAPH_FRONTIER_WORKSPACE_HPP
#define KINDRED_MATCHER_GRAPH_FRONTIER_WORKSPACE_HPP

#include "SpreadingWorkspace.hpp"

#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/arch/Special.hpp>
#include <kindred/core/graph/Frontier.hpp>
#include <kindred/memory/Buffer.hpp>
#include <kindred/memory/Copies.hpp>
#include <kindred/memory/PinnedArray.hpp>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace Kindred::Impl {

/// \brief Processes queries with small frontiers on one space. Kept between calls, so that repeated
/// calls of the same size allocate nothing.
template <class ExecutionSpace>
class FrontierWorkspace {
 public:
  using memory_space = typename ExecutionSpace::memory_space;

  /// \param pinned memory of the host
  FrontierWorkspace(MemoryResource& memory, MemoryResource& pinned)
      : m_memory(memory),
        m_shared_ranks(pinned, "Kindred::SpreadingEngine::frontier_ranks"),
        m_shared_done(pinned, "Kindred::SpreadingEngine::frontier_done") {}

  bool is_empty() const { return m_state.shape.slots == 0; }
  /// Releases its memory for use by whole hops.
  void release() {
    m_state = {};
    release(m_value, m_passed, m_tier, m_mark, m_control, m_rows, m_long_rows, m_blocks, m_partial,
            m_hubs, m_keys);
  }

  /// \brief For every query that fits into a thread block cluster, writes its best ranks and sets
  /// its \p done to 1; sets it to 0 for the others. Fences \p exec_space. \see
  /// spread_small_frontier
  void spread_small(const ExecutionSpace& exec_space, const GraphSide<memory_space>& in,
                    const GraphSide<memory_space>& out, std::span<const QuerySources> sources,
                    const SpreadRequest& request, std::span<Rank> ranks,
                    std::span<std::uint8_t> done) {
    constexpr std::uint32_t hops_most = 4096;  // limit of the hops whose decays are uploaded
    std::ranges::fill(done, std::uint8_t{0});
    if (!Special::is_used<Special::Form::small_frontier, ExecutionSpace>() || sources.empty() ||
        request.top == 0 || request.top > small_frontier_top_max ||
        request.parameters.hops > hops_most || !has_weights(in.built) || !has_weights(in.delta))
      return;
    try {
      stage(exec_space, sources, request.parameters, request.decay, hops_most);
      launch(exec_space, in, out, Form::small, request.top, ranks, done);
    } catch (const OutOfMemory&) {
      std::ranges::fill(done, std::uint8_t{0});
    }
  }

  /// \brief For every query that it completes, writes the best ranks and sets its \p done to 1;
  /// sets it to 0 for queries left to whole hops. Fences \p exec_space.
  /// \param edges of the graph \param slots maximum number of concurrent queries
  void spread(const ExecutionSpace& exec_space, const GraphSide<memory_space>& in,
              const GraphSide<memory_space>& out, std::size_t edges, std::size_t slots,
              std::span<const QuerySources> sources, const SpreadRequest& request,
              std::span<Rank> ranks, std::span<std::uint8_t> done) {
    const std::size_t top = request.top;
    std::ranges::fill(done, std::uint8_t{0});
    if (sources.empty() || top == 0 || !has_weights(in.built) || !has_weights(in.delta)) return;
    FrontierShape shape;
    shape.nodes = in.nodes;
    shape.budget = FrontierShape::budget_of<ExecutionSpace>(in.nodes, edges);
    constexpr std::size_t slot_nodes_max = std::size_t{1} << (is_device ? 26 : 24);
    shape.slots = std::min(
        {slots, sources.size(), std::max<std::size_t>(1, slot_nodes_max / (shape.nodes + 1))});
    try {
      prepare(exec_space, shape);
      // On a device, long lists of ranks stay in the slots.
      const bool leaves_keys = is_device && top > frontier_top_max;
      const std::size_t together = leaves_keys ? m_state.shape.slots : sources.size();
      for (std::size_t first = 0; first < sources.size(); first += together) {
        const std::size_t count = std::min(together, sources.size() - first);
        const auto some = sources.subspan(first, count);
        // The budget ends before a frontier lives longer.
        stage(exec_space, some, request.parameters, request.decay,
              m_state.shape.budget / FrontierShape::row_steps + 2);
        launch(exec_space, in, out, Form::global, leaves_keys ? 0 : top,
               ranks.subspan(first * top, count * top), done.subspan(first, count));
        if (leaves_keys)
          fetch_keys(exec_space, top, ranks.subspan(first * top, count * top),
                     done.subspan(first, count));
      }
    } catch (const OutOfMemory&) {  // whole hops need less memory, or report the failure
      Arch::fence(exec_space, "Kindred::SpreadingEngine::spread::out_of_memory");
      release();
      std::ranges::fill(done, std::uint8_t{0});
    }
  }

 private:
  static constexpr bool is_device = Arch::is_device<ExecutionSpace>;
  /// Where the state of a query is kept: in team scratch memory, or in `m_state`.
  enum class Form : std::uint8_t { small, global };

  template <class T>
  using buffer = Buffer<T, memory_space>;

  /// Float32, as the sums of small frontiers read them.
  static bool has_weights(const GraphRows<memory_space>& rows) {
    return rows.weights.extent(0) == rows.sources.extent(0);
  }
  template <class... Buffers>
  void release(Buffers&... buffers) {
    ((buffers = {}), ...);
  }
  template <class T>
  void make(ArrayView<T, ExecutionSpace>& view, buffer<T>& to, const char* label,
            std::size_t size) {
    to = {};
    to = buffer<T>(m_memory, label, size);
    view = to.view();
  }

  /// \throws OutOfMemory; the object is then empty
  void prepare(const ExecutionSpace& exec_space, FrontierShape shape) {
    const FrontierShape& had = m_state.shape;
    if (shape.slots <= had.slots && shape.nodes <= had.nodes && shape.budget <= had.budget) return;
    if (had.slots > 0) {  // grows with the graph, but not with every added node
      shape.slots = std::max(shape.slots, had.slots);
      shape.nodes = std::max(had.nodes, shape.nodes + shape.nodes / 8);
      shape.budget = std::max(had.budget, shape.budget + shape.budget / 8);
    }
    const FrontierSizes<ExecutionSpace> sizes(shape);
    const std::size_t places = shape.slots * shape.nodes;
    m_state = {};
    try {
      make(m_state.value, m_value, "Kindred::SpreadingEngine::frontier_value", places);
      make(m_state.passed, m_passed, "Kindred::SpreadingEngine::frontier_passed", 3 * places);
      make(m_state.tier, m_tier, "Kindred::SpreadingEngine::frontier_tier", places);
      make(m_state.mark, m_mark, "Kindred::SpreadingEngine::frontier_mark", places);
      make(m_state.control, m_control, "Kindred::SpreadingEngine::frontier_control", shape.slots);
      make(m_state.rows, m_rows, "Kindred::SpreadingEngine::frontier_rows",
           shape.slots * sizes.rows);
      make(m_state.long_rows, m_long_rows, "Kindred::SpreadingEngine::frontier_long_rows",
           shape.slots * sizes.long_rows);
      make(m_state.blocks, m_blocks, "Kindred::SpreadingEngine::frontier_blocks",
           shape.slots * sizes.blocks);
      make(m_state.partial, m_partial, "Kindred::SpreadingEngine::frontier_partial",
           shape.slots * sizes.blocks);
      make(m_state.hubs, m_hubs, "Kindred::SpreadingEngine::frontier_hubs",
           shape.slots * sizes.hubs);
      make(m_state.keys, m_keys, "Kindred::SpreadingEngine::frontier_keys",
           shape.slots * sizes.keys);
    } catch (const OutOfMemory&) {
      release();
      throw;
    }
    m_state.shape = shape;
    clear_frontier(exec_space, m_state);
  }

  /// Copies the queries to memory of the space.
  void stage(const ExecutionSpace& exec_space, std::span<const QuerySources> sources,
             const HopParameters& parameters, const Decay& decay, std::uint64_t hops_most) {
    m_host_queries.clear();
    m_host_sources.clear();
    m_host_decays.clear();
    const std::uint64_t hops = std::min<std::uint64_t>(parameters.hops, hops_most);
    for (std::uint32_t hop = 1; hop <= hops; ++hop) m_host_decays.push_back(decay_at(decay, hop));
    for (const QuerySources& query : sources) {
      FrontierQuery requested;
      requested.first_source = static_cast<std::uint32_t>(m_host_sources.size());
      requested.sources = static_cast<std::uint32_t>(query.size());
      requested.parameters = parameters;
      m_host_queries.push_back(requested);
      m_host_sources.insert(m_host_sources.end(), query.begin(), query.end());
    }
    m_call = {};
    m_call.count = sources.size();
    if (m_call.count == 1 && m_host_sources.size() <= m_call.few_sources &&
        m_host_decays.size() <= m_call.few_hops) {
      m_call.only = m_host_queries.front();
      std::ranges::copy(m_host_sources, m_call.only_sources);
      std::ranges::copy(m_host_decays, m_call.only_decays);
      return;
    }
    m_call.queries = place(exec_space, m_queries, m_host_queries);
    m_call.sources = place(exec_space, m_sources, m_host_sources);
    m_call.decays = place(exec_space, m_decays, m_host_decays);
    m_host_taken.assign(1, 0);
    place(exec_space, m_taken, m_host_taken);
    m_call.taken = is_device ? m_taken.view() : view_of(m_host_taken);
  }
  template <class T>
  static ArrayView<T, ExecutionSpace> view_of(std::vector<T>& values) {
    return ArrayView<T, ExecutionSpace>(values.data(), values.size());
  }
  template <class T>
  ArrayView<const T, ExecutionSpace> place(const ExecutionSpace& exec_space, buffer<T>& to,
                                           std::vector<T>& values) {
    if constexpr (is_device) {
      if (to.size() < values.size())
        to = buffer<T>(m_memory, "Kindred::SpreadingEngine::frontier_queries", values.size());
      upload(exec_space, to.view(), values.data(), values.size());
      return to.const_view();
    } else {
      return view_of(values);
    }
  }

  void launch(const ExecutionSpace& exec_space, const GraphSide<memory_space>& in,
              const GraphSide<memory_space>& out, Form form, std::size_t top, std::span<Rank> ranks,
              std::span<std::uint8_t> done) {
    const std::size_t places = top == 0 ? 0 : ranks.size();
    Rank* to = ranks.data();
    std::uint8_t* to_done = done.data();
    if constexpr (is_device) {
      m_shared_ranks.resize_discarding(places);
      m_shared_done.resize_discarding(done.size());
      to = m_shared_ranks.data();
      to_done = m_shared_done.data();
    }
    m_call.top = static_cast<std::uint32_t>(top);
    m_call.ranks = ArrayView<Rank, ExecutionSpace>(to, places);
    m_call.done = ArrayView<std::uint8_t, ExecutionSpace>(to_done, done.size());
    if (form == Form::global)
      spread_frontier(exec_space, in, out, m_state, m_call);
    else if (!spread_small_frontier(exec_space, in, out, m_call))
      return;
    Arch::fence(exec_space, "Kindred::SpreadingEngine::spread::frontier");
    if constexpr (is_device) {
      std::copy_n(m_shared_ranks.data(), places, ranks.begin());
      std::copy_n(m_shared_done.data(), done.size(), done.begin());
    }
  }

  /// Ranks the keys that the queries left in their slots.
  void fetch_keys(const ExecutionSpace& exec_space, std::size_t top, std::span<Rank> ranks,
                  std::span<const std::uint8_t> done) {
    const std::size_t slot_keys = FrontierSizes<ExecutionSpace>(m_state.shape).keys;
    std::vector<FrontierControl> control(done.size());
    download(exec_space, control.data(), m_state.control, control.size());
    std::vector<Rank> keys;
    for (std::size_t slot = 0; slot < done.size(); ++slot) {
      if (done[slot] == 0) continue;
      keys.resize(control[slot].entries);
      const std::pair part(slot * slot_keys, slot * slot_keys + keys.size());
      download(exec_space, keys.data(), Kokkos::subview(m_state.keys, part), keys.size());
      std::erase(keys, rank_none);
      const std::size_t best = std::min(top, keys.size());
      std::ranges::partial_sort(keys, keys.begin() + static_cast<std::ptrdiff_t>(best));
      const auto row = ranks.subspan(slot * top, top);
      std::ranges::fill(std::copy_n(keys.begin(), best, row.begin()), row.end(), rank_none);
    }
  }

  MemoryResource& m_memory;
  FrontierState<ExecutionSpace> m_state;
  FrontierQueries<ExecutionSpace> m_call;
  buffer<float> m_value;
  buffer<float> m_passed;
  buffer<std::uint8_t> m_tier;
  buffer<std::uint32_t> m_mark;
  buffer<FrontierControl> m_control;
  buffer<FrontierRow> m_rows;
  buffer<FrontierRow> m_long_rows;
  buffer<FrontierBlock> m_blocks;
  buffer<double> m_partial;
  buffer<FrontierOut> m_hubs;
  buffer<Rank> m_keys;
  std::vector<FrontierQuery> m_host_queries;
  std::vector<Activation> m_host_sources;
  std::vector<float> m_host_decays;
  std::vector<std::uint32_t> m_host_taken;
  buffer<FrontierQuery> m_queries;
  buffer<Activation> m_sources;
  buffer<float> m_decays;
  buffer<std::uint32_t> m_taken;
  PinnedArray<Rank> m_shared_ranks;
  PinnedArray<std::uint8_t> m_shared_done;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_GRAPH_FRONTIER_WORKSPACE_HPP
