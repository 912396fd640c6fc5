// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_SYMBOL_HASH_HPP
#define KINDRED_CORE_SEQUENCE_SYMBOL_HASH_HPP

#include <kindred/core/sequence/Symbol.hpp>
#include <kindred/core/sequence/WordTable.hpp>

#include <Kokkos_Macros.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace Kindred {

/// \brief A perfect hash from symbols to codes, for devices where a table indexed by symbol would
/// not fit into fast memory.
///
/// The high bits of symbol · multiplier select the entry. The remaining bits, which together with
/// the entry identify the symbol, are stored next to the code. Since the multiplier is odd, this is
/// exact for every 32-bit symbol.
struct SymbolHash {
  /// 2^bits entries: the product's remaining bits, then `bits` bits of code
  const std::uint32_t* entries;
  std::uint32_t multiplier;
  std::uint32_t bits;

  /// The code of \p symbol, or \p none (at most 255) if it has no code.
  KOKKOS_INLINE_FUNCTION std::uint32_t code(std::uint32_t symbol, std::uint32_t none) const {
    const std::uint32_t product = symbol * multiplier;
    const std::uint32_t found = entries[product >> (32 - bits)] ^ (product << bits);
    return found < none ? found : none;
  }

  /// Bits to use for \p codes symbols: few enough to fit fast memory, enough to find a hash in a
  /// few tries.
  static std::uint32_t bits_for(std::uint32_t codes) noexcept;

  /// Appends the entries for \p symbols, which are distinct and at most 255; symbol i gets code i.
  /// \return the multiplier and the bits; `entries` is null
  static SymbolHash build(std::span<const Symbol> symbols, std::vector<std::uint32_t>& entries);
};

}  // namespace Kindred

#endif  // KINDRED_CORE_SEQUENCE_SYMBOL_HASH_HPP
