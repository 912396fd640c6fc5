// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_GRAPH_SPREADING_HPP
#define KINDRED_CORE_GRAPH_SPREADING_HPP

#include <array>
#include <cstdint>

namespace Kindred {

/// \brief A directed, weighted edge. Parallel edges add.
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
  linear,  ///< x₀ = sources, x_d = D(d)·Wᵀx_{d−1}; the answer is Σ x_d, d = 0 … H, in that order
  pagerank  ///< personalised PageRank: `core/graph/PageRank.hpp`
};

/// \brief How much of the activation a hop passes on: D(d) for d = 1 … H, in double on the host,
/// rounded to float32 once.
struct Decay {
  enum class Kind : std::uint8_t {
    exponential,  ///< exp(−parameter·d)
    power,        ///< (d + 1)^−parameter
    linear,       ///< max(0, 1 − parameter·d)
    constant      ///< parameter
  };
  Kind kind = Kind::exponential;
  double parameter = 0.7;
};

/// D(\p hop) of \p decay, rounded to float32. Complexity O(1).
float decay_at(const Decay& decay, std::uint32_t hop);

/// A node's tier, by the depth of its first touch: 0 hot, 1–2 warm, ≥ 3 cold.
constexpr std::uint8_t tier_at(std::uint32_t depth) noexcept {
  return depth == 0 ? 0 : depth <= 2 ? 1 : 2;
}
/// Least activation of a node, by its tier.
inline constexpr std::array<float, 3> default_tier_thresholds{0.01F, 0.05F, 0.10F};

}  // namespace Kindred

#endif  // KINDRED_CORE_GRAPH_SPREADING_HPP
