// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_NUMERIC_RANK_HPP
#define KINDRED_CORE_NUMERIC_RANK_HPP

#include <kindred/core/numeric/CanonicalNan.hpp>

#include <cstdint>

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Macros.hpp>

namespace Kindred {

/// \brief The total order of every ranking as one integer: a smaller rank is better, and no two
/// items of a query have equal ranks.
///
/// The high 32 bits are the score (better first, NaN last, −0 equal to +0); the low 32 bits are the
/// index (lower first).
using Rank = std::uint64_t;

/// The rank that comes after every item; it marks a position without a result.
inline constexpr Rank rank_none = ~Rank{0};

namespace Impl {

/// Order-preserving (ascending) bits of \p score; NaN is the greatest, −0 equals +0.
KOKKOS_INLINE_FUNCTION std::uint32_t ascending_bits(float score) {
  if (score != score) return 0xFFFFFFFFU;
  if (score == 0.0F) return 0x80000000U;
  const auto bits = Kokkos::bit_cast<std::uint32_t>(score);
  return (bits >> 31U) != 0 ? ~bits : bits | 0x80000000U;
}

}  // namespace Impl

/// The rank of a score if larger scores are better.
KOKKOS_INLINE_FUNCTION Rank rank_descending(float score, std::uint32_t index) {
  const std::uint32_t bits = Impl::ascending_bits(score);
  const std::uint32_t key = bits == 0xFFFFFFFFU ? bits : 0xFFFFFFFEU - bits;
  return (Rank{key} << 32U) | index;
}

/// The rank of a score if smaller scores are better.
KOKKOS_INLINE_FUNCTION Rank rank_ascending(float score, std::uint32_t index) {
  return (Rank{Impl::ascending_bits(score)} << 32U) | index;
}

namespace Impl {

/// The score that `ascending_bits` encoded; NaN is canonical, a zero is +0.
KOKKOS_INLINE_FUNCTION float score_from_ascending_bits(std::uint32_t bits) {
  if (bits == 0xFFFFFFFFU) return canonical_nan<float>();
  return Kokkos::bit_cast<float>((bits >> 31U) != 0 ? bits & 0x7FFFFFFFU : ~bits);
}

}  // namespace Impl

/// The score encoded by `rank_descending`, exact to the bit (NaN is canonical, a zero is +0).
KOKKOS_INLINE_FUNCTION float score_descending(Rank rank) {
  const auto key = static_cast<std::uint32_t>(rank >> 32U);
  return Impl::score_from_ascending_bits(key == 0xFFFFFFFFU ? key : 0xFFFFFFFEU - key);
}

/// The score encoded by `rank_ascending`, exact to the bit (NaN is canonical, a zero is +0).
KOKKOS_INLINE_FUNCTION float score_ascending(Rank rank) {
  return Impl::score_from_ascending_bits(static_cast<std::uint32_t>(rank >> 32U));
}

/// The index encoded in a rank.
KOKKOS_INLINE_FUNCTION std::uint32_t rank_index(Rank rank) {
  return static_cast<std::uint32_t>(rank);
}

}  // namespace Kindred

#endif  // KINDRED_CORE_NUMERIC_RANK_HPP
