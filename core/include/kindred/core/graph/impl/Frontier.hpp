// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_GRAPH_IMPL_FRONTIER_HPP
#define KINDRED_CORE_GRAPH_IMPL_FRONTIER_HPP

#include <kindred/core/arch/RowSums.hpp>
#include <kindred/core/common/CanonicalSum.hpp>
#include <kindred/core/graph/Frontier.hpp>
#include <kindred/core/graph/impl/HopUpdate.hpp>

#include <limits>
#include <utility>

namespace Kindred::Impl {

/// A list of nodes in memory of the workspace.
struct NodeList {
  std::uint32_t* data;
  std::size_t size = 0;

  void push(std::uint32_t node) { data[size++] = node; }
  std::span<const std::uint32_t> nodes() const { return {data, size}; }
};

/// The sums of the blocks of a row.
struct RowBlocks {
  const std::uint32_t* sources;
  const float* weights;
  std::uint64_t count;
  const float* x;

  KOKKOS_INLINE_FUNCTION double operator()(std::uint64_t block) const {
    const std::uint64_t first = block * canonical_block;
    const std::uint64_t left = count - first;
    return Arch::RowSums<HostSpace>::sum(
        sources + first, weights + first,
        static_cast<std::uint32_t>(left < canonical_block ? left : canonical_block), x);
  }
};

/// One query after another in one slot.
class FrontierQuery {
 public:
  using graph_type = GraphRows<Kokkos::HostSpace>;

  FrontierQuery(const graph_type& graph, const std::uint64_t* out_offsets,
                const std::uint32_t* out_targets, const FrontierState& state, std::size_t slot)
      : m_graph(graph),
        m_out_offsets(out_offsets),
        m_out_targets(out_targets),
        m_budget(state.shape.budget),
        m_mark(state.mark.data() + slot * state.shape.nodes),
        m_stamp(state.stamp(slot)),
        m_keys(state.keys.data() + slot * state.shape.list()),
        m_touched{state.lists.data() + 3 * slot * state.shape.list()},
        m_frontier{m_touched.data + state.shape.list()},
        m_reached{m_frontier.data + state.shape.list()} {
    const std::pair row(slot * state.shape.nodes, (slot + 1) * state.shape.nodes);
    m_state.value = Kokkos::subview(state.value, row);
    m_state.passed = Kokkos::subview(state.passed, row);
    m_state.next = Kokkos::subview(state.next, row);
    m_state.tier = Kokkos::subview(state.tier, row);
    m_state.last = Kokkos::subview(state.last, std::pair(slot, slot + 1));
  }

  /// False where the budget did not suffice; `ranks` is then not written.
  bool run(std::span<const Activation> sources, const HopParameters& parameters, const Decay& decay,
           std::span<Rank> ranks) {
    const bool is_done = start(sources) && spread(parameters, decay);
    if (is_done) rank(ranks);
    clear();
    return is_done;
  }

 private:
  /// Every edge looked at is a step, and so is the setting up of a row.
  static constexpr std::uint64_t row_steps = 8;

  bool start(std::span<const Activation> sources) {
    if (m_stamp > std::numeric_limits<std::uint32_t>::max() / 2) {
      std::fill_n(m_mark, m_graph.rows(), 0U);
      m_stamp = 0;
    }
    m_first_stamp = ++m_stamp;
    m_steps = 0;
    if (sources.size() > m_budget / row_steps) return false;
    const SpreadState<HostSpace>& state = m_state;
    state.last(0) = 0;
    for (const Activation& source : sources) {
      m_mark[source.node] = m_stamp;
      m_touched.push(source.node);
      state.value(source.node) = source.value;
      if (source.value > 0.0F) state.tier(source.node) = 0;
      if (source.value == 0.0F) continue;
      state.passed(source.node) = source.value;
      m_frontier.push(source.node);
    }
    return true;
  }

  bool spread(HopParameters parameters, const Decay& decay) {
    for (std::uint32_t hop = 1; hop <= parameters.hops && m_frontier.size > 0; ++hop) {
      parameters.hop = hop;
      parameters.decay = decay_at(decay, hop);
      m_update.set(parameters);
      if (!reach()) return false;
      const SpreadState<HostSpace>& state = m_state;
      for (const std::uint32_t node : m_reached.nodes())
        state.next(node) = m_update.take(&state.value(node), &state.tier(node), row_sum(node));
      for (const std::uint32_t node : m_frontier.nodes()) state.passed(node) = 0.0F;
      m_frontier.size = 0;
      for (const std::uint32_t node : m_reached.nodes()) {
        if (state.next(node) != 0.0F) m_frontier.push(node);
      }
      std::swap(m_state.passed, m_state.next);
    }
    return true;
  }

  /// Lists the rows that the frontier reaches, each once.
  bool reach() {
    m_reached.size = 0;
    ++m_stamp;
    for (const std::uint32_t node : m_frontier.nodes()) {
      const std::uint64_t end = m_out_offsets[std::size_t{node} + 1];
      for (std::uint64_t i = m_out_offsets[node]; i < end; ++i) {
        const std::uint32_t target = m_out_targets[i];
        if (m_mark[target] == m_stamp) {
          ++m_steps;
          continue;
        }
        m_steps += row_steps + m_graph.offsets(std::size_t{target} + 1) - m_graph.offsets(target);
        if (m_steps > m_budget) return false;
        if (m_mark[target] < m_first_stamp) m_touched.push(target);
        m_mark[target] = m_stamp;
        m_reached.push(target);
      }
    }
    return m_steps <= m_budget;
  }

  double row_sum(std::uint32_t node) const {
    const std::uint64_t begin = m_graph.offsets(node);
    const std::uint64_t count = m_graph.offsets(std::size_t{node} + 1) - begin;
    const RowBlocks blocks{m_graph.sources.data() + begin, m_graph.weights.data() + begin, count,
                           m_state.passed.data()};
    return halving_tree((count + canonical_block - 1) / canonical_block, blocks);
  }

  void rank(std::span<Rank> ranks) {
    std::size_t count = 0;
    for (const std::uint32_t node : m_touched.nodes()) {
      const float value = m_state.value(node);
      if (value != 0.0F) m_keys[count++] = rank_descending(value, node);
    }
    const std::size_t top = std::min(count, ranks.size());
    std::partial_sort(m_keys, m_keys + top, m_keys + count);
    std::copy_n(m_keys, top, ranks.begin());
    std::fill(ranks.begin() + static_cast<std::ptrdiff_t>(top), ranks.end(), rank_none);
  }

  void clear() {
    const SpreadState<HostSpace>& state = m_state;
    for (const std::uint32_t node : m_touched.nodes()) {
      state.value(node) = 0.0F;
      state.passed(node) = 0.0F;
      state.next(node) = 0.0F;
      state.tier(node) = tier_untouched;
    }
    m_touched.size = m_frontier.size = m_reached.size = 0;
  }

  const graph_type& m_graph;
  const std::uint64_t* m_out_offsets;
  const std::uint32_t* m_out_targets;
  std::uint64_t m_budget;
  std::uint64_t m_steps = 0;
  std::uint32_t* m_mark;  // the stamp of the hop that reached a node last
  std::uint32_t& m_stamp;
  std::uint32_t m_first_stamp = 0;
  Rank* m_keys;
  NodeList m_touched;
  NodeList m_frontier;
  NodeList m_reached;
  NodeUpdate m_update;
  SpreadState<HostSpace> m_state;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_GRAPH_IMPL_FRONTIER_HPP
