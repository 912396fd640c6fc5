// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_BULK_BULK_TASK_HPP
#define KINDRED_MATCHER_BULK_BULK_TASK_HPP

#include <kindred/core/bulk/ArithmeticKinds.hpp>
#include <kindred/core/bulk/BulkList.hpp>
#include <kindred/core/bulk/ElementWise.hpp>
#include <kindred/matcher/BulkOperationInfo.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace Kindred::Impl {

/// The operation on the arrays of a list.
enum class BulkKind : std::uint8_t { bytes, element_wise, normalise, random_fill, reduce };

/// The 64 bits in which a reduction of elements of type T is computed.
template <class T>
using bulk_result = std::conditional_t<std::is_floating_point_v<T>, double, std::uint64_t>;

/// What a kernel computes of each array of a list.
template <class T>
struct BulkOperation {
  BulkKind kind = BulkKind::bytes;
  BytesOperation bytes = BytesOperation::exclusive_or;
  ElementWise op = ElementWise::add;
  Reduction reduction = Reduction::sum;
  T number = 0;
  std::uint64_t seed = 0;
};

/// \brief A checked call over a list.
template <class T>
struct BulkTask : BulkOperation<T> {
  using BulkOperation<T>::kind;

  Operation operation = Operations::transform;
  std::vector<BulkItem<T>> items;
  std::vector<std::uint64_t>
      offsets;  ///< for `random_fill`: stream offset of each item's first element

  std::uint64_t elements() const {
    std::uint64_t all = 0;
    for (const BulkItem<T>& item : items) all += item.count;
    return all;
  }
  /// Whether arrays may be split at any element.
  bool is_divisible() const { return kind != BulkKind::normalise && kind != BulkKind::reduce; }
  /// Number of arrays that an item reads. O(items): an item without elements has no addresses.
  std::uint64_t reads() const {
    if (kind == BulkKind::random_fill) return 0;
    return std::any_of(items.begin(), items.end(),
                       [](const BulkItem<T>& item) { return item.other != nullptr; })
               ? 2
               : 1;
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_BULK_BULK_TASK_HPP
