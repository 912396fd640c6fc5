// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_GRAPH_BINNED_EDGES_HPP
#define KINDRED_CORE_GRAPH_BINNED_EDGES_HPP

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/common/ArrayView.hpp>
#include <kindred/core/common/QuotientUp.hpp>
#include <kindred/core/graph/Adjacency.hpp>
#include <kindred/core/graph/RowPlan.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace Kindred {

/// Nodes per source block: together, their values fit into a device's scratch memory.
inline constexpr std::uint32_t bin_sources = 49152;
/// Maximum edges per bin: a slot within it fits 16 bits, and its products fit the scratch.
inline constexpr std::uint32_t bin_edges_max = 24576;
/// Maximum number of rows that begin in a bin.
inline constexpr std::uint32_t bin_rows_max = 16384;

/// \brief The edges of each bin: a contiguous run of short rows and of blocks of long rows.
struct BinPlan {
  std::vector<std::uint64_t> edges;   ///< bins + 1: the first edge of each bin
  std::vector<std::uint32_t> rows;    ///< bins + 1: the first row that begins in each bin
  std::vector<std::uint32_t> blocks;  ///< bins + 1: the first block of a long row in each bin

  std::size_t bins() const { return rows.size() - 1; }
};
/// \param plan of the same rows on a device
BinPlan plan_bins(std::span<const std::uint64_t> offsets, const RowPlan& plan);

/// The edges from one source block into some bins: the work of one team.
struct BinScatter {
  std::uint32_t block = 0;
  std::uint32_t first_bin = 0;
  std::uint32_t end_bin = 0;
};

/// \brief Propagation blocking: the edges of rows by bin and source block, so that a dense hop of
/// one query reads and writes memory sequentially. Values are scattered from source blocks to slots
/// of bins, then summed per bin. Non-owning; not const, since a hop works in `values`.
///
/// Every edge has a *slot*. The number of slots of a (bin, block) pair is a multiple of eight; the
/// surplus slots are unused.
template <class MemorySpace>
struct BinnedEdges {
  ArrayView<const std::uint64_t, MemorySpace> edges;
  ArrayView<const std::uint32_t, MemorySpace> rows;
  ArrayView<const std::uint32_t, MemorySpace> blocks;
  ArrayView<const std::uint32_t, MemorySpace> cells;  ///< (source blocks + 1) × bins: first slots
  ArrayView<const BinScatter, MemorySpace> scatters;
  ArrayView<const std::uint16_t, MemorySpace> sources;  ///< one per slot: node within its block
  ArrayView<const std::uint16_t, MemorySpace> slots;    ///< one per slot: edge within its bin
  ArrayView<const float, MemorySpace> weights;          ///< one per slot
  ArrayView<float, MemorySpace> values;                 ///< one per slot

  KOKKOS_INLINE_FUNCTION std::size_t bins() const {
    return rows.extent(0) == 0 ? 0 : rows.extent(0) - 1;
  }
};

/// \brief Whether \p exec_space can use bins at all: it has the scratch, and the graph has at most
/// 2²⁹ nodes and 2³¹ edges, since slots are numbered in 32 bits. The caller decides for which
/// numbers of nodes this pays off.
template <class ExecutionSpace>
bool can_bin(const ExecutionSpace& exec_space, std::uint64_t nodes, std::uint64_t edges);

/// Source blocks for \p nodes.
constexpr std::size_t bin_blocks(std::size_t nodes) { return quotient_up(nodes, bin_sources); }

/// \brief Computes the `cells` of a hop: the first slots of every (source block, bin), followed by
/// the end of each bin. Does not fence. Complexity O(edges).
/// \param sources the source node of every edge, row by row \param bin_edges `BinPlan::edges`
/// \param cells `(bin_blocks(nodes) + 1) × bins`
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
void count_bins(const ExecutionSpace& exec_space,
                const ArrayView<const std::uint32_t, ExecutionSpace>& sources,
                const ArrayView<const std::uint64_t, ExecutionSpace>& bin_edges,
                const ArrayView<std::uint32_t, ExecutionSpace>& cells);

/// Divides the cells into scatters with about equal numbers of slots.
/// \param cells as in `count_bins`, but on the host \param bins number of columns of \p cells
std::vector<BinScatter> plan_scatters(std::span<const std::uint32_t> cells, std::size_t bins);

/// \brief Assigns the edges to slots. Does not fence. Complexity O(edges).
/// \param next a copy of `cells`, which is overwritten
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
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

#endif  // KINDRED_CORE_GRAPH_BINNED_EDGES_HPP
