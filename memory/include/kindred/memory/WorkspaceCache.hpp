// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MEMORY_WORKSPACE_CACHE_HPP
#define KINDRED_MEMORY_WORKSPACE_CACHE_HPP

#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/arch/PerSpace.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/core/common/LeasePool.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

namespace Kindred::Impl {

/// \brief Keeps workspaces between calls and lends each to one call at a time, so that calls do not
/// wait for each other, except beyond a limit. Thread-safe.
///
/// Memory bounds the number of workspaces: a call that runs out of memory beside others, or beside
/// kept workspaces, is repeated alone, when all of them are released.
template <class Workspace>
class WorkspaceCache {
 public:
  /// \param limit greatest number of workspaces; 0: one for every call at the same time
  explicit WorkspaceCache(std::size_t limit = 0) : m_workspaces(limit) {}

  /// The largest `bytes` of a call that used the workspaces that are kept; 0 if none is.
  std::uint64_t kept_bytes() const noexcept { return m_kept_bytes; }
  /// Releases the workspaces that no call uses. Returns whether there were any.
  bool release() noexcept {
    m_kept_bytes = 0;
    if (!m_workspaces.release_idle()) return false;
    ++m_freed;
    return true;
  }

  /// \brief Calls `body(workspace)`. If \p body throws, fences its instance, since launched kernels
  /// may still use the memory of the workspace, and releases the workspace, which is incomplete,
  /// unless it throws InvalidArgument. \p body may run twice, so it must overwrite what it wrote.
  /// \param make returns a new workspace, a `std::unique_ptr`
  /// \param instance_of the execution-space instance that \p body uses, or a function that returns
  /// that of a workspace
  /// \param label name of the fence after a failure
  /// \param bytes that the call needs in its workspace, \see kept_bytes
  /// \throws Cancelled, also while waiting, and what \p make and \p body throw
  template <class Make, class InstanceOf, class Body>
  void lend(const Make& make, const InstanceOf& instance_of, const char* label, std::uint64_t bytes,
            const Body& body) {
    const auto fence = [&]([[maybe_unused]] Workspace& workspace) {
      if constexpr (std::is_invocable_v<InstanceOf, Workspace&>)
        Arch::fence(instance_of(workspace), label);
      else
        Arch::fence(instance_of, label);
    };
    for (bool is_alone = false;; is_alone = true) {
      const std::uint64_t freed = m_freed;
      std::optional<Lease> lease;
      try {
        lease.emplace(is_alone ? m_workspaces.take_alone(make) : m_workspaces.take(make));
        if (is_alone) m_kept_bytes = 0;
        try {
          body(**lease);
        } catch (const InvalidArgument&) {
          fence(**lease);
          throw;  // a refused call has changed nothing
        } catch (...) {
          fence(**lease);
          drop(*lease);               // what a call leaves in it is incomplete
          rethrow_translated(label);  // so that missing memory of containers is OutOfMemory, too
        }
        if (m_kept_bytes < bytes) m_kept_bytes = bytes;
        return;
      } catch (const OutOfMemory&) {
        if (is_alone) throw;
        // Whether anything held or has freed memory since, which the next attempt can use.
        bool may_help = (lease && lease->is_kept()) || m_workspaces.has_others(lease);
        may_help = release() || may_help;
        may_help = m_workspaces.has_others(lease) || may_help;
        if (!may_help && m_freed == freed + (lease ? 1 : 0)) throw;
      }
    }
  }

 private:
  using Lease = typename LeasePool<Workspace>::Lease;

  void drop(Lease& lease) noexcept {
    ++m_freed;
    lease.drop();
    m_kept_bytes = 0;
  }

  LeasePool<Workspace> m_workspaces;
  std::atomic<std::uint64_t> m_kept_bytes{0};
  std::atomic<std::uint64_t> m_freed{0};  ///< how often workspaces were released
};

/// \brief The workspaces of an engine: on the host those of calls on one thread and those of all
/// others, and one on a device, which runs one call after the other. Thread-safe.
template <template <class> class Workspace>
class WorkspaceCaches {
 public:
  /// \param threads of the calls on the host, 1 for `serial`
  template <class ExecutionSpace>
  WorkspaceCache<Workspace<ExecutionSpace>>& of([[maybe_unused]] int threads) noexcept {
    if constexpr (!Arch::is_device<ExecutionSpace>) {
      if (threads == 1) return m_serial;
    }
    return m_spaces.template get<ExecutionSpace>().cache;
  }
  /// `kept_bytes` of a device; 0 in a build without one.
  std::uint64_t device_bytes() const noexcept {
    if constexpr (KINDRED_HAS_DEVICE != 0) {
      return m_spaces.template get<DeviceSpace>().cache.kept_bytes();
    } else {
      return 0;
    }
  }

 private:
  template <class ExecutionSpace>
  struct Side {
    WorkspaceCache<Workspace<ExecutionSpace>> cache{Arch::is_device<ExecutionSpace> ? 1U : 0U};
  };

  WorkspaceCache<Workspace<HostSpace>> m_serial;
  Arch::PerSpace<Side> m_spaces;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MEMORY_WORKSPACE_CACHE_HPP
