// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_GRAPH_HOP_BINS_HPP
#define KINDRED_MATCHER_GRAPH_HOP_BINS_HPP

#include "HeldMemory.hpp"

#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/arch/Special.hpp>
#include <kindred/core/graph/Hop.hpp>
#include <kindred/core/graph/RowPlan.hpp>
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
class HopBins {
 public:
  using memory_space = typename ExecutionSpace::memory_space;

  explicit HopBins(MemoryResource& memory) : m_memory(memory), m_held(memory) {}

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
    return m_state == State::made ? m_bins : BinnedEdges<memory_space>{};
  }

  /// The bins of the rows \p identity, if they exist already. Does not fence.
  BinnedEdges<memory_space> existing(const std::shared_ptr<const void>& identity) const {
    const bool is_same = !m_identity.owner_before(identity) && !identity.owner_before(m_identity);
    return is_same && m_state == State::made ? m_bins : BinnedEdges<memory_space>{};
  }

  /// \brief Releases their memory; the same rows are not binned again. No kernel may still read
  /// them. Returns whether there were any.
  bool drop() {
    if (m_state != State::made) return false;
    release();
    m_state = State::none;
    return true;
  }

  std::uint64_t bytes() const { return m_held.bytes(); }

 private:
  enum class State { waiting, made, none };
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
    const auto make = [&]<class T>(auto& view, T, const char* label, std::size_t size) {
      const auto made = m_held.template make<T>(label, size);
      view = made;
      return made;
    };
    try {
      m_bins.edges = m_held.copy(exec_space, "Kindred::SpreadingEngine::bin_edges", plan.edges);
      m_bins.rows = m_held.copy(exec_space, "Kindred::SpreadingEngine::bin_rows", plan.rows);
      m_bins.blocks = m_held.copy(exec_space, "Kindred::SpreadingEngine::bin_blocks", plan.blocks);
      std::vector<std::uint32_t> cells((bin_blocks(rows.rows()) + 1) * plan.bins());
      const auto counts =
          make(m_bins.cells, std::uint32_t{}, "Kindred::SpreadingEngine::bin_cells", cells.size());
      count_bins(exec_space, rows.sources, m_bins.edges, counts);
      download(exec_space, cells.data(), counts, cells.size());
      m_bins.scatters = m_held.copy(exec_space, "Kindred::SpreadingEngine::bin_scatters",
                                    plan_scatters(cells, plan.bins()));
      HeldMemory<memory_space> temporary(m_memory);
      const auto next = temporary.copy(exec_space, "Kindred::SpreadingEngine::bin_next", cells);
      const std::size_t places = cells.back();
      const auto sources =
          make(m_bins.sources, std::uint16_t{}, "Kindred::SpreadingEngine::bin_sources", places);
      const auto slots =
          make(m_bins.slots, std::uint16_t{}, "Kindred::SpreadingEngine::bin_slots", places);
      const auto weights =
          make(m_bins.weights, float{}, "Kindred::SpreadingEngine::bin_weights", places);
      make(m_bins.values, float{}, "Kindred::SpreadingEngine::bin_values", places);
      fill_bins(exec_space, rows.sources, rows.weights, m_bins.edges, next, sources, slots,
                weights);
      Arch::fence(exec_space, "Kindred::SpreadingEngine::bins");
      return true;
    } catch (const OutOfMemory&) {
      release();
      return false;
    }
  }

  void release() {
    m_bins = {};
    m_held.release();
  }

  MemoryResource& m_memory;
  HeldMemory<memory_space> m_held;
  BinnedEdges<memory_space> m_bins;
  std::weak_ptr<const void> m_identity;
  State m_state = State::waiting;
  std::size_t m_hops = 0;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_GRAPH_HOP_BINS_HPP
