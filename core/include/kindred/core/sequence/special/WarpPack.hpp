// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_SPECIAL_WARP_PACK_HPP
#define KINDRED_CORE_SEQUENCE_SPECIAL_WARP_PACK_HPP

/// \file
/// A special form for CUDA: not yet measured on `lcs-4096`. \see SpecialForms.hpp

#include <kindred/core/arch/CachedAccess.hpp>
#include <kindred/core/arch/Concurrency.hpp>
#include <kindred/core/arch/ScratchReader.hpp>
#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/arch/Unroll.hpp>
#include <kindred/core/sequence/QueryTables.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace Kindred::Impl {

/// The pattern of a lane, and the tables of a query in a team's scratch. \see SequencePack
class WarpPack {
 public:
  static constexpr unsigned tiles = 1;
  static constexpr unsigned lanes = 32;
  /// Bytes for the masks of one code, replicated so that every lane reads its own banks.
  static constexpr std::uint32_t mask_bytes = 128;

  using Word = std::uint64_t;
  /// In the team's scratch.
  using Address = Arch::ScratchReader::Address;

  /// How a symbol is mapped to its masks.
  enum class Lookup : std::uint8_t { symbol, near_hash, far_hash };
  /// One-byte symbols are slots themselves; a hash stays in scratch if the masks leave space for
  /// it.
  template <class SymbolType, unsigned Words>
  static constexpr Lookup lookup = sizeof(SymbolType) == 1 ? Lookup::symbol
                                   : Words <= 2            ? Lookup::near_hash
                                                           : Lookup::far_hash;

  /// Masks of the words of a segment, in scratch; the masks of the slot for absent symbols are
  /// zero.
  struct Tables {
    Address masks{};
    Address near_hash{};
    SymbolHash hash{nullptr, 1, 1};
    std::uint32_t none = 0;        ///< the code of absent symbols
    std::uint32_t padding = 0;     ///< a symbol that the query does not contain
    std::uint32_t copy_bytes = 8;  ///< bytes of one copy: the words of the segment

    /// The masks of \p symbol in the copy at \p own.
    template <Lookup From>
    KOKKOS_INLINE_FUNCTION Address address(std::uint32_t symbol, Address own) const {
      std::uint32_t place = symbol;
      if constexpr (From == Lookup::near_hash) {
        // As SymbolHash::code, with a multiplication instead of a shift.
        const std::uint32_t entry = symbol * hash.multiplier >> (32 - hash.bits);
        place = Arch::ScratchReader::word(near_hash + entry * 4) ^
                symbol * (hash.multiplier << hash.bits);
        place = place < none ? place : none;
      } else if constexpr (From == Lookup::far_hash) {
        place = hash.code(symbol, none);
      }
      return own + place * mask_bytes;
    }
    /// The copy that \p lane reads.
    KOKKOS_INLINE_FUNCTION Address own_masks(unsigned lane) const {
      return masks + lane * copy_bytes % mask_bytes;
    }
  };

  /// A larger hash does not fit next to the masks of two words.
  static constexpr std::uint32_t near_bits_max = 12;

