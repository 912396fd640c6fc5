// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_LATTICE_HPP
#define KINDRED_MATCHER_LATTICE_HPP

#include <kindred/backends/Context.hpp>
#include <kindred/core/common/Ragged.hpp>
#include <kindred/core/lattice/GraphStructure.hpp>
#include <kindred/core/lattice/LatticeShape.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace Kindred {

/// Two nodes: the ends of an edge, or of a path.
struct LatticePair {
  std::uint64_t from = 0;
  std::uint64_t to = 0;

  friend bool operator==(const LatticePair&, const LatticePair&) = default;
};

/// What paths and searches may not take.
struct LatticeBlocks {
  std::span<const std::uint64_t> nodes = {};
  std::span<const LatticePair> edges = {};  ///< of neighbours, in either order
};

/// \brief A lattice as compressed rows: row v is `ends[offsets[v] … offsets[v + 1])`, ascending,
/// both directions of every edge.
struct LatticeRows {
  std::vector<std::uint64_t> offsets;  ///< nodes + 1
  std::vector<std::uint32_t> ends;
  DispatchRecord record;
};

/// How far nodes are from the nearest source.
struct LatticeDistances {
  static constexpr std::uint32_t unreached = 0xFFFFFFFFU;

  std::vector<std::uint32_t> distances;  ///< of every target in order, or of every node
  std::uint64_t reached = 0;             ///< nodes, the sources among them
  std::uint32_t farthest = 0;            ///< greatest distance of a node that is reached
  DispatchRecord record;
};

/// \brief A lattice: its structure, its shortest paths, and the graph of it where one is wanted.
///
/// Nodes and edges are implicit: what is held does not grow with the lattice, but for blocked nodes
/// and edges (a bit a node, and a bit a node and dimension). Blocks concern paths and searches
/// alone; rows, metrics and measurements are of the whole lattice. The answers are the same on
/// every space. Thread-safe; it does not change.
class Lattice {
 public:
  /// \param context outlives this
  /// \throws InvalidArgument for a shape out of range, a block that is no node or no edge of it;
  /// OutOfMemory
  Lattice(Context& context, std::uint32_t dimensions, std::uint32_t size,
          const LatticeBlocks& blocks = {});
  ~Lattice();
  Lattice(Lattice&&) noexcept;
  Lattice& operator=(Lattice&&) noexcept;

  const LatticeShape& shape() const noexcept;
  bool is_blocked(std::uint64_t node) const noexcept;

  /// Closed forms. Complexity O(1).
  LatticeMetrics metrics() const;
  /// \brief The same, measured on the rows, on the calling thread. \see measure_structure
  /// \param space where the rows are made \throws InvalidArgument for more nodes than a graph has
  /// (32 bits); OutOfMemory
  GraphStructure measure(std::optional<Space> space = {}) const;

  /// \brief The compressed rows, made on \p space, or where it is predicted to be quickest. Fences
  /// the instance it ran on. Complexity O(nodes + edges).
  /// \throws InvalidArgument for more nodes than a graph has; SpaceUnavailable; OutOfMemory
  LatticeRows rows(std::optional<Space> space = {}) const;
  /// The dense matrix, row-major, a byte an entry. \throws OutOfMemory
  std::vector<std::uint8_t> dense() const;
  /// \brief Writes the rows as a graph without weights, which `SpreadingEngine::load` and
  /// `kindred spread` read, in place of what is at \p path; whole or not at all.
  /// \throws as `rows`; InvalidArgument where no file can be written; Busy; Error
  void save(const std::string& path, std::optional<Space> space = {}) const;

  /// \brief A shortest path, both ends included; empty where there is none.
  ///
  /// It is the one that from the end back always takes the first neighbour, in the lattice's order,
  /// that is nearer to the beginning. Complexity O(dimensions · length) where nothing is blocked,
  /// else that of a search which ends at \p to.
  /// \throws InvalidArgument for an end that is no node, or is blocked; SpaceUnavailable;
  /// OutOfMemory
  std::vector<std::uint64_t> path(std::uint64_t from, std::uint64_t to,
                                  std::optional<Space> space = {}) const;
  /// \brief As `path`, a row a pair. Pairs of the same beginning share a search. \throws as `path`
  Ragged<std::uint64_t> paths(std::span<const LatticePair> pairs,
                              std::optional<Space> space = {}) const;
  /// \brief All simple paths of at most \p edges_max edges, each once, in the order in which a
  /// depth-first walk over neighbours finds them. Branches that cannot arrive in time are not
  /// walked.
  /// \param limit of paths \throws InvalidArgument as `path`, and for more paths than \p limit;
  /// OutOfMemory
  Ragged<std::uint64_t> all_paths(std::uint64_t from, std::uint64_t to, std::uint64_t edges_max,
                                  std::uint64_t limit = 1'000'000) const;

  /// \brief Breadth-first search from all \p sources at once. Fences the instance it ran on.
  /// Complexity O(nodes / 64 · dimensions · levels) where many nodes are reached at once,
  /// O(nodes · dimensions) where few are (host).
  /// \param targets whose distances are wanted; nothing: of all nodes
  /// \throws InvalidArgument for a source that is no node or is blocked, a target that is no node;
  /// SpaceUnavailable; OutOfMemory
  LatticeDistances distances(std::span<const std::uint64_t> sources,
                             std::optional<std::span<const std::uint64_t>> targets = {},
                             std::optional<Space> space = {}) const;

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_LATTICE_HPP
