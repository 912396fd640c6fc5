// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SELECT_IMPL_TOP_KROWS_HPP
#define KINDRED_CORE_SELECT_IMPL_TOP_KROWS_HPP

#include <Kokkos_Macros.hpp>
#include <cstddef>
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
};

/// Copies one list per row to its position among `lists`.
template <class Key>
struct PlacePartial {
  const Key* top;
  std::uint64_t k;
  std::uint64_t list;
  std::uint64_t lists;
  Key* partial;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint64_t index) const {
    partial[(index / k * lists + list) * k + index % k] = top[index];
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SELECT_IMPL_TOP_KROWS_HPP
