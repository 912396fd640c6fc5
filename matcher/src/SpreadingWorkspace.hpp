// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SRC_SPREADING_WORKSPACE_HPP
#define KINDRED_MATCHER_SRC_SPREADING_WORKSPACE_HPP

#include "graph/GraphView.hpp"

#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/graph/Hop.hpp>
#include <kindred/core/select/TopK.hpp>
#include <kindred/memory/Buffer.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace Kindred::Impl {

/// The sources of one query: each node once, ascending, duplicates added.
using QuerySources = std::span<const Activation>;

/// What spreading on one space works in, kept between calls.
template <class ExecutionSpace>
class SpreadingWorkspace {
 public:
  using memory_space = typename ExecutionSpace::memory_space;

  explicit SpreadingWorkspace(MemoryResource& memory) : m_memory(memory) { release(); }

  /// Queries that are spread together.
  static constexpr std::size_t batch = static_cast<std::size_t>(HopWidth::thirty_two);

  /// Spreads \p sources (at most `batch`), writes the best \p top ranks of each to \p ranks,
  /// `rank_none` beyond what exists. Fences \p exec_space. \throws OutOfMemory; then it holds
  /// nothing, so that a smaller batch has the memory of this one
  void spread(const ExecutionSpace& exec_space, const GraphView<memory_space>& graph,
              std::span<const QuerySources> sources, HopParameters parameters, const Decay& decay,
              std::size_t top, Rank* ranks) {
    try {
      spread_all(exec_space, graph, sources, parameters, decay, top, ranks);
    } catch (const OutOfMemory&) {
      exec_space.fence("Kindred::SpreadingEngine::spread::out_of_memory");
      release();
      throw;
    }
  }

  /// `y = Wᵀx`. Fences \p exec_space.
  void hop(const ExecutionSpace& exec_space, const GraphView<memory_space>& graph,
           std::span<const float> x, std::span<float> y) {
    m_partial.resize_discarding(graph.in.blocks());
    if constexpr (Arch::is_device<ExecutionSpace>) {
      m_passed.resize_discarding(x.size());
      m_next.resize_discarding(y.size());
      upload(exec_space, m_passed.view(), x.data(), x.size());
      Kindred::hop(exec_space, graph.in, m_passed.const_view(), m_next.view(), m_partial.view());
      download(exec_space, y.data(), m_next.view(), y.size());
    } else {
      Kindred::hop(exec_space, graph.in, ArrayView<const float, ExecutionSpace>(x.data(), x.size()),
                   ArrayView<float, ExecutionSpace>(y.data(), y.size()), m_partial.view());
      exec_space.fence("Kindred::SpreadingEngine::hop");
    }
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
    release(m_keys, "Kindred::SpreadingEngine::keys");
    release(m_top, "Kindred::SpreadingEngine::top");
    release(m_select, "Kindred::SpreadingEngine::select");
  }

  void spread_all(const ExecutionSpace& exec_space, const GraphView<memory_space>& graph,
                  std::span<const QuerySources> sources, HopParameters parameters,
                  const Decay& decay, std::size_t top, Rank* ranks) {
    const std::size_t nodes = graph.nodes;
    const HopWidth width = sources.size() == 1   ? HopWidth::one
                           : sources.size() <= 8 ? HopWidth::eight
                                                 : HopWidth::thirty_two;
    const auto places = static_cast<std::size_t>(width) * nodes;
    m_value.resize_discarding(places);
    m_passed.resize_discarding(places);
    m_next.resize_discarding(places);
    m_tier.resize_discarding(parameters.mode == SpreadMode::engine ? places : 0);
    m_partial.resize_discarding(graph.in.blocks() * static_cast<std::size_t>(width));
    m_last.resize_discarding(1);
    SpreadState<ExecutionSpace> state{width,         m_value.view(), m_passed.view(),
                                      m_next.view(), m_tier.view(),  m_partial.view(),
                                      m_last.view()};
    start(exec_space, state, sources);
    for (std::uint32_t hop = 1; hop <= parameters.hops; ++hop) {
      if ((!Arch::is_device<ExecutionSpace> || hop % 16 == 0) && last(exec_space) + 1 < hop) break;
      parameters.hop = hop;
      parameters.decay = decay_at(decay, hop);
      spread_hop(exec_space, graph.in, state, parameters);
      std::swap(state.passed, state.next);
    }
    rank(exec_space, state, sources.size(), nodes, top, ranks);
  }

  void start(const ExecutionSpace& exec_space, const SpreadState<ExecutionSpace>& state,
             std::span<const QuerySources> sources) {
    std::vector<std::uint64_t> places;
    std::vector<float> values;
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
    constexpr std::size_t keys_max = std::size_t{1} << 24;
    const std::size_t step = std::clamp<std::size_t>(keys_max / nodes, 1, queries);
    for (std::size_t first = 0; first < queries; first += step) {
      const TopKShape shape{std::min(step, queries - first), nodes, top};
      m_keys.resize_discarding(shape.rows * nodes);
      m_top.resize_discarding(shape.rows * top);
      m_select.resize_discarding(top_k_workspace<ExecutionSpace, Rank>(shape));
      rank_nodes(exec_space, state, first, shape.rows, m_keys.view());
      top_k<ExecutionSpace, Rank>(exec_space, m_keys.const_view(), shape, m_top.view(),
                                  m_select.view());
      download(exec_space, ranks + first * top, m_top.view(), shape.rows * top);
    }
  }

  MemoryResource& m_memory;
  Buffer<float, memory_space> m_value;
  Buffer<float, memory_space> m_passed;
  Buffer<float, memory_space> m_next;
  Buffer<std::uint8_t, memory_space> m_tier;
  Buffer<double, memory_space> m_partial;
  Buffer<std::uint32_t, memory_space> m_last;
  Buffer<std::uint64_t, memory_space> m_source_places;
  Buffer<float, memory_space> m_source_values;
  Buffer<Rank, memory_space> m_keys;
  Buffer<Rank, memory_space> m_top;
  Buffer<Rank, memory_space> m_select;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SRC_SPREADING_WORKSPACE_HPP
