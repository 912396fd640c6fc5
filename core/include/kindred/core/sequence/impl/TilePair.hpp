// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_IMPL_TILE_PAIR_HPP
#define KINDRED_CORE_SEQUENCE_IMPL_TILE_PAIR_HPP

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/launch/ForEachIndex.hpp>
#include <kindred/core/sequence/PatternTiles.hpp>
#include <kindred/core/sequence/impl/LcsColumns.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>

namespace Kindred::Impl {

/// Two tiles of the patterns, or one, for a host thread.
template <class SymbolType>
struct TilePair {
  /// \param tile the first
  TilePair(const PatternTiles<HostSpace>& tiles, std::uint32_t tile)
      : first_slot(tile * tile_patterns) {
    const std::uint32_t count = std::min(tiles.tiles - tile, 2U);
    for (unsigned t = 0; t < 2; ++t) {
      const std::uint32_t own = tile + (t < count ? t : 0);
      const std::uint64_t offset = tiles.offsets(own);
      symbols[t] = tiles.template symbols<SymbolType>() + offset;
      tile_rows[t] =
          t < count ? static_cast<std::uint32_t>((tiles.offsets(own + 1) - offset) / tile_patterns)
                    : 0;
      rows = std::max(rows, tile_rows[t]);
    }
    slots = count * tile_patterns;
    std::fill_n(lengths, pack_lanes, 0);
    std::copy_n(tiles.lengths.data() + first_slot, slots, lengths);
    shortest = *std::min_element(lengths, lengths + pack_lanes);
  }

  std::uint32_t first_slot;
  const SymbolType* symbols[2];
  std::uint32_t tile_rows[2];
  std::uint32_t rows = 0;
  std::uint32_t lengths[pack_lanes];  ///< 0 in unused lanes
  std::uint32_t shortest;
  unsigned slots;
};

/// Calls `kernel(query, pair)` for every query and every two tiles, in parallel on the host.
template <class SymbolType, class Kernel>
void for_each_tile_pair(const char* label, const HostSpace& exec_space,
                        const PatternTiles<HostSpace>& tiles, std::uint32_t queries,
                        const Kernel& kernel) {
  const std::uint64_t pairs = (std::uint64_t{tiles.tiles} + 1) / 2;
  Launch::for_each_index<Launch::Dynamic>(
      exec_space, label, queries * pairs, [=](const std::uint64_t index) {
        const auto tile = static_cast<std::uint32_t>(2 * (index / queries));
        kernel(static_cast<std::uint32_t>(index % queries), TilePair<SymbolType>(tiles, tile));
      });
}

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEQUENCE_IMPL_TILE_PAIR_HPP
