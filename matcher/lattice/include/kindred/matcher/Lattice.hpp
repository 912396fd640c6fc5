// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_LATTICE_HPP
#define KINDRED_MATCHER_LATTICE_HPP

#include <kindred/backends/Context.hpp>
#include <kindred/core/common/OwnedState.hpp>
#include <kindred/core/common/Public.hpp>
#include <kindred/core/common/Ragged.hpp>
#include <kindred/core/lattice/GraphStructure.hpp>
#include <kindred/core/lattice/LatticeShape.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace KINDRED_PUBLIC Kindred {

/// A pair of nodes: the ends of an edge or of a path.
struct LatticePair {
  std::uint64_t from = 0;
  std::uint64_t to = 0;

  friend bool operator==(const LatticePair&, const LatticePair&) = default;
};

/// Nodes and edges that paths and searches must not use.
struct LatticeBlocks {
  std::span<const std::uint64_t> nodes = {};
  std::span<const LatticePair> edges = {};  ///< between neighbours, in either order
};

/// Options of the calls of a `Lattice`.
struct LatticeOptions {
  std::optional<Space> space = {};  ///< overrides the dispatcher's choice
};

/// \brief A lattice as compressed rows: row v is `ends[offsets[v] … offsets[v + 1])`, ascending,
/// with both directions of every edge.
struct LatticeRows {
  std::vector<std::uint64_t> offsets;  ///< nodes + 1
  std::vector<std::uint32_t> ends;
  DispatchRecord record;
};

/// Shortest paths, one row per pair; a row is empty if there is none.
struct LatticePaths {
  Ragged<std::uint64_t> paths;
  DispatchRecord record;
};

/// Distances of nodes from the nearest source.
struct LatticeDistances {
  static constexpr std::uint32_t unreached = 0xFFFFFFFFU;

  std::vector<std::uint32_t> distances;  ///< one per target in order, or one per node
  std::uint64_t reached = 0;             ///< number of reached nodes, including the sources
  std::uint32_t farthest = 0;            ///< greatest distance of a reached node
  DispatchRecord record;
};

/// \brief A lattice: its structure, its shortest paths and, on request, its graph.
///
/// Nodes and edges are implicit, so memory does not grow with the lattice, except for blocked nodes
/// and edges (one bit per node, and one bit per node and dimension). Blocks affect only paths and
/// searches; rows, statistics and measurements cover the whole lattice. Results are the same on
/// every space. Thread-safe; immutable.
class Lattice {
 public:
  /// \param context must outlive this object
  /// \throws InvalidArgument for a shape out of range, or a block that is not a node or edge of the
  /// lattice; OutOfMemory
  Lattice(Context& context, std::uint32_t dimensions, std::uint32_t size,
          const LatticeBlocks& blocks = {});

  const LatticeShape& shape() const noexcept;
  bool is_blocked(std::uint64_t node) const noexcept;

  /// Sizes and degrees in closed form. Complexity O(1).
  LatticeStatistics statistics() const;
  /// \brief The same, measured on the rows, on the calling thread. \see measure_structure
  /// \param options the space on which the rows are built
  /// \throws InvalidArgument for more nodes than a graph supports (32-bit ids); OutOfMemory
  GraphStructure measure(const LatticeOptions& options = {}) const;

  /// \brief Builds the compressed rows. Fences the instance it ran on. Complexity O(nodes + edges).
  /// \throws InvalidArgument for more nodes than a graph supports; SpaceUnavailable; OutOfMemory
  LatticeRows rows(const LatticeOptions& options = {}) const;
  /// The dense adjacency matrix, row-major, one byte per entry. \throws OutOfMemory
  std::vector<std::uint8_t> dense() const;
  /// \brief Writes the rows as a graph without weights for `SpreadingEngine::load` and `kindred
  /// spread`. Atomically replaces an existing file.
  /// \throws as `rows`; InvalidArgument for a path that cannot be written; Busy; Error
  void save(const std::string& path, const LatticeOptions& options = {}) const;

  /// \brief A shortest path, including both ends; empty if there is none.
  ///
  /// The path is deterministic: traced back from the end, each step takes the first neighbour in
  /// the lattice's order that is nearer to the start. Complexity O(dimensions · length) if nothing
  /// is blocked, otherwise that of a search that stops at \p to.
  /// \throws InvalidArgument for an end that is not a node or is blocked; SpaceUnavailable;
  /// OutOfMemory
  std::vector<std::uint64_t> path(std::uint64_t from, std::uint64_t to,
                                  const LatticeOptions& options = {}) const;
  /// \brief As `path`, with one row per pair. Pairs with the same start share a search. \throws as
  /// `path`
  LatticePaths paths(std::span<const LatticePair> pairs, const LatticeOptions& options = {}) const;
  /// \brief All simple paths of at most \p edges_max edges, each once, in the order in which a
  /// depth-first search finds them. Branches that cannot reach \p to within the limit are pruned.
  /// The enumeration runs on the calling thread.
  /// \param limit maximum number of paths
  /// \throws InvalidArgument as `path`, and for more than \p limit paths; OutOfMemory
  Ragged<std::uint64_t> all_paths(std::uint64_t from, std::uint64_t to, std::uint64_t edges_max,
                                  std::uint64_t limit = 1'000'000) const;

  /// \brief Multi-source breadth-first search from all \p sources. Fences the instance it ran on.
  /// Complexity O(nodes / 64 · dimensions · levels) for wide frontiers, O(nodes · dimensions) for
  /// narrow ones (host).
  /// \param targets nodes whose distances are returned; no value: all nodes
  /// \throws InvalidArgument for a source that is not a node or is blocked, or a target that is not
  /// a node; SpaceUnavailable; OutOfMemory
  LatticeDistances distances(std::span<const std::uint64_t> sources,
                             const std::optional<std::span<const std::uint64_t>>& targets = {},
                             const LatticeOptions& options = {}) const;

 private:
  struct State;
  Impl::OwnedState<State> m_state;
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_LATTICE_HPP
