// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SELECT_IMPL_TOP_KROWS_HPP
#define KINDRED_CORE_SELECT_IMPL_TOP_KROWS_HPP

#include <kindred/core/select/WideRank.hpp>

#include <cstdint>

namespace Kindred::Impl {

/// The location of the rows of a top-k call: dense if there are no offsets.
template <class Key>
struct TopKRows {
  const Key* keys;
  const std::uint64_t* offsets;  ///< null: row r begins at r · longest
  std::uint64_t longest;

  KOKKOS_INLINE_FUNCTION std::uint64_t begin(std::uint64_t row) const {
    return offsets != nullptr ? offsets[row] : row * longest;
  }
  KOKKOS_INLINE_FUNCTION std::uint64_t length(std::uint64_t row) const {
    return offsets != nullptr ? offsets[row + 1] - offsets[row] : longest;
  }
  /// Key \p i of a row; `key_none` beyond its end.
  KOKKOS_INLINE_FUNCTION Key operator()(std::uint64_t row, std::uint64_t i) const {
    return i < length(row) ? keys[begin(row) + i] : key_none<Key>();
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SELECT_IMPL_TOP_KROWS_HPP
