// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_GRAPH_REBUILT_ROWS_HPP
#define KINDRED_MATCHER_GRAPH_REBUILT_ROWS_HPP

#include "EdgeForm.hpp"
#include "GraphView.hpp"
#include "OwnedRows.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace Kindred::Impl {

using HostGraphSide = GraphSide<Kokkos::HostSpace>;
using HostRowPlace = RowPlace<Kokkos::HostSpace>;

/// An edge as seen from one of its ends.
struct HalfEdge {
  std::uint32_t node = 0;
  std::uint32_t end = 0;
  float weight = 1;
  std::uint8_t kind = 0;
};

/// The float32 weight of edge \p i of a row.
float weight_at(const HostRowPlace& row, std::uint64_t i);
inline std::uint8_t kind_at(const HostRowPlace& row, std::uint64_t i) {
  return row.part->kinds.extent(0) == 0 ? std::uint8_t{0} : row.part->kinds(row.begin + i);
}
inline HostRowPlace row_of(const HostGraphSide& side, std::uint32_t node) {
  return Kindred::row_of(side.built, side.delta, node);
}

/// Builder of rebuilt rows of one direction.
class RebuiltRows {
 public:
  explicit RebuiltRows(EdgeForm form) : m_form(form) {}

  /// Begins the row of \p node; nodes must ascend.
  void begin(std::uint32_t node);
  /// Appends edge \p i of \p row.
  void add(const HostRowPlace& row, std::uint64_t i);
  void add(const HalfEdge& edge);
  void end() { m_offsets.push_back(m_ends.size()); }

  std::span<const std::uint32_t> nodes() const { return m_nodes; }
  /// Copies the rows to separate memory and plans them. \throws OutOfMemory
  HostRows rows(MemoryResource& memory) const;

 private:
  EdgeForm m_form;
  std::vector<std::uint32_t> m_nodes;
  std::vector<std::uint64_t> m_offsets{0};
  std::vector<std::uint32_t> m_ends;
  std::vector<float> m_weights;
  std::vector<std::uint16_t> m_short_weights;
  std::vector<std::uint8_t> m_kinds;
};

/// \brief A change of the rows of one direction.
struct RowChange {
  std::span<const std::uint32_t> touched;  ///< nodes whose row changes, ascending and distinct
  std::span<const HalfEdge> added;         ///< by node, then by input order
  /// Whether an edge of a touched row is removed, by node, end and kind; empty: none is removed.
  std::function<bool(std::uint32_t, std::uint32_t, std::uint8_t)> drops;
  bool by_source = false;  ///< rows are ordered by (source, input order) instead of input order
};

/// \brief The rebuilt rows after a change: those of \p side, and the touched ones. The order is
/// fixed: added edges follow existing ones, within the same source if `by_source`. \param outside
/// updated by the change in the number of edges with a weight outside [0, 1]
RebuiltRows changed_rows(const HostGraphSide& side, const RowChange& change, EdgeForm form,
                         std::int64_t& outside, std::int64_t& edges);

/// The rows of \p nodes (ascending) as they are in \p side.
RebuiltRows rows_of(const HostGraphSide& side, std::span<const std::uint32_t> nodes, EdgeForm form);

/// Allocates the buffers of \p rows for the given number of edges, uninitialized. \throws
/// OutOfMemory
void allocate_edges(MemoryResource& memory, std::size_t edges, EdgeForm form, HostRows& rows);
/// Rows for the given numbers of nodes and edges, uninitialized. \throws OutOfMemory
HostRows rows_for(MemoryResource& memory, std::size_t nodes, std::size_t edges, EdgeForm form);
AdjacencySpan adjacency_of(const HostRows& rows);
/// All rows of \p side merged into one array, planned. \throws OutOfMemory
HostRows joined_rows(MemoryResource& memory, const HostGraphSide& side, EdgeForm form);

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_GRAPH_REBUILT_ROWS_HPP
