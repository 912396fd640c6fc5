// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_PATTERN_TILES_HPP
#define KINDRED_CORE_SEQUENCE_PATTERN_TILES_HPP

#include <kindred/core/common/ArrayView.hpp>
#include <kindred/core/sequence/TileShape.hpp>

#include <cstdint>
#include <type_traits>

namespace Kindred {

/// \brief Patterns in tiles of 32 patterns of near-equal length, with interleaved symbols.
///
/// Slot s is lane `s % 32` of tile `s / 32`; slots are sorted by length. Symbol j of a slot is at
/// `offsets[tile] + 32 * j + lane`. Symbols are dense numbers below `vocabulary`. A tile has as
/// many rows as its longest pattern has symbols; shorter patterns are padded with the symbol
/// `vocabulary`, which no query contains. Exactly one of `bytes`, `narrow` and `wide` holds the
/// symbols.
template <class ExecutionSpace>
struct PatternTiles {
  ArrayView<const std::uint8_t, ExecutionSpace> bytes;
  ArrayView<const std::uint16_t, ExecutionSpace> narrow;
  ArrayView<const std::uint32_t, ExecutionSpace> wide;
  ArrayView<const std::uint64_t, ExecutionSpace> offsets;  ///< tiles + 1
  ArrayView<const std::uint32_t, ExecutionSpace> lengths;  ///< one per slot; 0 without a pattern
  ArrayView<const std::uint32_t, ExecutionSpace> indices;  ///< slot → pattern, or `no_pattern`
  std::uint32_t tiles = 0;
  std::uint32_t vocabulary = 0;
  std::uint64_t rows = 0;  ///< rows of all tiles

  KOKKOS_INLINE_FUNCTION std::uint32_t slots() const { return tiles * tile_patterns; }

  /// The symbols, stored as \p SymbolType.
  template <class SymbolType>
  KOKKOS_INLINE_FUNCTION const SymbolType* symbols() const {
    if constexpr (std::is_same_v<SymbolType, std::uint8_t>) {
      return bytes.data();
    } else if constexpr (std::is_same_v<SymbolType, std::uint16_t>) {
      return narrow.data();
    } else {
      static_assert(std::is_same_v<SymbolType, std::uint32_t>, "symbols are 8, 16 or 32 bits");
      return wide.data();
    }
  }
  /// The first symbol of a slot, stored as \p SymbolType; null if no pattern has symbols.
  template <class SymbolType>
  KOKKOS_INLINE_FUNCTION const SymbolType* slot_symbols(std::uint32_t slot) const {
    const SymbolType* all = symbols<SymbolType>();
    return all == nullptr ? nullptr : all + offsets(slot / tile_patterns) + slot % tile_patterns;
  }
};

/// Calls `function(symbol)` with a value of the type in which \p tiles store symbols.
template <class ExecutionSpace, class Function>
void with_symbol_type(const PatternTiles<ExecutionSpace>& tiles, const Function& function) {
  if (tiles.wide.size() > 0) {
    function(std::uint32_t{});
  } else if (tiles.narrow.size() > 0) {
    function(std::uint16_t{});
  } else {
    function(std::uint8_t{});
  }
}

}  // namespace Kindred

#endif  // KINDRED_CORE_SEQUENCE_PATTERN_TILES_HPP
