// SPDX-License-Identifier: Apache-2.0
#include "EqualPatterns.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <tuple>

namespace Kindred::Impl {

namespace {

/// A pattern and a hash of its symbols.
struct Hashed {
  std::uint64_t hash;
  std::uint32_t index;

  friend bool operator<(const Hashed& a, const Hashed& b) {
    return std::tie(a.hash, a.index) < std::tie(b.hash, b.index);
  }
};

/// \p hash, of what precedes \p symbol, continued by it.
std::uint64_t mixed(std::uint64_t hash, std::uint64_t symbol) {
  hash = (hash ^ symbol) * 0x9E3779B97F4A7C15U;
  return hash ^ hash >> 32U;
}

/// The patterns that are not empty, tile by tile. \p SymbolType is that of the tiles.
template <class SymbolType>
std::vector<Hashed> hashed(const PatternTiles<HostSpace>& tiles) {
  std::vector<Hashed> all;
  all.reserve(tiles.slots());
  for (std::uint32_t tile = 0; tile < tiles.tiles; ++tile) {
    const std::uint32_t first = tile * tile_patterns;
    const std::uint64_t rows = (tiles.offsets(tile + 1) - tiles.offsets(tile)) / tile_patterns;
    const SymbolType* symbols = tiles.template symbols<SymbolType>() + tiles.offsets(tile);
    std::array<std::uint64_t, tile_patterns> hashes;
    for (std::uint32_t lane = 0; lane < tile_patterns; ++lane)
      hashes[lane] = tiles.lengths(first + lane);
    // Without padding: patterns of equal length can lie in tiles with different numbers of rows.
    for (std::uint64_t row = 0; row < rows; ++row, symbols += tile_patterns) {
      for (std::uint32_t lane = 0; lane < tile_patterns; ++lane) {
        if (row < tiles.lengths(first + lane)) hashes[lane] = mixed(hashes[lane], symbols[lane]);
      }
    }
    for (std::uint32_t lane = 0; lane < tile_patterns; ++lane) {
      if (tiles.lengths(first + lane) > 0)
        all.push_back({hashes[lane], tiles.indices(first + lane)});
    }
  }
  return all;
}

template <class SymbolType>
bool are_equal(const PatternTiles<HostSpace>& tiles, std::uint32_t slot, std::uint32_t other) {
  const std::uint32_t length = tiles.lengths(slot);
  if (tiles.lengths(other) != length) return false;
  const SymbolType* a = tiles.template slot_symbols<SymbolType>(slot);
  const SymbolType* b = tiles.template slot_symbols<SymbolType>(other);
  for (std::size_t at = 0; at < std::size_t{length} * tile_patterns; at += tile_patterns) {
    if (a[at] != b[at]) return false;
  }
  return true;
}

}  // namespace

std::vector<std::uint32_t> first_equal(const HostPatterns& patterns) {
  std::vector<std::uint32_t> first(patterns.slot_of.size());
  std::iota(first.begin(), first.end(), 0U);
  const PatternTiles<HostSpace> tiles = patterns.tiles.view();
  with_symbol_type(tiles, [&](auto type) {
    using symbol_type = decltype(type);
    std::vector<Hashed> sorted = hashed<symbol_type>(tiles);
    std::sort(sorted.begin(), sorted.end());
    // Patterns with the hash of the current one that differ from each other: more than one only by
    // a collision.
    std::vector<std::uint32_t> firsts;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      if (i == 0 || sorted[i].hash != sorted[i - 1].hash) firsts.clear();
      const std::uint32_t index = sorted[i].index;
      const auto equal = std::find_if(firsts.begin(), firsts.end(), [&](std::uint32_t other) {
        return are_equal<symbol_type>(tiles, patterns.slot_of[index], patterns.slot_of[other]);
      });
      if (equal == firsts.end()) {
        firsts.push_back(index);
      } else {
        first[index] = *equal;
      }
    }
  });
  return first;
}

}  // namespace Kindred::Impl
