// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_BULK_BULK_WORKSPACE_HPP
#define KINDRED_MATCHER_BULK_BULK_WORKSPACE_HPP

#include "ListLaunch.hpp"
#include "Products.hpp"
#include "common/WorkspaceCalls.hpp"

#include <cstddef>
#include <optional>

namespace Kindred::Impl {

/// \brief The workspace that a `Bulk` keeps on a space.
template <class ExecutionSpace>
struct BulkWorkspace {
  BulkWorkspace(MemoryResource& given, int) : memory(&given), lists(given) {}

  MemoryResource* memory;
  ListWorkspace<ExecutionSpace> lists;
  Buffer<std::byte, typename ExecutionSpace::memory_space> batch;  ///< batch of arrays, on a device
  std::optional<ProductLibrary<ExecutionSpace, float>> narrow;
  std::optional<ProductLibrary<ExecutionSpace, double>> wide;

  template <class T>
  std::optional<ProductLibrary<ExecutionSpace, T>>& library() {
    if constexpr (sizeof(T) == 4) {
      return narrow;
    } else {
      return wide;
    }
  }
};

using BulkCalls = WorkspaceCalls<BulkWorkspace>;

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_BULK_BULK_WORKSPACE_HPP
