// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_COMMON_WORKSPACE_CALLS_HPP
#define KINDRED_MATCHER_COMMON_WORKSPACE_CALLS_HPP

#include <kindred/backends/impl/Instances.hpp>
#include <kindred/memory/WorkspaceCache.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>

namespace Kindred::Impl {

/// \brief Runs the calls of an engine and keeps one workspace per space. Calls on the same space
/// are serialized.
/// \tparam Workspace \see WorkspaceCache
template <template <class> class Workspace>
class WorkspaceCalls {
 public:
  /// \param label name of the fence after a failure
  explicit WorkspaceCalls(const char* label) : m_workspaces(label) {}

  /// Calls `body(exec_space, workspace, space)` on the space that the dispatcher chooses. If memory
  /// runs out, the workspace is released and \p body is called once more. \see Context::run
  template <class Body>
  DispatchRecord run(Context& context, Workload workload, std::optional<Space> space,
                     const Body& body) {
    // The device workspace of an earlier call is reused, so it is not needed in addition.
    const std::uint64_t device_bytes = workload.device_bytes;
    workload.device_bytes -= std::min(device_bytes, m_workspaces.device_bytes());
    workload.history = &m_history;
    return context.run(workload, space, [&](Space chosen) {
      const int threads = chosen == Space::openmp ? context.threads() : 1;
      with_instance(context, chosen, [&](const auto& exec_space) {
        m_workspaces.lend(exec_space, context.memory(chosen), threads, device_bytes,
                          [&](auto& workspace) { body(exec_space, workspace, chosen); });
      });
    });
  }

 private:
  CallHistory m_history;
  WorkspaceCache<Workspace> m_workspaces;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_COMMON_WORKSPACE_CALLS_HPP
