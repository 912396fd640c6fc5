// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_IMPL_MATCH_KEY_HPP
#define KINDRED_CORE_SEQUENCE_IMPL_MATCH_KEY_HPP

#include <kindred/core/numeric/Rank.hpp>
#include <kindred/core/select/WideRank.hpp>

#include <Kokkos_BitManipulation.hpp>

#include <cstdint>
#include <type_traits>

namespace Kindred::Impl {

/// The key of a similarity in [0, 1]; for `Rank` the bits of `rank_descending`, without its special
/// cases.
template <class Key>
KOKKOS_INLINE_FUNCTION Key match_key(double value, std::uint32_t index) {
  if constexpr (std::is_same_v<Key, WideRank>) {
    return {~Kokkos::bit_cast<std::uint64_t>(value), index};
  } else {
    const auto bits = Kokkos::bit_cast<std::uint32_t>(static_cast<float>(value));
    return (Rank{0x7FFFFFFEU - bits} << 32U) | index;
  }
}

/// The similarity of a key; rounded to float32 if the key stores it so.
KOKKOS_INLINE_FUNCTION double key_similarity(Rank key) {
  return static_cast<double>(
      Kokkos::bit_cast<float>(0x7FFFFFFEU - static_cast<std::uint32_t>(key >> 32U)));
}
KOKKOS_INLINE_FUNCTION double key_similarity(const WideRank& key) {
  return Kokkos::bit_cast<double>(~key.score);
}

/// The index of the pattern of a key.
KOKKOS_INLINE_FUNCTION std::uint32_t key_index(Rank key) { return rank_index(key); }
KOKKOS_INLINE_FUNCTION std::uint32_t key_index(const WideRank& key) {
  return static_cast<std::uint32_t>(key.index);
}

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEQUENCE_IMPL_MATCH_KEY_HPP
