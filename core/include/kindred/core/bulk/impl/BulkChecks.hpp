// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_BULK_IMPL_BULK_CHECKS_HPP
#define KINDRED_CORE_BULK_IMPL_BULK_CHECKS_HPP

#include <kindred/core/bulk/BulkList.hpp>
#include <kindred/core/common/ArgumentCheck.hpp>

#include <cstdint>

namespace Kindred::Impl {

/// \p items are planned, and arrays that have no table exist. A table is not read: it may be on a
/// device.
template <class T>
void check_items(const ArgumentCheck& check, const BulkPlan& plan, const BulkItems<T>& items,
                 bool reads, bool writes) {
  if (plan.chunks == 0) return;
  check.is_at_least("items.count", items.count, 1);
  if (items.table != nullptr) return check.is_aligned("items.table", items.table, 8);
  check.is_at_least("items.chunks_each", items.chunks_each,
                    items.first.count / bulk_chunk<T> + (items.first.count % bulk_chunk<T> != 0));
  check.is_at_most("plan.chunks", plan.chunks, extent_of(items.count, items.chunks_each));
  if (reads) check.is_array("items.first.input", items.first.input, items.first.count);
  if (writes) check.is_array("items.first.output", items.first.output, items.first.count);
  check.is_aligned("items.first.other", items.first.other, alignof(T));
}

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_BULK_IMPL_BULK_CHECKS_HPP
