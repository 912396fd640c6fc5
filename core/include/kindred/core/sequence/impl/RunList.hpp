// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_IMPL_RUN_LIST_HPP
#define KINDRED_CORE_SEQUENCE_IMPL_RUN_LIST_HPP

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Macros.hpp>

#include <cstdint>

namespace Kindred::Impl {

/// Maximum position of a listed run: ten bits.
inline constexpr std::uint32_t listed_length_max = 1023;
/// Entries of a list: runs first, then the blocks found; from the other end, the parts still open.
inline constexpr std::uint32_t listed_runs_max = 64;
inline constexpr std::uint32_t listed_blocks_max = 32;
inline constexpr std::uint32_t run_list_size = listed_runs_max + listed_blocks_max;
/// Indicates that the lists were too short.
inline constexpr std::uint32_t run_list_overflow = 0xFFFFFFFFU;

/// \brief A run packed into one number; the greatest is the one that difflib selects: the longest,
/// then the earliest in the pattern, then in the query.
struct ListedRun {
  KOKKOS_INLINE_FUNCTION static std::uint32_t pack(std::uint32_t length, std::uint32_t pattern,
                                                   std::uint32_t query) {
    return length << 20U | (listed_length_max - pattern) << 10U | (listed_length_max - query);
  }
  KOKKOS_INLINE_FUNCTION explicit ListedRun(std::uint32_t packed)
      : length(packed >> 20U),
        pattern(listed_length_max - (packed >> 10U & listed_length_max)),
        query(listed_length_max - (packed & listed_length_max)) {}

