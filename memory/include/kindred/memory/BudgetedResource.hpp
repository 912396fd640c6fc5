// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MEMORY_BUDGETED_RESOURCE_HPP
#define KINDRED_MEMORY_BUDGETED_RESOURCE_HPP

#include <kindred/memory/CallbackAdaptor.hpp>
#include <kindred/memory/LimitAdaptor.hpp>
#include <kindred/memory/SpaceResource.hpp>
#include <kindred/memory/StatisticsAdaptor.hpp>

#include <cstdint>

namespace Kindred {

/// \brief A memory space with a budget: `limit → statistics → callback → space`.
///
/// Engines allocate from \ref limit. Thread-safe, as its adaptors are.
template <class MemorySpace>
struct BudgetedResource {
  /// \param before_allocation is called before each allocation and may refuse it
  BudgetedResource(std::uint64_t limit_bytes, const AllocationCallback& before_allocation,
                   const MemorySpace& memory_space = {})
      : space(memory_space),
        callback(space, before_allocation),
        statistics(callback),
        limit(statistics, limit_bytes) {}
  /// Shares the budget and the statistics of \p other, which must outlive this.
  template <class OtherSpace>
  BudgetedResource(BudgetedResource<OtherSpace>& other, const AllocationCallback& before_allocation)
      : callback(space, before_allocation),
        statistics(callback, other.statistics),
        limit(statistics, other.limit) {}

  SpaceResource<MemorySpace> space;
  CallbackAdaptor callback;
  StatisticsAdaptor statistics;
  LimitAdaptor limit;
};

}  // namespace Kindred

#endif  // KINDRED_MEMORY_BUDGETED_RESOURCE_HPP
