// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_GRAPH_DENSE_BINS_HPP
#define KINDRED_MATCHER_GRAPH_DENSE_BINS_HPP

#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/arch/Special.hpp>
#include <kindred/core/graph/Hop.hpp>
#include <kindred/core/graph/RowPlan.hpp>
#include <kindred/memory/Buffer.hpp>
#include <kindred/memory/Copies.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace Kindred::Impl {

/// \brief Propagation-blocking bins of a graph's rows on one device, built once single-query dense
/// hops have cost as much time as building them.
///
/// They are worth their 12 bytes per edge if the values of all nodes exceed the L2 cache and each
/// bin reads contiguous values from a block of sources.
template <class ExecutionSpace>
class DenseBins {
 public:
  using memory_space = typename ExecutionSpace::memory_space;

  explicit DenseBins(MemoryResource& memory) : m_memory(memory) {}

  /// \brief The bins, if they exist already. Counts \p hops towards their cost; fences \p
  /// exec_space if it builds them. \param identity of \p rows: bins of another graph are dropped
  /// \param offsets of \p rows, on the host
  BinnedEdges<memory_space> after(const ExecutionSpace& exec_space, std::size_t hops,
                                  const std::shared_ptr<const void>& identity,
                                  const GraphRows<memory_space>& rows,
                                  std::span<const std::uint64_t> offsets) {
    constexpr std::size_t hops_to_pay = 32;
    if (m_identity.owner_before(identity) || identity.owner_before(m_identity)) {
      release();
      m_identity = identity;
      m_state = State::waiting;
      m_hops = 0;
    }
    if (m_state == State::waiting) {
      m_hops += hops;
      if (m_hops < hops_to_pay) return {};
      m_state = is_worth_it(exec_space, rows) && make(exec_space, rows, offsets) ? State::made
                                                                                 : State::none;
    }
    return m_state == State::made ? view() : BinnedEdges<memory_space>{};
  }

  /// The bins of the rows \p identity, if they exist already. Does not fence.
  BinnedEdges<memory_space> existing(const std::shared_ptr<const void>& identity) const {
    const bool is_same = !m_identity.owner_before(identity) && !identity.owner_before(m_identity);
    return is_same && m_state == State::made ? view() : BinnedEdges<memory_space>{};
  }

  /// \brief Releases their memory; the same rows are not binned again. No kernel may still read
  /// them. Returns whether there were any.
  bool drop() {
    if (m_state != State::made) return false;
    release();
    m_state = State::none;
    return true;
  }

  std::uint64_t bytes() const {
    return m_edges.bytes() + m_rows.bytes() + m_blocks.bytes() + m_cells.bytes() +
           m_scatters.bytes() + m_sources.bytes() + m_slots.bytes() + m_weights.bytes() +
           m_values.bytes();
  }

 private:
  enum class State { waiting, made, none };
  template <class T>
  using buffer = Buffer<T, memory_space>;

  static bool is_worth_it(const ExecutionSpace& exec_space, const GraphRows<memory_space>& rows) {
    // With fewer nodes the values fit into the cache; with more nodes, a bin has at most about 30
    // edges from a block of sources, and cache lines are read only in part.
    constexpr std::size_t nodes_min = std::size_t{1} << 22;
    constexpr std::size_t nodes_max = std::size_t{1} << 25;
    const std::size_t edges = rows.sources.extent(0);
    return rows.weights.extent(0) > 0 && rows.rows() >= nodes_min && rows.rows() <= nodes_max &&
           edges >= rows.rows() && can_bin(exec_space, rows.rows(), edges) &&
           Special::is_used<Special::Form::propagation_blocking, ExecutionSpace>();
  }

  /// Returns false if memory is insufficient.
  bool make(const ExecutionSpace& exec_space, const GraphRows<memory_space>& rows,
            std::span<const std::uint64_t> offsets) {
    const BinPlan plan =
        plan_bins(offsets, plan_rows(offsets, short_row_max<ExecutionSpace>(), offsets.back() + 1));
    try {
      place(exec_space, m_edges, plan.edges, "Kindred::SpreadingEngine::bin_edges");
      place(exec_space, m_rows, plan.rows, "Kindred::SpreadingEngine::bin_rows");
      place(exec_space, m_blocks, plan.blocks, "Kindred::SpreadingEngine::bin_blocks");
      std::vector<std::uint32_t> cells((bin_blocks(rows.rows()) + 1) * plan.bins());
      m_cells =
          buffer<std::uint32_t>(m_memory, "Kindred::SpreadingEngine::bin_cells", cells.size());
      count_bins(exec_space, rows.sources, m_edges.const_view(), m_cells.view());
      download(exec_space, cells.data(), m_cells.view(), cells.size());
      place(exec_space, m_scatters, plan_scatters(cells, plan.bins()),
            "Kindred::SpreadingEngine::bin_scatters");
      buffer<std::uint32_t> next;
      place(exec_space, next, cells, "Kindred::SpreadingEngine::bin_next");
      const std::size_t places = cells.back();
      m_sources = buffer<std::uint16_t>(m_memory, "Kindred::SpreadingEngine::bin_sources", places);
      m_slots = buffer<std::uint16_t>(m_memory, "Kindred::SpreadingEngine::bin_slots", places);
      m_weights = buffer<float>(m_memory, "Kindred::SpreadingEngine::bin_weights", places);
      m_values = buffer<float>(m_memory, "Kindred::SpreadingEngine::bin_values", places);
      fill_bins(exec_space, rows.sources, rows.weights, m_edges.const_view(), next.view(),
                m_sources.view(), m_slots.view(), m_weights.view());
      Arch::fence(exec_space, "Kindred::SpreadingEngine::bins");
      return true;
    } catch (const OutOfMemory&) {
      release();
      return false;
    }
  }

  void release() {
    m_edges = {};
    for (auto* of_words : {&m_rows, &m_blocks, &m_cells}) *of_words = {};
    m_scatters = {};
    for (auto* of_halves : {&m_sources, &m_slots}) *of_halves = {};
    for (auto* of_floats : {&m_weights, &m_values}) *of_floats = {};
  }

  template <class T>
  void place(const ExecutionSpace& exec_space, buffer<T>& to, const std::vector<T>& values,
             const char* label) {
    to = buffer<T>(m_memory, label, values.size());
    upload(exec_space, to.view(), values.data(), values.size());
  }

  BinnedEdges<memory_space> view() const {
    BinnedEdges<memory_space> bins;
    bins.edges = m_edges.const_view();
    bins.rows = m_rows.const_view();
    bins.blocks = m_blocks.const_view();
    bins.cells = m_cells.const_view();
    bins.scatters = m_scatters.const_view();
    bins.sources = m_sources.const_view();
    bins.slots = m_slots.const_view();
    bins.weights = m_weights.const_view();
    bins.values = m_values.view();
    return bins;
  }

  MemoryResource& m_memory;
  std::weak_ptr<const void> m_identity;
  State m_state = State::waiting;
  std::size_t m_hops = 0;
  buffer<std::uint64_t> m_edges;
  buffer<std::uint32_t> m_rows;
  buffer<std::uint32_t> m_blocks;
  buffer<std::uint32_t> m_cells;
  buffer<BinScatter> m_scatters;
  buffer<std::uint16_t> m_sources;
  buffer<std::uint16_t> m_slots;
  buffer<float> m_weights;
  buffer<float> m_values;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_GRAPH_DENSE_BINS_HPP
