// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SELECT_IMPL_KTH_GREATEST_HPP
#define KINDRED_CORE_SELECT_IMPL_KTH_GREATEST_HPP

#include <kindred/core/select/impl/ScratchSort.hpp>

#include <cstddef>
#include <cstdint>

namespace Kindred::Impl {

/// \brief The k-th greatest of many numbers, by a team: radix selection with digits of eight bits.
class RadixSelect {
  static constexpr std::uint32_t bins = 256;
  static constexpr std::uint32_t part = 16;
  static constexpr std::uint32_t digits = 4;
  static constexpr std::uint32_t held_max = 4096;  ///< numbers that are read only once
  /// For every digit the counts, and sums of 16 of them; the prefix found so far and how many are
  /// still to be skipped.
  static constexpr std::uint32_t count_words = digits * (bins + bins / part);

 public:
  static constexpr std::size_t scratch_bytes = (count_words + 2 + held_max) * sizeof(std::uint32_t);

  /// The \p k-th greatest of \p keys, of which 0 does not count; 0 if there are fewer. Ends with a
  /// barrier. \param counts scratch of `scratch_bytes`
  template <class Team>
  KOKKOS_INLINE_FUNCTION static std::uint32_t kth_greatest(const Team& team,
                                                           const std::uint32_t* keys,
                                                           std::uint64_t count, std::uint64_t k,
                                                           std::uint32_t* counts) {
    std::uint32_t* sums = counts + digits * bins;
    std::uint32_t* found = counts + count_words;
    std::uint32_t* held = found + 2;
    const bool holds = count <= held_max;
    for_each_of_team(team, count_words, [&](std::uint32_t i) { counts[i] = 0; });
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      found[0] = 0;
      found[1] = k <= count ? static_cast<std::uint32_t>(k) : 0xFFFFFFFFU;
    });
    if (holds) {
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, count),
                           [&](std::uint64_t i) { held[i] = keys[i]; });
    }
    team.team_barrier();
    for (std::uint32_t digit = 0; digit < digits; ++digit) {
      const std::uint32_t shift = 24 - 8 * digit;
      const std::uint32_t prefix = found[0];
      const std::uint32_t left = found[1];
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, count), [&](std::uint64_t i) {
        const std::uint32_t key = holds ? held[i] : keys[i];
        // A shift by 32 is undefined.
        const bool same = digit == 0 || (key >> (shift + 8)) == prefix;
        if (key != 0 && same) Kokkos::atomic_inc(&counts[key >> shift & (bins - 1)]);
      });
      team.team_barrier();
      for_each_of_team(team, bins / part, [&](std::uint32_t p) {
        std::uint32_t sum = 0;
        for (std::uint32_t b = 0; b < part; ++b) sum += counts[p * part + b];
        sums[p] = sum;
      });
      team.team_barrier();
      for_each_of_team(team, bins, [&](std::uint32_t b) {
        std::uint32_t above = 0;
        for (std::uint32_t p = b / part + 1; p < bins / part; ++p) above += sums[p];
        for (std::uint32_t o = b + 1; o < (b / part + 1) * part; ++o) above += counts[o];
        if (above < left && left <= above + counts[b]) {
          found[0] = prefix << 8U | b;
          found[1] = left - above;
        }
      });
      team.team_barrier();
      counts += bins;
      sums += bins / part;
    }
    return found[0];  // 0 if no bin was found
  }
};

/// \brief The k-th greatest of some numbers without their bits below \p last_bit, one bit after the
/// other: for few numbers, or for those that a few threads hold in registers.
/// \param at_least returns how many of the numbers are ≥ a number > 0
template <class AtLeast>
KOKKOS_INLINE_FUNCTION std::uint32_t kth_greatest(std::uint32_t k, std::uint32_t last_bit,
                                                  const AtLeast& at_least) {
  std::uint32_t bits = 0;
  for (std::uint32_t bit = 1U << 31U; bit >= last_bit; bit >>= 1U)
    if (at_least(bits | bit) >= k) bits |= bit;
  return bits;
}

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SELECT_IMPL_KTH_GREATEST_HPP
