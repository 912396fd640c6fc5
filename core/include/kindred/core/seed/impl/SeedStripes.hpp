// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEED_IMPL_SEED_STRIPES_HPP
#define KINDRED_CORE_SEED_IMPL_SEED_STRIPES_HPP

#include <kindred/core/seed/SeedChunks.hpp>

#include <cstdint>

namespace Kindred::Impl {

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
  std::uint32_t seeds;         ///< of a stripe; 0: stripes are parts
  std::uint32_t parts;         ///< of a seed
  std::uint32_t part_width;
  std::uint32_t columns;  ///< threads beside each other, four features each

  /// Of unit \p unit of `stripes × groups`; those of a group are neighbours.
  KOKKOS_INLINE_FUNCTION SeedStripe stripe(const SeedChunks& chunks, std::uint64_t unit) const {
    SeedStripe out{};
    out.index = static_cast<std::uint32_t>(unit % stripes);
    out.group = static_cast<std::uint32_t>(unit / stripes);
    if (seeds != 0) {
      out.first_seed = out.index * seeds;
      out.last_seed = out.first_seed + seeds < chunks.seeds ? out.first_seed + seeds : chunks.seeds;
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
