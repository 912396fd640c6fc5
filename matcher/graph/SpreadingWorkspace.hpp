// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_GRAPH_SPREADING_WORKSPACE_HPP
#define KINDRED_MATCHER_GRAPH_SPREADING_WORKSPACE_HPP

#include "EdgeChoice.hpp"
#include "HopWorkspace.hpp"
#include "NodeRanking.hpp"

#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/graph/Hop.hpp>
#include <kindred/core/graph/SourceArrays.hpp>
#include <kindred/memory/Buffer.hpp>
#include <kindred/memory/Copies.hpp>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace Kindred::Impl {

/// The sources of one query: distinct nodes in ascending order, with the values of duplicates
/// added.
using QuerySources = std::span<const Activation>;

/// Parameters common to all queries of a call.
struct SpreadRequest {
  HopParameters parameters;
  Decay decay;
  std::size_t top = 10;
  EdgeRules rules;
  std::span<const EdgeKinds>
      query_kinds;  ///< one per query; empty: all queries follow the kinds of `rules`
  bool short_activations = false;
};
/// Queries of a call whose sources and results are arrays in the memory of a space.
template <class ExecutionSpace>
struct ArrayQueries {
  SourceArrays<ExecutionSpace> sources;
  std::size_t queries = 0;
  std::size_t top = 0;  ///< columns of the results
  ArrayView<std::uint32_t, ExecutionSpace> nodes;
  ArrayView<float, ExecutionSpace> values;
};
/// Parameters of a hop.
struct HopRequest {
  HopDirection direction = HopDirection::along;
  std::size_t columns = 1;
  EdgeRules rules;
};

/// The workspace of spreading on one space, kept between calls.
template <class ExecutionSpace>
class SpreadingWorkspace {
 public:
  using memory_space = typename ExecutionSpace::memory_space;

  explicit SpreadingWorkspace(MemoryResource& memory)
      : m_memory(memory), m_hops(memory), m_choice(memory) {
    release();
  }

  /// Bytes of data derived from a graph, excluding the workspace.
  std::uint64_t kept_bytes() const { return m_choice.bytes(); }
  bool is_empty() const {
    return m_value.bytes() + m_passed.bytes() + m_hops.bytes() + m_choice.bytes() == 0;
  }
  /// Releases all its memory. None of its kernels may still run.
  void release_all() {
    release();
    m_choice.release();
  }

  /// Number of queries spread together.
  static constexpr std::size_t batch = static_cast<std::size_t>(HopWidth::thirty_two);

  /// The direction along the edges of \p graph with \p rules applied; valid until the next such
  /// call.
  GraphSide<memory_space> along(const ExecutionSpace& exec_space,
                                const GraphView<memory_space>& graph, const GraphIdentity& identity,
                                const EdgeRules& rules) {
    return m_choice.side(exec_space, graph, identity, HopDirection::along, rules);
  }

  /// Spreads \p sources (at most `batch`) over \p graph, which must come from `along`, and writes
  /// the best ranks of each query to \p ranks, padded with `rank_none`. Fences \p exec_space.
  /// \throws OutOfMemory; the workspace is then released, so that a smaller batch can use its
  /// memory
  void spread(const ExecutionSpace& exec_space, const GraphSide<memory_space>& graph,
              std::span<const QuerySources> sources, const SpreadRequest& request, Rank* ranks) {
    try {
      spread_all(exec_space, graph, sources, request, ranks);
    } catch (const OutOfMemory&) {
      Arch::fence(exec_space, "Kindred::SpreadingEngine::spread::out_of_memory");
      release();
      throw;
    }
  }

  /// \brief Spreads the queries of arrays over \p graph, which must come from `along`, and writes
  /// their results. Does not fence: every hop reads all edges until nothing is passed on.
  /// \throws OutOfMemory; the workspace is then released
  void launch_spread(const ExecutionSpace& exec_space, const GraphSide<memory_space>& graph,
                     const ArrayQueries<ExecutionSpace>& queries, const SpreadRequest& request) {
    m_array_shape = {};
    try {
      m_faults.resize_discarding(queries.queries);
      Kokkos::deep_copy(exec_space, m_faults.view(), 0U);
      for (std::size_t first = 0; first < queries.queries; first += batch) {
        const std::size_t count = std::min(batch, queries.queries - first);
        SpreadState<ExecutionSpace> state = prepare(exec_space, graph, count, request, {});
        start_from_arrays(exec_space, state, queries.sources, graph.nodes, first, count,
                          request.parameters.mode, m_faults.view());
        HopParameters parameters = request.parameters;
        for (std::uint32_t hop = 1; hop <= parameters.hops; ++hop)
          launch_next(exec_space, graph, state, request, parameters, hop);
        put_best(exec_space, graph.nodes, state, first, count, queries);
      }
    } catch (const OutOfMemory&) {
      Arch::fence(exec_space, "Kindred::SpreadingEngine::spread::out_of_memory");
      release();
      throw;
    }
    m_array_shape = shape_of(graph, queries, request);
  }
  /// Whether `launch_spread` neither allocates memory nor changes what calls that are still running
  /// may read: it was the last such call that had these sizes.
  bool is_ready_to_spread(const GraphSide<memory_space>& graph, const GraphIdentity& identity,
                          const ArrayQueries<ExecutionSpace>& queries,
                          const SpreadRequest& request) const {
    return m_choice.has(identity, HopDirection::along, request.rules) &&
           m_array_shape == shape_of(graph, queries, request);
  }

