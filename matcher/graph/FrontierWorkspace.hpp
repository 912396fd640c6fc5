// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_GRAPH_FRONTIER_WORKSPACE_HPP
#define KINDRED_MATCHER_GRAPH_FRONTIER_WORKSPACE_HPP

#include "HeldMemory.hpp"
#include "QueryGroups.hpp"

#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/arch/Special.hpp>
#include <kindred/core/graph/Frontier.hpp>
#include <kindred/memory/Buffer.hpp>
#include <kindred/memory/Copies.hpp>
#include <kindred/memory/PinnedArray.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace Kindred::Impl {

/// Queries that are tried as small ones.
template <class ExecutionSpace>
struct FrontierCall {
  const GraphSide<typename ExecutionSpace::memory_space>& in;
  const GraphSide<typename ExecutionSpace::memory_space>& out;
  const SpreadRequest& request;
  std::span<const QuerySources> sources;
  std::span<Rank> ranks;         ///< receives the best ranks of the queries that are completed
  std::span<std::uint8_t> done;  ///< receives 1 for those and 0 for the others

  FrontierCall part(std::size_t first, std::size_t count) const {
    return {in,
            out,
            request,
            sources.subspan(first, count),
            ranks.subspan(first * request.top, count * request.top),
            done.subspan(first, count)};
  }
  /// Whether there is something to do: small frontiers read float32 weights.
  bool is_possible() const {
    const auto has_weights = [](const auto& rows) {
      return rows.weights.extent(0) == rows.sources.extent(0);
    };
    return !sources.empty() && request.top > 0 && has_weights(in.built) && has_weights(in.delta);
  }
};

/// \brief Processes queries with small frontiers on one space. Kept between calls, so that repeated
/// calls of the same size allocate nothing.
template <class ExecutionSpace>
class FrontierWorkspace {
 public:
  using memory_space = typename ExecutionSpace::memory_space;
  using call_type = FrontierCall<ExecutionSpace>;

  explicit FrontierWorkspace(MemoryResource& memory) : m_memory(memory), m_held(memory) {}

  bool is_empty() const { return m_held.bytes() == 0; }
  /// Releases its memory for use by whole hops.
  void release() {
    m_state = {};
    m_held.release();
  }

  /// \brief Completes every query of \p call that fits into a thread block cluster. Fences \p
  /// exec_space. \see spread_small_frontier \param pinned memory of the host
  void spread_small(const ExecutionSpace& exec_space, MemoryResource& pinned,
                    const call_type& call) {
    constexpr std::uint32_t hops_most = 4096;  // limit of the hops whose decays are uploaded
    std::ranges::fill(call.done, std::uint8_t{0});
    if (!Special::is_used<Special::Form::small_frontier, ExecutionSpace>() || !call.is_possible() ||
        call.request.top > small_frontier_top_max || call.request.parameters.hops > hops_most)
      return;
    try {
      stage(exec_space, call, hops_most);
      launch(exec_space, pinned, call, call.request.top,
             [&] { return spread_small_frontier(exec_space, call.in, call.out, m_queued); });
    } catch (const OutOfMemory&) {
      std::ranges::fill(call.done, std::uint8_t{0});
    }
  }

  /// \brief Completes every query of \p call that stays within the budget; the others are left to
  /// whole hops. Fences \p exec_space.
  /// \param edges of the graph \param slots maximum number of concurrent queries
  void spread(const ExecutionSpace& exec_space, MemoryResource& pinned, const call_type& call,
              std::size_t edges, std::size_t slots) {
    std::ranges::fill(call.done, std::uint8_t{0});
    if (!call.is_possible()) return;
    const std::size_t queries = call.sources.size();
    FrontierShape shape;
    shape.nodes = call.in.nodes;
    shape.budget = FrontierShape::budget_of<ExecutionSpace>(call.in.nodes, edges);
    constexpr std::size_t slot_nodes_max = std::size_t{1} << (is_device ? 26 : 24);
    shape.slots =
        std::min({slots, queries, std::max<std::size_t>(1, slot_nodes_max / (shape.nodes + 1))});
    try {
      prepare(exec_space, shape);
      // On a device, long lists of ranks stay in the slots.
      const bool leaves_keys = is_device && call.request.top > frontier_top_max;
      const std::size_t together = leaves_keys ? m_state.shape.slots : queries;
      for (std::size_t first = 0; first < queries; first += together) {
        const call_type some = call.part(first, std::min(together, queries - first));
        // The budget ends before a frontier lives longer.
        stage(exec_space, some, m_state.shape.budget / FrontierShape::row_steps + 2);
        launch(exec_space, pinned, some, leaves_keys ? 0 : call.request.top, [&] {
          spread_frontier(exec_space, call.in, call.out, m_state, m_queued);
          return true;
        });
        if (leaves_keys) fetch_keys(exec_space, some);
      }
    } catch (const OutOfMemory&) {  // whole hops need less memory, or report the failure
      Arch::fence(exec_space, "Kindred::SpreadingEngine::spread::out_of_memory");
      release();
      std::ranges::fill(call.done, std::uint8_t{0});
    }
  }

