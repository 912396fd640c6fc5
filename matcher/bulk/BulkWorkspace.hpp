// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_BULK_BULK_WORKSPACE_HPP
#define KINDRED_MATCHER_BULK_BULK_WORKSPACE_HPP

#include "ListLaunch.hpp"
#include "Products.hpp"
#include "common/WorkspaceCalls.hpp"

#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/core/common/Stream.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace Kindred::Impl {

/// What the launches on one stream use.
template <class ExecutionSpace>
struct LaunchWorkspace {
  explicit LaunchWorkspace(MemoryResource& memory) : lists(memory) {}

  ListWorkspace<ExecutionSpace> lists;
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

/// What the calls on a stream of the caller use, which may still run when the next call begins.
template <class ExecutionSpace>
struct StreamWorkspace : LaunchWorkspace<ExecutionSpace> {
  StreamWorkspace(MemoryResource& memory, const ExecutionSpace& given, const Stream& of)
      : LaunchWorkspace<ExecutionSpace>(memory), stream(of), exec_space(instance_on(given, of)) {}

  Stream stream;
  ExecutionSpace exec_space;
};

/// \brief The workspace that a `Bulk` keeps on a space.
template <class ExecutionSpace>
struct BulkWorkspace : LaunchWorkspace<ExecutionSpace> {
  BulkWorkspace(MemoryResource& given, int)
      : LaunchWorkspace<ExecutionSpace>(given), memory(&given) {}
  BulkWorkspace(const BulkWorkspace&) = delete;
  BulkWorkspace& operator=(const BulkWorkspace&) = delete;
  /// Waits for the calls on streams.
  ~BulkWorkspace() {
    for (const auto& one : streams) {
      try {
        Arch::fence(one->exec_space, "Kindred::Bulk::end");
      } catch (const Error&) {
        continue;  // nothing runs on a lost device
      }
    }
  }

  /// The workspace of the calls on \p stream.
  StreamWorkspace<ExecutionSpace>& on(const ExecutionSpace& exec_space, const Stream& stream) {
    for (const auto& one : streams) {
      if (one->stream == stream) return *one;
    }
    streams.push_back(
        std::make_unique<StreamWorkspace<ExecutionSpace>>(*memory, exec_space, stream));
    return *streams.back();
  }

  MemoryResource* memory;
  Buffer<std::byte, typename ExecutionSpace::memory_space> batch;  ///< batch of arrays, on a device
  std::vector<std::unique_ptr<StreamWorkspace<ExecutionSpace>>> streams;
};

using BulkCalls = WorkspaceCalls<BulkWorkspace>;

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_BULK_BULK_WORKSPACE_HPP
