// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/lattice/LatticeShape.hpp>

#include <kindred/core/common/CheckedSize.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/core/lattice/GraphStructure.hpp>

#include <algorithm>
#include <string>

namespace KINDRED_PUBLIC Kindred {

LatticeShape::LatticeShape(std::uint32_t dimensions, std::uint32_t size)
    : m_dimensions(dimensions), m_size(size) {
  KINDRED_THROW_IF(dimensions < 1 || dimensions > dimensions_max,
                   "a lattice has " + std::to_string(dimensions) + " dimensions; 1 to " +
                       std::to_string(dimensions_max) + " are allowed");
  KINDRED_THROW_IF(size < size_min || size > size_max,
                   "the size of a lattice is " + std::to_string(size) + "; " +
                       std::to_string(size_min) + " to " + std::to_string(size_max) +
                       " are allowed");
  for (std::uint32_t i = dimensions; i-- > 0;) {
    m_strides[i] = m_nodes;
    const auto nodes = checked_product({m_nodes, size});
    KINDRED_THROW_IF(
        !nodes, "a lattice of " + std::to_string(dimensions) + " dimensions and size " +
                    std::to_string(size) +
                    " has more nodes than 64 bits can count; use fewer dimensions or a smaller "
                    "size");
    m_nodes = *nodes;
  }
}

void LatticeShape::check_node(std::uint64_t node, const char* what) const {
  KINDRED_THROW_IF(node >= m_nodes, std::string(what) + " is " + std::to_string(node) +
                                        "; the lattice's nodes are 0 to " +
                                        std::to_string(m_nodes - 1));
}

std::vector<std::uint32_t> LatticeShape::coordinates(std::uint64_t node) const {
  check_node(node, "the node");
  std::vector<std::uint32_t> out(m_dimensions);
  for (std::uint32_t i = 0; i < m_dimensions; ++i) out[i] = coordinate(node, i);
  return out;
}

std::uint64_t LatticeShape::index(std::span<const std::uint32_t> coordinates) const {
  KINDRED_THROW_IF(coordinates.size() != m_dimensions,
                   "there are " + std::to_string(coordinates.size()) +
                       " coordinates; a lattice of " + std::to_string(m_dimensions) +
                       " dimensions takes as many");
  std::uint64_t node = 0;
  for (std::uint32_t i = 0; i < m_dimensions; ++i) {
    KINDRED_THROW_IF(coordinates[i] >= m_size,
                     "coordinate " + std::to_string(i) + " is " + std::to_string(coordinates[i]) +
                         "; it must be below the size, " + std::to_string(m_size));
    node = node * m_size + coordinates[i];
  }
  return node;
}

std::vector<std::uint64_t> LatticeShape::neighbours(std::uint64_t node) const {
  check_node(node, "the node");
  std::vector<std::uint64_t> out;
  for (std::uint32_t i = 0; i < m_dimensions; ++i) {
    const std::uint32_t at = coordinate(node, i);
    if (at > 0) out.push_back(node - m_strides[i]);
    if (at + 1 < m_size) out.push_back(node + m_strides[i]);
  }
  return out;
}

bool LatticeShape::are_neighbours(std::uint64_t a, std::uint64_t b) const noexcept {
  return distance(a, b) == 1;
}

std::uint64_t LatticeShape::distance(std::uint64_t a, std::uint64_t b) const noexcept {
  std::uint64_t sum = 0;
  for (; a != b; a /= m_size, b /= m_size) {
    const std::uint64_t x = a % m_size;
    const std::uint64_t y = b % m_size;
    sum += x > y ? x - y : y - x;
  }
  return sum;
}

WideCount LatticeShape::edges() const noexcept {
  return WideCount{m_dimensions} * (m_size - 1) * (m_nodes / m_size);
}
std::uint32_t LatticeShape::least_degree() const noexcept { return m_dimensions; }
std::uint32_t LatticeShape::greatest_degree() const noexcept {
  return m_size == 2 ? m_dimensions : 2 * m_dimensions;
}
std::uint64_t LatticeShape::diameter() const noexcept {
  return std::uint64_t{m_dimensions} * (m_size - 1);
}

LatticeStatistics statistics_of(const LatticeShape& shape) {
  LatticeStatistics statistics;
  statistics.dimensions = shape.dimensions();
  statistics.size = shape.size();
  statistics.nodes = shape.nodes();
  statistics.edges = shape.edges();
  statistics.least_degree = shape.least_degree();
  statistics.greatest_degree = shape.greatest_degree();
  const auto nodes = static_cast<double>(shape.nodes());
  const auto edges = static_cast<double>(shape.edges());
  statistics.average_degree = average_degree(nodes, edges);
  statistics.density = graph_density(nodes, edges);
  statistics.diameter = shape.diameter();
  statistics.connectivity = shape.dimensions();
  statistics.rows_bytes = 8 * (nodes + 1) + 4 * (2 * edges);
  statistics.search_bytes = 4 * nodes + 3 * nodes / 8;
  statistics.dense_bytes = nodes * nodes;
  return statistics;
}

}  // namespace Kindred
