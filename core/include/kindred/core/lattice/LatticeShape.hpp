// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_LATTICE_LATTICE_SHAPE_HPP
#define KINDRED_CORE_LATTICE_LATTICE_SHAPE_HPP

#include <kindred/core/common/Public.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace KINDRED_PUBLIC Kindred {

/// A count that may exceed 64 bits, such as the edges of a lattice whose nodes just fit.
__extension__ using WideCount = unsigned __int128;

/// \brief A grid of `size` nodes in each of `dimensions` directions, without wrap-around: nodes
/// that differ by 1 in one coordinate are neighbours. Its nodes and edges are implicit. Immutable,
/// hence thread-safe.
///
/// A node's index is row-major, the last coordinate fastest. Neighbours are ordered by dimension 0,
/// 1, …, in each the smaller coordinate first.
class LatticeShape {
 public:
  static constexpr std::uint32_t dimensions_max = 20;
  static constexpr std::uint32_t size_min = 2;
  static constexpr std::uint32_t size_max = 1000;

  /// \throws InvalidArgument if dimensions or size is out of range, or the number of nodes exceeds
  /// 64 bits
  LatticeShape(std::uint32_t dimensions, std::uint32_t size);

  std::uint32_t dimensions() const noexcept { return m_dimensions; }
  std::uint32_t size() const noexcept { return m_size; }
  std::uint64_t nodes() const noexcept { return m_nodes; }
  /// The index distance of a step in \p dimension.
  std::uint64_t stride(std::uint32_t dimension) const noexcept { return m_strides[dimension]; }
  std::uint32_t coordinate(std::uint64_t node, std::uint32_t dimension) const noexcept {
    return static_cast<std::uint32_t>(node / m_strides[dimension] % m_size);
  }

  /// \throws InvalidArgument if \p node does not exist
  std::vector<std::uint32_t> coordinates(std::uint64_t node) const;
  /// \throws InvalidArgument if the number of coordinates is wrong or one is not below the size
  std::uint64_t index(std::span<const std::uint32_t> coordinates) const;
  /// \throws InvalidArgument if \p node does not exist
  std::vector<std::uint64_t> neighbours(std::uint64_t node) const;
  /// Whether two nodes, which must exist, are neighbours.
  bool are_neighbours(std::uint64_t a, std::uint64_t b) const noexcept;
  /// Edges of a shortest path, Σ |a_i − b_i|; both nodes must exist. Complexity O(dimensions).
  std::uint64_t distance(std::uint64_t a, std::uint64_t b) const noexcept;
  /// \throws InvalidArgument, naming it \p what, if \p node does not exist
  void check_node(std::uint64_t node, const char* what) const;

  // Closed forms.
  WideCount edges() const noexcept;             ///< d (s − 1) s^(d − 1)
  std::uint32_t least_degree() const noexcept;  ///< d, at a corner
  std::uint32_t greatest_degree() const noexcept;
  std::uint64_t diameter() const noexcept;  ///< d (s − 1)

  friend bool operator==(const LatticeShape&, const LatticeShape&) = default;

 private:
  std::uint32_t m_dimensions;
  std::uint32_t m_size;
  std::uint64_t m_nodes = 1;
  std::array<std::uint64_t, dimensions_max> m_strides{};
};

/// \brief The structure of a lattice by closed forms, and the memory it would need.
struct LatticeStatistics {
  std::uint32_t dimensions = 0;
  std::uint32_t size = 0;
  std::uint64_t nodes = 0;
  WideCount edges = 0;
  std::uint32_t least_degree = 0;
  std::uint32_t greatest_degree = 0;
  double average_degree = 0;
  double density = 0;  ///< edges / all pairs
  std::uint64_t diameter = 0;
  /// Minimum number of nodes (or edges) whose removal may disconnect it: d.
  std::uint32_t connectivity = 0;
  double clustering = 0;  ///< there are no triangles
  // Bytes, as doubles since they may exceed 64 bits.
  double rows_bytes = 0;    ///< compressed sparse rows: 8 per offset, 4 per entry
  double search_bytes = 0;  ///< a search: one distance and about three bits per node
  double dense_bytes = 0;   ///< the dense matrix, one byte per entry
};
LatticeStatistics statistics_of(const LatticeShape& shape);

}  // namespace Kindred

#endif  // KINDRED_CORE_LATTICE_LATTICE_SHAPE_HPP
