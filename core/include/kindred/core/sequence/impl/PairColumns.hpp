// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_IMPL_PAIR_COLUMNS_HPP
#define KINDRED_CORE_SEQUENCE_IMPL_PAIR_COLUMNS_HPP

#include <kindred/core/arch/Unroll.hpp>
#include <kindred/core/arch/simd/WordPair.hpp>
#include <kindred/core/sequence/impl/ByteColumns.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace Kindred::Impl {

/// \brief `WordColumns` for hosts whose registers hold two words: a query of one word keeps the
/// states of 16 lanes in registers from the first row to the last, and codes are looked up by
/// bytes. \tparam Pair `Arch::WordPair`, or its scalar form
template <class Pair, class Bytes>
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
    // In registers only because the loops over pairs are unrolled.
    Pair state[lanes / 2];
    KINDRED_UNROLL
    for (unsigned p = 0; p < lanes / 2; ++p) state[p] = Pair::load(words + 2 * p);
    for (std::size_t r = 0; r < rows; ++r) {
      const std::uint8_t* place = places + pack_lanes * r;
      KINDRED_UNROLL
      for (unsigned p = 0; p < lanes / 2; ++p) {
        const Pair mask = Pair::pick(masks, place[2 * p], place[2 * p + 1]);
        state[p] = Pair::or_and_not(state[p] + (state[p] & mask), state[p], mask);
      }
    }
    KINDRED_UNROLL
    for (unsigned p = 0; p < lanes / 2; ++p) state[p].store(words + 2 * p);
  }
};

/// The fastest form on hosts with or without `Arch::ByteLookups`.
template <bool has_byte_lookups>
using HostLcsColumns =
    std::conditional_t<!has_byte_lookups, WordColumns,
                       std::conditional_t<Arch::ByteLookups::is_wide, ByteColumns<Arch::Bytes64>,
                                          PairColumns<Arch::WordPair, Arch::Bytes64>>>;

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEQUENCE_IMPL_PAIR_COLUMNS_HPP
