// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_BULK_BULK_LIST_HPP
#define KINDRED_CORE_BULK_BULK_LIST_HPP

#include <kindred/core/common/ReproducibleBlock.hpp>

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
    chunks += (item.count + bulk_chunk<T> - 1) / bulk_chunk<T>;
  }
  return chunks;
}

/// Launch parameters of a kernel over a list.
struct BulkPlan {
  std::uint64_t chunks = 0;  ///< from `plan_bulk`
  bool streams = false;      ///< on the host: results bypass the caches, which they would not fit
};

}  // namespace Kindred

#endif  // KINDRED_CORE_BULK_BULK_LIST_HPP
