// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_VECTOR_TILE_LAYOUT_HPP
#define KINDRED_CORE_VECTOR_TILE_LAYOUT_HPP

#include <Kokkos_Macros.hpp>

#include <cstdint>

namespace Kindred {

/// \brief The layout of the 16-bit elements of a tile of vectors: row by row, or in blocks of 128
/// vectors × 64 elements that are copied whole to where a device's matrix units read them.
///
/// A block is 16 KiB of contiguous memory; the blocks of a vector follow each other. Within a block
/// a vector takes 128 bytes, whose eight 16-byte pieces are permuted by the last three bits of the
/// vector's index, so that eight vectors are read without bank conflicts: the 128-byte swizzle of
/// PTX, "Warpgroup level matrix shared memory layout".
struct TileLayout {
  static constexpr std::uint64_t block_vectors = 128;
  static constexpr std::uint64_t block_length = 64;
  static constexpr std::uint64_t block_size = block_vectors * block_length;

  std::uint64_t stride = 0;  ///< elements per vector; in blocks, a multiple of `block_length`
  bool in_blocks = false;

  /// The location of the elements of a vector.
  struct Line {
    std::uint64_t begin;
    std::uint32_t exchange;
    bool in_blocks;

    /// Elements within the same aligned group of eight stay adjacent.
    KOKKOS_INLINE_FUNCTION std::uint64_t at(std::uint32_t element) const {
      if (!in_blocks) return begin + element;
      constexpr auto length = static_cast<std::uint32_t>(block_length);
      const std::uint32_t eight = element % length / 8 ^ exchange;
      return begin + element / length * block_size + eight * 8 + element % 8;
    }
  };
  KOKKOS_INLINE_FUNCTION Line line(std::uint64_t vector) const {
    if (!in_blocks) return {vector * stride, 0, false};
    const std::uint64_t number = vector % block_vectors;
    return {(vector - number) * stride + number * block_length,
            static_cast<std::uint32_t>(number % 8), true};
  }
  KOKKOS_INLINE_FUNCTION std::uint64_t at(std::uint64_t vector, std::uint64_t element) const {
    return line(vector).at(static_cast<std::uint32_t>(element));
  }
};

}  // namespace Kindred

#endif  // KINDRED_CORE_VECTOR_TILE_LAYOUT_HPP
