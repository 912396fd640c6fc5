// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEQUENCE_HOST_PATTERNS_HPP
#define KINDRED_MATCHER_SEQUENCE_HOST_PATTERNS_HPP

#include "StoredTiles.hpp"
#include "SymbolMap.hpp"

#include <kindred/core/common/Ragged.hpp>
#include <kindred/core/sequence/LengthBound.hpp>
#include <kindred/core/sequence/PatternTiles.hpp>
#include <kindred/core/sequence/Symbol.hpp>
#include <kindred/memory/Buffer.hpp>
#include <kindred/memory/Copies.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace Kindred::Impl {

/// The arrays of `PatternTiles` in the memory of \p ExecutionSpace.
template <class ExecutionSpace>
class TileBuffers {
 public:
  using memory_space = typename ExecutionSpace::memory_space;

  TileBuffers(MemoryResource& memory, std::uint64_t symbols, std::uint32_t tile_count,
              std::uint32_t vocabulary_size)
      : octets(memory, "Kindred::SequenceMatcher::bytes",
               tile_symbol_bytes(vocabulary_size) == 1 ? symbols : 0),
        narrow(memory, "Kindred::SequenceMatcher::narrow",
               tile_symbol_bytes(vocabulary_size) == 2 ? symbols : 0),
        wide(memory, "Kindred::SequenceMatcher::wide",
             tile_symbol_bytes(vocabulary_size) == 4 ? symbols : 0),
        offsets(memory, "Kindred::SequenceMatcher::offsets", std::size_t{tile_count} + 1),
        lengths(memory, "Kindred::SequenceMatcher::lengths",
                std::size_t{tile_count} * tile_patterns),
        indices(memory, "Kindred::SequenceMatcher::indices",
                std::size_t{tile_count} * tile_patterns),
        tiles(tile_count),
        vocabulary(vocabulary_size),
        rows(symbols / tile_patterns) {}

  /// Borrows the arrays of a file. Only on the host, where they are.
  explicit TileBuffers(const StoredTiles& stored)
      : octets(borrowed(stored.octets)),
        narrow(borrowed(stored.narrow)),
        wide(borrowed(stored.wide)),
        offsets(borrowed(stored.offsets)),
        lengths(borrowed(stored.lengths)),
        indices(borrowed(stored.indices)),
        tiles(static_cast<std::uint32_t>(stored.lengths.size() / tile_patterns)),
        vocabulary(static_cast<std::uint32_t>(stored.symbols.size())),
        rows(stored.offsets.back() / tile_patterns) {}

  PatternTiles<ExecutionSpace> view() const {
    return {octets.const_view(),
            narrow.const_view(),
            wide.const_view(),
            offsets.const_view(),
            lengths.const_view(),
            indices.const_view(),
            tiles,
            vocabulary,
            rows};
  }
  template <class SymbolType>
  SymbolType* symbols() const noexcept {
    if constexpr (sizeof(SymbolType) == 1) return octets.data();
    if constexpr (sizeof(SymbolType) == 2) return narrow.data();
    if constexpr (sizeof(SymbolType) == 4) return wide.data();
  }
  std::uint64_t bytes() const noexcept {
    return octets.bytes() + narrow.bytes() + wide.bytes() + offsets.bytes() + lengths.bytes() +
           indices.bytes();
  }

  Buffer<std::uint8_t, memory_space> octets;
  Buffer<std::uint16_t, memory_space> narrow;
  Buffer<std::uint32_t, memory_space> wide;
  Buffer<std::uint64_t, memory_space> offsets;
  Buffer<std::uint32_t, memory_space> lengths;
  Buffer<std::uint32_t, memory_space> indices;
  std::uint32_t tiles;
  std::uint32_t vocabulary;
  std::uint64_t rows;

 private:
  /// The cast is safe because tiles are never written once they are full.
  template <class T>
  static Buffer<T, memory_space> borrowed(std::span<const T> elements) {
    return {const_cast<T*>(elements.data()), elements.size()};
  }
};

/// Consecutive tiles.
struct TileRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  std::uint32_t count() const { return end - begin; }
  friend bool operator==(const TileRange&, const TileRange&) = default;
};

/// \brief The patterns on the host: the tiles, and data per pattern.
class HostPatterns {
 public:
  /// \throws InvalidArgument for offsets or symbols out of range; OutOfMemory
  HostPatterns(Context& context, RaggedSpan<Symbol> patterns);
  /// \param stored validated; its owner is kept alive
  explicit HostPatterns(const StoredTiles& stored);

  /// The contents to be written to a file. \param by_dense from `symbols`; must outlive the result
  StoredTiles stored(std::span<const Symbol> by_dense) const;

  /// The dense symbols of the pattern in \p slot.
  std::vector<Symbol> pattern(std::uint32_t slot) const;

  /// The tiles that contain patterns of these lengths. O(log patterns).
  TileRange tiles_of(const LengthBound& bound) const;
  /// Number of patterns in the tiles of \p range.
  std::uint64_t patterns_in(const TileRange& range) const;
  /// Rows of the tiles of \p range that contain patterns of lengths up to \p longest.
  std::uint64_t rows_in(const TileRange& range, std::uint32_t longest) const;

  /// For every pattern, the first one that has the same symbols; an empty pattern stands for
  /// itself.
  std::vector<std::uint32_t> first_equal() const;

  SymbolMap symbols;
  std::vector<std::uint32_t> slot_of;  ///< pattern → slot
  TileBuffers<HostSpace> tiles;
  std::uint64_t symbol_count = 0;
  std::uint32_t longest = 0;

 private:
  struct Plan;
  HostPatterns(Context& context, const Plan& plan);
  std::shared_ptr<const void> m_owner;  ///< of borrowed tiles
  template <class SymbolType>
  void fill(const Plan& plan, std::uint64_t tile, SymbolType* out);
};

/// Copies \p host to another memory space. Fences \p exec_space. \throws OutOfMemory
template <class ExecutionSpace>
TileBuffers<ExecutionSpace> copy_tiles(const ExecutionSpace& exec_space, MemoryResource& memory,
                                       const TileBuffers<HostSpace>& host) {
  TileBuffers<ExecutionSpace> copy(memory, host.rows * tile_patterns, host.tiles, host.vocabulary);
  upload(exec_space, copy.octets.view(), host.octets.data(), host.octets.size());
  upload(exec_space, copy.narrow.view(), host.narrow.data(), host.narrow.size());
  upload(exec_space, copy.wide.view(), host.wide.data(), host.wide.size());
  upload(exec_space, copy.offsets.view(), host.offsets.data(), host.offsets.size());
  upload(exec_space, copy.lengths.view(), host.lengths.data(), host.lengths.size());
  upload(exec_space, copy.indices.view(), host.indices.data(), host.indices.size());
  return copy;
}

/// \throws InvalidArgument unless the offsets of \p rows start at 0, never decrease and stay within
/// its values, and rows are shorter than 2^31
void check_rows(RaggedSpan<Symbol> rows, const char* what);

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SEQUENCE_HOST_PATTERNS_HPP
