// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_BULK_IMPL_PHILOX_HPP
#define KINDRED_CORE_BULK_IMPL_PHILOX_HPP

#include <Kokkos_Macros.hpp>

#include <cstdint>

namespace Kindred::Impl {

/// \brief Philox4x32-10: the four words of each of \p Width counters (low, high) under \p seed.
/// Lanes are the inner index, so that the host vectorises over them.
template <int Width>
struct Philox {
  std::uint32_t word[4][Width];

  KOKKOS_INLINE_FUNCTION Philox(std::uint64_t seed, std::uint64_t counter, std::uint64_t high = 0) {
    for (int l = 0; l < Width; ++l) {
      const std::uint64_t own = counter + static_cast<std::uint64_t>(l);
      word[0][l] = static_cast<std::uint32_t>(own);
      word[1][l] = static_cast<std::uint32_t>(own >> 32U);
      word[2][l] = static_cast<std::uint32_t>(high);
      word[3][l] = static_cast<std::uint32_t>(high >> 32U);
    }
    auto key0 = static_cast<std::uint32_t>(seed);
    auto key1 = static_cast<std::uint32_t>(seed >> 32U);
    for (int round = 0; round < 10; ++round) {
      for (int l = 0; l < Width; ++l) {
        const std::uint64_t left = std::uint64_t{0xD2511F53U} * word[0][l];
        const std::uint64_t right = std::uint64_t{0xCD9E8D57U} * word[2][l];
        word[0][l] = static_cast<std::uint32_t>(right >> 32U) ^ word[1][l] ^ key0;
        word[1][l] = static_cast<std::uint32_t>(right);
        word[2][l] = static_cast<std::uint32_t>(left >> 32U) ^ word[3][l] ^ key1;
        word[3][l] = static_cast<std::uint32_t>(left);
      }
      key0 += 0x9E3779B9U;
      key1 += 0xBB67AE85U;
    }
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_BULK_IMPL_PHILOX_HPP