 private:
  static constexpr bool is_device = Arch::is_device<ExecutionSpace>;
  template <class T>
  using buffer = Buffer<T, memory_space>;

  /// \throws OutOfMemory
  void prepare(const ExecutionSpace& exec_space, FrontierShape shape) {
    const FrontierShape had = m_state.shape;
    if (shape.slots <= had.slots && shape.nodes <= had.nodes && shape.budget <= had.budget) return;
    if (had.slots > 0) {  // grows with the graph, but not with every added node
      shape.slots = std::max(shape.slots, had.slots);
      shape.nodes = std::max(had.nodes, shape.nodes + shape.nodes / 8);
      shape.budget = std::max(had.budget, shape.budget + shape.budget / 8);
    }
    const FrontierSizes<ExecutionSpace> sizes(shape);
    const std::size_t slots = shape.slots;
    const std::size_t places = slots * shape.nodes;
    release();
    const auto make = [&]<class T>(ArrayView<T, ExecutionSpace>& view, const char* label,
                                   std::size_t size) {
      view = m_held.template make<T>(label, size);
    };
    make(m_state.value, "Kindred::SpreadingEngine::frontier_value", places);
    make(m_state.passed, "Kindred::SpreadingEngine::frontier_passed", 3 * places);
    make(m_state.tier, "Kindred::SpreadingEngine::frontier_tier", places);
    make(m_state.mark, "Kindred::SpreadingEngine::frontier_mark", places);
    make(m_state.control, "Kindred::SpreadingEngine::frontier_control", slots);
    make(m_state.rows, "Kindred::SpreadingEngine::frontier_rows", slots * sizes.rows);
    make(m_state.long_rows, "Kindred::SpreadingEngine::frontier_long_rows",
         slots * sizes.long_rows);
    make(m_state.blocks, "Kindred::SpreadingEngine::frontier_blocks", slots * sizes.blocks);
    make(m_state.partial, "Kindred::SpreadingEngine::frontier_partial", slots * sizes.blocks);
    make(m_state.hubs, "Kindred::SpreadingEngine::frontier_hubs", slots * sizes.hubs);
    make(m_state.keys, "Kindred::SpreadingEngine::frontier_keys", slots * sizes.keys);
    m_state.shape = shape;
    clear_frontier(exec_space, m_state);
  }

  /// Copies the queries to memory of the space.
  void stage(const ExecutionSpace& exec_space, const call_type& call, std::uint64_t hops_most) {
    const HopParameters& parameters = call.request.parameters;
    m_host_queries.clear();
    m_host_sources.clear();
    m_host_decays.clear();
    const std::uint64_t hops = std::min<std::uint64_t>(parameters.hops, hops_most);
    for (std::uint32_t hop = 1; hop <= hops; ++hop)
      m_host_decays.push_back(decay_at(call.request.decay, hop));
    for (const QuerySources& query : call.sources) {
      m_host_queries.push_back({static_cast<std::uint32_t>(m_host_sources.size()),
                                static_cast<std::uint32_t>(query.size()), parameters});
      m_host_sources.insert(m_host_sources.end(), query.begin(), query.end());
    }
    m_queued = {};
    m_queued.count = call.sources.size();
    if (m_queued.count == 1 && m_host_sources.size() <= m_queued.few_sources &&
        m_host_decays.size() <= m_queued.few_hops) {
      m_queued.only = m_host_queries.front();
      std::ranges::copy(m_host_sources, m_queued.only_sources);
      std::ranges::copy(m_host_decays, m_queued.only_decays);
      return;
    }
    m_queued.queries = place(exec_space, m_queries, m_host_queries);
    m_queued.sources = place(exec_space, m_sources, m_host_sources);
    m_queued.decays = place(exec_space, m_decays, m_host_decays);
    m_host_taken.assign(1, 0);
    place(exec_space, m_taken, m_host_taken);
    m_queued.taken = is_device ? m_taken.view() : view_of(m_host_taken);
  }
  template <class T>
  static ArrayView<T, ExecutionSpace> view_of(std::vector<T>& values) {
    return ArrayView<T, ExecutionSpace>(values.data(), values.size());
  }
  template <class T>
  static ArrayView<const T, ExecutionSpace> place(const ExecutionSpace& exec_space, buffer<T>& to,
                                                  std::vector<T>& values) {
    if constexpr (is_device) {
      return placed_in(exec_space, to, values);
    } else {
      return view_of(values);
    }
  }

