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

/// \brief What calls work in, kept on every space from one call to the next, which wait for one
/// another. \tparam Workspace is made of memory and of how many threads a space has, 1 on a device
template <template <class> class Workspace>
class WorkspaceCache {
 public:
  /// \param label of the fence after a failure
  explicit WorkspaceCache(const char* label) : m_label(label) {}

  /// `body(exec_space, workspace, space)` where the dispatcher chooses. What a space keeps is given
  /// up, and \p body tried once more, if memory runs out. \see Context::run
  template <class Body>
  DispatchRecord run(Context& context, Workload workload, std::optional<Space> space,
                     const Body& body) {
    // What a call of that size left on the device is not needed beside it.
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
            // What was launched may read what goes.
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
  std::atomic<std::uint64_t> m_device_bytes{0};  ///< that the calls needed whose room is kept
  Side<HostSpace> m_serial;
  Arch::PerSpace<Side> m_sides;  // that of the host is of all threads
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_COMMON_WORKSPACE_CACHE_HPP
