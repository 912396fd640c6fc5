// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_IMPL_EDIT_STATE_HPP
#define KINDRED_CORE_SEQUENCE_IMPL_EDIT_STATE_HPP

#include <kindred/core/arch/Unroll.hpp>
#include <kindred/core/sequence/EditDistance.hpp>

#include <Kokkos_BitManipulation.hpp>

#include <cstdint>

namespace Kindred::Impl {

/// What one row of the matrix passes from a word to the next, one bit each.
struct EditCarry {
  std::uint32_t rise = 1;  ///< the horizontal difference at the boundary is +1
  std::uint32_t fall = 0;  ///< it is −1
  std::uint32_t swap = 0;  ///< a transposition may end in the lowest bit
};

/// \brief A column of the matrix of edit distances, of which a word holds the vertical differences
/// of 64 query symbols: Hyyrö's recurrence on plain words.
template <EditKind kind, unsigned Words>
class EditState {
 public:
  using Word = std::uint64_t;
  static constexpr bool swaps = kind == EditKind::osa;

  KOKKOS_INLINE_FUNCTION EditState() {
    KINDRED_UNROLL
    for (unsigned w = 0; w < Words; ++w) {
      m_rises[w] = ~Word{0};
      m_falls[w] = 0;
      if constexpr (swaps) {
        m_equal[w] = 0;
        m_zero_diagonal[w] = 0;
      }
    }
  }

  /// Advances by one symbol of the pattern. \param masks bit i of word w: query symbol 64 · w + i
  /// is that symbol \param carry into the first word, replaced by that out of the last one
  KOKKOS_INLINE_FUNCTION void step(const Word* masks, EditCarry& carry) {
    KINDRED_UNROLL
    for (unsigned w = 0; w < Words; ++w) {
      const Word mask = masks[w];
      const Word rises = m_rises[w];
      const Word falls = m_falls[w];
      const Word equal = mask | carry.fall;
      Word zero_diagonal = (((equal & rises) + rises) ^ rises) | equal | falls;
      if constexpr (swaps) {
        const Word begins = ~m_zero_diagonal[w] & mask;
        zero_diagonal |= (begins << 1U | carry.swap) & m_equal[w];
        carry.swap = static_cast<std::uint32_t>(begins >> 63U);
        m_equal[w] = mask;
        m_zero_diagonal[w] = zero_diagonal;
      }
      const Word right_rises = falls | ~(zero_diagonal | rises);
      const Word right_falls = zero_diagonal & rises;
      const Word above_rises = right_rises << 1U | carry.rise;
      const Word above_falls = right_falls << 1U | carry.fall;
      carry.rise = static_cast<std::uint32_t>(right_rises >> 63U);
      carry.fall = static_cast<std::uint32_t>(right_falls >> 63U);
      m_rises[w] = above_falls | ~(zero_diagonal | above_rises);
      m_falls[w] = above_rises & zero_diagonal;
    }
  }

  /// The sum of the vertical differences of the first \p symbols query symbols.
  KOKKOS_INLINE_FUNCTION std::int32_t height(std::uint32_t symbols) const {
    std::int32_t sum = 0;
    KINDRED_UNROLL
    for (unsigned w = 0; w < Words; ++w) {
      const std::uint32_t first = 64 * w;
      if (symbols <= first) break;
      const std::uint32_t left = symbols - first;
      const Word valid = left >= 64 ? ~Word{0} : (Word{1} << left) - 1;
      sum += Kokkos::popcount(m_rises[w] & valid) - Kokkos::popcount(m_falls[w] & valid);
    }
    return sum;
  }

 private:
  Word m_rises[Words];  ///< the vertical difference is +1
  Word m_falls[Words];  ///< it is −1
  // Of the preceding symbol, for transpositions.
  Word m_equal[swaps ? Words : 1];
  Word m_zero_diagonal[swaps ? Words : 1];
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEQUENCE_IMPL_EDIT_STATE_HPP
