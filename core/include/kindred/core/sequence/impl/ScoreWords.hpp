// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_IMPL_SCORE_WORDS_HPP
#define KINDRED_CORE_SEQUENCE_IMPL_SCORE_WORDS_HPP

#include <kindred/core/sequence/WordTable.hpp>

#include <Kokkos_BitManipulation.hpp>

#include <cstdint>

namespace Kindred::Impl {

/// \brief The state of a pair: two bit sets over the symbols of a query, one bit per symbol, of a
/// number of words that the compiler knows.
template <std::uint32_t Words>
struct NearWords {
  std::uint64_t first[Words];
  std::uint64_t second[Words];

  KOKKOS_INLINE_FUNCTION static constexpr std::uint32_t count() { return Words; }
};

/// The same in memory, of any number of words.
struct FarWords {
  KOKKOS_INLINE_FUNCTION FarWords(std::uint64_t* memory, std::uint32_t words)
      : first(memory), second(memory + words), m_count(words) {}

  std::uint64_t* first;
  std::uint64_t* second;

  KOKKOS_INLINE_FUNCTION std::uint32_t count() const { return m_count; }

 private:
  std::uint32_t m_count;
};

/// A similarity, and the number of symbols that it matched.
struct PairResult {
  double similarity;
  std::uint32_t matched;
};

/// The bits of word \p w that stand for symbols of a query of \p length.
KOKKOS_FORCEINLINE_FUNCTION std::uint64_t valid_bits(std::uint32_t length, std::uint32_t w) {
  const std::uint32_t begin = word_symbols * w;
  const std::uint32_t left = length > begin ? length - begin : 0;
  const std::uint64_t some = (std::uint64_t{1} << (left & 63U)) - 1;
  return left >= word_symbols ? ~std::uint64_t{0} : some;
}

KOKKOS_FORCEINLINE_FUNCTION std::uint64_t lowest_bit(std::uint64_t bits) {
  return bits & (0 - bits);
}

KOKKOS_FORCEINLINE_FUNCTION std::uint32_t count_bits(std::uint64_t bits) {
  return static_cast<std::uint32_t>(Kokkos::popcount(bits));
}

/// One word of Hyyrö's recurrence for the LCS, S' = (S + (S & M)) | (S & ~M).
/// \param carry into the word, replaced by that out of it
KOKKOS_FORCEINLINE_FUNCTION std::uint64_t lcs_step(std::uint64_t state, std::uint64_t mask,
                                                   std::uint64_t& carry) {
  const std::uint64_t half = state + (state & mask);
  const std::uint64_t sum = half + carry;
  carry = static_cast<std::uint64_t>(half < state) | static_cast<std::uint64_t>(sum < half);
  return sum | (state & ~mask);
}

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEQUENCE_IMPL_SCORE_WORDS_HPP
