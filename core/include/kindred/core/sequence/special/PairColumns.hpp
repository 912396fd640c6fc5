// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_SPECIAL_PAIR_COLUMNS_HPP
#define KINDRED_CORE_SEQUENCE_SPECIAL_PAIR_COLUMNS_HPP

/// \file
/// A special form for NEON: not yet measured on `lcs-200`. \see SpecialForms.hpp

#include <kindred/core/arch/Unroll.hpp>
#include <kindred/core/arch/simd/WordLanes.hpp>
#include <kindred/core/sequence/special/ByteColumns.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace Kindred::Impl {

/// \brief `WordColumns` for hosts whose registers hold two words: a query of one word keeps the
/// states of 16 lanes in registers from the first row to the last, and codes are looked up by
/// bytes. \tparam Words `Arch::WordLanes` of 64 bits, or its scalar form
template <class Words, class Bytes>
class PairColumns : public WordColumns {
 public:
  void advance(const QueryColumns& columns, unsigned begin, unsigned end,
               const std::uint8_t* places, unsigned rows, std::uint64_t* links,
               const Ahead& ahead) {
    const unsigned word = begin * plane_symbols / word_symbols;
    if (links != nullptr || word != (end * plane_symbols - 1) / word_symbols)
      return WordColumns::advance(columns, begin, end, places, rows, links, ahead);
    std::uint64_t masks[256];
    std::copy_n(columns.masks[word], word_symbols, masks);
    masks[no_code] = 0;
    for (unsigned lane = 0; lane < pack_lanes; lane += lanes)
      pass(masks, places + lane, rows, m_word[word] + lane);
  }

  template <class SymbolType>
  static void translate(const std::uint8_t* table, const SymbolType* first,
                        const SymbolType* second, unsigned rows, std::uint8_t* codes) {
    ByteColumns<Bytes>::translate(table, first, second, rows, codes);
  }
  static void recode(const std::uint8_t* table, const std::uint8_t* codes, unsigned rows,
                     std::uint8_t* out) {
    ByteColumns<Bytes>::recode(table, codes, rows, out);
  }

 private:
  static constexpr unsigned lanes = 16;

  static void pass(const std::uint64_t* masks, const std::uint8_t* places, unsigned rows,
                   std::uint64_t* words) {
    constexpr unsigned size = Words::size;
    constexpr unsigned registers = lanes / size;
    // In registers only because the loops over them are unrolled.
    Words state[registers];
    KINDRED_UNROLL
    for (unsigned p = 0; p < registers; ++p) state[p] = Words::load(words + size * p);
    for (std::size_t r = 0; r < rows; ++r) {
      const std::uint8_t* place = places + pack_lanes * r;
      KINDRED_UNROLL
      for (unsigned p = 0; p < registers; ++p) {
        const Words mask = Words::of([&](unsigned i) { return masks[place[size * p + i]]; });
        state[p] = (state[p] + (state[p] & mask)) | Words::and_not(state[p], mask);
      }
    }
    KINDRED_UNROLL
    for (unsigned p = 0; p < registers; ++p) state[p].store(words + size * p);
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEQUENCE_SPECIAL_PAIR_COLUMNS_HPP
