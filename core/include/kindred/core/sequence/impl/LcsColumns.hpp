// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_IMPL_LCS_COLUMNS_HPP
#define KINDRED_CORE_SEQUENCE_IMPL_LCS_COLUMNS_HPP

#include <kindred/core/arch/Unroll.hpp>
#include <kindred/core/arch/simd/Bytes64.hpp>
#include <kindred/core/arch/simd/Prefetch.hpp>
#include <kindred/core/arch/simd/WordLanes.hpp>
#include <kindred/core/sequence/QueryColumns.hpp>
#include <kindred/core/sequence/impl/WithConstant.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace Kindred::Impl {

/// Patterns that a host thread advances together, one per lane.
inline constexpr unsigned pack_lanes = 64;

/// Maximum number of rows that are advanced together.
inline constexpr unsigned pack_rows = 128;

/// Rows of `no_code` required before the first and after the last row of codes.
inline constexpr unsigned pack_margin = 16;

/// Calls `function(constant)` with the number of planes as a constant.
template <class Function>
void with_planes(unsigned planes, const Function& function) {
  static_assert(column_planes == 12);
  with_constant<1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U, 9U, 10U, 11U, 12U>(planes, function);
}

/// One number per lane.
struct alignas(64) LaneCounts {
  std::uint16_t lane[pack_lanes];

  std::uint32_t most() const {
    std::uint16_t most = 0;
    for (const std::uint16_t count : lane) most = std::max(most, count);
    return most;
  }
};

/// The location of the next symbols, which are prefetched while the recurrence is computed.
struct Ahead {
  const char* at[2];
  std::size_t row_bytes;  ///< bytes per row of each
};

/// \brief The state of Hyyrö's recurrence for one run of query columns and 64 patterns, in words of
/// 64 query symbols: the form that all hosts have.
class WordColumns {
 public:
  void reset() {
    for (auto& word : m_word) std::fill_n(word, pack_lanes, ~std::uint64_t{0});
  }

  /// \brief Advances by \p rows ≤ `pack_rows` rows: S' = (S + (S & M)) | (S & ~M).
  ///
  /// Only the planes [\p begin, \p end) must be advanced; the state of the others may lag behind.
  /// \param places slots of the symbols, 64 per row, `no_code` for a symbol without one, with
  /// margins
  /// \param links bit l of word r: the carry of lane l into row r, replaced by the carry out of it;
  /// with margins, zero after the rows; or null: no carry comes in, and the outgoing one is not
  /// needed
  void advance(const QueryColumns& columns, unsigned begin, unsigned end,
               const std::uint8_t* places, unsigned rows, std::uint64_t* links, const Ahead&) {
    const unsigned first = begin * plane_symbols / word_symbols;
    const unsigned last = (end * plane_symbols - 1) / word_symbols;
    std::uint64_t own_links[pack_rows] = {};
    if (links == nullptr && first < last) links = own_links;
    for (unsigned w = first; w <= last; ++w) {
      std::uint64_t masks[256];
      std::copy_n(columns.masks[w], word_symbols, masks);
      masks[no_code] = 0;
      if (links == nullptr) {
        pass(masks, places, rows, m_word[w]);
      } else {
        const unsigned top = std::min(columns.symbols - w * word_symbols, word_symbols) - 1;
        linked_pass(masks, places, rows, m_word[w], links, top);
      }
    }
  }

  /// Adds to \p counts the matches of every lane in the first \p symbols columns.
  void add_matched(unsigned symbols, LaneCounts& counts) const {
    for (unsigned w = 0; w * word_symbols < symbols; ++w) {
      const unsigned here = std::min(symbols - w * word_symbols, word_symbols);
      const std::uint64_t mask = ~std::uint64_t{0} >> (word_symbols - here);
      for (unsigned l = 0; l < pack_lanes; ++l) {
        counts.lane[l] += static_cast<std::uint16_t>(std::popcount(~m_word[w][l] & mask));
      }
    }
  }

 private:
  /// Advances all rows of a word. The states of some lanes are in registers from the first row to
  /// the last.
  static void pass(const std::uint64_t* masks, const std::uint8_t* places, unsigned rows,
                   std::uint64_t* words) {
    using Lanes = Arch::WordLanes<std::uint64_t>;
    constexpr unsigned lanes = 16;
    constexpr unsigned registers = lanes / Lanes::size;
    for (unsigned first = 0; first < pack_lanes; first += lanes, words += lanes) {
      // In registers only because the loops over them are unrolled.
      Lanes state[registers];
      KINDRED_UNROLL
      for (unsigned p = 0; p < registers; ++p) state[p] = Lanes::load(words + Lanes::size * p);
      for (std::size_t r = 0; r < rows; ++r) {
        const std::uint8_t* place = places + pack_lanes * r + first;
        KINDRED_UNROLL
        for (unsigned p = 0; p < registers; ++p) {
          const Lanes mask =
              Lanes::of([&](unsigned i) { return masks[place[Lanes::size * p + i]]; });
          state[p] = (state[p] + (state[p] & mask)) | Lanes::and_not(state[p], mask);
        }
      }
      KINDRED_UNROLL
      for (unsigned p = 0; p < registers; ++p) state[p].store(words + Lanes::size * p);
    }
  }

  /// Advances all rows of a word, whose highest symbol is bit \p top, with carries into it and out
  /// of it.
  static void linked_pass(const std::uint64_t* masks, const std::uint8_t* places, unsigned rows,
                          std::uint64_t* state, std::uint64_t* links, unsigned top) {
    for (unsigned r = 0; r < rows; ++r) {
      const std::uint8_t* place = places + std::size_t{pack_lanes} * r;
      std::uint64_t mask[pack_lanes];
      for (unsigned l = 0; l < pack_lanes; ++l) mask[l] = masks[place[l]];
      const std::uint64_t carry = links[r];
      std::uint64_t carries = 0;
      for (std::uint64_t l = 0; l < pack_lanes; ++l) {
        const std::uint64_t s = state[l];
        const std::uint64_t both = s & mask[l];
        const std::uint64_t sum = s + both + (carry >> l & 1U);
        carries |= ((both | (s & ~sum)) >> top & 1U) << l;
        state[l] = sum | (s & ~mask[l]);
      }
      links[r] = carries;
    }
  }

  alignas(64) std::uint64_t m_word[2][pack_lanes];
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEQUENCE_IMPL_LCS_COLUMNS_HPP
