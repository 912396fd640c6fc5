// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEED_SEED_CHUNKS_HPP
#define KINDRED_CORE_SEED_SEED_CHUNKS_HPP

#include <Kokkos_Macros.hpp>

#include <cstdint>

namespace Kindred {

/// \brief Which features belong to which seed: contiguous chunks of equal width, the first `hidden
/// mod seeds` wider by one; the last chunks are empty if there are more seeds than features.
struct SeedChunks {
  std::uint32_t hidden = 0;
  std::uint32_t seeds = 0;

  /// The first feature of \p seed, which is at most `seeds`; `begin(seeds)` is `hidden`.
  KOKKOS_INLINE_FUNCTION constexpr std::uint32_t begin(std::uint32_t seed) const {
    if (seeds == 0) return 0;
    const std::uint32_t wider = hidden % seeds;
    return seed * (hidden / seeds) + (seed < wider ? seed : wider);
  }
  KOKKOS_INLINE_FUNCTION constexpr std::uint32_t width(std::uint32_t seed) const {
    return hidden / seeds + (seed < hidden % seeds ? 1 : 0);
  }
  /// The width of the widest chunk.
  KOKKOS_INLINE_FUNCTION constexpr std::uint32_t width_max() const {
    return seeds == 0 ? 0 : hidden / seeds + (hidden % seeds != 0 ? 1 : 0);
  }
  /// The seed that owns \p feature, which must be below `hidden`; there must be a seed.
  KOKKOS_INLINE_FUNCTION constexpr std::uint32_t seed_of(std::uint32_t feature) const {
    const std::uint32_t narrow = hidden / seeds;
    const std::uint32_t wider = hidden % seeds;
    const std::uint32_t of_wider = wider * (narrow + 1);
    if (feature < of_wider) return feature / (narrow + 1);
    return wider + (feature - of_wider) / narrow;
  }

  friend constexpr bool operator==(const SeedChunks&, const SeedChunks&) = default;
};

}  // namespace Kindred

#endif  // KINDRED_CORE_SEED_SEED_CHUNKS_HPP
