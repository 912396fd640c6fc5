// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_TILE_SHAPE_HPP
#define KINDRED_CORE_SEQUENCE_TILE_SHAPE_HPP

#include <cstdint>

namespace Kindred {

/// Patterns per tile: the lanes of a warp, or half a host pack.
inline constexpr std::uint32_t tile_patterns = 32;

/// \brief Number of slots without a pattern; they are the first slots. Slots are sorted by length,
/// so the padding adds to a tile of the shortest patterns instead of the longest.
constexpr std::uint32_t unused_slots(std::uint64_t patterns) {
  return static_cast<std::uint32_t>((tile_patterns - patterns % tile_patterns) % tile_patterns);
}

/// Marks a slot that holds no pattern.
inline constexpr std::uint32_t no_pattern = 0xFFFFFFFFU;

/// Bytes per dense symbol below \p vocabulary; the padding symbol `vocabulary` must fit too.
constexpr unsigned tile_symbol_bytes(std::uint32_t vocabulary) {
  return vocabulary <= 0xFFU ? 1 : vocabulary <= 0xFFFFU ? 2 : 4;
}

}  // namespace Kindred

#endif  // KINDRED_CORE_SEQUENCE_TILE_SHAPE_HPP
