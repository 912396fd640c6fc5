// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/sequence/SymbolHash.hpp>

#include <cstddef>

namespace Kindred {

namespace {

/// Its low bits are all set, which is greater than every code, so its high bits cannot cause a
/// false hit.
constexpr std::uint32_t empty_entry = 0xFFFFFFFFU;

/// Inserts the symbols; returns false, with the entries cleared, if two symbols share an entry.
bool fill(std::span<const Symbol> symbols, std::uint32_t multiplier, std::uint32_t bits,
          std::uint32_t* entries) {
  for (std::size_t code = 0; code < symbols.size(); ++code) {
    const std::uint32_t product = symbols[code] * multiplier;
    std::uint32_t& entry = entries[product >> (32 - bits)];
    if (entry != empty_entry) {
      while (code-- > 0) entries[symbols[code] * multiplier >> (32 - bits)] = empty_entry;
      return false;
    }
    entry = product << bits | static_cast<std::uint32_t>(code);
  }
  return true;
}

}  // namespace

std::uint32_t SymbolHash::bits_for(std::uint32_t codes) noexcept {
  std::uint32_t bits = 9;
  // With at least codes² / 8 entries, a hash is found after about e⁴ tries.
  while ((std::uint64_t{8} << bits) < std::uint64_t{codes} * codes) ++bits;
  return bits;
}

SymbolHash SymbolHash::build(std::span<const Symbol> symbols, std::vector<std::uint32_t>& entries) {
  const std::size_t base = entries.size();
  std::uint32_t bits = bits_for(static_cast<std::uint32_t>(symbols.size()));
  entries.resize(base + (std::size_t{1} << bits), empty_entry);
  std::uint64_t state = 0;
  for (int tries = 0;; ++tries) {
    // Symbols for which no multiplier of the family works get a larger table.
    if (tries == 4096) {
      tries = 0;
      entries.resize(base + (std::size_t{1} << ++bits), empty_entry);
    }
    state += 0x9E3779B97F4A7C15U;
    std::uint64_t mixed = (state ^ (state >> 30U)) * 0xBF58476D1CE4E5B9U;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94D049BB133111EBU;
    const auto multiplier = static_cast<std::uint32_t>(mixed >> 32U) | 1U;
    if (fill(symbols, multiplier, bits, entries.data() + base)) return {nullptr, multiplier, bits};
  }
}

}  // namespace Kindred
