// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SELECT_WIDE_RANK_HPP
#define KINDRED_CORE_SELECT_WIDE_RANK_HPP

#include <kindred/core/numeric/Rank.hpp>

#include <cstdint>
#include <type_traits>

namespace Kindred {

/// \brief A rank whose score needs 64 bits. Smaller is better: by score, then by index.
struct WideRank {
  std::uint64_t score;  ///< order-preserving bits, smaller is better
  std::uint64_t index;

  KOKKOS_INLINE_FUNCTION friend constexpr bool operator<(const WideRank& a, const WideRank& b) {
    return a.score < b.score || (a.score == b.score && a.index < b.index);
  }
  KOKKOS_INLINE_FUNCTION friend constexpr bool operator==(const WideRank& a, const WideRank& b) {
    return a.score == b.score && a.index == b.index;
  }
};

/// The key that comes after every item; it marks a position without a result.
template <class Key>
KOKKOS_INLINE_FUNCTION constexpr Key key_none() {
  if constexpr (std::is_same_v<Key, WideRank>) {
    return {~std::uint64_t{0}, ~std::uint64_t{0}};
  } else {
    return rank_none;
  }
}

}  // namespace Kindred

#endif  // KINDRED_CORE_SELECT_WIDE_RANK_HPP