  /// `y = Wᵀx` or `y = W x` for columns. Fences \p exec_space.
  void hop(const ExecutionSpace& exec_space, const GraphView<memory_space>& graph,
           const GraphIdentity& identity, std::span<const float> x, std::span<float> y,
           const HopRequest& request) {
    if constexpr (Arch::is_device<ExecutionSpace>) {
      m_passed.resize_discarding(x.size());
      m_next.resize_discarding(y.size());
      upload(exec_space, m_passed.view(), x.data(), x.size());
      launch_hop(exec_space, graph, identity, m_passed.const_view(), m_next.view(), request);
      download(exec_space, y.data(), m_next.view(), y.size());
    } else {
      launch_hop(exec_space, graph, identity,
                 ArrayView<const float, ExecutionSpace>(x.data(), x.size()),
                 ArrayView<float, ExecutionSpace>(y.data(), y.size()), request);
      Arch::fence(exec_space, "Kindred::SpreadingEngine::hop");
    }
  }
  /// The same for vectors in memory of the space. Does not fence.
  void launch_hop(const ExecutionSpace& exec_space, const GraphView<memory_space>& graph,
                  const GraphIdentity& identity, const ArrayView<const float, ExecutionSpace>& x,
                  const ArrayView<float, ExecutionSpace>& y, const HopRequest& request) {
    const GraphSide<memory_space> side =
        m_choice.side(exec_space, graph, identity, request.direction, request.rules);
    const auto words = m_choice.kind_queries(exec_space, request.rules);
    m_hops.hop(exec_space, side, x, y, request.columns, words);
  }
  /// Whether `launch_hop` neither allocates memory nor changes what hops that are still running may
  /// read.
  bool is_ready_to_hop(const GraphView<memory_space>& graph, const GraphIdentity& identity,
                       const float* x, const HopRequest& request) const {
    const auto& side = request.direction == HopDirection::along ? graph.in : graph.out;
    return m_choice.has(identity, request.direction, request.rules) &&
           m_hops.fits(side, x, request.columns);
  }

 private:
  template <class T>
  void release(Buffer<T, memory_space>& buffer, const char* label) {
    buffer = Buffer<T, memory_space>(m_memory, label, 0);
  }
  void release() {
    release(m_value, "Kindred::SpreadingEngine::value");
    release(m_passed, "Kindred::SpreadingEngine::passed");
    release(m_next, "Kindred::SpreadingEngine::next");
    release(m_tier, "Kindred::SpreadingEngine::tier");
    release(m_partial, "Kindred::SpreadingEngine::partial");
    release(m_last, "Kindred::SpreadingEngine::last");
    release(m_source_places, "Kindred::SpreadingEngine::source_places");
    release(m_source_values, "Kindred::SpreadingEngine::source_values");
    m_ranking.bind(m_memory);
    release(m_short_passed, "Kindred::SpreadingEngine::short_passed");
    release(m_short_next, "Kindred::SpreadingEngine::short_next");
    m_hops.release();
    release(m_faults, "Kindred::SpreadingEngine::faults");
    m_array_shape = {};
  }

  void spread_all(const ExecutionSpace& exec_space, const GraphSide<memory_space>& graph,
                  std::span<const QuerySources> sources, const SpreadRequest& request,
                  Rank* ranks) {
    HopParameters parameters = request.parameters;
    SpreadState<ExecutionSpace> state =
        prepare(exec_space, graph, sources.size(), request, request.query_kinds);
    start(exec_space, state, sources);
    for (std::uint32_t hop = 1; hop <= parameters.hops; ++hop) {
      if ((!Arch::is_device<ExecutionSpace> || hop % 16 == 0) && last(exec_space) + 1 < hop) break;
      launch_next(exec_space, graph, state, request, parameters, hop);
    }
    rank(exec_space, state, sources.size(), graph.nodes, request.top, ranks);
  }

  /// The state of \p queries queries, at most `batch`, in buffers of this workspace.
  SpreadState<ExecutionSpace> prepare(const ExecutionSpace& exec_space,
                                      const GraphSide<memory_space>& graph, std::size_t queries,
                                      const SpreadRequest& request,
                                      std::span<const EdgeKinds> query_kinds) {
    const HopWidth width = request.short_activations ? HopWidth::thirty_two : width_of(queries);
    const auto places = static_cast<std::size_t>(width) * graph.nodes;
    const std::size_t long_places = request.short_activations ? 0 : places;
    m_value.resize_discarding(places);
    m_passed.resize_discarding(long_places);
    m_next.resize_discarding(long_places);
    m_short_passed.resize_discarding(places - long_places);
    m_short_next.resize_discarding(places - long_places);
    m_tier.resize_discarding(request.parameters.mode == SpreadMode::engine ? places : 0);
    m_partial.resize_discarding(graph.blocks() * static_cast<std::size_t>(width));
    m_last.resize_discarding(hop_marks);
    SpreadState<ExecutionSpace> state;
    state.width = width;
    state.value = m_value.view();
    state.passed = m_passed.view();
    state.next = m_next.view();
    state.tier = m_tier.view();
    state.partial = m_partial.view();
    state.last = m_last.view();
    state.short_passed = m_short_passed.view();
    state.short_next = m_short_next.view();
    state.kind_queries = m_choice.kind_queries(exec_space, request.rules, query_kinds);
    return state;
  }

