// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEED_IMPL_SEED_STRIPES_HPP
#define KINDRED_CORE_SEED_IMPL_SEED_STRIPES_HPP

#include <kindred/core/seed/SeedChunks.hpp>

#include <cstdint>

namespace Kindred::Impl {

/// \brief `SeedChunks` with its divisions made beforehand.
struct ChunkMap {
  std::uint32_t hidden;
  std::uint32_t seeds;
  std::uint32_t narrow;
  std::uint32_t wider;     ///< chunks that have one more
  std::uint32_t of_wider;  ///< features of these

  static ChunkMap of(const SeedChunks& chunks) {
    const std::uint32_t narrow = chunks.hidden / chunks.seeds;
    const std::uint32_t wider = chunks.hidden % chunks.seeds;
    return {chunks.hidden, chunks.seeds, narrow, wider, wider * (narrow + 1)};
  }
  KOKKOS_INLINE_FUNCTION std::uint32_t begin(std::uint32_t seed) const {
    return seed * narrow + (seed < wider ? seed : wider);
  }
  KOKKOS_INLINE_FUNCTION std::uint32_t width(std::uint32_t seed) const {
    return narrow + (seed < wider ? 1 : 0);
  }
  KOKKOS_INLINE_FUNCTION std::uint32_t width_max() const { return narrow + (wider != 0 ? 1 : 0); }
  KOKKOS_INLINE_FUNCTION std::uint32_t seed_of(std::uint32_t feature) const {
    if (feature < of_wider) return feature / (narrow + 1);
    return wider + (feature - of_wider) / narrow;
  }
};

/// \brief What a team or piece works on: features of whole seeds or of a part of one, and a group
/// of blocks of rows.
struct SeedStripe {
  std::uint32_t index;
  std::uint32_t group;
  std::uint32_t begin;  ///< features
  std::uint32_t end;
  std::uint32_t first_seed;
  std::uint32_t last_seed;  ///< behind the last one
};

/// \brief How features and rows are cut. A part is an aligned run of a power of two of a chunk's
/// features: a subtree of its moments.
struct SeedStripes {
  std::uint32_t stripes;
  std::uint32_t groups;
  std::uint32_t group_blocks;  ///< a power of two
  std::uint32_t step;          ///< features from which a stripe's first seed is found; 0: parts
  std::uint32_t parts;         ///< of a seed
  std::uint32_t part_width;
  std::uint32_t columns;  ///< threads beside each other, four features each
  std::uint32_t run;      ///< blocks of a thread, a power of two

  /// The first seed that begins at feature index · step or behind it.
  KOKKOS_INLINE_FUNCTION std::uint32_t first_seed(const ChunkMap& chunks,
                                                  std::uint32_t index) const {
    if (index == 0) return 0;
    if (index >= stripes) return chunks.seeds;
    const std::uint32_t feature = index * step;
    const std::uint32_t seed = chunks.seed_of(feature);
    return chunks.begin(seed) == feature ? seed : seed + 1;
  }
  /// Of unit \p unit of `stripes × groups`; those of a group are neighbours.
  KOKKOS_INLINE_FUNCTION SeedStripe stripe(const ChunkMap& chunks, std::uint64_t unit) const {
    SeedStripe out{};
    out.index = static_cast<std::uint32_t>(unit % stripes);
    out.group = static_cast<std::uint32_t>(unit / stripes);
    if (step != 0) {
      out.first_seed = first_seed(chunks, out.index);
      out.last_seed = first_seed(chunks, out.index + 1);
      out.begin = chunks.begin(out.first_seed);
      out.end = chunks.begin(out.last_seed);
    } else {
      out.first_seed = out.index / parts;
      out.last_seed = out.first_seed + 1;
      const std::uint32_t last = chunks.begin(out.last_seed);
      out.begin = chunks.begin(out.first_seed) + out.index % parts * part_width;
      if (out.begin > last) out.begin = last;
      out.end = out.begin + part_width < last ? out.begin + part_width : last;
    }
    return out;
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEED_IMPL_SEED_STRIPES_HPP
