// SPDX-License-Identifier: Apache-2.0
#include "KernelEvents.hpp"

#include <kindred/backends/impl/Device.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace Kindred::Impl {

namespace {

namespace Tools = Kokkos::Tools::Experimental;
enum Kind : std::size_t { for_loop, reduction, scan, kind_count };

struct OpenKernel {
  KernelEvent event;
  std::uint64_t id_before = 0;  ///< id given by the callbacks that were set before
};

/// Kokkos has one process-wide set of callbacks, which are plain functions, so this is global too.
struct Registry {
  std::mutex mutex;
  std::vector<KernelListener*> listeners;
  std::unordered_map<std::uint64_t, OpenKernel> open;
  std::uint64_t next_id = std::uint64_t{1} << 62;  ///< far from the ids of other tools
  Kokkos_Profiling_beginFunction begin_before[kind_count]{};
  Kokkos_Profiling_endFunction end_before[kind_count]{};
};

Registry& registry() {
  static Registry instance;
  return instance;
}

bool is_device(std::uint32_t device_id) {
  const auto type = Tools::identifier_from_devid(device_id).type;
  return type == Tools::DeviceType::Cuda || type == Tools::DeviceType::HIP ||
         type == Tools::DeviceType::SYCL;
}

template <Kind kind>
void begin_kernel(const char* label, const std::uint32_t device_id, std::uint64_t* id) {
  Registry& shared = registry();
  OpenKernel kernel;
  if (shared.begin_before[kind] != nullptr)
    shared.begin_before[kind](label, device_id, &kernel.id_before);
  kernel.event.label = label;
  kernel.event.device = is_device(device_id);
  if (kernel.event.device) synchronize_device();
  const std::lock_guard lock(shared.mutex);
  *id = shared.next_id++;
  kernel.event.begin = std::chrono::steady_clock::now();
  shared.open.emplace(*id, std::move(kernel));
}

template <Kind kind>
void end_kernel(const std::uint64_t id) {
  Registry& shared = registry();
  OpenKernel kernel;
  {
    const std::lock_guard lock(shared.mutex);
    const auto found = shared.open.find(id);
    if (found == shared.open.end()) {  // it began before the first listener existed
      if (shared.end_before[kind] != nullptr) shared.end_before[kind](id);
      return;
    }
    kernel = std::move(found->second);
    shared.open.erase(found);
  }
  if (kernel.event.device) synchronize_device();
  kernel.event.end = std::chrono::steady_clock::now();
  if (shared.end_before[kind] != nullptr) shared.end_before[kind](kernel.id_before);
  const std::lock_guard lock(shared.mutex);
  for (KernelListener* listener : shared.listeners) listener->on_kernel(kernel.event);
}

bool is_ours(const Tools::EventSet& set) {
  return set.begin_parallel_for == &begin_kernel<for_loop>;
}

void install(Registry& shared) {
  Tools::EventSet set = Tools::get_callbacks();
  // Our callbacks are still set: another tool was added after them and has been removed.
  if (is_ours(set)) return;
  shared.begin_before[for_loop] = std::exchange(set.begin_parallel_for, &begin_kernel<for_loop>);
  shared.end_before[for_loop] = std::exchange(set.end_parallel_for, &end_kernel<for_loop>);
  shared.begin_before[reduction] =
      std::exchange(set.begin_parallel_reduce, &begin_kernel<reduction>);
  shared.end_before[reduction] = std::exchange(set.end_parallel_reduce, &end_kernel<reduction>);
  shared.begin_before[scan] = std::exchange(set.begin_parallel_scan, &begin_kernel<scan>);
  shared.end_before[scan] = std::exchange(set.end_parallel_scan, &end_kernel<scan>);
  Tools::set_callbacks(set);
}

void uninstall(Registry& shared) {
  Tools::EventSet set = Tools::get_callbacks();
  // Another tool was added after us and forwards to us; we must not remove it.
  if (!is_ours(set)) return;
  set.begin_parallel_for = shared.begin_before[for_loop];
  set.end_parallel_for = shared.end_before[for_loop];
  set.begin_parallel_reduce = shared.begin_before[reduction];
  set.end_parallel_reduce = shared.end_before[reduction];
  set.begin_parallel_scan = shared.begin_before[scan];
  set.end_parallel_scan = shared.end_before[scan];
  Tools::set_callbacks(set);
}

}  // namespace

void KernelListener::start_listening() {
  Registry& shared = registry();
  const std::lock_guard lock(shared.mutex);
  shared.listeners.push_back(this);
  if (shared.listeners.size() == 1) install(shared);
}

void KernelListener::stop_listening() noexcept {
  Registry& shared = registry();
  const std::lock_guard lock(shared.mutex);
  std::erase(shared.listeners, this);
  if (shared.listeners.empty()) uninstall(shared);
}

}  // namespace Kindred::Impl
