// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SRC_GRAPH_GRAPH_SNAPSHOT_HPP
#define KINDRED_MATCHER_SRC_GRAPH_GRAPH_SNAPSHOT_HPP

#include "GraphView.hpp"
#include "OutWeights.hpp"
#include "OwnedRows.hpp"

#include <kindred/backends/Context.hpp>
#include <kindred/core/arch/PerSpace.hpp>
#include <kindred/core/graph/Spreading.hpp>
#include <kindred/matcher/Residency.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

namespace Kindred::Impl {

/// One state of a graph wherever it lies; calls share it, none changes it.
class GraphSnapshot {
 public:
  /// \param edges their ends are below \p nodes \throws SpaceUnavailable, OutOfMemory
  GraphSnapshot(Context& context, std::size_t nodes, std::span<const Edge> edges,
                Residency residency);

  std::size_t nodes() const noexcept { return m_nodes; }
  std::size_t edges() const noexcept { return m_edges; }
  /// Of the rows as built: what is made of them is theirs as long as this is the same.
  const std::shared_ptr<const void>& identity() const noexcept { return m_identity; }
  /// Where calls over it may run.
  SpaceSet resident() const noexcept { return m_resident; }
  /// Bytes held where \p space computes, 0 if it is not there.
  std::uint64_t bytes(Space space) const noexcept;

  /// The graph where \p exec_space computes, which `resident` says it is.
  template <class ExecutionSpace>
  GraphView<typename ExecutionSpace::memory_space> view(const ExecutionSpace& exec_space) const;
  /// What PageRank divides by; made when it is first asked for.
  OutWeights& out_weights() const noexcept { return *m_out_weights; }

 private:
  template <class ExecutionSpace>
  struct Side {
    std::optional<OwnedRows<typename ExecutionSpace::memory_space>> in;
    std::optional<OwnedRows<typename ExecutionSpace::memory_space>> out;
  };

  void build(std::span<const Edge> edges);
  void place_on_device(Residency residency);

  Context* m_context;
  std::size_t m_nodes;
  std::size_t m_edges;
  SpaceSet m_resident = SpaceSet::host();
  std::shared_ptr<const void> m_identity = std::make_shared<int>();
  std::uint64_t m_device_bytes = 0;
  Arch::PerSpace<Side> m_sides;
  std::unique_ptr<OutWeights> m_out_weights = std::make_unique<OutWeights>();
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SRC_GRAPH_GRAPH_SNAPSHOT_HPP
