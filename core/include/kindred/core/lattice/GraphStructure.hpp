// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_LATTICE_GRAPH_STRUCTURE_HPP
#define KINDRED_CORE_LATTICE_GRAPH_STRUCTURE_HPP

#include <cstdint>
#include <optional>
#include <span>

namespace Kindred {

/// \brief What is measured of an undirected graph.
struct GraphStructure {
  std::uint64_t nodes = 0;
  std::uint64_t edges = 0;
  std::uint64_t components = 0;
  std::uint64_t least_degree = 0;
  std::uint64_t greatest_degree = 0;
  double average_degree = 0;
  double density = 0;                     ///< edges of all pairs; 0 below two nodes
  double clustering = 0;                  ///< mean over all nodes; below two neighbours it is 0
  std::optional<std::uint64_t> diameter;  ///< of a graph in one piece
  std::uint64_t searches = 0;             ///< that the diameter took

  bool is_connected() const noexcept { return components <= 1; }
};

inline double average_degree(double nodes, double edges) noexcept {
  return nodes > 0 ? 2 * edges / nodes : 0;
}
inline double graph_density(double nodes, double edges) noexcept {
  return nodes > 1 ? 2 * edges / (nodes * (nodes - 1)) : 0;
}

/// \brief Measures a graph by its rows, on the calling thread.
///
/// The diameter is exact, by Takes and Kosters' bounds (2011): every breadth-first search bounds
/// the eccentricities of all nodes, and ends once no node can exceed what was found. Few searches
/// serve most graphs; one a node is the worst case. Complexity O(searches · (nodes + edges)) and
/// Σ degree² for the clustering.
/// \param offsets nodes + 1 \param ends row v is `ends[offsets[v] … offsets[v + 1])`, ascending;
/// both directions of every edge are there, no loops
GraphStructure measure_structure(std::span<const std::uint64_t> offsets,
                                 std::span<const std::uint32_t> ends);

}  // namespace Kindred

#endif  // KINDRED_CORE_LATTICE_GRAPH_STRUCTURE_HPP
