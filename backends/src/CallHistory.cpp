// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/Workload.hpp>

#include "CostCurve.hpp"

namespace Kindred {

bool CallHistory::add(Operation operation, Space space, double work) noexcept {
  Entry* entry = nullptr;
  for (Entry& candidate : m_entries) {
    const OperationInfo* known = candidate.operation.load(std::memory_order_relaxed);
    if ((known == nullptr &&
         candidate.operation.compare_exchange_strong(known, operation.info())) ||
        known == operation.info()) {
      entry = &candidate;
      break;
    }
  }
  if (entry == nullptr) return false;
  auto& largest = entry->largest[space_index(space)];
  const auto now = static_cast<std::uint8_t>(Impl::size_class(work) + 1);
  std::uint8_t before = largest.load(std::memory_order_relaxed);
  while (before < now && !largest.compare_exchange_weak(before, now, std::memory_order_relaxed)) {
  }
  return before < now;
}

}  // namespace Kindred
