// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_LATTICE_LATTICE_SHAPE_HPP
#define KINDRED_CORE_LATTICE_LATTICE_SHAPE_HPP

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace Kindred {

/// A count that may be beyond 64 bits: edges of a lattice whose nodes just fit.
__extension__ using WideCount = unsigned __int128;

/// \brief A grid of `size` nodes in each of `dimensions` directions, without wrap-around: nodes
/// that differ by 1 in one coordinate are neighbours. Nothing is stored of its nodes and edges.
///
/// A node's index is row-major, the last coordinate fastest. Its neighbours are in the order
/// dimension 0, 1, …, in each the smaller coordinate first.
class LatticeShape {
 public:
  static constexpr std::uint32_t dimensions_max = 20;
  static constexpr std::uint32_t size_min = 2;
  static constexpr std::uint32_t size_max = 1000;

  /// \throws InvalidArgument for dimensions or size out of range, or more nodes than 64 bits count
  LatticeShape(std::uint32_t dimensions, std::uint32_t size);

  std::uint32_t dimensions() const noexcept { return m_dimensions; }
  std::uint32_t size() const noexcept { return m_size; }
  std::uint64_t nodes() const noexcept { return m_nodes; }
  /// What a step in \p dimension adds to an index.
  std::uint64_t stride(std::uint32_t dimension) const noexcept { return m_strides[dimension]; }
  std::uint32_t coordinate(std::uint64_t node, std::uint32_t dimension) const noexcept {
    return static_cast<std::uint32_t>(node / m_strides[dimension] % m_size);
  }

  /// \throws InvalidArgument for what is no node
  std::vector<std::uint32_t> coordinates(std::uint64_t node) const;
  /// \throws InvalidArgument for another number of coordinates, or one that is not below the size
  std::uint64_t index(std::span<const std::uint32_t> coordinates) const;
  /// \throws InvalidArgument for what is no node
  std::vector<std::uint64_t> neighbours(std::uint64_t node) const;
  /// Whether they are neighbours. Both are nodes.
  bool are_neighbours(std::uint64_t a, std::uint64_t b) const noexcept;
  /// Edges of a shortest path, Σ |a_i − b_i|. Both are nodes. Complexity O(dimensions).
  std::uint64_t distance(std::uint64_t a, std::uint64_t b) const noexcept;
  /// \throws InvalidArgument naming \p what, where \p node is none
  void check_node(std::uint64_t node, const char* what) const;

  // Closed forms.
  WideCount edges() const noexcept;             ///< d (s − 1) s^(d − 1)
  std::uint32_t least_degree() const noexcept;  ///< d, of a corner
  std::uint32_t greatest_degree() const noexcept;
  std::uint64_t diameter() const noexcept;  ///< d (s − 1)

  friend bool operator==(const LatticeShape&, const LatticeShape&) = default;

 private:
  std::uint32_t m_dimensions;
  std::uint32_t m_size;
  std::uint64_t m_nodes = 1;
  std::array<std::uint64_t, dimensions_max> m_strides{};
};

/// \brief A lattice's structure by closed forms, and what it takes to hold.
struct LatticeMetrics {
  std::uint32_t dimensions = 0;
  std::uint32_t size = 0;
  std::uint64_t nodes = 0;
  WideCount edges = 0;
  std::uint32_t least_degree = 0;
  std::uint32_t greatest_degree = 0;
  double average_degree = 0;
  double density = 0;  ///< edges of all pairs
  std::uint64_t diameter = 0;
  std::uint32_t connectivity = 0;  ///< nodes (or edges) whose removal may part it: d
  double clustering = 0;           ///< there are no triangles
  // Bytes, as doubles: they may be beyond 64 bits.
  double rows_bytes = 0;    ///< compressed rows: 8 an offset, 4 an entry
  double search_bytes = 0;  ///< of a search: a distance and about three bits a node
  double dense_bytes = 0;   ///< of the dense matrix, a byte an entry
};
LatticeMetrics metrics_of(const LatticeShape& shape);

}  // namespace Kindred

#endif  // KINDRED_CORE_LATTICE_LATTICE_SHAPE_HPP
