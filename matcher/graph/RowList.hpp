// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_GRAPH_ROW_LIST_HPP
#define KINDRED_MATCHER_GRAPH_ROW_LIST_HPP

#include "EdgeForm.hpp"
#include "GraphView.hpp"
#include "OwnedRows.hpp"

#include <kindred/matcher/GraphSpan.hpp>

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
/// Edges of a row whose weight is outside [0, 1].
std::uint64_t outside_unit(const HostRowPlace& row);

/// Rebuilt rows of one direction, while they are made.
class RowList {
 public:
  explicit RowList(EdgeForm form) : m_form(form) {}

  /// Begins the row of \p node; nodes ascend.
  void begin(std::uint32_t node);
  /// Edge \p i of \p row.
  void add(const HostRowPlace& row, std::uint64_t i);
  void add(const HalfEdge& edge);
  void end() { m_offsets.push_back(m_ends.size()); }

  std::span<const std::uint32_t> nodes() const { return m_nodes; }
  std::uint64_t edges() const { return m_ends.size(); }
  /// Of the row that was ended last.
  std::uint64_t last_outside_unit() const;
  /// In separate memory, planned. \throws OutOfMemory
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

/// \brief What happens to the rows of one direction.
struct RowChange {
  std::span<const std::uint32_t> touched;  ///< nodes whose row changes, ascending and distinct
  std::span<const HalfEdge> added;         ///< by node; in a node's by input order
  /// Whether an edge of a touched row goes; empty: none does. Takes node, end and kind.
  std::function<bool(std::uint32_t, std::uint32_t, std::uint8_t)> drops;
  bool by_source = false;  ///< rows are in (source, input order), not in input order
};

/// \brief The rebuilt rows after a change: those of \p side, and the touched ones. Canonical order:
/// what is added comes after what was there, among edges of the same source where `by_source`.
/// \param outside is told how many edges with a weight outside [0, 1] came or went
RowList changed_rows(const HostGraphSide& side, const RowChange& change, EdgeForm form,
                     std::int64_t& outside, std::int64_t& edges);

/// The rows of \p nodes (ascending) as they are in \p side.
RowList rows_of(const HostGraphSide& side, std::span<const std::uint32_t> nodes, EdgeForm form);

/// Buffers of \p rows for so many edges; nothing is filled in. \throws OutOfMemory
void allocate_edges(MemoryResource& memory, std::size_t edges, EdgeForm form, HostRows& rows);
/// Every row of \p side in one piece, planned. \throws OutOfMemory
HostRows joined_rows(MemoryResource& memory, const HostGraphSide& side, EdgeForm form);

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_GRAPH_ROW_LIST_HPP
