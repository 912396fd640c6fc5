// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_IMPL_RUN_MATRIX_HPP
#define KINDRED_CORE_SEQUENCE_IMPL_RUN_MATRIX_HPP

#include <kindred/core/arch/simd/SimdPack.hpp>
#include <kindred/core/common/QuotientUp.hpp>
#include <kindred/core/sequence/WordTable.hpp>

#include <Kokkos_Macros.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace Kindred::Impl {

/// \brief A bit matrix, pattern symbols by query symbols: bit j of row i is set if a run of a given
/// number of equal symbols ends there. Word w of row i is at `words[w * stride + i]`.
///
/// Eight words before row 0 and after the last row must be readable (those before it are zero).
struct RunMatrix {
  std::uint64_t* words;
  std::size_t stride;
};

/// The bits of [begin, end) in word \p w.
KOKKOS_INLINE_FUNCTION std::uint64_t range_mask(unsigned w, std::uint32_t begin,
                                                std::uint32_t end) {
  const std::uint32_t base = w * word_symbols;
  std::uint64_t mask = ~std::uint64_t{0};
  if (begin > base) mask = begin - base >= 64 ? 0 : mask << (begin - base);
  if (end < base + 64) mask &= end <= base ? 0 : ~std::uint64_t{0} >> (64 - (end - base));
  return mask;
}

/// \brief The first of the rows [row_begin, row_end) with a bit in [begin, end), or \p row_end.
inline std::uint32_t first_row(const RunMatrix& rows, std::uint32_t row_begin,
                               std::uint32_t row_end, std::uint32_t begin, std::uint32_t end) {
  const unsigned word_begin = begin / word_symbols;
  const unsigned word_end = quotient_up(end, word_symbols);
  // Smaller registers than this have no instruction for `nonzero`.
  using Words = Arch::SimdPack<std::uint64_t, 8, Arch::float_register_bytes == 64 ? 64 : 0>;
  constexpr std::uint32_t together = Words::size;
  for (std::uint32_t i = row_begin; i < row_end; i += together) {
    Words any = Words::all(0);
    for (unsigned w = word_begin; w < word_end; ++w)
      any = any |
            (Words::load(rows.words + w * rows.stride + i) & Words::all(range_mask(w, begin, end)));
    unsigned hits = any.nonzero();
    if (row_end - i < together) hits &= (1U << (row_end - i)) - 1;
    if (hits != 0) return i + static_cast<std::uint32_t>(std::countr_zero(hits));
  }
  return row_end;
}

/// The lowest bit of row \p i in [begin, end); there must be one.
inline std::uint32_t first_bit(const RunMatrix& rows, std::uint32_t i, std::uint32_t begin,
                               std::uint32_t end) {
  for (unsigned w = begin / word_symbols;; ++w) {
    const std::uint64_t bits = rows.words[w * rows.stride + i] & range_mask(w, begin, end);
    if (bits != 0) return w * word_symbols + static_cast<std::uint32_t>(std::countr_zero(bits));
  }
}

/// \brief Keeps the runs that continue for \p further symbols: out[i] = in[i] & (in[i - further]
/// shifted by as many bits), for the rows [row_begin, row_end) and words [word_begin, word_end).
///
/// Runs of length k in \p in become runs of length k + further, further ≤ k. Returns whether any
/// bit is left.
inline bool extend_runs(const RunMatrix& in, const RunMatrix& out, std::uint32_t row_begin,
                        std::uint32_t row_end, unsigned word_begin, unsigned word_end,
                        std::uint32_t further) {
  const unsigned words = further / word_symbols;
  const unsigned bits = further % word_symbols;
  std::uint64_t any = 0;
  for (unsigned w = word_begin; w < word_end; ++w) {
    const std::uint64_t* now = in.words + w * in.stride;
    std::uint64_t* next = out.words + w * out.stride;
    const bool has_low = w >= word_begin + words;
    const bool has_lower = bits > 0 && w >= word_begin + words + 1;
    const std::uint64_t* low = in.words + (w - (has_low ? words : 0)) * in.stride - further;
    const std::uint64_t* lower = in.words + (w - (has_lower ? words + 1 : 0)) * in.stride - further;
    const std::uint64_t low_mask = has_low ? ~std::uint64_t{0} : 0;
    const std::uint64_t lower_mask = has_lower ? ~std::uint64_t{0} : 0;
    const unsigned lower_shift = bits > 0 ? 64 - bits : 0;
    std::uint64_t any_here = 0;
    for (std::size_t i = row_begin; i < row_end; ++i) {
      const std::uint64_t before =
          ((low[i] & low_mask) << bits) | ((lower[i] & lower_mask) >> lower_shift);
      next[i] = now[i] & before;
      any_here |= next[i];
    }
    any |= any_here;
  }
  return any != 0;
}

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEQUENCE_IMPL_RUN_MATRIX_HPP
