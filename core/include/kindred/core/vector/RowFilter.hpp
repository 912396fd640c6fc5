// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_VECTOR_ROW_FILTER_HPP
#define KINDRED_CORE_VECTOR_ROW_FILTER_HPP

#include <kindred/core/common/ArrayView.hpp>

#include <cstdint>

namespace Kindred {

/// \brief Which rows a query may return: one bit per row, the lowest bit of a word first.
template <class ExecutionSpace>
struct RowFilter {
  ArrayView<const std::uint64_t, ExecutionSpace> words;  ///< size 0: every row may be returned
  std::uint64_t words_per_query = 0;  ///< from one query's bitmap to the next; 0: all share one

  KOKKOS_INLINE_FUNCTION bool passes_all() const { return words.size() == 0; }
  KOKKOS_INLINE_FUNCTION bool passes(std::uint64_t query, std::uint64_t row) const {
    if (passes_all()) return true;
    return (words[query * words_per_query + row / 64] >> (row % 64) & 1U) != 0;
  }
};

/// Words of a bitmap for \p rows rows.
KOKKOS_INLINE_FUNCTION constexpr std::uint64_t filter_words(std::uint64_t rows) {
  return (rows + 63) / 64;
}

}  // namespace Kindred

#endif  // KINDRED_CORE_VECTOR_ROW_FILTER_HPP
