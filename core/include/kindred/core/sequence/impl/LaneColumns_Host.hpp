// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_IMPL_LANE_COLUMNS_HOST_HPP
#define KINDRED_CORE_SEQUENCE_IMPL_LANE_COLUMNS_HOST_HPP

#include <kindred/core/arch/Unroll.hpp>
#include <kindred/core/arch/simd/WordLanes.hpp>
#include <kindred/core/sequence/PairValues.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace Kindred::Impl {

/// \brief The patterns of a group: one lane of `Words` words of type \p Word each, in several
/// registers, since a recurrence waits for its own results.
/// \tparam WordsMax the number of words if `is_fixed`, else the largest one
template <ShortRecurrence recurrence, class Word, unsigned WordsMax, bool is_fixed = true>
struct LaneShape {
  using word_type = Word;
  using Lanes = Arch::WordLanes<Word>;
  static constexpr bool edits = recurrence != ShortRecurrence::lcs;
  static constexpr bool swaps = recurrence == ShortRecurrence::osa;
  static constexpr unsigned words_max = WordsMax;
  static constexpr bool has_fixed_words = is_fixed;
  static constexpr unsigned registers = !is_fixed || swaps || WordsMax > 2 ? 2
                                        : WordsMax > 1                     ? 3
                                                                           : 4;
  static constexpr unsigned patterns = registers * Lanes::size;
  /// Whether the highest bit of a word shows what is carried. It is set in all masks: whatever it
  /// is in the state, it is added to itself, so that the carry is what the sum has there.
  static constexpr bool has_carry_bit = !edits && WordsMax > 1;
  /// Symbols per word.
  static constexpr unsigned symbols = 8 * sizeof(Word) - (has_carry_bit ? 1 : 0);
  /// A mask without symbols.
  static constexpr Word no_symbols =
      has_carry_bit ? static_cast<Word>(Word{1} << (8 * sizeof(Word) - 1)) : Word{0};

  /// The words of a row of masks: of every word, of every register, one per pattern.
  static constexpr unsigned row_words(unsigned words) { return words * patterns; }
};

/// \brief Hyyrö's recurrences for the patterns of a group, with the symbols of a query as rows.
/// \see ShortColumns, which has the symbols of the patterns as rows
template <class Shape>
class LaneColumns {
  using Word = typename Shape::word_type;
  using Lanes = typename Shape::Lanes;
  static constexpr unsigned registers = Shape::registers;

 public:
  explicit LaneColumns(unsigned words) : m_words(words) {
    if constexpr (Shape::has_fixed_words) {
      KINDRED_UNROLL
      for (unsigned i = 0; i < Shape::words_max * registers; ++i) begin(i);
    } else {
      for (unsigned i = 0; i < words * registers; ++i) begin(i);
    }
  }

  /// Advances by a symbol. \param masks its row of the table
  [[gnu::always_inline]] void step(const Word* masks) {
    Carry carry[registers];
    if constexpr (Shape::has_fixed_words) {
      KINDRED_UNROLL
      for (unsigned w = 0; w < Shape::words_max; ++w) {
        KINDRED_UNROLL
        for (unsigned r = 0; r < registers; ++r)
          step(w * registers + r, masks, carry[r], w == 0, w + 1 == Shape::words_max);
      }
    } else {
      KINDRED_UNROLL
      for (unsigned r = 0; r < registers; ++r) step(r, masks, carry[r], true, false);
      for (unsigned w = 1; w < m_words; ++w) {
        KINDRED_UNROLL
        for (unsigned r = 0; r < registers; ++r)
          step(w * registers + r, masks, carry[r], false, false);
      }
    }
  }

  /// \brief Writes what every pattern matches: of an edit distance, the larger length minus it.
  /// \param valid the symbols of the patterns, as a row of masks \param lengths of the patterns
  /// \param query symbols of the query
  void count(const Word* valid, const std::uint16_t* lengths, std::uint32_t query,
             std::uint16_t* matched) const {
    alignas(Lanes) Word words[Shape::patterns];
    if constexpr (!Shape::edits) {
      for (unsigned w = 0; w < m_words; ++w) {
        KINDRED_UNROLL
        for (unsigned r = 0; r < registers; ++r) {
          const unsigned i = w * registers + r;
          Lanes found = ~m_state[i];
          if constexpr (Shape::has_carry_bit) found = found & Lanes::load(valid + i * Lanes::size);
          found.store(words + r * Lanes::size);
        }
        for (unsigned l = 0; l < Shape::patterns; ++l)
          matched[l] = static_cast<std::uint16_t>((w == 0 ? 0 : matched[l]) + bits(words[l]));
      }
    } else {
      // The distance is the length of the query, and what the column rises.
      const auto most = static_cast<std::uint16_t>(std::min<std::uint32_t>(query, 0xFFFFU));
      for (unsigned l = 0; l < Shape::patterns; ++l)
        matched[l] = static_cast<std::uint16_t>(std::max(lengths[l], most) - most);
      for (unsigned w = 0; w < m_words; ++w) {
        alignas(Lanes) Word falls[Shape::patterns];
        KINDRED_UNROLL
        for (unsigned r = 0; r < registers; ++r) {
          const unsigned i = w * registers + r;
          const Lanes own = Lanes::load(valid + i * Lanes::size);
          (m_state[i] & own).store(words + r * Lanes::size);
          (m_falls[i] & own).store(falls + r * Lanes::size);
        }
        for (unsigned l = 0; l < Shape::patterns; ++l)
          matched[l] = static_cast<std::uint16_t>(matched[l] - bits(words[l]) + bits(falls[l]));
      }
    }
  }

