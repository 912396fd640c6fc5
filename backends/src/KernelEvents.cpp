// SPDX-License-Identifier: Apache-2.0
#include "KernelEvents.hpp"

#include <kindred/backends/impl/Device.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <limits>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace Kindred::Impl {

namespace {

namespace Tools = Kokkos::Tools::Experimental;
using Tools::EventSet;

struct OpenKernel {
  KernelEvent event;
  int level = 0;                ///< of the callback that opened it
  std::uint64_t id_before = 0;  ///< id given by the callbacks below
};

/// \brief Kokkos has one process-wide set of callbacks, which are plain functions, so this is
/// global too.
///
/// Our callbacks can be in the chain several times: another tool that was set above them, and that
/// calls them, cannot be removed when they are needed again, so that they are set above it once
/// more. `levels` has one entry for each time; the last one is nearest to Kokkos. Only the one that
/// Kokkos or another tool calls first for a kernel records it.
struct Registry {
  std::mutex mutex;
  std::vector<KernelListener*> listeners;
  std::unordered_map<std::uint64_t, OpenKernel> open;
  std::uint64_t next_id = std::uint64_t{1} << 62;  ///< far from the ids of other tools
  std::vector<EventSet> levels;  ///< each with the callbacks below ours, which ours call
};

Registry& registry() {
  static Registry instance;
  return instance;
}

/// During a call of the callbacks below ours, the number of levels that are left; otherwise all.
thread_local int levels_left = std::numeric_limits<int>::max();

/// While it exists, the calling thread is at the callbacks below the innermost one of ours that is
/// being called.
class Descent {
 public:
  /// The caller holds the lock of \p shared.
  explicit Descent(const Registry& shared)
      : m_left_before(levels_left),
        m_level(std::min(levels_left, static_cast<int>(shared.levels.size())) - 1) {
    levels_left = std::max(m_level, 0);
  }
  ~Descent() { levels_left = m_left_before; }
  Descent(const Descent&) = delete;
  Descent& operator=(const Descent&) = delete;

  /// Whether no callback of ours that is above this one is being called.
  bool is_first() const { return m_left_before == std::numeric_limits<int>::max(); }
  /// −1: our callbacks were removed while this one was called.
  int level() const { return m_level; }

 private:
  int m_left_before;
  int m_level;
};

bool is_device(std::uint32_t device_id) {
  const auto type = Tools::identifier_from_devid(device_id).type;
  return type == Tools::DeviceType::Cuda || type == Tools::DeviceType::HIP ||
         type == Tools::DeviceType::SYCL;
}

/// \tparam callback the member of the callbacks in whose place this function is
template <auto callback>
void begin_kernel(const char* label, const std::uint32_t device_id, std::uint64_t* id) {
  Registry& shared = registry();
  std::unique_lock lock(shared.mutex);
  const Descent descent(shared);
  const auto below = descent.level() < 0 ? nullptr : shared.levels[descent.level()].*callback;
  const bool records = descent.is_first() && !shared.listeners.empty();
  lock.unlock();
  if (!records) {
    if (below != nullptr) below(label, device_id, id);
    return;
  }
  OpenKernel kernel;
  kernel.level = descent.level();
  if (below != nullptr) below(label, device_id, &kernel.id_before);
  kernel.event.label = label;
  kernel.event.device = is_device(device_id);
  if (kernel.event.device) synchronize_device();
  lock.lock();
  *id = shared.next_id++;
  kernel.event.begin = std::chrono::steady_clock::now();
  shared.open.emplace(*id, std::move(kernel));
}

template <auto callback>
void end_kernel(const std::uint64_t id) {
  Registry& shared = registry();
  std::optional<OpenKernel> kernel;
  std::unique_lock lock(shared.mutex);
  const Descent descent(shared);
  const auto below = descent.level() < 0 ? nullptr : shared.levels[descent.level()].*callback;
  const auto found = shared.open.find(id);
  // It may be of a level further below, or have begun without a listener.
  if (found != shared.open.end() && found->second.level >= descent.level()) {
    kernel = std::move(found->second);
    shared.open.erase(found);
  }
  lock.unlock();
  if (!kernel) {
    if (below != nullptr) below(id);
    return;
  }
  if (kernel->event.device) synchronize_device();
  kernel->event.end = std::chrono::steady_clock::now();
  if (below != nullptr) below(kernel->id_before);
  lock.lock();
  for (KernelListener* listener : shared.listeners) listener->on_kernel(kernel->event);
}

bool is_ours(const EventSet& set) {
  return set.begin_parallel_for == &begin_kernel<&EventSet::begin_parallel_for>;
}

void install(Registry& shared) {
  EventSet set = Tools::get_callbacks();
  // Our callbacks are still set: another tool was added after them and has been removed.
  if (is_ours(set)) return;
  shared.levels.push_back(set);
  set.begin_parallel_for = &begin_kernel<&EventSet::begin_parallel_for>;
  set.end_parallel_for = &end_kernel<&EventSet::end_parallel_for>;
  set.begin_parallel_reduce = &begin_kernel<&EventSet::begin_parallel_reduce>;
  set.end_parallel_reduce = &end_kernel<&EventSet::end_parallel_reduce>;
  set.begin_parallel_scan = &begin_kernel<&EventSet::begin_parallel_scan>;
  set.end_parallel_scan = &end_kernel<&EventSet::end_parallel_scan>;
  Tools::set_callbacks(set);
}

void uninstall(Registry& shared) {
  EventSet set = Tools::get_callbacks();
  // Another tool was added after us and forwards to us; we must not remove it.
  if (!is_ours(set)) return;
  EventSet below{};
  if (!shared.levels.empty()) {
    below = shared.levels.back();
    shared.levels.pop_back();
  }
  set.begin_parallel_for = below.begin_parallel_for;
  set.end_parallel_for = below.end_parallel_for;
  set.begin_parallel_reduce = below.begin_parallel_reduce;
  set.end_parallel_reduce = below.end_parallel_reduce;
  set.begin_parallel_scan = below.begin_parallel_scan;
  set.end_parallel_scan = below.end_parallel_scan;
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
