// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_BULK_BULK_LIST_HPP
#define KINDRED_CORE_BULK_BULK_LIST_HPP

#include <kindred/core/numeric/ReproducibleBlock.hpp>

#include <Kokkos_Macros.hpp>

#include <cstdint>
#include <span>

namespace Kindred {

/// \brief An array of a list, as kernels read it: pointers into the memory of their space.
template <class T>
struct BulkItem {
  const T* input = nullptr;
  const T* other = nullptr;       ///< a key or a second operand; null: none
  T* output = nullptr;            ///< may be `input` or `other`
  std::uint64_t count = 0;        ///< elements of each
  std::uint64_t first_chunk = 0;  ///< set by `plan_bulk`
};

/// Elements that a device team, or a host thread at a time, processes.
template <class T>
inline constexpr std::uint64_t bulk_chunk = sizeof(T) == 1 ? 16384 : reproducible_block;

/// Divides \p items into chunks; returns their number.
template <class T>
std::uint64_t plan_bulk(std::span<BulkItem<T>> items) {
  std::uint64_t chunks = 0;
  for (BulkItem<T>& item : items) {
    item.first_chunk = chunks;
    chunks += quotient_up(item.count, bulk_chunk<T>);
  }
  return chunks;
}

/// \brief The arrays of a launch: a table in the memory of the space, or arrays of one length at
/// equal distances, which need no table.
template <class T>
struct BulkItems {
  const BulkItem<T>* table = nullptr;  ///< null: array i is `first`, moved by i times the distances
  std::uint32_t count = 0;
  BulkItem<T> first = {};
  std::uint64_t input_step = 0;  ///< distances in elements
  std::uint64_t other_step = 0;
  std::uint64_t output_step = 0;
  std::uint64_t chunks_each = 0;  ///< set by `plan_rows`

  KOKKOS_INLINE_FUNCTION BulkItem<T> operator[](std::uint64_t index) const {
    if (table != nullptr) return table[index];
    BulkItem<T> item = first;
    if (item.input != nullptr) item.input += index * input_step;
    if (item.other != nullptr) item.other += index * other_step;
    if (item.output != nullptr) item.output += index * output_step;
    item.first_chunk = index * chunks_each;
    return item;
  }
};

/// Divides \p items without a table into chunks; returns their number.
template <class T>
std::uint64_t plan_rows(BulkItems<T>& items) {
  items.chunks_each = quotient_up(items.first.count, bulk_chunk<T>);
  return items.count * items.chunks_each;
}

/// Launch parameters of a kernel over a list.
struct BulkPlan {
  std::uint64_t chunks = 0;  ///< from `plan_bulk`
  bool streams = false;      ///< on the host: results bypass the caches, which they would not fit
};

}  // namespace Kindred

#endif  // KINDRED_CORE_BULK_BULK_LIST_HPP
