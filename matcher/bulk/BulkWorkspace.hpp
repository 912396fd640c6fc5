// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_BULK_BULK_WORKSPACE_HPP
#define KINDRED_MATCHER_BULK_BULK_WORKSPACE_HPP

#include "ListLaunch.hpp"
#include "Products.hpp"
#include "kit/CallOrder.hpp"
#include "kit/StreamWorkspaces.hpp"
#include "kit/WorkspaceCalls.hpp"

#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/common/Stream.hpp>

#include <cstddef>
#include <optional>

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

/// What the calls on a stream of the caller use.
template <class ExecutionSpace>
struct StreamWorkspace : LaunchWorkspace<ExecutionSpace> {
  explicit StreamWorkspace(MemoryResource& memory) : LaunchWorkspace<ExecutionSpace>(memory) {}

  CallOrder<ExecutionSpace> calls;
};

/// \brief The workspace that a `Bulk` keeps on a space.
template <class ExecutionSpace>
struct BulkWorkspace : LaunchWorkspace<ExecutionSpace> {
  BulkWorkspace(MemoryResource& given, int)
      : LaunchWorkspace<ExecutionSpace>(given), memory(&given) {}
  BulkWorkspace(const BulkWorkspace&) = delete;
  BulkWorkspace& operator=(const BulkWorkspace&) = delete;
  /// Waits for the calls on streams.
  ~BulkWorkspace() = default;

  /// \brief Calls `body(exec_space, workspace)` for a call on \p stream, with its instance and its
  /// workspace. Does not fence. \param own the instance of \p context
  template <class Body>
  void run_on(const Context& context, const ExecutionSpace& own, const Stream& stream,
              const Body& body) {
    StreamWorkspace<ExecutionSpace>& workspace = m_streams.of(stream, *memory);
    const auto& exec_space = call_instance(context, own, stream);
    workspace.calls.run(exec_space, "Kindred::Bulk::failed", nullptr,
                        [&] { body(exec_space, workspace); });
  }

  MemoryResource* memory;
  Buffer<std::byte, typename ExecutionSpace::memory_space> batch;  ///< batch of arrays, on a device

 private:
  StreamWorkspaces<StreamWorkspace<ExecutionSpace>> m_streams;
};

using BulkCalls = WorkspaceCalls<BulkWorkspace>;

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_BULK_BULK_WORKSPACE_HPP
