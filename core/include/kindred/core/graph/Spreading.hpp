// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_GRAPH_SPREADING_HPP
#define KINDRED_CORE_GRAPH_SPREADING_HPP

#include <kindred/core/common/Public.hpp>
#include <kindred/core/graph/Decay.hpp>

#include <array>
#include <bitset>
#include <cstddef>
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
  linear,  ///< x₀ = sources, x_d = D(d)·Wᵀ·x_{d−1}; the result is Σ x_d, d = 0 … H, in that order
  pagerank  ///< personalised PageRank: `core/graph/PageRank.hpp`
};

/// A set of kinds of edges.
using EdgeKinds = std::bitset<256>;

/// \brief How the kinds of the two nodes modify the weight of an edge u → v: `w' =
/// float32(double(w) · strengths[kind(u)][kind(v)] · fan(u))`, evaluated from left to right. Kinds
/// ≥ `kinds` have no effect.
struct SpreadModifiers {
  static constexpr std::size_t kinds = 8;
  static constexpr std::uint8_t concept_kind = 0;
  static constexpr std::uint8_t episode_kind = 1;

  /// The fan effect of a kind of nodes.
  struct Fan {
    enum class Kind : std::uint8_t {
      constant,     ///< `factor`
      inverse,      ///< 1 / out-degree
      inverse_root  ///< 1 / √out-degree
    };
    Kind kind = Kind::constant;
    double factor = 1;

    friend bool operator==(const Fan&, const Fan&) = default;
  };

  std::array<std::array<double, kinds>, kinds> strengths;
  std::array<Fan, kinds> fans{};

  /// Modifiers that have no effect.
  constexpr SpreadModifiers() {
    for (auto& row : strengths) row.fill(1.0);
  }
  /// Engram's strengths: episode → concept 0.8, concept → episode 0.6, concept → concept 0.4,
  /// episode → episode 0.3; no fan effect.
  static constexpr SpreadModifiers engram() {
    SpreadModifiers modifiers;
    modifiers.strengths[episode_kind][concept_kind] = 0.8;
    modifiers.strengths[concept_kind][episode_kind] = 0.6;
    modifiers.strengths[concept_kind][concept_kind] = 0.4;
    modifiers.strengths[episode_kind][episode_kind] = 0.3;
    return modifiers;
  }
  /// The same with Engram's fan effect: concepts divide by their out-degree or its square root,
  /// episodes multiply by 1.2.
  static constexpr SpreadModifiers engram_fan(Fan::Kind of_concepts) {
    SpreadModifiers modifiers = engram();
    modifiers.fans[concept_kind].kind = of_concepts;
    modifiers.fans[episode_kind].factor = 1.2;
    return modifiers;
  }

  friend bool operator==(const SpreadModifiers&, const SpreadModifiers&) = default;
};

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
