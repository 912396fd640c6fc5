// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_GRAPH_GRAPH_SNAPSHOT_HPP
#define KINDRED_MATCHER_GRAPH_GRAPH_SNAPSHOT_HPP

#include "BuiltGraph.hpp"
#include "GraphView.hpp"
#include "OutWeights.hpp"

#include <kindred/core/common/Mutex.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace Kindred::Impl {

/// Attributes of the nodes other than their edges. Immutable.
struct NodeTable {
  Buffer<std::uint8_t, Kokkos::HostSpace> kinds;  ///< one per node; empty: all are of kind 0
  std::vector<std::uint64_t> removed;  ///< one bit per node; nodes beyond the end are not removed
  std::uint64_t removed_count = 0;
  std::shared_ptr<const void> owner;  ///< of the kinds, if they belong to a file

  bool is_removed(std::uint32_t node) const {
    return node / 64 < removed.size() && (removed[node / 64] >> node % 64 & 1U) != 0;
  }
};

/// The rebuilt rows of one direction in one memory space.
template <class MemorySpace>
struct DeltaRows {
  OwnedRows<MemorySpace> rows;
  Buffer<std::uint64_t, MemorySpace>
      replaced;  ///< one bit per row as built; empty if none is replaced

  std::uint64_t bytes() const { return rows.bytes() + replaced.bytes(); }
};

template <class MemorySpace>
struct GraphDelta {
  DeltaRows<MemorySpace> in;
  DeltaRows<MemorySpace> out;

  std::uint64_t bytes() const { return in.bytes() + out.bytes(); }
};

using HostDelta = GraphDelta<Kokkos::HostSpace>;

/// \brief One state of a graph: the rows as built and those rebuilt since. Immutable and shared by
/// calls.
class GraphSnapshot {
 public:
  /// \param nodes all ids below it have been assigned \param outside edges with a weight outside
  /// [0, 1]
  GraphSnapshot(Context& context, std::shared_ptr<const BuiltGraph> base,
                std::shared_ptr<const HostDelta> delta, std::shared_ptr<const NodeTable> table,
                std::size_t nodes, std::uint64_t edges, std::uint64_t outside);

  std::size_t nodes() const noexcept { return m_nodes; }
  std::uint64_t edges() const noexcept { return m_edges; }
  std::uint64_t outside_unit() const noexcept { return m_outside; }
  /// The rows as built: data derived from them is valid while it is the same.
  const std::shared_ptr<const BuiltGraph>& base() const noexcept { return m_base; }
  const std::shared_ptr<const NodeTable>& table() const noexcept { return m_table; }
  const std::shared_ptr<const HostDelta>& delta() const noexcept { return m_delta; }
  EdgeForm form() const noexcept { return m_form; }
  bool is_node(std::uint32_t node) const { return node < m_nodes && !m_table->is_removed(node); }
  /// The spaces on which calls may run.
  SpaceSet resident() const noexcept { return m_base->resident(); }
  /// Bytes of rows, node kinds and PageRank's sums in memory of \p space, 0 if the graph is not
  /// there.
  std::uint64_t bytes(Space space) const;

  const GraphView<Kokkos::HostSpace>& host() const noexcept { return m_host; }
  /// \brief The graph in the memory of \p exec_space, whose space must be in `resident()`. On a
  /// device the first call copies the changes and fences \p exec_space. \throws OutOfMemory
  template <class ExecutionSpace>
  GraphView<typename ExecutionSpace::memory_space> view(const ExecutionSpace& exec_space) const;
  /// Out-weight sums for PageRank; computed on first use.
  OutWeights& out_weights() const noexcept { return *m_out_weights; }

 private:
  template <class ExecutionSpace>
  struct Copy {
    std::optional<GraphDelta<typename ExecutionSpace::memory_space>> delta;
    Buffer<std::uint8_t, typename ExecutionSpace::memory_space> node_kinds;
    Buffer<std::uint64_t, typename ExecutionSpace::memory_space> removed;
  };
  struct Copies {
    Mutex mutex;
    Arch::PerSpace<Copy> of;  // the slot of the host stays empty
    std::uint64_t bytes = 0;
  };

  Context* m_context;
  std::shared_ptr<const BuiltGraph> m_base;
  std::shared_ptr<const HostDelta> m_delta;
  std::shared_ptr<const NodeTable> m_table;
  GraphIdentity m_identity{m_base, m_delta, m_table};  ///< so that no call counts references
  std::size_t m_nodes;
  std::uint64_t m_edges;
  std::uint64_t m_outside;
  EdgeForm m_form;
  GraphView<Kokkos::HostSpace> m_host;  ///< made once, since every call needs it
  std::unique_ptr<Copies> m_copies;
  std::unique_ptr<OutWeights> m_out_weights = std::make_unique<OutWeights>();
};

/// The rebuilt rows \p list in addition to the \p built rows. \throws OutOfMemory
DeltaRows<Kokkos::HostSpace> delta_rows(MemoryResource& memory, const RebuiltRows& list,
                                        std::size_t built);

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_GRAPH_GRAPH_SNAPSHOT_HPP
