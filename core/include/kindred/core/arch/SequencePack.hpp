// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_SEQUENCE_PACK_HPP
#define KINDRED_CORE_ARCH_SEQUENCE_PACK_HPP

#include <kindred/core/arch/HostWords.hpp>
#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/sequence/WordTable.hpp>

#include <cstdint>

namespace Kindred::Arch {

/// \brief The patterns that one unit of a sequence kernel advances together.
///
/// On the host a thread carries two tiles (64 patterns) and 32 rows at a time; on a device a lane
/// carries one pattern of its warp's tile, row by row.
template <class ExecutionSpace>
class SequencePack;

template <>
class SequencePack<HostSpace> {
 public:
  static constexpr unsigned tiles = 2;
  static constexpr unsigned rows = 32;
  static constexpr unsigned lanes = 1;

  using Word = HostWords;
  struct alignas(64) Codes {
    std::uint8_t code[rows * 64];
  };
  struct Carry {
    std::uint64_t bits[rows];
  };
  /// Masks of the words of a segment.
  struct Tables {
    const WordTable* word;
    const std::uint8_t* codes;
  };

  static Word ones() { return Word::ones(); }

  /// Codes of \p count rows of both tiles; rows beyond a tile's own have no code.
  template <class SymbolType>
  static void translate(const Tables& tables, const SymbolType* const* symbols,
                        const std::uint32_t* tile_rows, std::uint32_t row, unsigned count, unsigned,
                        Codes& codes) {
    for (unsigned r = 0; r < count; ++r) {
      std::uint8_t* out = codes.code + 64 * std::size_t{r};
      const std::size_t at = 32 * std::size_t{row + r};
      const bool both = row + r < tile_rows[0] && row + r < tile_rows[1];
      if constexpr (sizeof(SymbolType) == 1) {
        if (both) {
          Word::translate(tables.codes, symbols[0] + at, symbols[1] + at, out);
          continue;
        }
      }
      for (unsigned t = 0; t < tiles; ++t) {
        const bool inside = row + r < tile_rows[t];
        for (unsigned l = 0; l < 32; ++l) {
          out[32 * t + l] = inside ? tables.codes[symbols[t][at + l]] : no_code;
        }
      }
    }
  }

  static void clear(Carry& carry) {
    for (auto& bits : carry.bits) bits = 0;
  }
  static void load(Carry& carry, const std::uint64_t* plane, std::uint32_t row, unsigned count,
                   unsigned) {
    for (unsigned r = 0; r < count; ++r) carry.bits[r] = plane[row + r];
  }
  static void store(const Carry& carry, std::uint64_t* plane, std::uint32_t row, unsigned count,
                    unsigned) {
    for (unsigned r = 0; r < count; ++r) plane[row + r] = carry.bits[r];
  }

  /// Advances word \p w of the segment by \p count rows. Codes are places where the segment has one
  /// word.
  template <bool Recode, bool WithCarry>
  static void advance(const Tables& tables, unsigned w, const Codes& codes, unsigned count,
                      Carry& carry, Word& state) {
    const Word::Lookup<Recode> lookup(tables.word[w]);
    Word s = state;
    for (unsigned r = 0; r < count; ++r) {
      const Word mask = lookup(codes.code + 64 * std::size_t{r});
      if constexpr (WithCarry) {
        s = Word::step(s, mask, carry.bits[r]);
      } else {
        s = Word::step(s, mask);
      }
    }
    state = s;
  }

  static std::uint32_t most_zeros(const Word* words, unsigned count) {
    return Word::most_zeros(words, count);
  }
  /// Writes (or adds) the zeros of every lane's words to `matched[0 … slots)`.
  static void write(const Word* words, unsigned count, bool add, std::uint32_t* matched,
                    unsigned slots, unsigned) {
    std::uint32_t counts[64] = {};
    for (unsigned w = 0; w < count; ++w) words[w].add_zeros(counts);
    for (unsigned l = 0; l < slots; ++l) matched[l] = (add ? matched[l] : 0) + counts[l];
  }
  static void write_zero(std::uint32_t* matched, unsigned slots, unsigned) {
    for (unsigned l = 0; l < slots; ++l) matched[l] = 0;
  }
};

#if KINDRED_HAS_DEVICE
template <>
class SequencePack<DeviceSpace> {
 public:
  static constexpr unsigned tiles = 1;
  static constexpr unsigned rows = 1;
  static constexpr unsigned lanes = 32;

  using Word = std::uint64_t;
  using Codes = std::uint32_t;
  using Carry = std::uint64_t;
  /// Masks of the words of a segment, in scratch: `masks[w * codes_count + code]`.
  struct Tables {
    const std::uint64_t* masks;
    const std::uint8_t* codes;  ///< null where a symbol is its own code
    std::uint32_t stride;       ///< of a word in `masks`; the last entry of a word is zero
  };

  KOKKOS_INLINE_FUNCTION static Word ones() { return ~Word{0}; }

  template <class SymbolType>
  KOKKOS_INLINE_FUNCTION static void translate(const Tables& tables,
                                               const SymbolType* const* symbols,
                                               const std::uint32_t*, std::uint32_t row, unsigned,
                                               unsigned lane, Codes& codes) {
    const std::uint32_t symbol = symbols[0][32 * std::size_t{row} + lane];
    codes = tables.codes == nullptr ? symbol : tables.codes[symbol];
  }

  KOKKOS_INLINE_FUNCTION static void clear(Carry& carry) { carry = 0; }
  KOKKOS_INLINE_FUNCTION static void load(Carry& carry, const std::uint64_t* plane,
                                          std::uint32_t row, unsigned, unsigned lane) {
    const auto* bits = reinterpret_cast<const std::uint32_t*>(plane);
    carry = bits[(row & ~31U) + lane] >> (row & 31U) & 1U;
  }
  KOKKOS_INLINE_FUNCTION static void store(const Carry& carry, std::uint64_t* plane,
                                           std::uint32_t row, unsigned, unsigned lane) {
    auto& bits = reinterpret_cast<std::uint32_t*>(plane)[(row & ~31U) + lane];
    const std::uint32_t bit = 1U << (row & 31U);
    bits = carry != 0 ? bits | bit : bits & ~bit;
  }

  template <bool Recode, bool WithCarry>
  KOKKOS_INLINE_FUNCTION static void advance(const Tables& tables, unsigned w, const Codes& codes,
                                             unsigned, Carry& carry, Word& state) {
    const Word mask = tables.masks[w * tables.stride + codes];
    const Word both = state & mask;
    Word sum = state + both;
    if constexpr (WithCarry) {
      sum += carry;
      carry = (both | (state & ~sum)) >> 63U;
    }
    state = sum | (state & ~mask);
  }

  KOKKOS_INLINE_FUNCTION static std::uint32_t most_zeros(const Word* words, unsigned count) {
    std::uint32_t zeros = 0;
    for (unsigned w = 0; w < count; ++w) {
      zeros += static_cast<std::uint32_t>(Kokkos::popcount(~words[w]));
    }
    return zeros;
  }
  KOKKOS_INLINE_FUNCTION static void write(const Word* words, unsigned count, bool add,
                                           std::uint32_t* matched, unsigned, unsigned lane) {
    matched[lane] = (add ? matched[lane] : 0) + most_zeros(words, count);
  }
  KOKKOS_INLINE_FUNCTION static void write_zero(std::uint32_t* matched, unsigned, unsigned lane) {
    matched[lane] = 0;
  }
};
#endif

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_SEQUENCE_PACK_HPP
