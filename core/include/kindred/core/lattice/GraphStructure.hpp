// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_LATTICE_GRAPH_STRUCTURE_HPP
#define KINDRED_CORE_LATTICE_GRAPH_STRUCTURE_HPP

#include <kindred/core/common/Public.hpp>

#include <cstdint>
#include <optional>
#include <span>

namespace KINDRED_PUBLIC Kindred {

/// \brief Structural measures of an undirected graph.
struct GraphStructure {
  std::uint64_t nodes = 0;
  std::uint64_t edges = 0;
  std::uint64_t components = 0;
  std::uint64_t least_degree = 0;
  std::uint64_t greatest_degree = 0;
  double average_degree = 0;
  double density = 0;     ///< edges / all pairs; 0 for fewer than two nodes
  double clustering = 0;  ///< mean over all nodes; a node with fewer than two neighbours counts 0
  std::optional<std::uint64_t> diameter;  ///< of a connected graph
  std::uint64_t searches = 0;             ///< breadth-first searches that the diameter took

  bool is_connected() const noexcept { return components <= 1; }
};

inline double average_degree(double nodes, double edges) noexcept {
  return nodes > 0 ? 2 * edges / nodes : 0;
}
inline double graph_density(double nodes, double edges) noexcept {
  return nodes > 1 ? 2 * edges / (nodes * (nodes - 1)) : 0;
}

/// \brief Measures a graph given by its rows, on the calling thread. Thread-safe.
///
/// The diameter is exact, by the bounds of Takes and Kosters (2011): every breadth-first search
/// bounds the eccentricities of all nodes, and the algorithm ends once no node can exceed the
/// largest one found. Most graphs need few searches; the worst case is one per node. Complexity
/// O(searches · (nodes + edges)), and Σ degree² for the clustering.
/// \param offsets nodes + 1 \param ends row v is `ends[offsets[v] … offsets[v + 1])`, ascending; it
/// contains both directions of every edge and no loops
GraphStructure measure_structure(std::span<const std::uint64_t> offsets,
                                 std::span<const std::uint32_t> ends);

}  // namespace Kindred

#endif  // KINDRED_CORE_LATTICE_GRAPH_STRUCTURE_HPP
