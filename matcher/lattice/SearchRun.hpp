// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_LATTICE_SEARCH_RUN_HPP
#define KINDRED_MATCHER_LATTICE_SEARCH_RUN_HPP

#include <kindred/core/arch/Concurrency.hpp>
#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/common/Cancellation.hpp>
#include <kindred/core/common/Ragged.hpp>
#include <kindred/core/lattice/LatticeSearch.hpp>
#include <kindred/memory/Buffer.hpp>
#include <kindred/memory/Copies.hpp>
#include <kindred/memory/PlacedArray.hpp>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace Kindred::Impl {

/// \brief The tables that searches over a lattice read in addition to its shape; built by the first
/// search.
struct SearchTables {
  LatticeBits bits;
  std::vector<std::uint64_t> step_masks;
  std::vector<std::uint64_t> open;  ///< words; empty: no node is blocked
  /// With guard words, one dimension after the other; empty: none.
  std::vector<std::uint64_t> blocked_edges;
};

/// \brief Runs searches over a lattice on one space sequentially, with their workspace.
template <class ExecutionSpace>
class SearchRun {
 public:
  using memory_space = typename ExecutionSpace::memory_space;

  /// \param threads of the space, 1 on a device \throws OutOfMemory
  SearchRun(const ExecutionSpace& exec_space, MemoryResource& memory, int threads,
            const SearchTables& tables)
      : m_memory(memory),
        m_exec_space(exec_space),
        m_threads(static_cast<std::uint64_t>(threads)),
        m_unreached(memory, "Kindred::Lattice::unreached", tables.bits.words()),
        m_frontiers{{memory, "Kindred::Lattice::frontier", tables.bits.guarded_words()},
                    {memory, "Kindred::Lattice::frontier", tables.bits.guarded_words()}},
        m_distances(memory, "Kindred::Lattice::distances", tables.bits.grid.nodes),
        m_found(memory, "Kindred::Lattice::found", LatticeSearch<ExecutionSpace>::found_size) {
    m_open_words = m_open.placed(exec_space, tables.open);
    m_search.bits = tables.bits;
    m_search.step_masks = m_step_masks.placed(exec_space, tables.step_masks);
    m_search.blocked_edges = m_blocked_edges.placed(exec_space, tables.blocked_edges);
    m_search.unreached = m_unreached.view();
    m_search.frontiers[0] = m_frontiers[0].view();
    m_search.frontiers[1] = m_frontiers[1].view();
    m_search.distances = m_distances.view();
    m_search.found = m_found.view();
    m_open_count = tables.bits.grid.nodes;
    if (!tables.open.empty()) {
      m_open_count = 0;
      for (const std::uint64_t word : tables.open)
        m_open_count += static_cast<std::uint64_t>(Kokkos::popcount(word));
    }
  }

  /// Sets the instance, and with it the host threads, of the next search.
  void run_on(const ExecutionSpace& exec_space) {
    m_exec_space = exec_space;
    m_threads = static_cast<std::uint64_t>(Arch::concurrency(exec_space));
  }

  /// Searches from \p sources, which must not be blocked, until all reachable \p targets are
  /// reached; without targets, until all reachable nodes are. Fences.
  void run(std::span<const std::uint64_t> sources, std::span<const std::uint64_t> targets = {}) {
    start_lattice_search<ExecutionSpace>(m_exec_space, m_search, m_open_words,
                                         m_sources.placed(m_exec_space, sources));
    m_farthest = 0;
    if (!sources.empty()) {
      set_band(sources);
      if constexpr (Arch::is_device<ExecutionSpace>)
        device_levels(targets);
      else
        host_levels(sources, targets);
    }
    Arch::fence(m_exec_space, "Kindred::Lattice::search");
  }

  std::uint32_t farthest() const { return m_farthest; }
  /// Number of nodes that the last search reached. Fences.
  std::uint64_t reached() const {
    return m_open_count - count_unreached<ExecutionSpace>(m_exec_space, m_search);
  }

  /// Distances of all nodes. Fences.
  void distances(std::span<std::uint32_t> out) const {
    download(m_exec_space, out.data(), m_distances.view(), out.size());
  }
  /// Distances of \p targets. Fences.
  std::vector<std::uint32_t> distances_of(std::span<const std::uint64_t> targets) {
    std::vector<std::uint32_t> out(targets.size());
    const auto found = m_target_distances.writable(out);
    gather_distances<ExecutionSpace>(m_exec_space, m_search,
                                     m_targets.placed(m_exec_space, targets), found);
    m_target_distances.take(m_exec_space, out);
    return out;
  }
  /// A path to every target, one row per target. Fences.
  Ragged<std::uint64_t> paths(std::span<const std::uint64_t> targets) {
    Ragged<std::uint64_t> out;
    std::uint64_t total = 0;
    for (const std::uint32_t distance : distances_of(targets)) {
      if (distance != lattice_unreached) total += std::uint64_t{distance} + 1;
      out.offsets.push_back(total);
    }
    out.values.resize(total);
    const auto nodes = m_paths.writable(out.values);
    trace_lattice_paths<ExecutionSpace>(
        m_exec_space, m_search, m_targets.placed(m_exec_space, targets),
        m_begins.placed(m_exec_space, std::span<const std::uint64_t>(out.offsets)), nodes);
    m_paths.take(m_exec_space, out.values);
    return out;
  }

