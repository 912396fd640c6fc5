// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_KIT_WORKSPACE_CALLS_HPP
#define KINDRED_MATCHER_KIT_WORKSPACE_CALLS_HPP

#include <kindred/backends/impl/Instances.hpp>
#include <kindred/memory/WorkspaceCache.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>

namespace Kindred::Impl {

/// \brief Runs the calls of an engine and keeps their workspaces. \see WorkspaceCaches
/// \tparam Workspace constructed from a memory resource and a number of threads
template <template <class> class Workspace>
class WorkspaceCalls {
 public:
  /// \param label name of the fence after a failure
  explicit WorkspaceCalls(const char* label) : m_label(label) {}

  /// Calls `body(exec_space, workspace, space)` on the space that the dispatcher chooses. If memory
  /// runs out, kept workspaces are released and \p body is called once more. \see Context::run
  template <class Body>
  DispatchRecord run(Context& context, Workload workload, std::optional<Space> space,
                     const Body& body) {
    // The device workspace of an earlier call is reused, so it is not needed in addition.
    const std::uint64_t device_bytes = workload.device_bytes;
    workload.device_bytes -= std::min(device_bytes, m_workspaces.device_bytes());
    workload.history = &m_history;
    return context.run(workload, space, [&](Space chosen) {
      const int threads = threads_of(context, chosen);
      with_instance(context, chosen, [&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
        m_workspaces.template of<ExecutionSpace>(threads).lend(
            [&] {
              return std::make_unique<Workspace<ExecutionSpace>>(context.memory(chosen), threads);
            },
            exec_space, m_label, device_bytes,
            [&](auto& workspace) { body(exec_space, workspace, chosen); });
      });
    });
  }

 private:
  const char* m_label;
  CallHistory m_history;
  WorkspaceCaches<Workspace> m_workspaces;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_KIT_WORKSPACE_CALLS_HPP
