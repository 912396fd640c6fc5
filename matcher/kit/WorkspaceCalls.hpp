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
  /// \param workload with the history of the calls, if not all calls of the engine share one
  template <class Body>
  DispatchRecord run(Context& context, Workload workload, std::optional<Space> space,
                     const Body& body) {
    // The device workspace of an earlier call is reused, so it is not needed in addition.
    const std::uint64_t device_bytes = workload.device_bytes;
    workload.device_bytes -= std::min(device_bytes, m_workspaces.device_bytes());
    if (workload.history == nullptr) workload.history = &m_history;
    return context.run(workload, space,
                       [&](Space chosen) { run_on(context, chosen, device_bytes, body); });
  }
  /// The same on \p space, without the dispatcher.
  template <class Body>
  void run_on(Context& context, Space space, std::uint64_t device_bytes, const Body& body) {
    const int threads = threads_of(context, space);
    with_instance(context, space, [&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
      m_workspaces.template of<ExecutionSpace>(threads).lend(
          [&] {
            return std::make_unique<Workspace<ExecutionSpace>>(context.memory(space), threads);
          },
          exec_space, m_label, device_bytes,
          [&](auto& workspace) { body(exec_space, workspace, space); });
    });
  }

 private:
  const char* m_label;
  CallHistory m_history;
  WorkspaceCaches<Workspace> m_workspaces;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_KIT_WORKSPACE_CALLS_HPP
