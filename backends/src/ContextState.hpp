// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_SRC_CONTEXT_STATE_HPP
#define KINDRED_BACKENDS_SRC_CONTEXT_STATE_HPP

#include <kindred/backends/Context.hpp>
#include <kindred/backends/impl/HelperThreads.hpp>
#include <kindred/backends/impl/HostInstance.hpp>
#include <kindred/backends/impl/KeptObjects.hpp>
#include <kindred/backends/impl/OpenMPTeams.hpp>
#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/arch/launch/CurrentDevice.hpp>
#include <kindred/core/common/LeasePool.hpp>
#include <kindred/core/common/Stream.hpp>
#include <kindred/memory/CallbackAdaptor.hpp>
#include <kindred/memory/LimitAdaptor.hpp>
#include <kindred/memory/SpaceResource.hpp>
#include <kindred/memory/StatisticsAdaptor.hpp>

#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace Kindred {

/// \brief A memory space with a budget: `limit → statistics → callback → space`.
///
/// Engines allocate from \ref limit. Thread-safe, as its adaptors are.
template <class MemorySpace>
struct BudgetedResource {
  /// \param before_allocation is called before each allocation and may refuse it
  BudgetedResource(std::uint64_t limit_bytes, const AllocationCallback& before_allocation,
                   const MemorySpace& memory_space = {})
      : space(memory_space),
        callback(space, before_allocation),
        statistics(callback),
        limit(statistics, limit_bytes) {}
  /// Shares the budget and the statistics of \p other, which must outlive this.
  template <class OtherSpace>
  BudgetedResource(BudgetedResource<OtherSpace>& other, const AllocationCallback& before_allocation)
      : callback(space, before_allocation),
        statistics(callback, other.statistics),
        limit(statistics, other.limit) {}

  SpaceResource<MemorySpace> space;
  CallbackAdaptor callback;
  StatisticsAdaptor statistics;
  LimitAdaptor limit;
};

/// For messages.
inline std::string cannot_be_used(const SpaceInfo& info) {
  return "space " + std::string(to_string(info.space)) + " cannot be used: " + info.why_not;
}

/// The instances, memory resources and dispatcher of a context.
struct KINDRED_HIDDEN Context::State {
  State(const ContextOptions& given, std::vector<SpaceInfo> infos, SpaceSet usable_spaces,
        int thread_count)
      : options(with_memory_left(given)),
        spaces(std::move(infos)),
        usable(usable_spaces),
        threads(thread_count),
        serial(1),
        openmp(thread_count),
        teams(thread_count, openmp.get(), single),
        host_memory(spaces[0].memory_budget, options.before_allocation),
        dispatcher(usable_spaces, thread_count, options.dispatcher)
#if KINDRED_HAS_DEVICE
        ,
        // A lost device cannot create a stream.
        cuda(usable_spaces.contains(Space::cuda)
                 ? Arch::new_device_instance(spaces[space_index(Space::cuda)].device_index)
                 : DeviceSpace()),
        device_memory(spaces[2].memory_budget, options.before_allocation, Arch::memory_of(cuda)),
        pinned_memory(host_memory, options.before_allocation)
#endif
  {
  }

  /// Adds a callback that returns the rest of the device budget without calling the driver.
  ContextOptions with_memory_left(ContextOptions given) const {
#if KINDRED_HAS_DEVICE
    if (!given.dispatcher.device_memory_left) {
      given.dispatcher.device_memory_left = [this] {
        return device_memory.limit.limit() - device_memory.limit.used();
      };
    }
#endif
    return given;
  }

  /// Logs the duration of the first call of an operation if the driver compiled its kernels.
  void report_compilation(const Context& context, const DispatchRecord& record);

  ContextOptions options;
  std::vector<SpaceInfo> spaces;
  SpaceSet usable;
  int threads;
  Impl::HostInstance serial;                   ///< for what is no call
  Impl::LeasePool<Impl::HostInstance> single;  ///< of one thread, for calls
  Impl::HostInstance openmp;
  Impl::OpenMPTeams teams;
  Impl::HelperThreads helpers;
  BudgetedResource<Kokkos::HostSpace> host_memory;
  Dispatcher dispatcher;
  CallHistory ran_on_device;
  CallHistory history;  ///< of calls whose engine has no history
#if KINDRED_HAS_DEVICE
  DeviceSpace cuda;
  BudgetedResource<DeviceSpace::memory_space> device_memory;
  BudgetedResource<Kokkos::SharedHostPinnedSpace> pinned_memory;
  std::mutex streams_mutex;
  std::vector<std::pair<Stream, DeviceSpace>> streams;  ///< of callers; the last used is the first
#endif
  Impl::KeptObjects kept;  ///< destroyed first: they use the members above
};

}  // namespace Kindred

#endif  // KINDRED_BACKENDS_SRC_CONTEXT_STATE_HPP
