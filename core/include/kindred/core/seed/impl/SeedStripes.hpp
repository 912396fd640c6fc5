// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEED_IMPL_SEED_STRIPES_HPP
#define KINDRED_CORE_SEED_IMPL_SEED_STRIPES_HPP

#include <kindred/core/seed/SeedChunks.hpp>

#include <cstdint>

namespace Kindred::Impl {

/// \brief `SeedChunks` with precomputed divisions, in which every feature has a seed.
struct ChunkMap {
  std::uint32_t hidden;
  std::uint32_t seeds;
  std::uint32_t narrow;    ///< the width of all chunks but the wider ones and the last
  std::uint32_t wider;     ///< number of chunks that are wider by one
  std::uint32_t of_wider;  ///< features in these chunks

  /// \param chunks those of `SeedChunks::covering`
  static ChunkMap of(const SeedChunks& chunks) {
    if (chunks.chunk != 0) return {chunks.hidden, chunks.seeds, chunks.chunk, 0, 0};
    const std::uint32_t narrow = chunks.hidden / chunks.seeds;
    const std::uint32_t wider = chunks.hidden % chunks.seeds;
    return {chunks.hidden, chunks.seeds, narrow, wider, wider * (narrow + 1)};
  }
  KOKKOS_INLINE_FUNCTION std::uint32_t begin(std::uint32_t seed) const {
    const std::uint64_t first = std::uint64_t{seed} * narrow + (seed < wider ? seed : wider);
    return first < hidden ? static_cast<std::uint32_t>(first) : hidden;
  }
  KOKKOS_INLINE_FUNCTION std::uint32_t width(std::uint32_t seed) const {
    const std::uint32_t full = narrow + (seed < wider ? 1 : 0);
    const std::uint32_t left = hidden - begin(seed);
    return left < full ? left : full;
  }
  KOKKOS_INLINE_FUNCTION std::uint32_t width_max() const { return width(0); }
  KOKKOS_INLINE_FUNCTION std::uint32_t seed_of(std::uint32_t feature) const {
    if (feature < of_wider) return feature / (narrow + 1);
    return wider + (feature - of_wider) / narrow;
  }
  /// Number of seeds that own a feature.
  KOKKOS_INLINE_FUNCTION std::uint32_t owners() const {
    return hidden == 0 ? 0 : seed_of(hidden - 1) + 1;
  }
};

/// \brief The position of a thread in its team.
struct TeamPlace {
  std::uint32_t lane;    ///< row lane
  std::uint32_t column;  ///< column of four features
};

/// \brief The work of a team: adjacent features and a block of rows.
struct SeedStripe {
  std::uint32_t index;
  std::uint32_t group;
  std::uint32_t begin;  ///< features
  std::uint32_t end;
};

/// \brief How features and rows are divided among teams.
struct SeedStripes {
  std::uint32_t stripes;
  std::uint32_t groups;      ///< blocks of rows
  std::uint32_t block_rows;  ///< a power of two
  std::uint32_t columns;     ///< threads per row, four features each: a power of two
  /// 4: additional columns, so that stripes contain whole seeds; 0: stripes may cut through seeds
  std::uint32_t extra;

  KOKKOS_INLINE_FUNCTION std::uint32_t width() const { return 4 * columns; }
  KOKKOS_INLINE_FUNCTION std::uint32_t across() const { return columns + extra; }
  /// The threads of a warp are adjacent in one row.
  KOKKOS_INLINE_FUNCTION TeamPlace place(std::uint32_t thread) const {
    constexpr std::uint32_t lanes = 8;
    if (thread < lanes * columns) return {thread / columns, thread % columns};
    return {(thread - lanes * columns) / 4, columns + thread % 4};
  }
  /// The stripe of work item \p work_item of `stripes × groups`; those of a group are consecutive.
  KOKKOS_INLINE_FUNCTION SeedStripe stripe(const ChunkMap& chunks, std::uint64_t work_item) const {
    const auto index = static_cast<std::uint32_t>(work_item % stripes);
    return {index, static_cast<std::uint32_t>(work_item / stripes), first_feature(chunks, index),
            first_feature(chunks, index + 1)};
  }
  /// Number of stripes that contain features of \p seed, which must have some.
  KOKKOS_INLINE_FUNCTION std::uint32_t stripes_of(const ChunkMap& chunks,
                                                  std::uint32_t seed) const {
    return (chunks.begin(seed + 1) - 1) / width() - chunks.begin(seed) / width() + 1;
  }

 private:
  /// With extra columns, the beginning of the first seed that starts at or after the stripe's
  /// position.
  KOKKOS_INLINE_FUNCTION std::uint32_t first_feature(const ChunkMap& chunks,
                                                     std::uint32_t index) const {
    if (index >= stripes) return chunks.hidden;
    const std::uint32_t feature = index * width();
    if (extra == 0 || index == 0) return feature;
    const std::uint32_t seed = chunks.seed_of(feature);
    const std::uint32_t begin = chunks.begin(seed);
    return begin == feature ? begin : chunks.begin(seed + 1);
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEED_IMPL_SEED_STRIPES_HPP
