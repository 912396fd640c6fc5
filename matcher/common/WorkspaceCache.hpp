// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_COMMON_WORKSPACE_CACHE_HPP
#define KINDRED_MATCHER_COMMON_WORKSPACE_CACHE_HPP

#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/arch/PerSpace.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <type_traits>

namespace Kindred::Impl {

/// \brief Keeps one workspace per space between calls. Calls on the same space are serialized.
/// \tparam Workspace constructed from a memory space and the number of threads of the space, 1 on a
/// device
template <template <class> class Workspace>
class WorkspaceCache {
 public:
  /// \param label name of the fence after a failure
  explicit WorkspaceCache(const char* label) : m_label(label) {}

  /// Calls `body(exec_space, workspace, space)` on the space that the dispatcher chooses. If memory
  /// runs out, the workspace is released and \p body is called once more. \see Context::run
  template <class Body>
  DispatchRecord run(Context& context, Workload workload, std::optional<Space> space,
                     const Body& body) {
    // The device workspace of an earlier call is reused, so it is not needed in addition.
    const std::uint64_t device_bytes = workload.device_bytes;
    workload.device_bytes -= std::min(device_bytes, m_device_bytes.load());
    workload.history = &m_history;
    return context.run(workload, space, [&](Space chosen) {
      with_instance(context, chosen, [&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
        Side<ExecutionSpace>& side = side_of(exec_space, chosen);
        const std::lock_guard lock(side.mutex);
        const auto try_once = [&] {
          try {
            if (!side.workspace)
              side.workspace.emplace(context.memory(chosen),
                                     chosen == Space::openmp ? context.threads() : 1);
            body(exec_space, *side.workspace, chosen);
          } catch (...) {
            // Launched kernels may still read the memory that is about to be released.
            Arch::fence(exec_space, m_label);
            throw;
          }
        };
        const bool has_kept = side.workspace.has_value();
        try {
          try_once();
        } catch (const OutOfMemory&) {
          side.workspace.reset();
          if constexpr (Arch::is_device<ExecutionSpace>) m_device_bytes = 0;
          if (!has_kept) throw;
          try_once();
        }
        if constexpr (Arch::is_device<ExecutionSpace>)
          m_device_bytes = std::max(m_device_bytes.load(), device_bytes);
      });
    });
  }

 private:
  template <class ExecutionSpace>
  struct Side {
    std::mutex mutex;
    std::optional<Workspace<ExecutionSpace>> workspace;
  };
  template <class ExecutionSpace>
  Side<ExecutionSpace>& side_of(const ExecutionSpace&, Space space) {
    if constexpr (std::is_same_v<ExecutionSpace, HostSpace>) {
      if (space == Space::serial) return m_serial;
    }
    return m_sides.template get<ExecutionSpace>();
  }

  const char* m_label;
  CallHistory m_history;
  std::atomic<std::uint64_t> m_device_bytes{0};  ///< size of the kept workspace
  Side<HostSpace> m_serial;
  Arch::PerSpace<Side> m_sides;  // the workspace of the host is shared by its threads
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_COMMON_WORKSPACE_CACHE_HPP
