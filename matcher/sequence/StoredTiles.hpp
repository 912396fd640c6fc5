// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEQUENCE_STORED_TILES_HPP
#define KINDRED_MATCHER_SEQUENCE_STORED_TILES_HPP

#include <kindred/core/sequence/Symbol.hpp>
#include <kindred/core/sequence/TileShape.hpp>

#include <cstdint>
#include <memory>
#include <span>

namespace Kindred::Impl {

/// \brief The tiles of a segment in file layout, which a `HostPatterns` can use without rebuilding
/// them.
/// \see PatternTiles
struct StoredTiles {
  /// One of these three contains the symbols, by `tile_symbol_bytes`.
  std::span<const std::uint8_t> octets;
  std::span<const std::uint16_t> narrow;
  std::span<const std::uint32_t> wide;
  std::span<const std::uint64_t> offsets;
  std::span<const std::uint32_t> lengths;
  std::span<const std::uint32_t> indices;
  std::span<const Symbol> symbols;    ///< dense symbol → symbol
  std::shared_ptr<const void> owner;  ///< of all these arrays
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SEQUENCE_STORED_TILES_HPP
