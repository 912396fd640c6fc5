// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MEMORY_WORKSPACE_CACHE_HPP
#define KINDRED_MEMORY_WORKSPACE_CACHE_HPP

#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/arch/PerSpace.hpp>
#include <kindred/core/common/Cancellation.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/memory/MemoryResource.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <type_traits>

namespace Kindred::Impl {

/// \brief Keeps workspaces between calls and lends each to one call at a time: one on a device, and
/// on the host one for calls of a single thread and one for all others. Thread-safe.
/// \tparam Workspace constructed from a memory resource and a number of threads
template <template <class> class Workspace>
class WorkspaceCache {
 public:
  /// \param label name of the fence after a failure
  explicit WorkspaceCache(const char* label) : m_label(label) {}

  /// The largest `bytes` of a call that used the workspace that is kept on a device; 0 if none is.
  std::uint64_t device_bytes() const noexcept { return m_device_bytes; }

  /// \brief Calls `body(workspace)`. If memory runs out in a workspace of an earlier call, that is
  /// released, and \p body is called once more with a new one. Fences \p exec_space if \p body
  /// throws.
  /// \param memory of \p exec_space, must outlive this
  /// \param threads of \p exec_space, 1 on a device
  /// \param bytes that the call needs in its workspace, \see device_bytes
  template <class ExecutionSpace, class Body>
  void lend(const ExecutionSpace& exec_space, MemoryResource& memory, int threads,
            std::uint64_t bytes, const Body& body) {
    Side<ExecutionSpace>& side = side_of<ExecutionSpace>(threads);
    const auto lock = cancellable_lock(side.mutex);
    const auto try_once = [&] {
      try {
        if (!side.workspace) side.workspace.emplace(memory, threads);
        body(*side.workspace);
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
    } catch (const Cancelled&) {
      side.workspace.reset();  // what a call leaves in it is incomplete
      throw;
    }
    if constexpr (Arch::is_device<ExecutionSpace>)
      m_device_bytes = std::max(m_device_bytes.load(), bytes);
  }

 private:
  template <class ExecutionSpace>
  struct Side {
    std::timed_mutex mutex;
    std::optional<Workspace<ExecutionSpace>> workspace;
  };
  template <class ExecutionSpace>
  Side<ExecutionSpace>& side_of([[maybe_unused]] int threads) {
    if constexpr (!Arch::is_device<ExecutionSpace>) {
      if (threads == 1) return m_serial;
    }
    return m_sides.template get<ExecutionSpace>();
  }

  const char* m_label;
  std::atomic<std::uint64_t> m_device_bytes{0};
  Side<HostSpace> m_serial;
  Arch::PerSpace<Side> m_sides;  // the workspace of the host is shared by its threads
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MEMORY_WORKSPACE_CACHE_HPP
