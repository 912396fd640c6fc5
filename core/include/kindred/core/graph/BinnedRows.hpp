// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_GRAPH_BINNED_ROWS_HPP
#define KINDRED_CORE_GRAPH_BINNED_ROWS_HPP

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/common/ArrayView.hpp>
#include <kindred/core/graph/Adjacency.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace Kindred {

/// Nodes whose values lie in a device's scratch together.
inline constexpr std::uint32_t bin_sources = 49152;
/// Edges of a bin at most: a place within it has 16 bits, its products fill the scratch.
inline constexpr std::uint32_t bin_edges_max = 24576;
/// Rows that begin in a bin at most.
inline constexpr std::uint32_t bin_rows_max = 16384;

/// \brief Which edges a bin has: the short rows and the blocks of long rows that stand together.
struct BinPlan {
  std::vector<std::uint64_t> edges;   ///< bins + 1: first edge of each
  std::vector<std::uint32_t> rows;    ///< bins + 1: first row that begins in each
  std::vector<std::uint32_t> blocks;  ///< bins + 1: first block of a long row in each

  std::size_t bins() const { return rows.size() - 1; }
};
/// \param plan of the same rows on a device
BinPlan plan_bins(std::span<const std::uint64_t> offsets, const RowPlan& plan);

/// Edges from one block of sources into some bins, a team's work.
struct BinScatter {
  std::uint32_t block = 0;
  std::uint32_t first_bin = 0;
  std::uint32_t end_bin = 0;
};

/// \brief The edges of rows by bin and block of sources, so that a dense hop of one query reads and
/// writes memory in sequence: values go from blocks of sources to places of bins, then from these
/// to the sums. Owned by someone else; not const: a hop works in `values`.
///
/// A *place* is one of an edge; the places of a (bin, block) are a multiple of eight, those left
/// over lead nowhere.
template <class MemorySpace>
struct BinnedRows {
  ArrayView<const std::uint64_t, MemorySpace> edges;
  ArrayView<const std::uint32_t, MemorySpace> rows;
  ArrayView<const std::uint32_t, MemorySpace> blocks;
  ArrayView<const std::uint32_t, MemorySpace> cells;  ///< (source blocks + 1) × bins: first places
  ArrayView<const BinScatter, MemorySpace> scatters;
  ArrayView<const std::uint16_t, MemorySpace> sources;  ///< a place each: node within its block
  ArrayView<const std::uint16_t, MemorySpace> slots;    ///< a place each: edge within its bin
  ArrayView<const float, MemorySpace> weights;          ///< a place each
  ArrayView<float, MemorySpace> values;                 ///< a place each

  KOKKOS_INLINE_FUNCTION std::size_t bins() const {
    return rows.extent(0) == 0 ? 0 : rows.extent(0) - 1;
  }
};

/// \brief Whether \p exec_space can hop over bins at all: it has the scratch, and the graph has at
/// most 2²⁹ nodes and 2³¹ edges, since places are numbered in 32 bits. From how many nodes to how
/// many it pays is the caller's to say.
template <class ExecutionSpace>
bool can_bin(const ExecutionSpace& exec_space, std::uint64_t nodes, std::uint64_t edges);

/// Source blocks of \p nodes.
constexpr std::size_t bin_blocks(std::size_t nodes) {
  return (nodes + bin_sources - 1) / bin_sources;
}

/// \brief First places of every (source block, bin), and behind them the end of each bin: a hop's
/// `cells`. Does not fence. Complexity O(edges).
/// \param sources of the rows \param bin_edges `BinPlan::edges` \param cells
/// `(bin_blocks(nodes) + 1) × bins`
template <class ExecutionSpace>
void count_bins(const ExecutionSpace& exec_space,
                const ArrayView<const std::uint32_t, ExecutionSpace>& sources,
                const ArrayView<const std::uint64_t, ExecutionSpace>& bin_edges,
                const ArrayView<std::uint32_t, ExecutionSpace>& cells);

/// Sends of about equally many places. \param cells as above, on the host \param bins a row of it
std::vector<BinScatter> plan_scatters(std::span<const std::uint32_t> cells, std::size_t bins);

/// \brief Deals the edges out to places. Does not fence. Complexity O(edges).
/// \param next a copy of `cells`, which is used up
template <class ExecutionSpace>
void fill_bins(const ExecutionSpace& exec_space,
               const ArrayView<const std::uint32_t, ExecutionSpace>& sources,
               const ArrayView<const float, ExecutionSpace>& weights,
               const ArrayView<const std::uint64_t, ExecutionSpace>& bin_edges,
               const ArrayView<std::uint32_t, ExecutionSpace>& next,
               const ArrayView<std::uint16_t, ExecutionSpace>& slot_sources,
               const ArrayView<std::uint16_t, ExecutionSpace>& slot_edges,
               const ArrayView<float, ExecutionSpace>& slot_weights);

}  // namespace Kindred

#endif  // KINDRED_CORE_GRAPH_BINNED_ROWS_HPP
