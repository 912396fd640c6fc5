// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_GRAPH_SPREAD_MODIFIERS_HPP
#define KINDRED_CORE_GRAPH_SPREAD_MODIFIERS_HPP

#include <kindred/core/common/Public.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace KINDRED_PUBLIC Kindred {

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

}  // namespace Kindred

#endif  // KINDRED_CORE_GRAPH_SPREAD_MODIFIERS_HPP