  std::uint32_t length, pattern, query;
};

/// A part of the pattern and a part of the query.
struct ListedPart {
  std::uint32_t pattern_begin, pattern_end, query_begin, query_end;
};

/// Lists the maximal runs of at least two symbols; returns their number.
template <unsigned Words, class Rows, class List>
KOKKOS_INLINE_FUNCTION std::uint32_t list_runs(const Rows& rows, std::uint32_t pattern_length,
                                               const List& list) {
  std::uint32_t found = 0;
  std::uint64_t before[Words] = {};  // the row above
  std::uint64_t pairs[Words] = {};   // where a run of two ends in it
  for (std::uint32_t i = 0; i <= pattern_length; ++i) {
    std::uint64_t row[Words] = {};
    if (i < pattern_length) rows(i, row);
    for (unsigned w = 0; w < Words; ++w) {
      const std::uint64_t carried = w + 1 < Words ? row[w + 1 < Words ? w + 1 : w] << 63U : 0;
      std::uint64_t ends = pairs[w] & ~(row[w] >> 1U | carried);
      while (ends != 0) {
        const auto bit = static_cast<std::uint32_t>(Kokkos::countr_zero(ends));
        ends &= ends - 1;
        const std::uint32_t j = 64 * w + bit;  // the run ends at (i - 1, j)
        std::uint32_t length = 2;
        while (length < i && length <= j) {
          std::uint64_t above[Words];
          rows(i - 1 - length, above);
          const std::uint32_t at = j - length;
          const std::uint64_t word = Words == 1 || at < 64 ? above[0] : above[Words - 1];
          if ((word >> (at & 63U) & 1U) == 0) break;
          ++length;
        }
        if (found < listed_runs_max)
          list(found) = ListedRun::pack(length, i - length, j + 1 - length);
        ++found;
      }
    }
    for (unsigned w = Words; w-- > 0;) {
      const std::uint64_t carried = w > 0 ? before[w > 0 ? w - 1 : 0] >> 63U : 0;
      pairs[w] = row[w] & (before[w] << 1U | carried);
    }
    for (unsigned w = 0; w < Words; ++w) before[w] = row[w];
  }
  return found;
}

/// The run that difflib selects in a part, clipped to it, packed; 0 if none has two symbols.
template <class List>
KOKKOS_INLINE_FUNCTION std::uint32_t best_listed_run(const List& list, std::uint32_t runs,
                                                     const ListedPart& part) {
  std::uint32_t best = 0;
  for (std::uint32_t k = 0; k < runs; ++k) {
    const ListedRun run(list(k));
    std::uint32_t begin = 0;
    if (run.pattern < part.pattern_begin) begin = part.pattern_begin - run.pattern;
    if (run.query + begin < part.query_begin) begin = part.query_begin - run.query;
    std::uint32_t end = run.length;
    if (run.pattern + end > part.pattern_end) {
      end = part.pattern_end > run.pattern ? part.pattern_end - run.pattern : 0;
    }
    if (run.query + end > part.query_end) {
      end = part.query_end > run.query ? part.query_end - run.query : 0;
    }
    if (end < begin + 2) continue;
    const std::uint32_t packed =
        ListedRun::pack(end - begin, run.pattern + begin, run.query + begin);
    if (packed > best) best = packed;
  }
  return best;
}

/// \brief Ratcliff-Obershelp by a list of runs: the number of symbols in the matching blocks, or
/// `run_list_overflow`.
///
/// Runs of two or more symbols are rare, so they are listed once. The blocks are taken from the
/// list in pattern order; between two of them there is no run of two, and there difflib selects the
/// first match of every row that is to the right of the last one. Complexity: O(pattern length)
/// rows, and O(blocks · runs).
/// \tparam Words of the query \param rows `rows(i, words)` returns the query's positions of pattern
/// symbol i
/// \param list `run_list_size` entries; both lengths are at most `listed_length_max`
template <unsigned Words, class Rows, class List>
KOKKOS_INLINE_FUNCTION std::uint32_t matched_by_list(const Rows& rows, std::uint32_t pattern_length,
                                                     std::uint32_t query_length, const List& list) {
  const std::uint32_t runs = list_runs<Words>(rows, pattern_length, list);
  if (runs > listed_runs_max) return run_list_overflow;
  std::uint32_t taken = 0;
  std::uint32_t open = 0;
  std::uint32_t matched = 0;
  ListedPart part{0, pattern_length, 0, query_length};
  while (true) {
    const std::uint32_t best = best_listed_run(list, runs, part);
    if (best != 0) {
      if (taken + open == listed_blocks_max) return run_list_overflow;
      list(run_list_size - 1 - open++) = best;
      part.pattern_end = ListedRun(best).pattern;
      part.query_end = ListedRun(best).query;
      continue;
    }
    if (open == 0) break;
    const std::uint32_t packed = list(run_list_size - open--);
    list(listed_runs_max + taken++) = packed;
    const ListedRun block(packed);
    matched += block.length;
    part = {block.pattern + block.length, pattern_length, block.query + block.length, query_length};
    if (open > 0) {
      const ListedRun next(list(run_list_size - open));
      part.pattern_end = next.pattern;
      part.query_end = next.query;
    }
  }

  std::uint32_t next_block = 0;
  std::uint32_t row = 0;
  std::uint32_t query_begin = 0;
  while (true) {
    std::uint32_t row_end = pattern_length;
    std::uint32_t query_end = query_length;
    std::uint32_t length = 0;
    if (next_block < taken) {
      const ListedRun block(list(listed_runs_max + next_block));
      row_end = block.pattern;
      query_end = block.query;
      length = block.length;
    }
    for (; row < row_end && query_begin < query_end; ++row) {
      std::uint64_t word[Words];
      rows(row, word);
      std::uint32_t at = query_end;
      for (unsigned w = Words; w-- > 0;) {
        if (query_begin >= 64 * (w + 1)) continue;
        std::uint64_t bits = word[w];
        if (query_begin > 64 * w) bits &= ~std::uint64_t{0} << (query_begin - 64 * w);
        if (bits != 0) at = 64 * w + static_cast<std::uint32_t>(Kokkos::countr_zero(bits));
      }
      if (at < query_end) {
        ++matched;
        query_begin = at + 1;
      }
    }
    if (next_block++ == taken) return matched;
    row = row_end + length;
    query_begin = query_end + length;
  }
}

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEQUENCE_IMPL_RUN_LIST_HPP
