// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_IMPL_COLUMN_STATE_HPP
#define KINDRED_CORE_SEQUENCE_IMPL_COLUMN_STATE_HPP

#include <kindred/core/sequence/PairValues.hpp>

#include <type_traits>

namespace Kindred::Impl {

/// \brief What a row passes from the symbols of one register to those of the next, in lanes that
/// are 0 or −1; all are 0 before the first.
template <class Lanes>
struct ColumnCarry {
  Lanes carry = Lanes::all(0);  ///< −1 if the sum has a carry, or the row does not rise
  Lanes fall = Lanes::all(0);   ///< −1 if the row falls
  Lanes swap = Lanes::all(0);   ///< −1 if a transposition may end in the next symbol
};

/// \brief The state of Hyyrö's recurrences for the lanes of a register, each of which holds as many
/// symbols of a column as it has bits: here for edit distances.
/// \tparam Lanes a register of words or bytes
/// \tparam has_carry_bit the highest bit is set in all masks of an LCS: whatever it is in the
/// state, it is added to itself, so that the carry is what the sum has there
template <ShortRecurrence recurrence, class Lanes, bool has_carry_bit>
struct ColumnState {
  static constexpr bool swaps = recurrence == ShortRecurrence::osa;

  /// Of the preceding row, for transpositions.
  struct Preceding {
    Lanes equal;
    Lanes zero_diagonal;
  };
  struct None {};

  Lanes state;  ///< where the column rises
  Lanes falls;
  [[no_unique_address]] std::conditional_t<swaps, Preceding, None> before;

  [[gnu::always_inline]] void reset() {
    state = Lanes::all(0) - Lanes::all(1);
    falls = Lanes::all(0);
    if constexpr (swaps) before = {Lanes::all(0), Lanes::all(0)};
  }

  /// \brief Advances by a row. \param mask the symbols that equal that of the row
  /// \param carry into the register, replaced by that out of it; not read by the first register of
  /// a row, and not written by the last
  [[gnu::always_inline]] void step(const Lanes& mask, ColumnCarry<Lanes>& carry, bool is_first,
                                   bool is_last) {
    const Lanes equal = is_first ? mask : mask | (carry.fall & Lanes::all(1));
    Lanes zero_diagonal = (((equal & state) + state) ^ state) | equal | falls;
    if constexpr (swaps) {
      const Lanes begins = Lanes::and_not(mask, before.zero_diagonal);
      Lanes swapped = begins + begins;
      if (!is_first) swapped = swapped - carry.swap;
      zero_diagonal = zero_diagonal | (swapped & before.equal);
      if (!is_last) carry.swap = begins.top_set();
      before = {mask, zero_diagonal};
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
    state = above_falls | Lanes::and_not(above_flat, zero_diagonal);
    falls = Lanes::and_not(zero_diagonal, above_flat);
  }
};

/// The same for an LCS.
template <class Lanes, bool has_carry_bit>
struct ColumnState<ShortRecurrence::lcs, Lanes, has_carry_bit> {
  Lanes state;

  [[gnu::always_inline]] void reset() { state = Lanes::all(0) - Lanes::all(1); }

  [[gnu::always_inline]] void step(const Lanes& mask, ColumnCarry<Lanes>& carry, bool is_first,
                                   bool is_last) {
    const Lanes both = state & mask;
    Lanes sum = state + both;
    if (!is_first) sum = sum - carry.carry;
    if (!is_last) carry.carry = (has_carry_bit ? sum : both | Lanes::and_not(state, sum)).top_set();
    state = sum | Lanes::and_not(state, mask);
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEQUENCE_IMPL_COLUMN_STATE_HPP
