// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SELECT_IMPL_TOP_KROWS_HPP
#define KINDRED_CORE_SELECT_IMPL_TOP_KROWS_HPP

#include <kindred/core/select/WideRank.hpp>

#include <cstdint>

namespace Kindred::Impl {

/// \brief The location of the rows of a top-k call: dense if there are no offsets.
///
/// The keys of other sources may be computed: `length(r)`, `row(r)[i]` and `source(r, i)` of theirs
/// are those of this type.
template <class Key>
struct TopKRows {
  /// Whether keys are computed, from values of which those of successive rows are adjacent.
  static constexpr bool is_computed = false;

  const Key* keys;
  const std::uint64_t* offsets;  ///< null: row r begins at r · longest
  std::uint64_t longest;

  KOKKOS_INLINE_FUNCTION std::uint64_t begin(std::uint64_t row) const {
    return offsets != nullptr ? offsets[row] : row * longest;
  }
  KOKKOS_INLINE_FUNCTION std::uint64_t length(std::uint64_t row) const {
    return offsets != nullptr ? offsets[row + 1] - offsets[row] : longest;
  }
  KOKKOS_INLINE_FUNCTION const Key* row(std::uint64_t row) const { return keys + begin(row); }
  /// Key \p i of a row; `key_none` beyond its end.
  KOKKOS_INLINE_FUNCTION Key operator()(std::uint64_t row, std::uint64_t i) const {
    return i < length(row) ? this->row(row)[i] : key_none<Key>();
  }
};

/// Key \p place of two ascending lists merged, by a diagonal search (merge path); `key_none` behind
/// the last one.
template <class Key>
KOKKOS_INLINE_FUNCTION Key merged_key(const Key* a, std::uint64_t a_length, const Key* b,
                                      std::uint64_t b_length, std::uint64_t place) {
  std::uint64_t low = place > b_length ? place - b_length : 0;
  std::uint64_t high = place < a_length ? place : a_length;
  while (low < high) {
    const std::uint64_t middle = (low + high) / 2;
    if (a[middle] < b[place - middle - 1]) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  const std::uint64_t from_b = place - low;
  Key key = key_none<Key>();
  if (low < a_length) key = a[low];
  if (from_b < b_length && b[from_b] < key) key = b[from_b];
  return key;
}

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SELECT_IMPL_TOP_KROWS_HPP
