// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEED_SEED_CHUNKS_HPP
#define KINDRED_CORE_SEED_SEED_CHUNKS_HPP

#include <kindred/core/common/QuotientUp.hpp>

#include <Kokkos_Macros.hpp>

#include <cstdint>

namespace Kindred {

/// \brief Which features belong to which seed: contiguous chunks.
///
/// Without a chunk size the chunks have equal width, the first `hidden mod seeds` wider by one; the
/// last chunks are empty if there are more seeds than features. With a chunk size, seed s owns the
/// features s · chunk … (s + 1) · chunk − 1 as far as they exist; features behind the last seed
/// belong to none.
struct SeedChunks {
  std::uint32_t hidden = 0;
  std::uint32_t seeds = 0;
  std::uint32_t chunk = 0;  ///< the chunk size; 0: equal width

  /// The first feature of \p seed, which is at most `seeds`; `hidden` for a seed without features
  /// behind the others. `begin(seeds)` is the number of features that belong to a seed.
  KOKKOS_INLINE_FUNCTION constexpr std::uint32_t begin(std::uint32_t seed) const {
    if (chunk != 0) {
      const std::uint64_t first = std::uint64_t{seed} * chunk;
      return first < hidden ? static_cast<std::uint32_t>(first) : hidden;
    }
    if (seeds == 0) return 0;
    const std::uint32_t wider = hidden % seeds;
    return seed * (hidden / seeds) + (seed < wider ? seed : wider);
  }
  KOKKOS_INLINE_FUNCTION constexpr std::uint32_t width(std::uint32_t seed) const {
    if (chunk != 0) {
      const std::uint32_t left = hidden - begin(seed);
      return left < chunk ? left : chunk;
    }
    return hidden / seeds + (seed < hidden % seeds ? 1 : 0);
  }
  /// The width of the widest chunk.
  KOKKOS_INLINE_FUNCTION constexpr std::uint32_t width_max() const {
    if (seeds == 0) return 0;
    return chunk != 0 ? width(0) : hidden / seeds + (hidden % seeds != 0 ? 1 : 0);
  }
  /// The seed that owns \p feature, which must be below `hidden`. With a chunk size it may be
  /// `seeds` or more: then no seed owns it. Without one, there must be a seed.
  KOKKOS_INLINE_FUNCTION constexpr std::uint32_t seed_of(std::uint32_t feature) const {
    if (chunk != 0) return feature / chunk;
    const std::uint32_t narrow = hidden / seeds;
    const std::uint32_t wider = hidden % seeds;
    const std::uint32_t of_wider = wider * (narrow + 1);
    if (feature < of_wider) return feature / (narrow + 1);
    return wider + (feature - of_wider) / narrow;
  }
  /// The same chunks with as many further seeds as are needed for every feature to have one.
  constexpr SeedChunks covering() const {
    SeedChunks out = *this;
    const std::uint32_t needed =
        chunk == 0 ? 1 : static_cast<std::uint32_t>(quotient_up(std::uint64_t{hidden}, chunk));
    if (out.seeds == 0 || (chunk != 0 && out.seeds < needed)) out.seeds = needed == 0 ? 1 : needed;
    return out;
  }

  friend constexpr bool operator==(const SeedChunks&, const SeedChunks&) = default;
};

}  // namespace Kindred

#endif  // KINDRED_CORE_SEED_SEED_CHUNKS_HPP