  /// Fills the scratch of \p team and synchronises the team.
  template <class SymbolType, unsigned Words, class Member, class Queries>
  KOKKOS_INLINE_FUNCTION static Tables make(const Member& team, const Queries& queries,
                                            std::uint32_t, const QuerySegment& s,
                                            std::uint32_t vocabulary) {
    constexpr Lookup from = lookup<SymbolType, Words>;
    constexpr std::uint32_t row_words = mask_bytes / sizeof(std::uint64_t);
    const WordTable* word = queries.words.data() + s.first_word;
    const SymbolHash hash = queries.symbol_hash(s);
    const std::uint32_t copy_words = s.words == 3 ? 4 : s.words == 0 ? 1 : s.words;
    const std::uint32_t rows = (from == Lookup::symbol ? vocabulary : s.codes) + 1;
    const std::uint32_t entries = from == Lookup::near_hash && s.words > 0 ? 1U << hash.bits : 0;
    auto* masks = static_cast<std::uint64_t*>(team.team_scratch(0).get_shmem_aligned(
        rows * mask_bytes + entries * sizeof(std::uint32_t), mask_bytes));
    Kokkos::parallel_for(
        Kokkos::TeamVectorRange(team, rows * row_words), [&](const std::uint32_t i) {
          const std::uint32_t at = i / row_words;
          const std::uint32_t w = i % copy_words;
          std::uint32_t code = no_code;
          if constexpr (from == Lookup::symbol) {
            if (s.words > 0) code = hash.code(at, no_code);
          } else if (at < s.codes) {
            code = at;
          }
          masks[i] = w < s.words ? word[w].mask(static_cast<std::uint8_t>(code)) : 0;
        });
    Tables tables;
    tables.masks = Arch::ScratchReader::address(masks);
    if constexpr (from == Lookup::near_hash) {
      auto* kept = reinterpret_cast<std::uint32_t*>(masks + rows * row_words);
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, entries),
                           [&](const std::uint32_t i) { kept[i] = hash.entries[i]; });
      tables.near_hash = Arch::ScratchReader::address(kept);
    }
    tables.hash = hash;
    tables.none = s.codes;
    tables.padding = vocabulary;
    tables.copy_bytes = copy_words * sizeof(std::uint64_t);
    team.team_barrier();
    return tables;
  }
  template <class SymbolType, unsigned Words, class Queries>
  static std::size_t scratch_bytes(const Queries& queries, std::uint32_t vocabulary) {
    constexpr Lookup from = lookup<SymbolType, Words>;
    const std::size_t rows = (from == Lookup::symbol ? vocabulary : queries.codes_max) + 2ULL;
    const std::size_t entries =
        from == Lookup::near_hash ? std::size_t{1} << queries.hash_bits_max : 0;
    return rows * mask_bytes + entries * sizeof(std::uint32_t);
  }
  /// Tiles per team: enough that filling its tables costs little, few enough to fill the device.
  static std::uint32_t tiles_per_team(const DeviceSpace& exec_space, std::uint32_t tile_count,
                                      std::uint32_t queries) {
    const auto work_items = static_cast<std::uint64_t>(Arch::concurrency(exec_space)) / 32;
    const std::uint64_t share =
        std::uint64_t{tile_count} * queries / std::max<std::uint64_t>(work_items, 1);
    return static_cast<std::uint32_t>(std::clamp<std::uint64_t>((share + 7) / 8 * 8, 8, 1024));
  }

  /// \brief Advances the words of a segment over all rows of \p work_item. Returns false as soon as
  /// no lane can reach \p need.
  /// \tparam Chained reads the carries of the preceding segment and writes those for the next
  template <Lookup From, unsigned Words, bool Chained, class WorkItem>
  KOKKOS_INLINE_FUNCTION static bool advance(const Tables& tables, const WorkItem& work_item,
                                             std::uint32_t need, Word* state) {
    const Address own = tables.own_masks(work_item.lane);
    const auto* next = work_item.symbols[0] + work_item.lane;
    KINDRED_UNROLL
    for (unsigned w = 0; w < Words; ++w) state[w] = ~Word{0};
    for (std::uint32_t row = 0; row < work_item.rows; row += group) {
      std::uint32_t symbol[group];
      fetch(next, work_item.rows - row, tables.padding, symbol);
      next += group * lanes;
      Address at[group];
      KINDRED_UNROLL
      for (unsigned r = 0; r < group; ++r) at[r] = tables.template address<From>(symbol[r], own);
      std::uint32_t carry = 0;
      if constexpr (Chained) {
        if (work_item.chained_in)
          carry = carries(work_item.plane, row, work_item.lane) >> (row & 31U) & 0xFFU;
      }
      if constexpr (Words <= 2) {
        MaskRow<Words> masks[group];
        KINDRED_UNROLL
        for (unsigned r = 0; r < group; ++r) masks[r].load(at[r]);
        KINDRED_UNROLL
        for (unsigned r = 0; r < group; ++r) step<Words, Chained>(masks[r], r, carry, state);
      } else {
        KINDRED_UNROLL
        for (unsigned r = 0; r < group; ++r) {
          MaskRow<Words> masks;
          masks.load(at[r]);
          step<Words, Chained>(masks, r, carry, state);
        }
      }
      if constexpr (Chained) {
        if (work_item.chained_out) {
          std::uint32_t& bits = carries(work_item.plane, row, work_item.lane);
          bits = (bits & ~(0xFFU << (row & 31U))) | carry << (row & 31U);
        }
      }
      if (need > 0 && (row & 31U) == 32 - group) {
        const std::uint32_t left = work_item.rows - row > group ? work_item.rows - row - group : 0;
        if (zeros<Words>(state) + left < need) return false;
      }
    }
    return true;
  }

  /// The count that the state words encode.
  template <unsigned Words>
  KOKKOS_INLINE_FUNCTION static std::uint32_t zeros(const Word* state) {
    std::uint32_t count = 0;
    KINDRED_UNROLL
    for (unsigned w = 0; w < Words; ++w) {
      count += static_cast<std::uint32_t>(Kokkos::popcount(~state[w]));
    }
    return count;
  }

  /// Loads the masks of one symbol.
  template <Lookup From, unsigned Words>
  KOKKOS_INLINE_FUNCTION static void masks(const Tables& tables, std::uint32_t symbol,
                                           unsigned lane, Word* words) {
    MaskRow<Words> row;
    row.load(tables.template address<From>(symbol, tables.own_masks(lane)));
    for (unsigned w = 0; w < Words; ++w) words[w] = row.word[w];
  }

  KOKKOS_INLINE_FUNCTION static void write_zero(std::uint32_t* matched, unsigned, unsigned lane) {
    matched[lane] = 0;
  }

 private:
  /// Rows whose symbols are loaded together.
  static constexpr unsigned group = 8;

  /// The masks of a code's words; one load reads two.
  template <unsigned Words>
  struct MaskRow {
    Word word[Words + Words % 2];

    KOKKOS_INLINE_FUNCTION void load(Address address) {
      if constexpr (Words == 1) {
        word[0] = Arch::ScratchReader::wide(address);
      } else {
        KINDRED_UNROLL
        for (unsigned w = 0; w < Words; w += 2) {
          Arch::ScratchReader::pair(address + 8 * w, word[w], word[w + 1]);
        }
      }
    }
  };

  /// Loads the symbols of the lane in at most `group` rows from \p from on, of which \p left > 0
  /// remain; padding has no effect.
  template <class SymbolType>
  KOKKOS_INLINE_FUNCTION static void fetch(const SymbolType* from, std::uint32_t left,
                                           std::uint32_t padding, std::uint32_t* symbol) {
    if (left >= group) {
      KINDRED_UNROLL
      for (unsigned r = 0; r < group; ++r) symbol[r] = from[lanes * r];
    } else {
      KINDRED_UNROLL
      for (unsigned r = 0; r < group; ++r) symbol[r] = r < left ? from[lanes * r] : padding;
    }
  }

  /// The carries of 32 rows in one word: bit i belongs to row i of the 32 that contain \p row.
  KOKKOS_INLINE_FUNCTION static std::uint32_t& carries(std::uint64_t* plane, std::uint32_t row,
                                                       unsigned lane) {
    return reinterpret_cast<std::uint32_t*>(plane)[(row & ~31U) + lane];
  }

  /// One row of the recurrence over all words, two of which form one 128-bit number.
  template <unsigned Words, bool Chained>
  KOKKOS_INLINE_FUNCTION static void step(const MaskRow<Words>& masks, unsigned r,
                                          std::uint32_t& carry, Word* state) {
    __extension__ typedef unsigned __int128 Two;  // NOLINT(modernize-use-using)
    Word carried = Chained ? carry >> r & 1U : 0;
    KINDRED_UNROLL
    for (unsigned w = 0; w < Words; w += 2) {
      if (w + 1 < Words) {
        const Two s = Two{state[w + 1]} << 64U | state[w];
        const Two mask = Two{masks.word[w + 1]} << 64U | masks.word[w];
        const Two both = s & mask;
        const Two sum = s + both + carried;
        carried = static_cast<Word>((both | (s & ~sum)) >> 127U);
        const Two next = sum | (s & ~mask);
        state[w] = static_cast<Word>(next);
        state[w + 1] = static_cast<Word>(next >> 64U);
      } else {
        const Word s = state[w];
        const Word both = s & masks.word[w];
        const Word sum = s + both + carried;
        carried = (both | (s & ~sum)) >> 63U;
        state[w] = sum | (s & ~masks.word[w]);
      }
    }
    if constexpr (Chained) {
      carry = (carry & ~(1U << r)) | static_cast<std::uint32_t>(carried) << r;
    }
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEQUENCE_SPECIAL_WARP_PACK_HPP