 private:
  /// Computes the lines that the frontier may reach.
  void set_band(std::span<const std::uint64_t> sources) {
    const auto [least, greatest] = std::ranges::minmax(sources);
    m_first_line = least / m_search.bits.line;
    m_last_line = greatest / m_search.bits.line + 1;
  }
  void widen_band() {
    const LatticeBits& bits = m_search.bits;
    const std::uint64_t step =
        bits.line_dimensions < bits.grid.dimensions ? bits.grid.strides[0] / bits.line : 0;
    m_first_line -= std::min(m_first_line, step);
    m_last_line = std::min(m_last_line + step, bits.lines);
  }
  std::uint32_t first_word() const {
    return static_cast<std::uint32_t>(m_first_line * m_search.bits.line_words);
  }
  std::uint32_t last_word() const {
    return static_cast<std::uint32_t>(m_last_line * m_search.bits.line_words);
  }

  /// Several levels are queued together; a level after the last one has no effect.
  void device_levels(std::span<const std::uint64_t> targets) {
    constexpr std::uint32_t at_once = 16;
    std::vector<std::uint32_t> found(m_found.size());
    for (std::uint32_t level = 1;;) {
      const std::uint32_t end = level + at_once;
      for (; level < end; ++level) {
        widen_band();
        lattice_level<ExecutionSpace>(m_exec_space, m_search, level, first_word(), last_word());
      }
      download(m_exec_space, found.data(), m_found.view(), found.size());
      m_farthest = *std::ranges::max_element(found);
      if (m_farthest + 1 < level) return;
      CancelPoint().check();
      if (targets.empty()) continue;
      const std::vector<std::uint32_t> distances = distances_of(targets);
      if (std::ranges::find(distances, lattice_unreached) == distances.end()) return;
    }
  }

  /// A sparse level is processed through a list of its nodes.
  void host_levels(std::span<const std::uint64_t> sources, std::span<const std::uint64_t> targets) {
    const LatticeBits& bits = m_search.bits;
    std::vector<std::uint64_t> list;
    std::vector<std::uint64_t> next;
    for (const std::uint64_t source : sources) list.push_back(bits.bit_of(source));
    bool is_list = true;
    std::uint64_t count = list.size();
    std::size_t target = 0;
    for (std::uint32_t level = 1; count > 0; ++level) {
      while (target < targets.size() && m_distances.data()[targets[target]] != lattice_unreached)
        ++target;
      if (!targets.empty() && target == targets.size()) return;
      CancelPoint().check();
      widen_band();
      const std::uint64_t words = (last_word() - first_word()) / m_threads;
      if (is_list && count * list_out > words) {
        is_list = false;
        to_bits(list, level - 1);
      } else if (!is_list && count * list_in < words) {
        is_list = true;
        to_list(list, level - 1);
      }
      if (is_list) {
        lattice_level_of(m_search, level, list, next);
        list.swap(next);
        count = list.size();
      } else {
        count =
            lattice_level<ExecutionSpace>(m_exec_space, m_search, level, first_word(), last_word());
      }
      if (count > 0) m_farthest = level;
    }
  }
  void to_bits(const std::vector<std::uint64_t>& list, std::uint32_t level) {
    for (auto& frontier : m_frontiers)
      std::fill_n(frontier.data(), frontier.size(), std::uint64_t{0});
    std::uint64_t* words = m_frontiers[level % 2].data() + m_search.bits.guard();
    for (const std::uint64_t bit : list) words[bit / 64] |= std::uint64_t{1} << bit % 64;
  }
  void to_list(std::vector<std::uint64_t>& list, std::uint32_t level) const {
    list.clear();
    const std::uint64_t* words = m_frontiers[level % 2].data() + m_search.bits.guard();
    for (std::uint64_t word = first_word(); word < last_word(); ++word)
      for (std::uint64_t left = words[word]; left != 0; left &= left - 1)
        list.push_back(word * 64 + static_cast<std::uint64_t>(Kokkos::countr_zero(left)));
  }

  // Cost of a listed node in words; two different limits prevent levels from alternating between
  // the forms.
  static constexpr std::uint64_t list_in = 4;
  static constexpr std::uint64_t list_out = 2;

  using placed_words = PlacedArray<ExecutionSpace, std::uint64_t>;

  MemoryResource& m_memory;
  ExecutionSpace m_exec_space;
  std::uint64_t m_threads;
  Buffer<std::uint64_t, memory_space> m_unreached;
  Buffer<std::uint64_t, memory_space> m_frontiers[2];
  Buffer<std::uint32_t, memory_space> m_distances;
  Buffer<std::uint32_t, memory_space> m_found;
  placed_words m_sources{m_memory, "Kindred::Lattice::sources"};
  placed_words m_targets{m_memory, "Kindred::Lattice::targets"};
  placed_words m_begins{m_memory, "Kindred::Lattice::path_begins"};
  placed_words m_paths{m_memory, "Kindred::Lattice::path_nodes"};
  PlacedArray<ExecutionSpace, std::uint32_t> m_target_distances{
      m_memory, "Kindred::Lattice::target_distances"};
  placed_words m_step_masks{m_memory, "Kindred::Lattice::step_masks"};
  placed_words m_open{m_memory, "Kindred::Lattice::open"};
  placed_words m_blocked_edges{m_memory, "Kindred::Lattice::blocked_edges"};
  ArrayView<const std::uint64_t, ExecutionSpace> m_open_words;
  LatticeSearch<ExecutionSpace> m_search;
  std::uint64_t m_open_count = 0;
  std::uint32_t m_farthest = 0;
  std::uint64_t m_first_line = 0;
  std::uint64_t m_last_line = 0;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_LATTICE_SEARCH_RUN_HPP
