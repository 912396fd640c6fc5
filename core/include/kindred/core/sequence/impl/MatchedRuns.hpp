// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_IMPL_MATCHED_RUNS_HPP
#define KINDRED_CORE_SEQUENCE_IMPL_MATCHED_RUNS_HPP

#include <kindred/core/sequence/MatchingBlock.hpp>
#include <kindred/core/sequence/Symbol.hpp>

#include <Kokkos_Macros.hpp>

#include <cstddef>
#include <cstdint>

namespace Kindred::Impl {

/// A part of a pattern and a part of a query; no common run is longer than `bound`.
struct RunRange {
  std::uint32_t pattern_begin, pattern_end, query_begin, query_end, bound;
};

/// Does nothing with a run; runs are only counted.
struct IgnoreRun {
  KOKKOS_INLINE_FUNCTION void operator()(const Block&) const {}
};

/// \brief difflib's second step: a run, even an empty one, is extended within its range over equal
/// symbols that no run may begin with.
///
/// Pattern symbol i is `pattern[stride * i]`. Without a query, runs are not extended.
template <class PatternSymbol>
struct GrowRun {
  const PatternSymbol* pattern;
  std::size_t stride;
  const Symbol* query;

  KOKKOS_INLINE_FUNCTION bool equal(std::uint32_t i, std::uint32_t j) const {
    return pattern[stride * i] == query[j] && query[j] != unknown_symbol;
  }
  KOKKOS_INLINE_FUNCTION Block operator()(const RunRange& range, const Block& found) const {
    if (query == nullptr) return found;
    Block run = found;
    if (run.length == 0) run = Block{range.pattern_begin, range.query_begin, 0};
    while (run.pattern_begin > range.pattern_begin && run.query_begin > range.query_begin &&
           equal(run.pattern_begin - 1, run.query_begin - 1)) {
      --run.pattern_begin;
      --run.query_begin;
      ++run.length;
    }
    while (run.pattern_begin + run.length < range.pattern_end &&
           run.query_begin + run.length < range.query_end &&
           equal(run.pattern_begin + run.length, run.query_begin + run.length)) {
      ++run.length;
    }
    return run;
  }
};

/// \brief Ratcliff-Obershelp: the longest run, then recursively the parts to its left and right.
/// Returns the number of symbols in all runs.
///
/// \param finder `longest(range)` returns the longest run of equal symbols, with the smallest start
/// in the pattern, then in the query; length 0 if there is none \param emit called with every run,
/// in unspecified order \param grow extends a run that was found
template <class Finder, class Emit, class Grow>
KOKKOS_INLINE_FUNCTION std::uint32_t matched_runs(Finder& finder, std::uint32_t pattern_length,
                                                  std::uint32_t query_length, const Emit& emit,
                                                  const Grow& grow) {
  // The smaller part goes first, so that the stack holds at most log2 of the lengths.
  RunRange stack[34];
  int depth = 0;
  std::uint32_t matched = 0;
  RunRange range{0, pattern_length, 0, query_length,
                 pattern_length < query_length ? pattern_length : query_length};
  bool open = range.bound > 0;
  while (true) {
    if (!open) {
      if (depth == 0) return matched;
      range = stack[--depth];
    }
    open = false;
    const Block run = grow(range, finder.longest(range));
    if (run.length == 0) continue;
    matched += run.length;
    emit(run);
    RunRange left{range.pattern_begin, run.pattern_begin, range.query_begin, run.query_begin,
                  run.length};
    RunRange right{run.pattern_begin + run.length, range.pattern_end, run.query_begin + run.length,
                   range.query_end, run.length};
    const bool has_left =
        left.pattern_begin < left.pattern_end && left.query_begin < left.query_end;
    const bool has_right =
        right.pattern_begin < right.pattern_end && right.query_begin < right.query_end;
    if (has_left && has_right) {
      const std::uint64_t left_size = std::uint64_t{left.pattern_end - left.pattern_begin} +
                                      (left.query_end - left.query_begin);
      const std::uint64_t right_size = std::uint64_t{right.pattern_end - right.pattern_begin} +
                                       (right.query_end - right.query_begin);
      stack[depth++] = left_size < right_size ? right : left;
      range = left_size < right_size ? left : right;
      open = true;
    } else if (has_left || has_right) {
      range = has_left ? left : right;
      open = true;
    }
  }
}

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEQUENCE_IMPL_MATCHED_RUNS_HPP