 private:
  [[gnu::always_inline]] void begin(unsigned i) {
    m_state[i] = ~Lanes::all(0);
    if constexpr (Shape::edits) m_falls[i] = Lanes::all(0);
    if constexpr (Shape::swaps) m_equal[i] = m_zero_diagonal[i] = Lanes::all(0);
  }

  /// What a word passes to the next one.
  struct Carry {
    Lanes carry;  ///< −1 if the sum has a carry, or the row does not rise
    Lanes fall;   ///< −1 if the row falls
    Lanes swap;
  };

  [[gnu::always_inline]] void step(unsigned i, const Word* masks, Carry& carry, bool is_first,
                                   bool is_last) {
    const Lanes mask = Lanes::load(masks + i * Lanes::size);
    const Lanes state = m_state[i];
    if constexpr (!Shape::edits) {
      const Lanes both = state & mask;
      Lanes sum = state + both;
      if (!is_first) sum = sum - carry.carry;
      if (!is_last) carry.carry = sum.top_set();
      m_state[i] = sum | Lanes::and_not(state, mask);
    } else {
      const Lanes falls = m_falls[i];
      const Lanes equal = is_first ? mask : mask | (carry.fall & Lanes::all(1));
      Lanes zero_diagonal = (((equal & state) + state) ^ state) | equal | falls;
      if constexpr (Shape::swaps) {
        const Lanes begins = Lanes::and_not(mask, m_zero_diagonal[i]);
        Lanes swapped = begins + begins;
        if (!is_first) swapped = swapped - carry.swap;
        zero_diagonal = zero_diagonal | (swapped & m_equal[i]);
        if (!is_last) carry.swap = begins.top_set();
        m_equal[i] = mask;
        m_zero_diagonal[i] = zero_diagonal;
      }
      // The complement of where a row rises needs fewer operations than where it rises.
      const Lanes right_flat = Lanes::and_not(zero_diagonal | state, falls);
      const Lanes right_falls = zero_diagonal & state;
      Lanes above_flat = right_flat + right_flat;
      Lanes above_falls = right_falls + right_falls;
      if (!is_first) {
        above_flat = above_flat - carry.carry;
        above_falls = above_falls - carry.fall;
      }
      if (!is_last) {
        carry.carry = right_flat.top_set();
        carry.fall = right_falls.top_set();
      }
      m_state[i] = above_falls | Lanes::and_not(above_flat, zero_diagonal);
      m_falls[i] = Lanes::and_not(zero_diagonal, above_flat);
    }
  }

  /// The number of bits of a word, by operations that the compiler applies to whole registers.
  static std::uint16_t bits(Word word) {
    if constexpr (sizeof(Word) == 8) {
      return static_cast<std::uint16_t>(std::popcount(word));
    } else {
      constexpr auto all = static_cast<Word>(~Word{0});
      word = static_cast<Word>(word - ((word >> 1U) & (all / 3)));
      word = static_cast<Word>((word & (all / 5)) + ((word >> 2U) & (all / 5)));
      word = static_cast<Word>((word + (word >> 4U)) & (all / 17));
      if constexpr (sizeof(Word) == 4) word = static_cast<Word>(word + (word >> 16U));
      if constexpr (sizeof(Word) >= 2) word = static_cast<Word>((word + (word >> 8U)) & 0xFFU);
      return word;
    }
  }

  unsigned m_words;
  // In registers only because the loops over them are unrolled.
  Lanes m_state[Shape::words_max * registers];  ///< of the LCS, or where the column rises
  Lanes m_falls[Shape::edits ? Shape::words_max * registers : 1];
  // Of the preceding row, for transpositions.
  Lanes m_equal[Shape::swaps ? Shape::words_max * registers : 1];
  Lanes m_zero_diagonal[Shape::swaps ? Shape::words_max * registers : 1];
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEQUENCE_IMPL_LANE_COLUMNS_HOST_HPP
