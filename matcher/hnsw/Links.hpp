// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_HNSW_LINKS_HPP
#define KINDRED_MATCHER_HNSW_LINKS_HPP

#include <cstddef>
#include <cstdint>

namespace Kindred::Impl {

/// Terminates a list of links that is not full.
inline constexpr std::uint32_t no_node = 0xFFFFFFFFU;
/// A key contains a node in 31 bits.
inline constexpr std::uint64_t dimension_max = 0xFFFFFFFFU;
inline constexpr std::uint32_t node_limit = 0x7FFFFFFFU;
/// Ids are returned as signed 64-bit numbers.
inline constexpr std::uint64_t hnsw_id_limit = std::uint64_t{1} << 63U;
/// Upper limits of `m` and `ef_construction`.
inline constexpr std::size_t m_max = 512;
inline constexpr std::size_t ef_construction_max = 65536;
/// Greater than every level.
inline constexpr int level_limit = 64;

/// \brief View of the graph for traversal: up to 2m links per node on level 0, up to m above.
struct Links {
  std::uint32_t* base;   ///< nodes × 2m
  std::uint32_t* upper;  ///< lists × m
  /// Per node: its list on level 1, followed by those of higher levels.
  const std::uint32_t* upper_first;
  const std::uint8_t* levels;  ///< per node: its highest level
  std::uint32_t m;
  std::uint32_t entry;  ///< a node of the top level; `no_node` if the graph is empty
  int top_level;

  std::uint32_t capacity(int level) const noexcept { return level == 0 ? 2 * m : m; }
  std::uint32_t* list(int level, std::uint32_t node) const noexcept {
    return level == 0 ? base + std::size_t{node} * 2 * m
                      : upper + (std::size_t{upper_first[node]} + level - 1) * m;
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_HNSW_LINKS_HPP