  /// \param top ranks that the kernel leaves of each query \param start launches it, if it can
  template <class Start>
  void launch(const ExecutionSpace& exec_space, [[maybe_unused]] MemoryResource& pinned,
              const call_type& call, std::size_t top, const Start& start) {
    const std::size_t places = top == 0 ? 0 : call.ranks.size();
    Rank* to = call.ranks.data();
    std::uint8_t* to_done = call.done.data();
    if constexpr (is_device) {
      to = shared(pinned, m_shared_ranks, "Kindred::SpreadingEngine::frontier_ranks", places);
      to_done = shared(pinned, m_shared_done, "Kindred::SpreadingEngine::frontier_done",
                       call.done.size());
    }
    m_queued.top = static_cast<std::uint32_t>(top);
    m_queued.ranks = ArrayView<Rank, ExecutionSpace>(to, places);
    m_queued.done = ArrayView<std::uint8_t, ExecutionSpace>(to_done, call.done.size());
    if (!start()) return;
    Arch::fence(exec_space, "Kindred::SpreadingEngine::spread::frontier");
    if constexpr (is_device) {
      std::copy_n(to, places, call.ranks.begin());
      std::copy_n(to_done, call.done.size(), call.done.begin());
    }
  }
  template <class T>
  static T* shared(MemoryResource& pinned, std::optional<PinnedArray<T>>& array, const char* label,
                   std::size_t size) {
    if (!array) array.emplace(pinned, label);
    array->resize_discarding(size);
    return array->data();
  }

  /// Ranks the keys that the queries left in their slots.
  void fetch_keys(const ExecutionSpace& exec_space, const call_type& call) {
    const std::size_t top = call.request.top;
    const std::size_t slot_keys = FrontierSizes<ExecutionSpace>(m_state.shape).keys;
    std::vector<FrontierControl> control(call.done.size());
    download(exec_space, control.data(), m_state.control, control.size());
    std::vector<Rank> keys;
    for (std::size_t slot = 0; slot < call.done.size(); ++slot) {
      if (call.done[slot] == 0) continue;
      keys.resize(control[slot].entries);
      const std::pair part(slot * slot_keys, slot * slot_keys + keys.size());
      download(exec_space, keys.data(), Kokkos::subview(m_state.keys, part), keys.size());
      std::erase(keys, rank_none);
      const std::size_t best = std::min(top, keys.size());
      std::ranges::partial_sort(keys, keys.begin() + static_cast<std::ptrdiff_t>(best));
      const auto row = call.ranks.subspan(slot * top, top);
      std::ranges::fill(std::copy_n(keys.begin(), best, row.begin()), row.end(), rank_none);
    }
  }

  MemoryResource& m_memory;
  FrontierState<ExecutionSpace> m_state;
  HeldMemory<memory_space> m_held;  // of the state
  FrontierQueries<ExecutionSpace> m_queued;
  std::vector<FrontierQuery> m_host_queries;
  std::vector<Activation> m_host_sources;
  std::vector<float> m_host_decays;
  std::vector<std::uint32_t> m_host_taken;
  buffer<FrontierQuery> m_queries{m_memory, "Kindred::SpreadingEngine::frontier_queries", 0};
  buffer<Activation> m_sources{m_memory, "Kindred::SpreadingEngine::frontier_sources", 0};
  buffer<float> m_decays{m_memory, "Kindred::SpreadingEngine::frontier_decays", 0};
  buffer<std::uint32_t> m_taken{m_memory, "Kindred::SpreadingEngine::frontier_taken", 0};
  std::optional<PinnedArray<Rank>> m_shared_ranks;  // on a device
  std::optional<PinnedArray<std::uint8_t>> m_shared_done;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_GRAPH_FRONTIER_WORKSPACE_HPP
