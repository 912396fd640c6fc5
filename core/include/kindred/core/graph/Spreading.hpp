// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_GRAPH_SPREADING_HPP
#define KINDRED_CORE_GRAPH_SPREADING_HPP

#include <kindred/core/common/Public.hpp>
#include <kindred/core/graph/Decay.hpp>
#include <kindred/core/graph/SpreadModifiers.hpp>

#include <array>
#include <bitset>
#include <cstdint>

namespace KINDRED_PUBLIC Kindred {

/// \brief A directed, weighted edge. The weights of parallel edges add up.
struct Edge {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  float weight = 1;
};

/// \brief A node and its activation.
struct Activation {
  std::uint32_t node = 0;
  float value = 0;

  friend bool operator==(const Activation&, const Activation&) = default;
};

enum class SpreadMode : std::uint8_t {
  engine,  ///< Engram's: thresholds by tier, saturation at 1, deltas are passed on
  linear,  ///< x₀ = sources, x_d = D(d)·W·x_{d−1}; the result is Σ x_d, d = 0 … H, in that order
  pagerank  ///< personalised PageRank: `core/graph/PageRank.hpp`
};

/// A set of kinds of edges.
using EdgeKinds = std::bitset<256>;

/// The direction of a hop.
enum class HopDirection : std::uint8_t {
  along,   ///< Wᵀx: along the edges, from sources to targets
  against  ///< W x: from targets to sources
};

/// The tier of a node, by the depth at which it was first reached: 0 hot, 1–2 warm, ≥ 3 cold.
constexpr std::uint8_t tier_at(std::uint32_t depth) noexcept {
  return depth == 0 ? 0 : depth <= 2 ? 1 : 2;
}
/// Minimum activation of a node, by its tier.
inline constexpr std::array<float, 3> default_tier_thresholds{0.01F, 0.05F, 0.10F};

}  // namespace Kindred

#endif  // KINDRED_CORE_GRAPH_SPREADING_HPP