  static void launch_next(const ExecutionSpace& exec_space, const GraphSide<memory_space>& graph,
                          SpreadState<ExecutionSpace>& state, const SpreadRequest& request,
                          HopParameters& parameters, std::uint32_t hop) {
    parameters.hop = hop;
    parameters.decay = decay_at(request.decay, hop);
    spread_hop(exec_space, graph, state, parameters);
    std::swap(state.passed, state.next);
    std::swap(state.short_passed, state.short_next);
  }

  /// Writes the results of the queries `first … first + count` of \p queries.
  void put_best(const ExecutionSpace& exec_space, std::size_t nodes,
                const SpreadState<ExecutionSpace>& state, std::size_t first, std::size_t count,
                const ArrayQueries<ExecutionSpace>& queries) {
    const std::size_t found = std::min(nodes, queries.top);
    const auto put = [&](std::size_t from, std::size_t some) {
      put_ranks(exec_space, m_ranking.best(), found, first + from, some, queries.top,
                m_faults.const_view(), queries.nodes, queries.values);
    };
    if (found == 0) return put(0, count);
    m_ranking.select_best(exec_space, state, nodes, 0, count, ranked_together, found, put);
  }

  /// What determines the sizes of buffers in `launch_spread`.
  using array_shape = std::array<std::size_t, 6>;
  static array_shape shape_of(const GraphSide<memory_space>& graph,
                              const ArrayQueries<ExecutionSpace>& queries,
                              const SpreadRequest& request) {
    return {graph.nodes + 1,
            graph.blocks(),
            queries.queries,
            queries.top,
            static_cast<std::size_t>(request.parameters.mode),
            request.short_activations ? std::size_t{1} : std::size_t{0}};
  }

  void start(const ExecutionSpace& exec_space, const SpreadState<ExecutionSpace>& state,
             std::span<const QuerySources> sources) {
    std::vector<std::uint64_t> places;
    std::vector<float> values;
    std::size_t count = 0;
    for (const QuerySources& query : sources) count += query.size();
    places.reserve(count);
    values.reserve(count);
    for (std::size_t query = 0; query < sources.size(); ++query) {
      for (const Activation& source : sources[query]) {
        places.push_back(source.node * static_cast<std::uint64_t>(state.width) + query);
        values.push_back(source.value);
      }
    }
    m_source_places.resize_discarding(places.size());
    m_source_values.resize_discarding(values.size());
    upload(exec_space, m_source_places.view(), places.data(), places.size());
    upload(exec_space, m_source_values.view(), values.data(), values.size());
    start_spreading(exec_space, state, m_source_places.const_view(), m_source_values.const_view());
  }

  std::uint32_t last(const ExecutionSpace& exec_space) {
    std::uint32_t hop = 0;
    download(exec_space, &hop, m_last.view(), 1);
    return hop;
  }

  void rank(const ExecutionSpace& exec_space, const SpreadState<ExecutionSpace>& state,
            std::size_t queries, std::size_t nodes, std::size_t top, Rank* ranks) {
    if (nodes == 0) return;
    m_ranking.rank(exec_space, state, nodes, 0, queries, ranked_together, top, ranks);
  }

  /// The values of eight queries for a node are the smallest unit that a device reads.
  static constexpr std::size_t ranked_together = Arch::is_device<ExecutionSpace> ? 8 : 1;

  MemoryResource& m_memory;
  Buffer<float, memory_space> m_value;
  Buffer<float, memory_space> m_passed;
  Buffer<float, memory_space> m_next;
  Buffer<std::uint8_t, memory_space> m_tier;
  Buffer<double, memory_space> m_partial;
  Buffer<std::uint32_t, memory_space> m_last;
  Buffer<std::uint64_t, memory_space> m_source_places;
  Buffer<float, memory_space> m_source_values;
  NodeRanking<ExecutionSpace> m_ranking;
  Buffer<Arch::BFloat16, memory_space> m_short_passed;
  Buffer<Arch::BFloat16, memory_space> m_short_next;
  HopWorkspace<ExecutionSpace> m_hops;
  Buffer<std::uint32_t, memory_space> m_faults;  // one word per query
  array_shape m_array_shape{};                   // of the last `launch_spread`; zeros: none
  EdgeChoice<ExecutionSpace> m_choice;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_GRAPH_SPREADING_WORKSPACE_HPP
