// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_CODE_HASH_HPP
#define KINDRED_CORE_SEQUENCE_CODE_HASH_HPP

#include <kindred/core/sequence/Symbol.hpp>
#include <kindred/core/sequence/WordTable.hpp>

#include <Kokkos_Macros.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace Kindred {

/// \brief Symbol → code by a perfect hash: what a device reads where a table by symbol would not
/// stay near.
///
/// The high bits of symbol · multiplier are the entry, the others, which with the entry tell the
/// symbol, are kept beside the code. An odd multiplier makes that exact for every 32-bit symbol.
struct CodeHash {
  const std::uint32_t* entries;  ///< 2^bits: the product's other bits, then `bits` bits of code
  std::uint32_t multiplier;
  std::uint32_t bits;

  /// The code of \p symbol, or \p none, which is at most 255.
  KOKKOS_INLINE_FUNCTION std::uint32_t code(std::uint32_t symbol, std::uint32_t none) const {
    const std::uint32_t product = symbol * multiplier;
    const std::uint32_t found = entries[product >> (32 - bits)] ^ (product << bits);
    return found < none ? found : none;
  }

  /// Bits for \p codes symbols: few enough to stay near, many enough to be found in a few tries.
  static std::uint32_t bits_for(std::uint32_t codes) noexcept;

  /// Appends the entries for \p symbols, all different, at most 255; symbol i has code i.
  /// \return the multiplier and the bits; `entries` is null
  static CodeHash build(std::span<const Symbol> symbols, std::vector<std::uint32_t>& entries);
};

}  // namespace Kindred

#endif  // KINDRED_CORE_SEQUENCE_CODE_HASH_HPP
