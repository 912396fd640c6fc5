// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_GRAPH_IMPL_EDGE_ACCESSORS_HPP
#define KINDRED_CORE_GRAPH_IMPL_EDGE_ACCESSORS_HPP

#include <kindred/core/arch/Elements.hpp>
#include <kindred/core/graph/GraphRows.hpp>
#include <kindred/core/numeric/ReproducibleBlock.hpp>

#include <cstddef>
#include <cstdint>

namespace Kindred::Impl {

/// \brief Rows as kernels read them, as pointers to keep the kernel arguments small. Every query
/// uses every edge, weights are float32.
struct PlainEdges {
  static constexpr bool is_plain = true;

  const std::uint64_t* offsets = nullptr;
  const std::uint32_t* sources = nullptr;
  const float* weights = nullptr;
  const std::uint32_t* row_nodes = nullptr;
  const std::uint64_t* replaced = nullptr;
  const std::uint32_t* tiles = nullptr;
  std::size_t rows = 0;
  std::uint64_t edges = 0;

  KOKKOS_INLINE_FUNCTION std::uint32_t node_of(std::size_t row) const {
    return row_nodes == nullptr ? static_cast<std::uint32_t>(row) : row_nodes[row];
  }
  KOKKOS_INLINE_FUNCTION bool is_replaced(std::size_t row) const {
    return replaced != nullptr && (replaced[row / 64] >> row % 64 & 1U) != 0;
  }
  KOKKOS_INLINE_FUNCTION float weight(std::uint64_t edge) const { return weights[edge]; }
  /// Whether x has an element for each of these edges and their weights are finite.
  KOKKOS_INLINE_FUNCTION bool are_valid(std::uint64_t, std::uint32_t) const { return true; }
  /// Bit q: query q uses the edge.
  KOKKOS_INLINE_FUNCTION std::uint32_t queries(std::uint64_t) const { return 0xFFFFFFFFU; }
};

/// Edges of every other kind.
struct GeneralEdges : PlainEdges {
  static constexpr bool is_plain = false;

  const std::uint16_t* short_weights = nullptr;
  const std::uint8_t* kinds = nullptr;
  const std::uint32_t* kind_queries = nullptr;

  KOKKOS_INLINE_FUNCTION float weight(std::uint64_t edge) const {
    if (weights != nullptr) return weights[edge];
    return short_weights != nullptr ? Arch::to_float(Arch::BFloat16{short_weights[edge]}) : 1.0F;
  }
  KOKKOS_INLINE_FUNCTION std::uint32_t queries(std::uint64_t edge) const {
    if (kind_queries == nullptr) return 0xFFFFFFFFU;
    return kind_queries[kinds != nullptr ? kinds[edge] : 0];
  }
};

template <class View>
typename View::pointer_type data_or_null(const View& view) {
  return view.extent(0) == 0 ? nullptr : view.data();
}

/// \p rows as kernels read them.
template <class ExecutionSpace>
GeneralEdges general_edges(const GraphRows<typename ExecutionSpace::memory_space>& rows,
                           const ArrayView<const std::uint32_t, ExecutionSpace>& kind_queries) {
  GeneralEdges edges;
  edges.offsets = rows.offsets.data();
  edges.sources = rows.sources.data();
  edges.weights = data_or_null(rows.weights);
  edges.row_nodes = data_or_null(rows.row_nodes);
  edges.replaced = data_or_null(rows.replaced);
  edges.tiles = data_or_null(rows.tiles);
  edges.rows = rows.rows();
  edges.edges = rows.sources.extent(0);
  edges.short_weights = data_or_null(rows.short_weights);
  edges.kinds = data_or_null(rows.kinds);
  edges.kind_queries = data_or_null(kind_queries);
  return edges;
}

/// Calls `function(edges)` with \p rows as the simpler of the two types if that is sufficient.
template <class ExecutionSpace, class Function>
void with_edges(const GraphRows<typename ExecutionSpace::memory_space>& rows,
                const ArrayView<const std::uint32_t, ExecutionSpace>& kind_queries,
                const Function& function) {
  const GeneralEdges edges = general_edges<ExecutionSpace>(rows, kind_queries);
  if (edges.kind_queries == nullptr && (edges.weights != nullptr || edges.edges == 0))
    function(static_cast<const PlainEdges&>(edges));
  else
    function(edges);
}

/// A block of a long row: at most `reproducible_block` edges.
struct RowBlock {
  std::uint32_t row;
  std::uint32_t count;  ///< of edges
  std::uint64_t begin;  ///< its first edge
  bool is_whole;        ///< the row has no other block
};

/// Long rows and their blocks as kernels read them, as pointers to keep the kernel arguments small.
struct LongRowTable {
  const std::uint32_t* rows;
  const std::uint64_t* first;     ///< first block of each long row, and the total
  const std::uint32_t* of_block;  ///< index into `rows` of each block
  std::size_t size;               ///< number of long rows
  std::size_t blocks;             ///< of all long rows

  template <class Edges>
  KOKKOS_INLINE_FUNCTION RowBlock block(const Edges& edges, std::size_t index) const {
    const std::uint32_t entry = of_block[index];
    const std::uint32_t row = rows[entry];
    const std::uint64_t begin = edges.offsets[row] + (index - first[entry]) * reproducible_block;
    return {row, block_length(begin, edges.offsets[std::size_t{row} + 1]), begin,
            first[entry + 1] - first[entry] == 1};
  }
};

/// The long rows of \p rows.
template <class MemorySpace>
LongRowTable long_rows_of(const GraphRows<MemorySpace>& rows) {
  return {rows.long_rows.data(), rows.long_first.data(), rows.block_long_row.data(),
          rows.long_rows.extent(0), rows.blocks()};
}

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_GRAPH_IMPL_EDGE_ACCESSORS_HPP
